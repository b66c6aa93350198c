/** The dialogs of members: add, change, reset the password, delete. */
import { type Member, PhaseboardError, sending } from '../common/api.ts'
import { changedFields, textIn } from '../common/forms.ts'
import { announce, toast } from '../common/toasts.ts'
import { Choice, Field } from '../common/ui/field.tsx'
import { FormDialog } from '../common/ui/form-dialog.tsx'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'
import { Confirm } from './confirm.tsx'
import { memberList } from './member-list.ts'
import { roleOf } from './members.ts'
import { NewPassword } from './new-password.tsx'

const words = texts.people

type Change = Partial<Pick<Member, 'name' | 'role' | 'disabled'>> & { email?: string; password?: string }

/** Explains the refusal to remove the last admin. */
function explained(error: unknown): never {
  const isLastAdmin = error instanceof PhaseboardError && error.code === 'last_admin'
  throw isLastAdmin ? new Error(words.lastAdmin) : error
}

/** Changes a member. @throws PhaseboardError, including 409 for the last admin and for an email in use */
export async function changeMember({ id }: Member, body: Change): Promise<void> {
  await write(sending('patch', '/api/members/{id}', { path: { id }, body })).catch(explained)
  memberList.refresh()
}

/** Deletes a member. @throws PhaseboardError */
async function deleteMember({ id, name }: Member): Promise<void> {
  await write(sending('delete', '/api/members/{id}', { path: { id } })).catch(explained)
  memberList.refresh()
  toast(texts.deleted(name))
}

/** @param member the member to change; a new one if absent */
export function MemberDialog({ member, onClose }: { member?: Member; onClose: () => void }) {
  const send = async (fields: FormData) => {
    const [name, email] = [textIn(fields, 'name').trim(), textIn(fields, 'email').trim()]
    const all = { name, email, role: roleOf(fields.get('role')) }
    if (member) {
      await changeMember(member, changedFields({ ...member, email: member.email ?? '' }, all))
      toast(texts.people.savedOne(name))
    } else {
      const password = textIn(fields, 'password')
      const body = { ...all, ...(password !== '' && { password }) }
      await write(sending('post', '/api/members', { body }))
      memberList.refresh()
      announce(texts.added(name))
    }
    onClose()
  }
  return (
    <FormDialog
      title={member ? texts.changeOf(member.name) : words.addMember}
      onClose={onClose}
      send={send}
      submit={member ? texts.save : words.addMember}
      draft={`member:${member?.id ?? 'new'}`}
    >
      <Field name="name" label={texts.fields.name} value={member?.name} required maxLength={200} autofocus />
      <Field
        name="email"
        label={texts.fields.email}
        value={member?.email ?? ''}
        type="email"
        required
        maxLength={254}
      />
      <Choice
        name="role"
        label={texts.fields.role}
        hint={words.rolesHint}
        value={member?.role ?? 'member'}
        options={Object.entries(words.roles)}
      />
      {!member && <NewPassword />}
    </FormDialog>
  )
}

export function ResetPassword({ member, onClose }: { member: Member; onClose: () => void }) {
  const send = async (fields: FormData) => {
    await changeMember(member, { password: textIn(fields, 'password') })
    toast(words.passwordReset(member.name))
    onClose()
  }
  return (
    <FormDialog title={words.resetOf(member.name)} onClose={onClose} send={send} submit={words.reset}>
      <p>{words.resetText}</p>
      <NewPassword isRequired />
    </FormDialog>
  )
}

export const DeleteMember = ({ member, onClose }: { member: Member; onClose: () => void }) => (
  <Confirm
    title={words.deleteOf(member.name)}
    action={texts.delete}
    run={() => deleteMember(member)}
    onClose={onClose}
  >
    <p>{words.deleteMemberText}</p>
  </Confirm>
)
