/** Hooks for drafts: one for a text being typed, and one for sent texts without a response yet. */
import { useEffect, useState } from 'preact/hooks'
import { type Draft, drafts } from './drafts.ts'

/** A draft, and its actions. */
interface DraftField {
  /** Typed text that is neither saved nor discarded; undefined if there is none. */
  draft: Draft | undefined
  /** Stores typed text. @param from the value at the start of editing; by default that of the draft, or the empty text */
  keep: (text: string, from?: string) => void
  /** Replaces a part of the latest draft, if that has it. */
  replace: (part: string, by: string) => void
  /** Deletes the draft after it was saved or discarded. */
  remove: () => void
}

/**
 * The draft of a field. It outlives the component and the page.
 * @param name the record and field, e.g. `kanban-item:<id>:title`
 */
export function useDraft(name: string): DraftField {
  const [state, setState] = useState(() => ({ name, draft: drafts.read(name) }))
  const draft = state.name === name ? state.draft : drafts.read(name)
  const show = (next: Draft | undefined) => setState({ name, draft: next })
  const keep: DraftField['keep'] = (text, from = draft?.from ?? '') => {
    // A text that is back at its initial value needs no draft.
    if (text === from) drafts.remove(name)
    else drafts.keep(name, { text, from })
    show({ text, from, at: Date.now() })
  }
  return {
    draft,
    keep,
    replace: (part, by) => {
      const latest = drafts.read(name)
      if (latest?.text.includes(part))
        keep(
          latest.text.replace(part, () => by),
          latest.from,
        )
    },
    remove: () => {
      drafts.remove(name)
      show(undefined)
    },
  }
}

/** New texts of one line, e.g. titles, that were sent while the field went on to the next one. */
interface Unsent {
  /** Texts that were refused, and texts of an earlier visit, which may not have arrived. */
  left: readonly string[]
  /** Records a sent text. */
  begin: (text: string) => void
  /** Records the result: saved, or refused and therefore left. */
  end: (text: string, isSaved: boolean) => void
  /** Discards the left texts. */
  forget: () => void
}

/**
 * Keeps new texts until they are saved, because the field is cleared for the next one at once.
 * @param name the record and field, e.g. `kanban-item:<id>:subtask`
 */
export function useUnsent(name: string): Unsent {
  const key = `${name}:unsent`
  const [left, setLeft] = useState<readonly string[]>([])
  const read = () => drafts.read(key)?.text.split('\n') ?? []
  useEffect(() => setLeft(sending.has(key) ? [] : read()), [key])
  const store = (lines: readonly string[]) => {
    if (lines.length === 0) drafts.remove(key)
    else drafts.keep(key, { text: lines.join('\n'), from: '' })
  }
  return {
    left,
    begin: (text) => {
      sending.set(key, (sending.get(key) ?? 0) + 1)
      store([...read(), text])
      drafts.flush()
    },
    end: (text, isSaved) => {
      const count = (sending.get(key) ?? 1) - 1
      if (count > 0) sending.set(key, count)
      else sending.delete(key)
      if (!isSaved) {
        setLeft((before) => [...before, text])
        return
      }
      const lines = read()
      const at = lines.indexOf(text)
      store(lines.filter((_, index) => index !== at))
    },
    forget: () => {
      store([])
      setLeft([])
    },
  }
}

/** The number of texts of a name that this page has sent without a response yet. They are not left. */
const sending = new Map<string, number>()
