/**
 * The migration `opaque-people`. Earlier versions gave a person of an imported board the id that the file had for it, which may hold an
 * email address, and everybody reads ids; and they kept addresses of people in the metadata of imported projects and items. Here such
 * people get new ids in all records, the history included, and the metadata loses the addresses of people.
 *
 * The records of a later version may differ from those that this one knows: it is never to be changed.
 */
import type SQLite from 'better-sqlite3'
import {
  addressesIn,
  addressesOfPeople,
  holdsAddress,
  nameIn,
  withoutAddressesIn,
} from '../email-addresses.ts'
import { newId } from './ids.ts'
import { readArrayText, readObjectText } from './json-text.ts'
import { newestChange } from './newest-change.ts'
import { createIdReplacer } from './people-ids.ts'

/** The formats of boards: the names of their data in metadata. */
const FORMATS = ['trello', 'planka', 'kanboard', 'jira', 'github', 'csv']

/** The columns with ids of people. */
const ID_COLUMNS = {
  people: ['merged_into'],
  projects: ['lead_id'],
  kanban_items: ['assignee_id'],
  team_assignments: ['member_id'],
  kanban_comments: ['author_id'],
  kanban_activity: ['actor_id'],
  attachments: ['created_by'],
  personal_ideas: ['owner_id'],
  team_members: ['member_id'],
  item_watches: ['member_id'],
  project_watches: ['member_id'],
  notifications: ['member_id', 'actor_id'],
  mail_queue: ['member_id'],
  mails: ['member_id'],
  audit_log: ['actor_id', 'subject_id'],
  large_writes: ['actor_id'],
}

/** Rows read at a time: none can be written while others are read. */
const AT_ONCE = 1000

/** The rows of a table that may hold an address, in slices. @param where a condition */
function* rowsOf<Row extends { row: number }>(
  client: SQLite.Database,
  table: string,
  columns: string,
  where: string,
): Generator<Row> {
  const some = client.prepare<[number], Row>(
    `select rowid as row, ${columns} from ${table} where rowid > ? and (${where}) order by rowid limit ${AT_ONCE}`,
  )
  for (let rows = some.all(0); rows.length > 0; rows = some.all(rows.at(-1)?.row ?? 0)) yield* rows
}

const mayHold = (...columns: string[]) => columns.map((column) => `instr(${column}, '@') > 0`).join(' or ')

interface ImportedPerson {
  id: string
  name: string
  sourceId: string
  email: string | null
}

/** The people of imports. Those whom somebody has forgotten are in the history only. */
const importedIds = (client: SQLite.Database): string[] =>
  client
    .prepare<[], string>(
      `select id from (
        select id from people where kind = 'import'
        union
        select id from changes where kind = 'person' and action = 'created'
          and json_valid(after) and after ->> 'kind' = 'import')
      where typeof(id) = 'text' and id not in (select id from members)
        and id not in (select id from people where kind <> 'import')`,
    )
    .pluck()
    .all()

function mendPeople(client: SQLite.Database, ids: ReadonlyMap<string, string>): void {
  const all = client.prepare<[], ImportedPerson>(
    `select id, cast(name as text) as name, cast(source_id as text) as sourceId, email from people
    where kind = 'import' and typeof(id) = 'text' and (${mayHold('id', 'name', 'source_id')})`,
  )
  const mend = client.prepare('update people set id = ?, name = ?, source_id = ?, email = ? where id = ?')
  for (const { id, name, sourceId, email } of all.all()) {
    const isAddress = holdsAddress(sourceId)
    // As imports store it now, so that they find the person again.
    const kept = isAddress ? (email ?? sourceId) : email
    mend.run(ids.get(id) ?? id, nameIn(name), isAddress ? '' : sourceId, kept, id)
  }
}

function replaceIds(client: SQLite.Database, ids: ReadonlyMap<string, string>): void {
  client.exec('create temp table new_ids (old text primary key, new text not null)')
  const insert = client.prepare('insert into temp.new_ids values (?, ?)')
  for (const pair of ids) insert.run(...pair)
  for (const [table, columns] of Object.entries(ID_COLUMNS)) {
    for (const column of columns) {
      client.exec(
        `update ${table} set ${column} = (select new from temp.new_ids where old = ${column})
        where ${column} in (select old from temp.new_ids)`,
      )
    }
  }
  client.exec('drop table temp.new_ids')
}

function mendActivity(client: SQLite.Database, ids: ReadonlyMap<string, string>): void {
  const { inMetadata } = createIdReplacer(ids)
  const set = client.prepare('update kanban_activity set metadata = ? where rowid = ?')
  const where = `type = 'assignment' and ${mayHold('metadata')}`
  for (const { row, metadata } of rowsOf<{ row: number; metadata: string }>(
    client,
    'kanban_activity',
    'metadata',
    where,
  ))
    set.run(inMetadata(String(metadata)), row)
}

/** The result of an import shows how its people were matched. */
function mendImports(client: SQLite.Database, ids: ReadonlyMap<string, string>): void {
  const set = client.prepare('update imports set matches = ? where rowid = ?')
  const replace = createIdReplacer(ids)
  for (const { row, matches } of rowsOf<{ row: number; matches: string }>(
    client,
    'imports',
    'matches',
    mayHold('matches'),
  )) {
    const people = readArrayText(String(matches)) as { id: string; name: string; memberId: string | null }[]
    const mended = people.map((person) => ({
      ...person,
      id: person.memberId === null ? replace.id(person.id) : person.id,
      name: nameIn(String(person.name)),
      memberId: person.memberId && replace.id(person.memberId),
    }))
    set.run(JSON.stringify(mended), row)
  }
}

