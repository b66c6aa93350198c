/** A field above a list of options that it filters (the combobox pattern of the ARIA Authoring Practices, with the list always shown). */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useState } from 'preact/hooks'
import { takeTypedAhead } from '../keys.ts'

/** One choice. */
export interface ListOption {
  value: string
  label: string
  /** A second text, e.g. the date of "tomorrow". */
  note?: string | undefined
  /** A mark before the label, which screen readers ignore. */
  mark?: ComponentChildren
  /** Whether it is chosen now. */
  isOn?: boolean
  /** The key that does the same. */
  key?: string | undefined
}

interface OptionListProps {
  label: string
  options: readonly ListOption[]
  typed: string
  onType: (typed: string) => void
  onChoose: (option: ListOption) => void
  /** Whether several options can be on. */
  isMulti?: boolean
  /** Shown if there is no option. */
  none: string
}

/** The text typed before the field was there. @returns the typed text, and the function that changes it */
export const useTyped = () => useState(takeTypedAhead)

export function OptionList({
  label,
  options,
  typed,
  onType,
  onChoose,
  isMulti = false,
  none,
}: OptionListProps) {
  const id = useId()
  const [wanted, setWanted] = useState(0)
  const active = Math.min(wanted, Math.max(options.length - 1, 0))
  const optionId = (index: number) => `${id}-${index}`
  useLayoutEffect(() => {
    document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active, options.length])
  const choose = (index: number) => {
    const option = options[index]
    if (option) onChoose(option)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setWanted((active + step + options.length) % Math.max(options.length, 1))
    else if (event.key === 'Enter') choose(active)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={options.length > 0 ? optionId(active) : undefined}
        autocomplete="off"
        maxLength={500}
        dir="auto"
        autofocus
        value={typed}
        onInput={({ currentTarget }) => {
          onType(currentTarget.value)
          setWanted(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div
        id={`${id}-list`}
        class="options"
        role="listbox"
        aria-label={label}
        aria-multiselectable={isMulti || undefined}
      >
        {options.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
          // biome-ignore lint/a11y/useFocusableInteractive: the field says which one is active.
          <div
            key={option.value}
            id={optionId(index)}
            role="option"
            aria-selected={option.isOn ?? false}
            class={index === active ? 'option is-active' : 'option'}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(index)}
          >
            <span class="option-label">
              {option.mark}
              <span dir="auto">{option.label}</span>
            </span>
            {option.note && (
              <span class="meta" dir="auto">
                {option.note}
              </span>
            )}
            {option.key && <kbd aria-hidden="true">{option.key}</kbd>}
          </div>
        ))}
      </div>
      <p class={options.length === 0 ? 'muted' : 'visually-hidden'} role="status">
        {options.length === 0 ? none : ''}
      </p>
    </>
  )
}
