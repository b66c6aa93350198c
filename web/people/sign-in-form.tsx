/** The sign-in form. It is on its own page, and in a dialog if the session of a page has ended. */
import { useEffect, useState } from 'preact/hooks'
import { PhaseboardError } from '../common/api.ts'
import { textIn } from '../common/forms.ts'
import { signIn } from '../common/session.ts'
import { Field, Form } from '../common/ui/field.tsx'
import { texts } from '../texts.ts'
import { hasProvider, providerLink } from './provider.ts'

/** The message for a refused sign-in, instead of the service's. */
function toReadable(error: unknown): unknown {
  const status = error instanceof PhaseboardError ? error.status : 0
  if (status === 401) return new Error(texts.signIn.wrong)
  return status === 429 ? new Error(texts.signIn.tooMany) : error
}

interface Props {
  onDone: () => void
  /** Where the organisation's sign-in returns to. */
  to: string
  /** Whether that sign-in opens in another tab, because this tab has unsaved data. */
  inNewTab?: boolean
}

export function SignInForm({ onDone, to, inNewTab = false }: Props) {
  const [hasOther, setHasOther] = useState(false)
  useEffect(() => {
    void hasProvider().then(setHasOther)
  }, [])
  const send = async (fields: FormData) => {
    try {
      await signIn(textIn(fields, 'email'), textIn(fields, 'password'))
    } catch (error) {
      throw toReadable(error)
    }
    onDone()
  }
  return (
    <>
      <Form send={send} submit={texts.signIn.submit}>
        <Field
          name="email"
          label={texts.fields.email}
          type="email"
          autocomplete="username"
          required
          autofocus
        />
        <Field
          name="password"
          label={texts.fields.password}
          type="password"
          autocomplete="current-password"
          required
        />
      </Form>
      {hasOther && (
        <a class="button" href={providerLink(to)} target={inNewTab ? '_blank' : undefined} rel="noreferrer">
          {texts.signIn.provider}
          {inNewTab && <span class="visually-hidden"> ({texts.signIn.newTab})</span>}
        </a>
      )}
    </>
  )
}