/** Metadata without addresses of people, in what imports have put there. */
function mendMetadata(text: string, isOfPerson: (address: string) => boolean): string {
  const metadata = readObjectText(text)
  if (metadata === undefined) return text
  const mended = Object.entries(metadata).map(([name, value]) => [
    name,
    FORMATS.includes(name) ? withoutAddressesIn(value, isOfPerson) : value,
  ])
  const result = JSON.stringify(Object.fromEntries(mended))
  return result === JSON.stringify(metadata) ? text : result
}

const IMPORTED = {
  projects: mayHold('metadata'),
  kanban_items: `source = 'import' and (${mayHold('metadata')})`,
}

/** The check whether an address is that of a member, or of a person on an imported board. */
function addressesOf(client: SQLite.Database, ids: Iterable<string>): (address: string) => boolean {
  const emails = client
    .prepare<[], string>('select email from members union select email from people where email is not null')
    .pluck()
    .all()
  const found = new Set([...emails, ...ids].flatMap(addressesIn))
  for (const [table, where] of Object.entries(IMPORTED)) {
    for (const { metadata } of rowsOf<{ row: number; metadata: string }>(client, table, 'metadata', where)) {
      const read = readObjectText(String(metadata)) ?? {}
      for (const format of FORMATS) {
        for (const address of addressesOfPeople(Object(read[format]))) found.add(address)
      }
    }
  }
  return (address) => found.has(address)
}

/** Mends the text of a field in the JSON that triggers write: its other values stay exactly as they are. */
function inField(name: string, mend: (value: string) => string): (record: string) => string {
  const pattern = new RegExp(`("${name}":)("(?:[^"\\\\]|\\\\.)*")`)
  return (record) =>
    record.replace(
      pattern,
      (_, field: string, json: string) => field + JSON.stringify(mend(JSON.parse(json))),
    )
}

/** A change, with what of it may have ids or addresses. */
interface Change {
  row: number
  kind: string
  id: string
  actor: string | null
  owner: string | null
  before: string | null
  after: string | null
}

function mendHistory(
  client: SQLite.Database,
  ids: ReadonlyMap<string, string>,
  imported: ReadonlySet<string>,
  isOfPerson: (address: string) => boolean,
): void {
  const replace = createIdReplacer(ids)
  const metadata = [inField('metadata', (value) => mendMetadata(value, isOfPerson))]
  const ofKind: Record<string, readonly ((record: string) => string)[]> = {
    person: [
      inField('id', replace.id),
      inField('name', nameIn),
      inField('sourceId', (value) => (holdsAddress(value) ? '' : value)),
    ],
    project: metadata,
    'kanban-item': metadata,
    'kanban-activity': [inField('metadata', replace.inMetadata)],
  }
  const mended = ({ kind, id }: Change, record: string | null) => {
    const mends = kind === 'person' && !imported.has(id) ? [] : (ofKind[kind] ?? [])
    // Another tool may have stored anything; what is no JSON, nothing shows.
    if (typeof record !== 'string' || readObjectText(record) === undefined) return record
    return mends.reduce((text, mend) => mend(text), replace.inChange(record))
  }
  const where = mayHold('id', 'actor_id', 'owner_id', '"before"', '"after"')
  for (const table of ['changes', 'staged_changes']) {
    const set = client.prepare(
      `update ${table} set id = ?, actor_id = ?, owner_id = ?, before = ?, after = ? where rowid = ?`,
    )
    const columns = 'kind, id, actor_id as actor, owner_id as owner, before, after'
    for (const change of rowsOf<Change>(client, table, columns, where)) {
      const { row, kind, id, actor, owner, before, after } = change
      const values = [
        kind === 'person' ? replace.id(id) : id,
        actor && replace.id(actor),
        owner && replace.id(owner),
        mended(change, before),
        mended(change, after),
      ]
      const isSame = [id, actor, owner, before, after].every((value, place) => value === values[place])
      if (!isSame) set.run(...values, row)
    }
  }
}

/** Gives people of imported boards opaque ids, and removes the addresses of people from metadata. Inside a transaction. */
export function makePeopleOpaque(client: SQLite.Database): void {
  const last = newestChange(client)
  const imported = importedIds(client)
  const ids = new Map(imported.filter(holdsAddress).map((id) => [id, newId()]))
  const isOfPerson = addressesOf(client, ids.keys())
  mendPeople(client, ids)
  replaceIds(client, ids)
  mendActivity(client, ids)
  mendImports(client, ids)
  for (const [table, where] of Object.entries(IMPORTED)) {
    const set = client.prepare(`update ${table} set metadata = ? where rowid = ?`)
    for (const { row, metadata } of rowsOf<{ row: number; metadata: string }>(
      client,
      table,
      'metadata',
      where,
    )) {
      const mended = mendMetadata(String(metadata), isOfPerson)
      if (mended !== metadata) set.run(mended, row)
    }
  }
  // As if it had always been so: the changes of the above would show the former ids.
  client.prepare('delete from changes where seq > ?').run(last)
  mendHistory(client, ids, new Set(imported), isOfPerson)
  // Stored responses have the former ids, too.
  if (ids.size > 0) client.exec(`update idempotency_keys set body = null where ${mayHold('body')}`)
}
