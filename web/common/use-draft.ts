/** Drafts in components: a text that is being typed, and texts on their way that are not answered yet. */
import { useEffect, useState } from 'preact/hooks'
import { type Draft, drafts } from './drafts.ts'

/** A draft, and what may happen to it. */
export interface DraftField {
  /** What is typed and neither saved nor discarded; undefined where nothing is. */
  draft: Draft | undefined
  /** Keeps what is typed. @param from the value that editing began with; if absent that of the draft, else the empty text */
  keep: (text: string, from?: string) => void
  /** Forgets it: it is saved, or discarded. */
  remove: () => void
}

/**
 * The draft of a field. It outlives the component, and the page.
 * @param name what and which field, e.g. `kanban-item:<id>:title`
 */
export function useDraft(name: string): DraftField {
  const [state, setState] = useState(() => ({ name, draft: drafts.read(name) }))
  const draft = state.name === name ? state.draft : drafts.read(name)
  const show = (next: Draft | undefined) => setState({ name, draft: next })
  return {
    draft,
    keep: (text, from = draft?.from ?? '') => {
      // What was put back as it was is nothing to come back to.
      if (text === from) drafts.remove(name)
      else drafts.keep(name, { text, from })
      show({ text, from, at: Date.now() })
    },
    remove: () => {
      drafts.remove(name)
      show(undefined)
    },
  }
}

/** New texts of one line, e.g. titles, that were sent off while the field went on to the next. */
export interface Unsent {
  /** Those that were refused, and those of an earlier visit, which may not have arrived. */
  left: readonly string[]
  /** A text is sent. */
  begin: (text: string) => void
  /** It was saved, or refused: then it is left. */
  end: (text: string, isSaved: boolean) => void
  /** Those that were left are dealt with. */
  forget: () => void
}

/**
 * Keeps new texts until they are saved, where the field is cleared for the next at once.
 * @param name what and which field, e.g. `kanban-item:<id>:subtask`
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

/** How many texts of a name this page has sent and not heard of: they are on their way, and not left. */
const sending = new Map<string, number>()
