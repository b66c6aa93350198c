/** A select whose choice takes effect at once. */
import { useId } from 'preact/hooks'

/** The options, each with its value and label. */
export type Options = readonly (readonly [value: string, label: string])[]

interface SelectProps {
  label: string
  value: string
  /** A value that is not an option is added as one, because vocabularies are open. */
  options: Options
  onChoose: (value: string) => void
  /** The id of the element, for code that looks for it. */
  id?: string
  isDisabled?: boolean
  autofocus?: boolean
}

/** The options, and the value if it is none of them. */
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
