/** Checks of people. */
import type SQLite from 'better-sqlite3'
import { timestamp } from '../time.ts'
import { type Check, count, counted, found, has, NOTHING, together } from './checks.ts'

/** Condition: a person was merged into an unknown one, or into itself. */
const LOST = 'merged_into = id or merged_into not in (select id from people union all select id from members)'

/** Condition: a person has an invalid kind. */
const NO_KIND = "kind not in ('member', 'host', 'import')"

const rowsOf = (condition: string) => `select id from people where ${condition}`

/** The people of circles of merges, such as A into B and B into A, so that none of them is shown. */
function inCircles(client: SQLite.Database): string[] {
  const rows = client
    .prepare<[], [id: string, into: string]>(
      `select cast(id as text), cast(merged_into as text) from people
      where merged_into <> id and id not in (select id from members) order by id`,
    )
    .raw()
    .all()
  const merges = new Map(rows)
  /** From whom somebody was come to first. */
  const seen = new Map<string, string>()
  return rows.flatMap(([from]) => {
    let at: string | undefined = from
    while (at !== undefined && !seen.has(at)) {
      seen.set(at, from)
      at = merges.get(at)
    }
    if (at === undefined || seen.get(at) !== from) return []
    const circle = [at]
    for (let next = merges.get(at); next !== undefined && next !== at; next = merges.get(next))
      circle.push(next)
    return circle
  })
}

const people: Check = {
  name: 'people',
  holds: 'people have a kind, and merges have a target',
  advice:
    'another tool has written it; --fix unmerges people without a target, and sets an invalid kind to import or else host',
  find: ({ client }) => {
    if (!has(client, 'people')) return NOTHING
    return together([
      count(client, rowsOf(LOST), (id) => `person ${id} is merged into nobody`),
      found(inCircles(client).map((id) => `person ${id} is merged in a circle`)),
      count(client, rowsOf(NO_KIND), (id) => `person ${id} has an unknown kind`),
    ])
  },
  fix: ({ $client: client }) => {
    const put = (condition: string, what: string) =>
      client
        .prepare(`update people set ${what}, updated_at = ? where id in (${rowsOf(condition)})`)
        .run(timestamp()).changes
    const circles = client.prepare(
      'update people set merged_into = null, updated_at = ? where id in (select value from json_each(?))',
    )
    const { changes } = circles.run(timestamp(), JSON.stringify(inCircles(client)))
    const lost = changes + put(LOST, 'merged_into = null')
    const kinds = put(NO_KIND, "kind = iif(source <> '', 'import', 'host')")
    return `reverted ${counted(lost, 'merge')}, set the kind of ${counted(kinds, 'person', 'people')}`
  },
}

export const PEOPLE_CHECKS: readonly Check[] = [people]
