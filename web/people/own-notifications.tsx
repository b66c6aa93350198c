/** How the user is told of notifications: by email and by this browser; and the handle by which others mention them. */
import { useState } from 'preact/hooks'
import { api, type CurrentMember, type Preferences, sending } from '../common/api.ts'
import { canNotify, isNotifying, setNotifying } from '../common/browser-notices.ts'
import { textIn } from '../common/forms.ts'
import { LANGUAGES, language } from '../common/language.ts'
import { failed, toast } from '../common/toasts.ts'
import { Choice, Field, Form } from '../common/ui/field.tsx'
import { type Reading, useReading, WhenRead } from '../common/ui/reading.tsx'
import { write } from '../common/writes.ts'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'

const words = later.attention
const PATH = '/api/me/preferences'

const change = (body: Partial<Pick<Preferences, 'email' | 'timeZone' | 'language'>>) =>
  write(sending('patch', PATH, { body }))

/** All time zones of this browser. Some browsers do not list UTC, which is the service's default. */
const zones = (): (readonly [string, string])[] =>
  [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => [zone, zone] as const)

/** The zone to choose first: who has chosen nothing yet is likely to be where the browser is. */
const zoneOf = ({ email, timeZone }: Preferences): string =>
  email === 'none' && timeZone === 'UTC' ? Intl.DateTimeFormat().resolvedOptions().timeZone : timeZone

/** Likewise, who has chosen nothing yet reads the page's language. */
const languageOf = (preferences: Preferences): string =>
  preferences.email === 'none' ? language : preferences.language

const ZoneChoice = ({ preferences }: { preferences: Preferences }) => (
  <Choice
    name="timeZone"
    label={words.timeZone}
    hint={words.timeZoneHint(preferences.timeZone)}
    value={zoneOf(preferences)}
    options={zones()}
  />
)

function Email() {
  const of = useReading(() => api.get(PATH))
  return <WhenRead of={of}>{(data) => <EmailChoices of={of} preferences={data} />}</WhenRead>
}

interface EmailProps {
  of: Reading<Preferences>
  preferences: Preferences
}

function EmailChoices({ of: { replace }, preferences }: EmailProps) {
  const { email, stoppedBecause, emailAvailable } = preferences
  const [isTesting, setTesting] = useState(false)
  const save = async (body: Parameters<typeof change>[0]) => {
    replace((await change(body)).data)
    toast(words.preferencesSaved)
  }
  if (!emailAvailable) {
    return (
      <>
        <p class="meta">{words.noMail}</p>
        <Form send={(fields) => save({ timeZone: textIn(fields, 'timeZone') })} submit={texts.save}>
          <ZoneChoice preferences={preferences} />
        </Form>
      </>
    )
  }
  const send = (fields: FormData) =>
    save({
      email: textIn(fields, 'email') as Preferences['email'],
      timeZone: textIn(fields, 'timeZone'),
      language: textIn(fields, 'language') as Preferences['language'],
    })
  const confirm = () => save({ email }).catch(failed)
  const test = async () => {
    if (isTesting) return
    setTesting(true)
    try {
      const { address, error } = await api.post('/api/me/preferences/test-mail')
      if (error === null) toast(words.testSent(address))
      else toast(words.testRefused(error), [], 'alert')
    } catch (error) {
      failed(error)
    } finally {
      setTesting(false)
    }
  }
  return (
    <>
      {stoppedBecause !== null && (
        <div class="notice notice-part" role="alert">
          <p>{words.stopped}</p>
          <p dir="auto">{stoppedBecause}</p>
          <button type="button" class="button" onClick={() => void confirm()}>
            {words.sendAgain}
          </button>
        </div>
      )}
      <Form send={send} submit={texts.save}>
        <Choice name="email" label={words.email} value={email} options={Object.entries(words.emails)} />
        <Choice
          name="language"
          label={words.mailLanguage}
          value={languageOf(preferences)}
          options={Object.entries(LANGUAGES).map(([tag, { name }]) => [tag, name] as const)}
        />
        <ZoneChoice preferences={preferences} />
      </Form>
      <p>
        <button
          type="button"
          class="button"
          aria-disabled={isTesting || undefined}
          onClick={() => void test()}
        >
          {words.testMail}
        </button>
      </p>
    </>
  )
}

/** Notifications of this browser, off until the user turns them on. */
function InBrowser() {
  const [isDenied, setDenied] = useState(false)
  if (!canNotify()) return null
  return (
    <div>
      <label class="row">
        <input
          type="checkbox"
          checked={isNotifying()}
          aria-describedby="in-browser-hint"
          onChange={({ currentTarget }) => {
            const box = currentTarget
            void setNotifying(box.checked).then((isAllowed) => {
              setDenied(!isAllowed)
              box.checked = isNotifying()
            })
          }}
        />
        <span>{words.inBrowser}</span>
      </label>
      <p id="in-browser-hint" class="meta">
        {words.inBrowserHint}
      </p>
      {isDenied && (
        <p class="field-error" role="alert">
          {words.inBrowserDenied}
        </p>
      )}
    </div>
  )
}

function Handle({ id }: { id: string }) {
  const member = useReading(() => api.get('/api/members/{id}', { path: { id } }))
  const send = async (fields: FormData) => {
    const handle = textIn(fields, 'handle').trim().replace(/^@/, '').toLowerCase()
    const { data } = await write({
      isApart: true,
      ...sending('patch', '/api/members/{id}', { path: { id }, body: { handle } }),
    })
    member.replace(data)
    toast(words.handleSaved)
  }
  return (
    <WhenRead of={member}>
      {({ handle }) => (
        <Form send={send} submit={texts.save}>
          <Field
            name="handle"
            label={words.handle}
            hint={words.handleHint}
            value={handle ?? ''}
            required
            minLength={2}
            maxLength={33}
            autocomplete="off"
          />
        </Form>
      )}
    </WhenRead>
  )
}

/** @param member undefined for users without an account here, who get no email */
export function OwnNotifications({ member }: { member?: CurrentMember }) {
  return (
    <section class="panel stack" aria-labelledby="own-notifications">
      <h2 id="own-notifications">{words.preferences}</h2>
      {member && <Email />}
      <InBrowser />
      {member && <Handle id={member.id} />}
    </section>
  )
}
