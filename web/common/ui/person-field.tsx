/** A field of a form that chooses a person. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Common, useField } from './field.tsx'
import { PersonPicker, type PersonPickerProps } from './person-picker.tsx'

type Props = Common &
  Pick<PersonPickerProps, 'others' | 'except' | 'autofocus'> & {
    /** The initially chosen person. */
    value: string
  }

export function PersonField({ name, label, hint, value, ...rest }: Props) {
  const { control, notes, kept } = useField(name, hint, value)
  const [chosen, setChosen] = useState(kept ?? value)
  const hidden = useRef<HTMLInputElement>(null)
  const isFirst = useRef(true)
  useEffect(() => {
    // The form's draft stores the choice like typed text.
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
