/** Who works on the project, and who leads it. */
import { useState } from 'preact/hooks'
import type { TeamAssignment } from '../common/api.ts'
import { byId } from '../common/order.ts'
import { activeMembers, initials, memberName } from '../common/people.ts'
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { mayWrite } from '../common/session.ts'
import { Dialog } from '../common/ui/dialog.tsx'
import { Choice, Field, Form } from '../common/ui/field.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'
import { changePeople } from './people-writes.ts'
import { ProjectChoice, Section } from './section.tsx'

const words = texts.overview

/** What is being done, and with whom. */
type Doing = { what: 'add' } | { what: 'role'; assignment: TeamAssignment }

const roleName = (role: string) => (words.roles as Record<string, string>)[role] ?? role

interface RowProps {
  store: ProjectStore
  assignment: TeamAssignment
  isLead: boolean
  onRole: () => void
}

function Row({ store, assignment: { memberId, role }, isLead, onRole }: RowProps) {
  const name = memberName(memberId)
  const lead = (leadId: string | null) => changePeople(store, { what: 'lead', leadId }, words.leads(name))
  return (
    <li class="person">
      <span class="avatar" aria-hidden="true">
        {initials(name)}
      </span>
      <span dir="auto">{name}</span>
      <span class="meta" dir="auto">
        {[roleName(role), isLead ? texts.fields.lead : ''].filter(Boolean).join(', ')}
      </span>
      {mayWrite.value && (
        <Menu
          label={texts.actions(name)}
          items={[
            { label: words.changeRole, run: onRole },
            !isLead && { label: words.makeLead, run: () => lead(memberId) },
            {
              label: words.removePerson,
              run: () => changePeople(store, { what: 'remove', memberId }, words.removed(name)),
              isDanger: true,
            },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
    </li>
  )
}

function PersonDialog({ store, doing, onClose }: { store: ProjectStore; doing: Doing; onClose: () => void }) {
  const there = new Set(store.assignments.list(byId).map(({ memberId }) => memberId))
  const free = activeMembers.value.filter(({ id }) => !there.has(id))
  const known = doing.what === 'role' ? doing.assignment : undefined
  const name = known && memberName(known.memberId)
  const send = async (form: FormData) => {
    const memberId = known?.memberId ?? String(form.get('memberId'))
    const role = String(form.get('role')).trim()
    changePeople(
      store,
      { what: doing.what, memberId, role },
      known ? words.saved(memberName(memberId)) : texts.added(memberName(memberId)),
    )
    onClose()
  }
  return (
    <Dialog title={name === undefined ? words.addPerson : words.roleOf(name)} onClose={onClose}>
      {known || free.length > 0 ? (
        <Form send={send} submit={known ? texts.save : texts.add} onCancel={onClose}>
          {!known && (
            <Choice
              name="memberId"
              label={texts.fields.person}
              value={free[0]?.id ?? ''}
              options={free.map((member) => [member.id, member.name])}
            />
          )}
          <Field
            name="role"
            label={texts.fields.role}
            value={known?.role ?? 'member'}
            hint={words.roleHint}
            required
            maxLength={100}
          />
        </Form>
      ) : (
        <p>{words.nobodyLeft}</p>
      )}
    </Dialog>
  )
}

export function People({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const [doing, setDoing] = useState<Doing | undefined>()
  const list = store.assignments.list(byId)
  const leadOptions = [
    ['', texts.nobody] as const,
    ...activeMembers.value.map(({ id, name }) => [id, name] as const),
  ]
  return (
    <Section
      title={words.people}
      aside={
        mayWrite.value && (
          <button type="button" class="button" onClick={() => setDoing({ what: 'add' })}>
            <Icon name="add" /> {words.addPerson}
          </button>
        )
      }
    >
      <ProjectChoice
        label={texts.fields.lead}
        value={project.leadId ?? ''}
        options={
          project.leadId !== null && !leadOptions.some(([id]) => id === project.leadId)
            ? [...leadOptions, [project.leadId, memberName(project.leadId)]]
            : leadOptions
        }
        canEdit={mayWrite.value}
        onChoose={(id) =>
          changePeople(
            store,
            { what: 'lead', leadId: id || null },
            words.leads(id ? memberName(id) : texts.nobody),
          )
        }
      />
      {list.length === 0 && <p class="muted">{words.noPeople}</p>}
      <ul class="lines" aria-label={words.people}>
        {list.map((assignment) => (
          <Row
            key={assignment.id}
            store={store}
            assignment={assignment}
            isLead={assignment.memberId === project.leadId}
            onRole={() => setDoing({ what: 'role', assignment })}
          />
        ))}
      </ul>
      {doing && <PersonDialog store={store} doing={doing} onClose={() => setDoing(undefined)} />}
    </Section>
  )
}
