/** The state of a text that is edited in place: shown, being edited, being saved, or in conflict with somebody else's change. */
import { signal } from '@preact/signals'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import type { Made } from '../actors.ts'
import { type Draft, drafts } from '../drafts.ts'
import { failed, toast } from '../toasts.ts'
import { useDraft } from '../use-draft.ts'
import type { SavingOutcome } from './conflict.ts'
import { mergedText } from './differences.ts'

/** A text of a record, with the function that saves it. */
export interface EditedText {
  /** The name of its draft, e.g. `kanban-item:<id>:title`. */
  name: string
  /** The field's name in messages, e.g. "title". */
  called: string
  /** The shown value, including pending writes. */
  value: string
  /** The value confirmed by the service, if it may differ. The draft is kept until the service has the text. */
  base?: string | undefined
  /** Saves the text, unless somebody else has changed it since `from`. @throws PhaseboardError if the service refuses the write */
  save: (text: string, from: string) => Promise<SavingOutcome>
  /** Who has changed it last, if that is known; subscribes to it. */
  maker?: (() => Made | undefined) | undefined
}

/** The number of texts being edited. While it is not 0, a click outside the dialog must not close it and hide typed text. */
export const openEditors = signal(0)

export interface TextEdit {
  mode: 'shown' | 'editing' | 'conflict'
  /** The text to show, including one being saved. */
  shown: string
  /** The typed text. */
  text: string
  /** Typed text that is not saved, while the field is closed. */
  left: Draft | undefined
  /** Somebody else's text, in a conflict. */
  theirs: string
  /** Who wrote it, if that is known. */
  maker: (() => Made | undefined) | undefined
  /** Both changes in one text, in a conflict in which they are apart from each other. */
  merged: string | undefined
  begin: () => void
  type: (text: string) => void
  /** Replaces a part of the draft, whether the field is open or not. */
  replace: (part: string, by: string) => void
  /** Closes the field, and keeps the typed text as a draft. */
  leave: () => void
  discard: () => void
  save: () => void
  /** Resolves a conflict. */
  keepMine: () => void
  keepEditing: () => void
  /** Opens the field with both changes. */
  takeMerged: () => void
  /** Shows the conflict of a text that was saved after its field was closed. */
  ask: (text: string, from: string, theirs: string) => void
}

export function useTextEdit({ name, called, value, base = value, save, maker }: EditedText): TextEdit {
  const { draft, keep, replace, remove, begin, restore } = useDraft(name)
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
    // The text did arrive: the response was lost, or somebody else wrote the same.
    if (isSaved) remove()
  }, [isSaved])

  async function send(text: string, from: string): Promise<void> {
    setMode('shown')
    if (text === from) {
      restore()
      return
    }
    setSaving(text)
    try {
      const outcome = await save(text, from)
      if (outcome.isSaved) {
        if (drafts.own(name)?.text === text) remove()
      } else {
        setTheirs(outcome.theirs)
        setMode('conflict')
        if (isGone.current) toast(texts.editing.conflict.text(called), [], 'alert')
      }
    } catch (error) {
      // The draft ends when the stream brings its text.
      if (failed(error)) return
      // What was typed since then began with a text that the service does not have.
      keep(drafts.own(name)?.text ?? text, from)
      setMode('editing')
    } finally {
      setSaving((now) => (now === text ? undefined : now))
    }
  }

  const text = draft?.text ?? value
  const from = draft?.from ?? value
  const merged = useMemo(
    () => (mode === 'conflict' ? mergedText(from, theirs, text) : undefined),
    [mode, from, theirs, text],
  )
  const isLeft = mode === 'shown' && saving === undefined && !isSaved
  return {
    mode,
    shown: saving ?? value,
    text,
    left: isLeft ? draft : undefined,
    theirs,
    maker,
    merged,
    begin: () => {
      const sent = value === base ? saving : value
      // What is being saved is a draft only until the service has it.
      if (draft === undefined || draft.text === (saving ?? value)) begin(sent ?? value)
      setMode('editing')
    },
    type: (typed) => keep(typed, from),
    replace,
    leave: () => {
      if (draft?.text === draft?.from) restore()
      setMode('shown')
    },
    discard: () => {
      remove()
      setMode('shown')
    },
    save: () => void send(text, from),
    keepMine: () => {
      keep(text, theirs)
      void send(text, theirs)
    },
    keepEditing: () => {
      keep(text, theirs)
      setMode('editing')
    },
    takeMerged: () => {
      keep(merged ?? text, theirs)
      setMode('editing')
    },
    ask: (mine, before, other) => {
      keep(mine, before)
      setTheirs(other)
      setMode('conflict')
      if (isGone.current) toast(texts.editing.conflict.text(called), [], 'alert')
    },
  }
}
