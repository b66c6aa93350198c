/** A choice that is made at once. */
import { useId } from 'preact/hooks'

/** What can be chosen: the value, and what it is called. */
export type Options = readonly (readonly [value: string, label: string])[]

interface SelectProps {
  label: string
  value: string
  /** Another value is offered, too: vocabularies are open. */
  options: Options
  onChoose: (value: string) => void
  /** For whoever looks for it. */
  id?: string
  isDisabled?: boolean
  autofocus?: boolean
}

/** The options, and the value where it is none of them. */
export const withValue = (options: Options, value: string): Options =>
  options.some(([one]) => one === value) ? options : [...options, [value, value]]

/** A field that offers values by their names. */
export function Select({ label, value, options, onChoose, id, isDisabled = false, autofocus }: SelectProps) {
  const made = useId()
  const own = id ?? made
  return (
    <div class="field">
      <label for={own}>{label}</label>
      <select
        id={own}
        value={value}
        disabled={isDisabled}
        autofocus={autofocus}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {withValue(options, value).map(([one, name]) => (
          <option key={one} value={one} selected={one === value}>
            {name}
          </option>
        ))}
      </select>
    </div>
  )
}
