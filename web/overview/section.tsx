/** A section of the overview with its heading. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { type Options, Select, withValue } from '../common/ui/select.tsx'

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

interface ChoiceProps {
  label: string
  value: string
  options: Options
  canEdit: boolean
  onChoose: (value: string) => void
}

/** A field of the project that is chosen. Users who may not change it only see its text. */
export function ProjectChoice({ canEdit, ...field }: ChoiceProps) {
  if (canEdit) return <Select {...field} />
  const { label, value, options } = field
  return <Shown label={label}>{withValue(options, value).find(([one]) => one === value)?.[1]}</Shown>
}

/** A read-only field. */
export const Shown = ({ label, children }: { label: string; children: ComponentChildren }) => (
  <div class="field">
    <span class="meta">{label}</span>
    <span dir="auto">{children}</span>
  </div>
)
