/** The field of a new password. */
import { Field } from '../common/ui/field.tsx'
import { texts } from '../texts.ts'

interface Props {
  isRequired?: boolean
  autofocus?: boolean
}

export const NewPassword = ({ isRequired = false, autofocus = false }: Props) => (
  <Field
    name="password"
    label={isRequired ? texts.people.newPassword : texts.people.optionalPassword}
    type="password"
    autocomplete="new-password"
    hint={texts.people.passwordHint}
    required={isRequired}
    minLength={8}
    maxLength={200}
    autofocus={autofocus}
  />
)
