/** A text that is edited in place: shown, being edited, on its way, or in conflict with what somebody else wrote. */
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { type Draft, drafts } from '../drafts.ts'
import { failed, toast } from '../toasts.ts'
import { useDraft } from '../use-draft.ts'
import type { SavingOutcome } from './conflict.ts'

/** A text of a record, and how it is saved. */
export interface EditedText {
  /** Names its draft, e.g. `kanban-item:<id>:title`. */
  name: string
  /** What messages call it, e.g. "title". */
  called: string
  /** What it is now, or will be when what is on its way has arrived. */
  value: string
  /** What the service said last, if that may be another: a draft is needed until it has the text. */
  base?: string | undefined
  /** Saves it, unless somebody else has changed it since `from`. @throws PhaseboardError when the service refuses */
  save: (text: string, from: string) => Promise<SavingOutcome>
}

/** How many texts are being edited: what is typed should not go out of sight by a click beside it. */
export const openEditors = signal(0)

export interface TextEdit {
  mode: 'shown' | 'editing' | 'conflict'
  /** What to show: the text as it is, or as it is on its way. */
  shown: string
  /** What is typed. */
  text: string
  /** What is typed and not saved while the field is only shown. */
  left: Draft | undefined
  /** What somebody else wrote, in a conflict. */
  theirs: string
  begin: () => void
  type: (text: string) => void
  /** Leaves the field; what is typed is kept for later. */
  leave: () => void
  discard: () => void
  save: () => void
  /** Ends a conflict. */
  keepMine: () => void
  keepEditing: () => void
}

export function useTextEdit({ name, called, value, base = value, save }: EditedText): TextEdit {
  const { draft, keep, remove } = useDraft(name)
  const [mode, setMode] = useState<TextEdit['mode']>('shown')
  const [saving, setSaving] = useState<string | undefined>()
  const [theirs, setTheirs] = useState('')
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
    }
  }, [])
  const isOpen = mode !== 'shown'
  useLayoutEffect(() => {
    if (!isOpen) return
    openEditors.value++
    return () => {
      openEditors.value--
    }
  }, [isOpen])
  const isSaved = mode === 'shown' && saving === undefined && draft?.text === base
  useEffect(() => {
    // It did arrive: its answer was lost, or somebody else wrote the same.
    if (isSaved) remove()
  }, [isSaved])

  async function send(text: string, from: string): Promise<void> {
    setMode('shown')
    if (text === from) {
      remove()
      return
    }
    setSaving(text)
    try {
      const outcome = await save(text, from)
      if (outcome.isSaved) {
        if (drafts.read(name)?.text === text) remove()
      } else {
        setTheirs(outcome.theirs)
        setMode('conflict')
        if (isGone.current) toast(texts.editing.conflict.text(called), [], 'alert')
      }
    } catch (error) {
      setMode('editing')
      failed(error)
    } finally {
      setSaving(undefined)
    }
  }

  const text = draft?.text ?? value
  const isLeft = mode === 'shown' && saving === undefined && !isSaved
  return {
    mode,
    shown: saving ?? value,
    text,
    left: isLeft ? draft : undefined,
    theirs,
    begin: () => {
      if (draft === undefined) keep(value, value)
      setMode('editing')
    },
    type: (typed) => keep(typed, draft?.from ?? value),
    leave: () => {
      if (draft?.text === draft?.from) remove()
      setMode('shown')
    },
    discard: () => {
      remove()
      setMode('shown')
    },
    save: () => void send(text, draft?.from ?? value),
    keepMine: () => {
      keep(text, theirs)
      void send(text, theirs)
    },
    keepEditing: () => {
      keep(text, theirs)
      setMode('editing')
    },
  }
}
