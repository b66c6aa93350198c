/** A person among the fields of a form. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Common, useField } from './field.tsx'
import { PersonPicker, type PersonPickerProps } from './person-picker.tsx'

type Props = Common &
  Pick<PersonPickerProps, 'others' | 'except' | 'autofocus'> & {
    /** Who is chosen at first. */
    value: string
  }

export function PersonField({ name, label, hint, value, ...rest }: Props) {
  const { control, notes, kept } = useField(name, hint)
  const [chosen, setChosen] = useState(kept ?? value)
  const hidden = useRef<HTMLInputElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    // The form keeps what was chosen, as it keeps what is typed.
    if (!isFirst.current) hidden.current?.dispatchEvent(new Event('input', { bubbles: true }))
    isFirst.current = false
  }, [chosen])
  return (
    <div>
      <PersonPicker {...rest} id={control.id} label={label} value={chosen} onChoose={setChosen} />
      <input ref={hidden} type="hidden" name={name} value={chosen} />
      {notes}
    </div>
  )
}
