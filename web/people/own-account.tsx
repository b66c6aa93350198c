/** The user's own name and password. */
import { useState } from 'preact/hooks'
import { type CurrentMember, sending } from '../common/api.ts'
import { textIn } from '../common/forms.ts'
import { changeIdentity } from '../common/session.ts'
import { toast } from '../common/toasts.ts'
import { Field, Form } from '../common/ui/field.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { NewPassword } from './new-password.tsx'

/** Changes the user's own record. @throws PhaseboardError */
const changeMe = (id: string, body: { name?: string; password?: string; currentPassword?: string }) =>
  write({
    // After wrong passwords, the service limits the attempts.
    isApart: true,
    ...sending('patch', '/api/members/{id}', { path: { id }, body }),
  })

export function OwnName({ member }: { member: CurrentMember }) {
  const send = async (fields: FormData) => {
    const { data } = await changeMe(member.id, { name: textIn(fields, 'name').trim() })
    changeIdentity({ name: data.name })
    toast(texts.people.nameSaved)
  }
  return (
    <section class="panel stack" aria-labelledby="own-name">
      <h2 id="own-name">{texts.people.you}</h2>
      <Form send={send} submit={texts.save} draft="account:name">
        <Field
          name="name"
          label={texts.fields.name}
          value={member.name}
          required
          maxLength={200}
          autocomplete="name"
        />
      </Form>
      <dl class="facts">
        <dt>{texts.fields.email}</dt>
        <dd dir="auto">{member.email}</dd>
        <dt>{texts.fields.role}</dt>
        <dd>{texts.people.roles[member.role]}</dd>
      </dl>
    </section>
  )
}

/** @param onChanged called after the password has changed, which ends all other sessions */
export function OwnPassword({ member, onChanged }: { member: CurrentMember; onChanged: () => void }) {
  const [round, setRound] = useState(0)
  const send = async (fields: FormData) => {
    const [currentPassword, password] = [textIn(fields, 'currentPassword'), textIn(fields, 'password')]
    await changeMe(member.id, { currentPassword, password })
    // No password stays in the page.
    setRound(round + 1)
    onChanged()
    toast(texts.people.passwordSaved)
  }
  return (
    <section class="panel stack" aria-labelledby="own-password">
      <h2 id="own-password">{texts.fields.password}</h2>
      <Form key={round} send={send} submit={texts.people.changePassword}>
        {/* Password managers store it with the account. */}
        <input type="email" autocomplete="username" value={member.email ?? ''} readOnly hidden />
        <Field
          name="currentPassword"
          label={texts.people.currentPassword}
          type="password"
          autocomplete="current-password"
          required
        />
        <NewPassword isRequired />
      </Form>
    </section>
  )
}
