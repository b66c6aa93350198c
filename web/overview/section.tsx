/** A part of the overview with its heading. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface Props {
  title: string
  /** Beside the heading, e.g. the button that adds something. */
  aside?: ComponentChildren
  class?: string
  children: ComponentChildren
}

export function Section({ title, aside, class: className = '', children }: Props) {
  const id = useId()
  return (
    <section class={`panel stack ${className}`} aria-labelledby={id}>
      <div class="spread">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** Props of whatever shows and changes one of a project's fields. */
export interface SelectProps {
  label: string
  value: string
  /** What can be chosen: the value, and what it is called. Another value is offered, too: vocabularies are open. */
  options: readonly (readonly [value: string, label: string])[]
  canEdit: boolean
  onChoose: (value: string) => void
}

/** A choice that is made at once; only its text for whoever may not choose. */
export function Select({ label, value, options, canEdit, onChoose }: SelectProps) {
  const id = useId()
  const all = options.some(([one]) => one === value) ? options : [...options, [value, value] as const]
  return (
    <div class="field">
      {canEdit ? <label for={id}>{label}</label> : <span class="meta">{label}</span>}
      {canEdit ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {all.map(([one, text]) => (
            <option key={one} value={one}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <span dir="auto">{all.find(([one]) => one === value)?.[1]}</span>
      )}
    </div>
  )
}
