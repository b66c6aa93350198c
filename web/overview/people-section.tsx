/** Who sees the project, who works on it, and who leads it. */
import { useState } from 'preact/hooks'
import type { TeamAssignment } from '../common/api.ts'
import { textIn } from '../common/forms.ts'
import { byId } from '../common/order.ts'
import { nobodyOrMe, personName } from '../common/people.ts'
import type { ProjectFields, ProjectStore } from '../common/project-store.ts'
import { added } from '../common/record-writes.ts'
import { mayWriteIn } from '../common/rights.ts'
import { Avatar } from '../common/ui/avatar.tsx'
import { Dialog } from '../common/ui/dialog.tsx'
import { Form } from '../common/ui/field.tsx'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { PersonField } from '../common/ui/person-field.tsx'
import { PersonPicker } from '../common/ui/person-picker.tsx'
import { texts } from '../texts.ts'
import { AccessChoice } from './access-choice.tsx'
import { onePerMember } from './assignments.ts'
import { changePeople } from './people-writes.ts'
import { RoleField } from './role-field.tsx'
import { roleFrom, roleName, roleSays } from './roles.ts'
import { Section, Shown } from './section.tsx'

const words = texts.overview

/** The open dialog, and its person. */
type Doing = { what: 'add' } | { what: 'role'; assignment: TeamAssignment }

interface RowProps {
  store: ProjectStore
  assignment: TeamAssignment
  isLead: boolean
  onRole: () => void
}

function Row({ store, assignment: { memberId, role }, isLead, onRole }: RowProps) {
  const name = personName(memberId)
  const lead = (leadId: string | null) => changePeople(store, { what: 'lead', leadId }, words.leads(name))
  return (
    <li class="person">
      <Avatar id={memberId} name={name} />
      <span dir="auto">{name}</span>
      <span class="meta" dir="auto">
        {[...new Set([roleName(role), isLead ? texts.fields.lead : ''])].filter(Boolean).join(', ')}
      </span>
      {mayWriteIn(store) && (
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
      <span class="meta person-may">{roleSays(role)}</span>
    </li>
  )
}

function PersonDialog({ store, doing, onClose }: { store: ProjectStore; doing: Doing; onClose: () => void }) {
  const there = store.assignments.list(byId).map(({ memberId }) => memberId)
  const known = doing.what === 'role' ? doing.assignment : undefined
  const name = known && personName(known.memberId)
  const send = async (form: FormData) => {
    const memberId = known?.memberId ?? textIn(form, 'memberId')
    if (memberId === '') throw new Error(texts.people.choose)
    const role = roleFrom(form)
    changePeople(
      store,
      { what: doing.what, memberId, role },
      known ? words.saved(personName(memberId)) : added(personName(memberId)),
    )
    onClose()
  }
  return (
    <Dialog title={name === undefined ? words.addPerson : words.roleOf(name)} onClose={onClose}>
      <Form send={send} submit={known ? texts.save : texts.add} onCancel={onClose}>
        {!known && (
          <PersonField name="memberId" label={texts.fields.person} value="" except={there} autofocus />
        )}
        <RoleField value={known?.role ?? 'member'} />
      </Form>
    </Dialog>
  )
}

export function People({ store, project }: { store: ProjectStore; project: ProjectFields }) {
  const [doing, setDoing] = useState<Doing | undefined>()
  const list = onePerMember(store.assignments.list(byId))
  return (
    <Section
      title={words.whoSees}
      aside={
        mayWriteIn(store) && (
          <button type="button" class="button" onClick={() => setDoing({ what: 'add' })}>
            <Icon name="add" /> {words.addPerson}
          </button>
        )
      }
    >
      <AccessChoice store={store} project={project} />
      {mayWriteIn(store) ? (
        <PersonPicker
          label={texts.fields.lead}
          value={project.leadId ?? ''}
          others={nobodyOrMe()}
          onChoose={(id, name) =>
            changePeople(store, { what: 'lead', leadId: id || null }, words.leads(name))
          }
        />
      ) : (
        <Shown label={texts.fields.lead}>
          {project.leadId === null ? texts.nobody : personName(project.leadId)}
        </Shown>
      )}
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
