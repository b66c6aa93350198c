/** The fields of signing in: on a page of their own, and in a dialog above a page whose session has ended. */
import { useEffect, useState } from 'preact/hooks'
import { PhaseboardError } from '../common/api.ts'
import { signIn } from '../common/session.ts'
import { Field, Form } from '../common/ui/field.tsx'
import { texts } from '../texts.ts'
import { hasProvider, providerLink } from './provider.ts'

/** What is said of a refused sign-in, instead of what the service says. */
function toReadable(error: unknown): unknown {
  const status = error instanceof PhaseboardError ? error.status : 0
  if (status === 401) return new Error(texts.signIn.wrong)
  return status === 429 ? new Error(texts.signIn.tooMany) : error
}

interface Props {
  onDone: () => void
  /** Where the organisation's sign-in leads back to. */
  to: string
  /** Whether that happens in another tab, because this one holds what is not saved. */
  inNewTab?: boolean
}

export function SignInForm({ onDone, to, inNewTab = false }: Props) {
  const [hasOther, setHasOther] = useState(false)
  useEffect(() => {
    void hasProvider().then(setHasOther)
  }, [])
  const send = async (fields: FormData) => {
    try {
      await signIn(String(fields.get('email')), String(fields.get('password')))
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
