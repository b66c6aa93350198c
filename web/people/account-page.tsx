/** The user's own account: name, password, sessions, tokens. */

import { api, type CurrentMember } from '../common/api.ts'
import { identity, type Via } from '../common/session.ts'
import { signOut } from '../common/sign-out.ts'
import { failed } from '../common/toasts.ts'
import { Page } from '../common/ui/page.tsx'
import { useReading } from '../common/ui/reading.tsx'
import { href } from '../router.ts'
import { texts } from '../texts.ts'
import { OwnName, OwnPassword } from './own-account.tsx'
import { OwnNotifications } from './own-notifications.tsx'
import { OwnSessions } from './own-sessions.tsx'
import { OwnTokens } from './own-tokens.tsx'

/** Shown to users without an account in this service. */
const NoAccount = ({ via, name }: { via: Via; name: string }) => (
  <section class="panel stack">
    <p dir="auto">{(via === 'default' ? texts.people.noAccount : texts.people.foreignAccount)(name)}</p>
    {via === 'default' && (
      <p>
        <a class="button" href={href('/sign-in?to=/account')}>
          {texts.signIn.submit}
        </a>
      </p>
    )}
  </section>
)

function Account({ member }: { member: CurrentMember }) {
  const sessions = useReading(() => api.get('/api/sessions'))
  return (
    <div class="account">
      <OwnName member={member} />
      <OwnPassword member={member} onChanged={() => void sessions.reload()} />
      <OwnNotifications member={member} />
      <OwnSessions of={sessions} />
      <OwnTokens />
    </div>
  )
}

export default function AccountPage() {
  const known = identity.value
  const isOwn = known?.via === 'session'
  return (
    <Page
      title={texts.account}
      class="people"
      aside={
        isOwn && (
          <button type="button" class="button" onClick={() => void signOut().catch(failed)}>
            {texts.signIn.out}
          </button>
        )
      }
    >
      {known &&
        (isOwn ? (
          <Account member={known.member} />
        ) : (
          <div class="account">
            <NoAccount via={known.via} name={known.member.name} />
            <OwnNotifications />
          </div>
        ))}
    </Page>
  )
}
