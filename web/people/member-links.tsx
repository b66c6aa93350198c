/** One-time links, for admins: create one, and list those that can still be used. */
import { useState } from 'preact/hooks'
import { type Member, type MemberLink, type NewMemberLink, root, sending } from '../common/api.ts'
import { atMoment } from '../common/dates.ts'
import { failed, toast } from '../common/toasts.ts'
import { Choice, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { type Reading, WhenRead } from '../common/ui/reading.tsx'
import { SecretDialog } from '../common/ui/secret.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { invitationOf, linkAddress, nameOfLink } from './links.ts'
import { roleOf } from './members.ts'
import { Table } from './table.tsx'

const words = texts.people

/** Creates a link with which a member sets a new password. @throws PhaseboardError */
export async function makePasswordLink({ id }: Member): Promise<NewMemberLink> {
  const { data } = await write(sending('post', '/api/members/{id}/password-link', { path: { id } }))
  return data
}

async function revoke({ id }: MemberLink): Promise<void> {
  await write(sending('delete', '/api/member-links/{id}', { path: { id } }))
  toast(words.linkRevoked)
}

interface InviteProps {
  onMade: (link: NewMemberLink) => void
  onClose: () => void
}

export function InviteDialog({ onMade, onClose }: InviteProps) {
  const send = async (fields: FormData) => {
    const body = { ...invitationOf(fields), role: roleOf(fields.get('role')) }
    const { data } = await write(sending('post', '/api/invitations', { body }))
    onMade(data)
  }
  return (
    <FormDialog
      title={words.invite}
      onClose={onClose}
      send={send}
      submit={words.makeLink}
      draft="invitation:new"
    >
      <p>{words.inviteText}</p>
      <Field name="name" label={words.optionalName} maxLength={200} autofocus />
      <Field
        name="email"
        label={words.optionalEmail}
        hint={words.optionalEmailHint}
        type="email"
        maxLength={254}
      />
      <Choice
        name="role"
        label={texts.fields.role}
        hint={words.rolesHint}
        value="member"
        options={Object.entries(words.roles)}
      />
    </FormDialog>
  )
}

/** Shows a new link, only this once. */
export function NewLink({ link, onClose }: { link: NewMemberLink; onClose: () => void }) {
  const name = nameOfLink(link)
  const title = link.kind === 'password' ? words.passwordLinkOf(name ?? '') : words.invitationOf(name)
  return (
    <SecretDialog
      title={title}
      label={words.link}
      secret={linkAddress(location.origin + root, link.token)}
      note={words.linkHint}
      onClose={onClose}
    />
  )
}

function LinkRow({ link, onRevoke }: { link: MemberLink; onRevoke: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const name = nameOfLink(link) ?? words.anybody
  const run = () => {
    setBusy(true)
    onRevoke()
      .catch(failed)
      .finally(() => setBusy(false))
  }
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>{words.linkKinds[link.kind]}</td>
      <td>{words.roles[link.role]}</td>
      <td>{atMoment(link.expiresAt)}</td>
      <td>
        <button
          type="button"
          class="button"
          aria-label={words.revokeLinkOf(name)}
          aria-disabled={isBusy || undefined}
          onClick={run}
        >
          {words.revoke}
        </button>
      </td>
    </tr>
  )
}

/** The links that can still be used; renders nothing if there are none. */
export const OpenLinks = ({ of: reading }: { of: Reading<MemberLink[]> }) => (
  <WhenRead of={reading}>
    {(links) =>
      links.length > 0 && (
        <div class="stack">
          <h2>{words.openLinks}</h2>
          <Table label={words.openLinks} columns={words.linkColumns}>
            {links.map((link) => (
              <LinkRow
                key={link.id}
                link={link}
                onRevoke={async () => {
                  await revoke(link)
                  await reading.reload()
                }}
              />
            ))}
          </Table>
        </div>
      )
    }
  </WhenRead>
)
