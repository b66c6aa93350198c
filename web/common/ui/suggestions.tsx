/** Suggestions for what is being typed in a text field. The field keeps the focus, and says which option is active. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isSame, matches } from '../matches.ts'
import { applyEdit } from '../text-edit/apply-edit.ts'
import { announce } from '../toasts.ts'
import { placeBelow } from './place-below.ts'

/** The debounce of a search, in milliseconds. */
const AFTER = 150

/** The text that is being typed right before the caret. */
export interface Typing {
  /** The kind of suggestions, if the field has several. */
  kind: string
  /** The index of its sign. */
  start: number
  /** The text after the sign. */
  typed: string
}

interface Option {
  id: string
  name: string
  /** Whether it does not exist yet, and choosing it creates it. */
  isNew?: boolean
}

interface SuggestionsProps<T extends Option> {
  text: string
  field: { current: HTMLTextAreaElement | null }
  /** The text that is being typed; undefined if there are no suggestions for it. */
  typingAt: (text: string, caret: number) => Typing | undefined
  /** Finds options: at once, or after a pause in typing. */
  find: (typing: Typing) => readonly T[] | (() => Promise<readonly T[]>)
  /** The text to insert after the sign; the name by default. */
  insertOf?: (option: T) => string
  /** The contents of an option; the name by default. */
  shownOf?: (option: T) => string
  label: (kind: string) => string
  /** The announcement when options appear. */
  countText: (count: number) => string
  /** Called before an option is inserted. */
  onChoose?: (option: T) => void
  /** Handles a key that is not for the list. @returns whether it did */
  onKey?: (event: KeyboardEvent, area: HTMLTextAreaElement) => boolean
}

const NONE = { typed: undefined, options: [] }
const FIRST = { typed: undefined, index: 0 }

export function Suggestions<T extends Option>({
  text,
  field,
  typingAt,
  find,
  insertOf = ({ name }) => name,
  shownOf = ({ name }) => name,
  label,
  countText,
  onChoose,
  onKey = () => false,
}: SuggestionsProps<T>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  /** The latest options that were searched for, and the text for which they were found. */
  const [late, setLate] = useState<{ typed: string | undefined; options: readonly T[] }>(NONE)
  /** The active option, and the text for which it was chosen. */
  const [chosen, setChosen] = useState<{ typed: string | undefined; index: number }>(FIRST)
  /** The text for which the user closed the list. */
  const [closedFor, setClosedFor] = useState<string | undefined>()
  const area = field.current
  const hasFocus = area !== null && document.activeElement === area
  const typing =
    hasFocus && text !== closedFor && area.value === text ? typingAt(text, area.selectionEnd) : undefined
  const { kind, typed, start } = typing ?? {}
  const searched = typing && find(typing)
  useEffect(() => {
    if (typeof searched !== 'function') {
      setLate(NONE)
      return
    }
    let isCurrent = true
    const timer = setTimeout(() => {
      searched().then(
        (options) => isCurrent && setLate({ typed, options }),
        () => isCurrent && setLate({ typed, options: [] }),
      )
    }, AFTER)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [kind, typed])
  /** Until the search for this text has ended, those found for an earlier one that have it. */
  const isFor = (option: T) =>
    late.typed === typed || [option.name, insertOf(option)].some((text) => matches(text, typed ?? ''))
  const found = typeof searched === 'function' ? late.options.filter(isFor) : (searched ?? [])
  // A complete name needs no suggestion.
  const [first, second] = found
  const isWhole = first && !second && !first.isNew && isSame(insertOf(first), typed ?? '')
  const options = typing === undefined || isWhole ? [] : found
  const isOpen = options.length > 0
  const active = chosen.typed === typed ? Math.min(chosen.index, options.length - 1) : 0
  const setActive = (index: number) => setChosen({ typed, index })

  const choose = (option: T | undefined) => {
    // The caret may have moved since.
    if (!area || option === undefined || typingAt(text, area.selectionEnd)?.start !== start) return
    if (start === undefined) return
    onChoose?.(option)
    const insert = `${text[start]}${insertOf(option)} `
    applyEdit(area, {
      from: start,
      to: area.selectionEnd,
      insert,
      start: start + insert.length,
      end: start + insert.length,
    })
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (!area) return false
    if (!isOpen) return onKey(event, area)
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const option = options[active]
    if (step !== 0) setActive((active + step + options.length) % options.length)
    else if (event.key === 'Enter' && option?.isNew) {
      // The text has its whole name. The key goes on to the field, so that it is never pressed in vain.
      onChoose?.(option)
      return false
    } else if ((event.key === 'Enter' && !event.ctrlKey) || (event.key === 'Tab' && !event.shiftKey))
      choose(option)
    else if (event.key === 'Escape') setClosedFor(text)
    else if (/^(?:Arrow|Home$|End$|Page)/.test(event.key)) {
      setClosedFor(text)
      return false
    } else return onKey(event, area)
    return true
  }
  const act = useRef(onKeyDown)
  act.current = onKeyDown
  useLayoutEffect(() => {
    const element = field.current
    // Before the field's own handler, which would add the card or close the field.
    const listen = (event: KeyboardEvent) => {
      if (!act.current(event)) return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    // The focus or the caret is elsewhere: the list opens again with the next letter.
    const close = () => setClosedFor(element?.value)
    element?.addEventListener('keydown', listen, { capture: true })
    element?.addEventListener('blur', close)
    element?.addEventListener('click', close)
    return () => {
      element?.removeEventListener('keydown', listen, { capture: true })
      element?.removeEventListener('blur', close)
      element?.removeEventListener('click', close)
    }
  }, [])
  useLayoutEffect(() => {
    list.current?.togglePopover(isOpen)
    if (isOpen) placeBelow(area, list.current)
    for (const [name, value] of Object.entries({
      'aria-controls': isOpen ? id : undefined,
      'aria-activedescendant': isOpen ? `${id}-${active}` : undefined,
    })) {
      if (value === undefined) area?.removeAttribute(name)
      else area?.setAttribute(name, value)
    }
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  })
  const announced = isOpen ? countText(options.length) : ''
  useEffect(() => {
    if (announced !== '') announce(announced)
  }, [announced])
  return (
    <div
      ref={list}
      id={id}
      class="menu"
      role="listbox"
      aria-label={label(kind ?? '')}
      popover="manual"
      // The field keeps the focus, and a phone its keyboard.
      onPointerDown={(event) => event.preventDefault()}
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
        // biome-ignore lint/a11y/useFocusableInteractive: the field says which one is active.
        <div
          key={option.id}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          class={index === active ? 'is-active' : undefined}
          onClick={() => choose(option)}
        >
          <span dir="auto">{shownOf(option)}</span>
        </div>
      ))}
    </div>
  )
}
