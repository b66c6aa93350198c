/** A field of a form for a date. */
import { useState } from 'preact/hooks'
import { DatePicker, type DatePickerProps } from './date-picker.tsx'
import { type Common, useField } from './field.tsx'

type Props = Common &
  Pick<DatePickerProps, 'hasTime' | 'hour' | 'isPast' | 'min' | 'max' | 'isRequired' | 'autofocus'> & {
    /** The initial value: `YYYY-MM-DD`, or a timestamp. */
    value?: string
  }

export function DateField({ name, label, hint, value = '', ...rest }: Props) {
  const { control, notes, kept } = useField(name, hint, value)
  const [chosen, setChosen] = useState(kept ?? value)
  return (
    <div class="field">
      <DatePicker {...rest} {...control} label={label} value={chosen} onChoose={setChosen} />
      {notes}
    </div>
  )
}
