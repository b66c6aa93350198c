/** A field that searches people while the user types (the combobox pattern of the ARIA Authoring Practices). */

import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import type { Person } from '../api.ts'
import { matches } from '../matches.ts'
import { findPeople, personName } from '../people.ts'
import { sourceOf } from '../people-sources.ts'
import { placeBelow } from './place-below.ts'
import type { Options } from './select.tsx'

const words = texts.people

/** The maximum number of offered people. Typing a part of the name finds the others. */
const MOST = 20
/** The debounce of the search, in milliseconds. */
const AFTER = 150

export interface PersonPickerProps {
  label: string
  /** The chosen id, or the value of one of `others`. */
  value: string
  /** The options besides people, e.g. nobody, each with its value and label. */
  others?: Options
  /** The ids of people who cannot be chosen. */
  except?: readonly string[]
  onChoose: (value: string, name: string) => void
  /** The id of the element, for code that looks for it. */
  id?: string
  class?: string
  /** Whether the label is only for screen readers. */
  isLabelHidden?: boolean
  isDisabled?: boolean
  autofocus?: boolean
}

interface Option {
  value: string
  name: string
  /** The origin of an imported person. */
  from?: string
}

/** The people of a search, and its text. */
interface Found {
  q: string
  people: readonly Person[]
}

/**
 * The options for the typed text. The service decides which names match. Until it responds, the previous results are filtered. Before
 * anything is typed, the chosen person is one of them.
 */
function optionsOf(
  input: string | undefined,
  { q, people }: Found,
  { value, others = [], except = [] }: PersonPickerProps,
): Option[] {
  const typed = input ?? ''
  const fixed = others.filter(([, name]) => matches(name, typed)).map(([value, name]) => ({ value, name }))
  const known = new Set([...fixed.map(({ value }) => value), ...except])
  const found = people
    .filter(({ id, name }) => !known.has(id) && (q === typed.trim() || matches(name, typed)))
    .map((person) => ({ value: person.id, name: person.name, from: sourceOf(person) }))
  const isListed =
    input !== undefined || value === '' || [...fixed, ...found].some((one) => one.value === value)
  return [...fixed, ...(isListed ? [] : [{ value, name: personName(value) }]), ...found]
}

/** The people who match the typed text, while the list is open; undefined before the first results. */
export function useFound(isOpen: boolean, typed: string): Found | undefined {
  const [found, setFound] = useState<Found | undefined>()
  useEffect(() => {
    if (!isOpen) return
    let isCurrent = true
    const q = typed.trim()
    const take = (people: readonly Person[]) => isCurrent && setFound({ q, people })
    // The other options stay available if people cannot be loaded.
    const look = () => findPeople(q, MOST).then(take, () => take([]))
    const timer = setTimeout(look, q === '' ? 0 : AFTER)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [isOpen, typed])
  return found
}

const NONE: Found = { q: '', people: [] }

export function PersonPicker(props: PersonPickerProps) {
  const { label, value, others = [], onChoose, isDisabled = false, isLabelHidden = false, autofocus } = props
  const own = useId()
  const id = props.id ?? own
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState<string | undefined>()
  /** The active option by its index, once the user has typed or moved to it. Until then it is the chosen one, if any. */
  const [moved, setActive] = useState<number | undefined>()
  const found = useFound(isOpen, typed ?? '')
  const shown = others.find(([one]) => one === value)?.[1] ?? (value === '' ? '' : personName(value))
  const options = isOpen ? optionsOf(typed, found ?? NONE, props) : []
  const active = moved ?? options.findIndex((option) => option.value === value)
  const current = options[active]

  const open = () => {
    if (isOpen || isDisabled) return
    setOpen(true)
    setActive(undefined)
  }
  const close = () => {
    setOpen(false)
    setTyped(undefined)
  }
  const choose = (option: Option) => {
    close()
    if (option.value !== value) onChoose(option.value, option.name)
  }
  useLayoutEffect(() => {
    list.current?.togglePopover(isOpen)
  }, [isOpen])
  useLayoutEffect(() => {
    if (!isOpen) return
    if (list.current) list.current.style.minWidth = `${input.current?.offsetWidth ?? 0}px`
    placeBelow(input.current, list.current)
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' })
  })

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      // Without an active option, up is the last one.
      const from = active === -1 && step === -1 ? 0 : active
      if (isOpen) setActive((from + step + options.length) % Math.max(options.length, 1))
      else open()
    } else if (event.key === 'Enter' && isOpen) {
      if (current) choose(current)
      else close()
    } else if (event.key === 'Escape' && isOpen) close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div class={props.class ?? 'field'}>
      <label for={id} class={isLabelHidden ? 'visually-hidden' : undefined}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        class="person-picker"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && current ? `${id}-${active}` : undefined}
        autocomplete="off"
        dir="auto"
        disabled={isDisabled}
        autofocus={autofocus}
        value={typed ?? shown}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onClick={open}
        onInput={(event) => {
          // The search text is not a value of the form.
          event.stopPropagation()
          setTyped(event.currentTarget.value)
          setActive(0)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
      />
      <div
        ref={list}
        id={`${id}-list`}
        class="menu"
        role="listbox"
        aria-label={label}
        popover="manual"
        // The field keeps the focus.
        onPointerDown={(event) => event.preventDefault()}
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
          // biome-ignore lint/a11y/useFocusableInteractive: the field says which one is active.
          <div
            key={option.value}
            id={`${id}-${index}`}
            role="option"
            aria-selected={option.value === value}
            class={index === active ? 'is-active' : undefined}
            onClick={() => choose(option)}
          >
            <span dir="auto">{option.name}</span>
            {option.from && <span class="meta">{option.from}</span>}
          </div>
        ))}
        {isOpen && options.length === 0 && found !== undefined && (
          // biome-ignore lint/a11y/useFocusableInteractive: nothing can be chosen.
          <div role="option" aria-selected={false} aria-disabled="true" class="muted">
            {words.nobodyFound}
          </div>
        )}
      </div>
      <span class="visually-hidden" role="status">
        {isOpen && found !== undefined ? words.found(options.length) : ''}
      </span>
    </div>
  )
}
