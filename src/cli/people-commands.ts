/** The commands for people. They use the same rules as requests, and may run beside the service. */
import type { SharedDatabase } from '../db/client.ts'
import { COMMAND_LINE } from '../members/audit-log.ts'
import type { Members } from '../members/members.ts'
import { createRules } from '../requests/rules.ts'
import type { Person } from '../schemas/records.ts'
import { type WithDatabase, write } from './member-commands.ts'
import { alignColumns, refuseUnknown, say } from './terminal.ts'

/** All listed people, by name. */
const listed = ({ people }: Members): Person[] => JSON.parse(Buffer.from(people.page({}).body).toString())

/** The person with this id, email or unique name. @throws Error for none and for several */
function personCalled(members: Members, called: string): Person {
  const [known] = members.people.named([members.find(called)?.id ?? called])
  if (known) return known
  const ofEmail = members.known.ofEmail(called)
  if (ofEmail) return members.people.get(ofEmail.id)
  const [first, ...others] = listed(members).filter(({ name }) => name === called)
  if (others.length > 0) throw new Error(`${others.length + 1} people are called ${called}: give the id`)
  return first ?? refuseUnknown('Person', called)
}

/** `people list`. */
export async function listPeople(withDatabase: WithDatabase): Promise<void> {
  const all = await withDatabase((db) => listed(createRules(db).members))
  const rows = all.map(({ id, kind, source, name }) => [id, kind, source || '-', name])
  for (const row of alignColumns(rows)) say(row)
}

const counted = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

/** `people map`. */
export async function mapPerson(withDatabase: WithDatabase, from: string, to: string): Promise<void> {
  const merge = (db: SharedDatabase) => {
    const { members } = createRules(db)
    return write(db, () => members.people.merge(personCalled(members, from).id, personCalled(members, to).id))
  }
  const { person, into, counts, group } = await withDatabase(merge)
  const { kanbanItems, projects, teamAssignments, kanbanComments, attachments, personalIdeas } = counts
  say(`${person.name} is ${into.name} (${into.id}) now`)
  say(
    [
      counted(kanbanItems, 'card'),
      counted(projects, 'lead'),
      counted(teamAssignments, 'assignment'),
      counted(kanbanComments, 'comment'),
      counted(attachments, 'attachment'),
      counted(personalIdeas, 'idea'),
    ].join(', '),
  )
  if (group !== null) say(`POST /api/changes/${group}/undo reverts it`)
}

/** `people forget`. */
export async function forgetPerson(withDatabase: WithDatabase, called: string): Promise<void> {
  const id = await withDatabase((db) => {
    const { members, changes } = createRules(db)
    return write(db, () => {
      const { id } = personCalled(members, called)
      changes.forgetting.forget(id, COMMAND_LINE)
      return id
    })
  })
  say(`${id} is forgotten`)
}
