/** The fields of signing in: on a page of their own, and in a dialog above a page whose session has ended. */
import { useId, useState } from 'preact/hooks'
import { messageOf, PhaseboardError } from '../shared/api.ts'
import { signIn } from '../shared/session.ts'
import { texts } from '../texts.ts'

export function SignInForm({ onDone }: { onDone: () => void }) {
  const id = useId()
  const [error, setError] = useState<string | undefined>()
  const [isBusy, setBusy] = useState(false)

  const submit = async (form: HTMLFormElement) => {
    const fields = new FormData(form)
    setBusy(true)
    setError(undefined)
    try {
      await signIn(String(fields.get('email')), String(fields.get('password')))
      onDone()
    } catch (failure) {
      const status = failure instanceof PhaseboardError ? failure.status : 0
      setError(
        status === 401 ? texts.signIn.wrong : status === 429 ? texts.signIn.tooMany : messageOf(failure),
      )
      setBusy(false)
    }
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit(event.currentTarget)
      }}
    >
      <div class="field">
        <label for={`${id}-email`}>{texts.signIn.email}</label>
        <input
          id={`${id}-email`}
          name="email"
          type="email"
          autocomplete="username"
          required
          autofocus
          aria-describedby={error && `${id}-error`}
        />
      </div>
      <div class="field">
        <label for={`${id}-password`}>{texts.signIn.password}</label>
        <input
          id={`${id}-password`}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          aria-describedby={error && `${id}-error`}
        />
      </div>
      {error && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
      <button type="submit" class="button-primary" disabled={isBusy}>
        {texts.signIn.submit}
      </button>
    </form>
  )
}
