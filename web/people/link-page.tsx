/** The page of a one-time link. The user chooses a password, and for an invitation a name, and is then signed in. */
import { useEffect, useState } from 'preact/hooks'
import { api, PhaseboardError, root } from '../common/api.ts'
import { atMoment } from '../common/dates.ts'
import { textIn } from '../common/forms.ts'
import { leave } from '../common/session.ts'
import { Field, Form } from '../common/ui/field.tsx'
import { Failed, Loading, Page } from '../common/ui/page.tsx'
import { later } from '../later-texts.ts'
import { href } from '../router.ts'
import { texts } from '../texts.ts'
import { invitationOf, type LinkState } from './links.ts'
import { NewPassword } from './new-password.tsx'

const words = later.link

const isUnusable = (error: unknown) => error instanceof PhaseboardError && error.code === 'invalid_link'

/** The token of the link. It is in the fragment, which browsers do not send to servers. */
const tokenHere = () => location.hash.slice(1)

/** What the link is for. */
function useLink() {
  const [state, setState] = useState<LinkState>({ step: 'checking' })
  const check = async () => {
    const token = tokenHere()
    setState({ step: 'checking' })
    try {
      const details = await api.post('/api/session/link/check', { body: { token } })
      if (token === tokenHere()) setState({ step: 'ready', details })
    } catch (error) {
      // Without a token, the service has nothing to check and responds with 400.
      const isNone = token === ''
      if (token === tokenHere())
        setState(isNone || isUnusable(error) ? { step: 'unusable' } : { step: 'failed', error })
    }
  }
  useEffect(() => {
    void check()
    // Another link was opened in the same tab.
    const again = () => void check()
    addEventListener('hashchange', again)
    return () => removeEventListener('hashchange', again)
  }, [])
  return { state, check, giveUp: () => setState({ step: 'unusable' }) }
}

export default function LinkPage() {
  const { state, check, giveUp } = useLink()
  const send = async (fields: FormData) => {
    const body = { token: tokenHere(), password: textIn(fields, 'password'), ...invitationOf(fields) }
    try {
      await api.post('/api/session/link', { body })
    } catch (error) {
      if (isUnusable(error)) return giveUp()
      throw error
    }
    // Another user may have been signed in. The used link is removed from the history.
    leave(() => location.replace(root))
  }
  const details = state.step === 'ready' ? state.details : undefined
  const isInvitation = details?.kind === 'invitation'
  const title = details === undefined ? words.title : isInvitation ? words.welcome : words.newPassword
  return (
    <Page title={title} class="sign-in">
      <div class="panel stack">
        {state.step === 'checking' && <Loading />}
        {state.step === 'failed' && <Failed error={state.error} retry={() => void check()} />}
        {state.step === 'unusable' && (
          <>
            <p role="alert">{words.unusable}</p>
            <a class="button" href={href('/sign-in')}>
              {texts.signIn.title}
            </a>
          </>
        )}
        {details && (
          <>
            <p dir="auto">
              {isInvitation
                ? words.invited(texts.people.roles[details.role])
                : words.forMember(details.name ?? '')}
            </p>
            <Form send={send} submit={isInvitation ? words.join : words.setPassword}>
              {isInvitation && (
                <Field
                  name="name"
                  label={texts.fields.name}
                  value={details.name ?? undefined}
                  autocomplete="name"
                  required
                  maxLength={200}
                  autofocus
                />
              )}
              {isInvitation && details.email === null ? (
                <Field
                  name="email"
                  label={texts.fields.email}
                  type="email"
                  autocomplete="username"
                  required
                  maxLength={254}
                />
              ) : (
                <>
                  <p class="meta" dir="auto">
                    {words.email(details.email ?? '')}
                  </p>
                  {/* Password managers read the account name from this field. */}
                  <input hidden readOnly autocomplete="username" value={details.email ?? ''} />
                </>
              )}
              <NewPassword isRequired autofocus={!isInvitation} />
            </Form>
            <p class="meta">{words.until(atMoment(details.expiresAt))}</p>
          </>
        )}
      </div>
    </Page>
  )
}
