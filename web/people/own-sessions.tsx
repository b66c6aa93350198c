/** The user's own sessions. */
import { type Session, sending } from '../common/api.ts'
import { ago, atMoment } from '../common/dates.ts'
import { signOut } from '../common/sign-out.ts'
import { failed, toast } from '../common/toasts.ts'
import { type Reading, WhenRead } from '../common/ui/reading.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'

/** @param of the sessions, which another part of the page ends by changing the password */
export function OwnSessions({ of: reading }: { of: Reading<Session[]> }) {
  const revoke = async (session: Session) => {
    if (session.current) return signOut()
    const path = { id: session.id }
    await write(sending('delete', '/api/sessions/{id}', { path }))
    await reading.reload()
    toast(texts.people.sessionEnded)
  }
  return (
    <section class="panel stack" aria-labelledby="own-sessions">
      <h2 id="own-sessions">{texts.people.sessions}</h2>
      <WhenRead of={reading}>
        {(sessions) => (
          <ul class="lines" aria-labelledby="own-sessions">
            {sessions.toReversed().map((session) => (
              <li key={session.id} class="spread">
                <div>
                  <p>
                    {session.current
                      ? texts.people.thisSession
                      : texts.people.usedAgo(ago(session.lastUsedAt))}
                  </p>
                  <p class="meta">
                    {texts.people.sessionFrom(atMoment(session.createdAt), atMoment(session.expiresAt))}
                  </p>
                </div>
                <button
                  type="button"
                  class="button"
                  aria-label={
                    session.current ? undefined : texts.people.endSessionOf(atMoment(session.createdAt))
                  }
                  onClick={() => void revoke(session).catch(failed)}
                >
                  {session.current ? texts.signIn.out : texts.people.endSession}
                </button>
              </li>
            ))}
          </ul>
        )}
      </WhenRead>
    </section>
  )
}
