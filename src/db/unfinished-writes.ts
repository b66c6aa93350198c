/**
 * Ends the large writes of version 1.0.0, which made them in slices: their records were hidden, and their changes staged in a table of their
 * own. A migration runs it once, without foreign keys, and then drops the tables.
 */
import type SQLite from 'better-sqlite3'
import { newId } from './ids.ts'
import { newestChange } from './newest-change.ts'

interface LargeWrite {
  number: number
  /** JSON; empty for an import. */
  task: string
}

/** A deletion whose projects' own rows were already deleted, without changes. */
interface Deletion {
  kind: 'deletion'
  projects: { id: string; record: string }[]
  actorId: string | null
  by: { id: string | null; name?: string; address: string | null }
  isUndo: boolean
}

const FIELDS = 'kind, id, action, project_id, item_id, from_project_id, owner_id, before, after'

/** The first place of the staged changes of a write; the next write's is as far again. */
const PLACES = 2 ** 32

/** Moves published staged changes to their places in the sequence. */
const FOLD = `insert into changes (seq, at, actor_id, "group", ${FIELDS})
  select first_seq + place - first_place, ifnull(staged.at, writing.at),
    iif(staged.at is null, writing.actor_id, staged.actor_id),
    iif(staged.at is null, writing."group", writing."group" + staged."group"), ${FIELDS.replaceAll(/\w+/g, 'staged."$&"')}
  from large_writes as writing cross join staged_changes as staged
  on place between first_place and first_place + last_seq - first_seq
  where first_seq is not null order by first_seq, place`

/** Deletes the records of a project, whose own row is missing: children first. */
function removeRecords(client: SQLite.Database, project: string): void {
  const children = client.prepare<[string], { table: string; column: string }>(
    `select owner.name as "table", key."from" as column from sqlite_schema as owner
    join pragma_foreign_key_list(owner.name) as key
    where owner.type = 'table' and key."table" = ? and key.on_delete = 'CASCADE' and owner.name <> 'hidden_projects'`,
  )
  const items = 'select id from kanban_items where project_id = ?'
  for (const { table, column } of children.all('kanban_items'))
    client.prepare(`delete from "${table}" where "${column}" in (${items})`).run(project)
  client.prepare('delete from kanban_items where project_id = ?').run(project)
  for (const { table, column } of children.all('projects'))
    client.prepare(`delete from "${table}" where "${column}" = ?`).run(project)
}

/** Removes what an import, or the undo of a deletion, has written: nobody has seen it. */
function takeBack(client: SQLite.Database, { number }: LargeWrite): void {
  const since = newestChange(client)
  const projects = client.prepare<[number], string>(
    'select project_id from hidden_projects where "write" = ?',
  )
  for (const project of projects.pluck().all(number)) removeRecords(client, project)
  const records = client.prepare<[number], { table: string; id: string }>(
    'select record_table as "table", id from hidden_records where "write" = ?',
  )
  for (const { table, id } of records.all(number))
    client.prepare(`delete from "${table}" where id = ?`).run(id)
  client.prepare('delete from changes where seq > ?').run(since)
}

/** Completes a deletion, as one group of changes. */
function complete(client: SQLite.Database, { number }: LargeWrite, deletion: Deletion): void {
  const { projects, actorId, by, isUndo } = deletion
  const since = newestChange(client)
  const at = new Date().toISOString()
  const detach = () => {
    const one = client.prepare(
      'update personal_ideas set promoted_project_id = null where promoted_project_id = ?',
    )
    for (const { id } of projects) one.run(id)
  }
  if (isUndo) detach()
  client
    .prepare(
      `insert into changes (${FIELDS}) select ${FIELDS} from staged_changes where place >= ? and place < ? order by place`,
    )
    .run(number * PLACES, (number + 1) * PLACES)
  for (const { id } of projects) removeRecords(client, id)
  if (!isUndo) detach()
  const deleted = client.prepare(
    `insert into changes (kind, id, action, project_id, before) values ('project', :id, 'deleted', :id, :record)`,
  )
  const noted = client.prepare(
    `insert into audit_log (id, action, actor_id, actor, subject_id, subject, address, metadata)
    values (:entry, 'project-deleted', :by, ifnull(:actor, (select name from members where id = :by)), :id, :name, :address, json_object('name', :name))`,
  )
  for (const { id, record } of projects) {
    deleted.run({ id, record })
    const name = String(JSON.parse(record).name)
    noted.run({ entry: newId(), by: by.id, actor: by.name ?? null, address: by.address, id, name })
  }
  client
    .prepare('update changes set actor_id = :actorId, "group" = :group, at = :at where seq > :since')
    .run({ actorId, group: since + 1, at, since })
  client
    .prepare('insert into quiet_changes (first, last, at) select ?, max(seq), ? from changes')
    .run(since + 1, at)
}

/** Ends all large writes of a file. Inside a transaction. */
export function endLargeWrites(client: SQLite.Database): void {
  client.exec(FOLD)
  const unfinished = client.prepare<[], LargeWrite>(
    'select number, task from large_writes where first_seq is null order by number',
  )
  for (const write of unfinished.all()) {
    const task: Deletion | { kind: 'restoration' } | undefined =
      write.task === '' ? undefined : JSON.parse(write.task)
    if (task?.kind === 'deletion') complete(client, write, task)
    else takeBack(client, write)
  }
}
