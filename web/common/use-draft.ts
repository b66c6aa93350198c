/** The hook for the draft of a text being typed. */
import { useState } from 'preact/hooks'
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
  /** Starts from a text, which is shown as the draft. Until something is typed, the stored draft stays. */
  begin: (text: string) => void
  /** Shows the stored draft again, if there is one. */
  restore: () => void
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
    begin: (text) => show({ text, from: text, at: Date.now() }),
    restore: () => show(drafts.read(name)),
  }
}
