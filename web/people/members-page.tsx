/** The members of the service, for admins. */
import { useState } from 'preact/hooks'
import { api, type Member, type NewMemberLink } from '../common/api.ts'
import { useLiveList } from '../common/live-list.ts'
import { byId } from '../common/order.ts'
import { failed, toast } from '../common/toasts.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { useReading } from '../common/ui/reading.tsx'
import { texts } from '../texts.ts'
import { AdminPage } from './admin-page.tsx'
import { changeMember, DeleteMember, MemberDialog, ResetPassword } from './member-dialogs.tsx'
import { InviteDialog, makePasswordLink, NewLink, OpenLinks } from './member-links.tsx'
import { memberList } from './member-list.ts'
import { inOrder } from './members.ts'
import { Table } from './table.tsx'

const words = texts.people

/** The open dialog, and its member. */
type Doing =
  | { what: 'add' | 'invite' }
  | { what: 'change' | 'reset' | 'delete'; member: Member }
  | { what: 'link'; link: NewMemberLink }

async function setDisabled(member: Member, disabled: boolean): Promise<void> {
  await changeMember(member, { disabled })
  toast(disabled ? words.disabledNow(member.name) : words.enabledNow(member.name))
}

interface RowProps {
  member: Member
  onDo: (doing: Doing) => void
  onLink: (link: NewMemberLink) => void
}

function MemberRow({ member, onDo, onLink }: RowProps) {
  const { name, email, role, disabled } = member
  return (
    <tr>
      <th scope="row">
        <bdi>{name}</bdi>
      </th>
      <td>
        <bdi>{email}</bdi>
      </td>
      <td>{words.roles[role]}</td>
      <td>{disabled ? words.disabled : words.enabled}</td>
      <td>
        <Menu
          label={texts.actions(name)}
          items={[
            { label: texts.change, run: () => onDo({ what: 'change', member }) },
            !disabled && {
              label: words.passwordLink,
              run: () => void makePasswordLink(member).then(onLink, failed),
            },
            { label: words.resetPassword, run: () => onDo({ what: 'reset', member }) },
            {
              label: disabled ? words.enable : words.disable,
              run: () => void setDisabled(member, !disabled).catch(failed),
            },
            { label: texts.delete, run: () => onDo({ what: 'delete', member }), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </td>
    </tr>
  )
}

function Members({ doing, onDo }: { doing: Doing | undefined; onDo: (doing: Doing | undefined) => void }) {
  const links = useReading(() => api.get('/api/member-links'))
  const close = () => onDo(undefined)
  const show = (link: NewMemberLink) => {
    onDo({ what: 'link', link })
    void links.reload()
  }
  return (
    <>
      <Table label={texts.members} columns={words.memberColumns}>
        {inOrder(memberList.records.list(byId)).map((member) => (
          <MemberRow key={member.id} member={member} onDo={onDo} onLink={show} />
        ))}
      </Table>
      <OpenLinks of={links} />
      {doing?.what === 'add' && <MemberDialog onClose={close} />}
      {doing?.what === 'invite' && <InviteDialog onMade={show} onClose={close} />}
      {doing?.what === 'link' && <NewLink link={doing.link} onClose={close} />}
      {doing?.what === 'change' && <MemberDialog member={doing.member} onClose={close} />}
      {doing?.what === 'reset' && <ResetPassword member={doing.member} onClose={close} />}
      {doing?.what === 'delete' && <DeleteMember member={doing.member} onClose={close} />}
    </>
  )
}

export default function MembersPage() {
  const [doing, setDoing] = useState<Doing | undefined>()
  useLiveList(memberList)
  return (
    <AdminPage
      title={texts.members}
      aside={
        <div class="row">
          <button type="button" class="button" onClick={() => setDoing({ what: 'invite' })}>
            {words.invite}
          </button>
          <button type="button" class="button-primary" onClick={() => setDoing({ what: 'add' })}>
            <Icon name="add" /> {words.addMember}
          </button>
        </div>
      }
    >
      {() => <Members doing={doing} onDo={setDoing} />}
    </AdminPage>
  )
}
