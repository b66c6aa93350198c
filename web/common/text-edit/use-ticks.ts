/** Ticking tasks in a rendered text, which saves it at once. */
import { useRef } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { withTask } from '../markdown/tasks.ts'
import { failed, toast } from '../toasts.ts'
import type { SavingOutcome } from './conflict.ts'
import type { TextEdit } from './use-text-edit.ts'

/** Ticks the task at an index, or unticks it. @returns whether it was found */
export type Tick = (index: number, isTicked: boolean) => Promise<boolean>

interface Ticks {
  edit: TextEdit
  /** The shown value, including pending writes. */
  value: string
  /** Saves the text, with an optimistic update, unless somebody else has changed it since `from`. @throws PhaseboardError */
  save: (text: string, from: string) => Promise<SavingOutcome>
  canEdit: boolean
}

/** @returns undefined while tasks cannot be ticked, e.g. because a draft of the text waits */
export function useTicks({ edit, value, save, canEdit }: Ticks): Tick | undefined {
  const latest = useRef({ edit, value, save })
  latest.current = { edit, value, save }
  /** Ticks are found one after another, each in the text with those before it. */
  const queue = useRef<Promise<unknown>>(Promise.resolve())
  if (!canEdit || edit.left !== undefined) return undefined
  const tick = async (index: number, isTicked: boolean): Promise<boolean> => {
    const { renderHtml } = await import('../markdown/markdown.ts')
    const from = latest.current.value
    const text = await withTask(from, index, isTicked, renderHtml)
    if (text === undefined) {
      toast(texts.editing.notTicked, [], 'alert')
      return false
    }
    if (text === from) return true
    latest.current.value = text
    latest.current.save(text, from).then((outcome) => {
      if (!outcome.isSaved) latest.current.edit.ask(text, from, outcome.theirs)
    }, failed)
    return true
  }
  return (index, isTicked) => {
    const ticking = queue.current.then(() => tick(index, isTicked))
    queue.current = ticking.catch(() => undefined)
    return ticking
  }
}
