/** Checks of people. */
import { timestamp } from '../time.ts'
import { type Check, count, counted, has, isShown, NOTHING, type Subject, together } from './checks.ts'

/** Condition: a person was merged into an unknown one, or into itself. */
const LOST = 'merged_into = id or merged_into not in (select id from people union all select id from members)'

/** Condition: a person has an invalid kind. */
const NO_KIND = "kind not in ('member', 'host', 'import')"

const rowsOf = ({ client }: Pick<Subject, 'client'>, condition: string) =>
  `select id from people where (${condition}) and ${isShown(client, 'people')}`

const people: Check = {
  name: 'people',
  holds: 'people have a kind, and merges have a target',
  advice:
    'another tool has written it; --fix unmerges people without a target, and sets an invalid kind to import or else host',
  find: (subject) => {
    const { client } = subject
    if (!has(client, 'people')) return NOTHING
    return together([
      count(client, rowsOf(subject, LOST), (id) => `person ${id} is merged into an unknown person`),
      count(client, rowsOf(subject, NO_KIND), (id) => `person ${id} is of no kind`),
    ])
  },
  fix: ({ $client: client }) => {
    const put = (condition: string, what: string) =>
      client
        .prepare(`update people set ${what}, updated_at = ? where id in (${rowsOf({ client }, condition)})`)
        .run(timestamp()).changes
    const lost = put(LOST, 'merged_into = null')
    const kinds = put(NO_KIND, "kind = iif(source <> '', 'import', 'host')")
    return `took back ${counted(lost, 'merge')}, gave ${counted(kinds, 'person', 'people')} a kind`
  },
}

/** The checks of people. */
export const PEOPLE_CHECKS: readonly Check[] = [people]
