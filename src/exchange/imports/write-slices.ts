/** Writing an import in slices: nobody waits long for it, and nobody sees any of it before all is there. */
import type { SharedDatabase } from '../../db/client.ts'
import { importedProjects, projects } from '../../db/schema.ts'
import { insertInto } from '../../db/statements.ts'
import { timestamp } from '../../time.ts'
import type { BriefWrite, BriefWrites } from './brief-writes.ts'
import { type Imported, type ImportPlan, type PlannedRows, totalOf } from './import-plan.ts'
import { importStates } from './import-state.ts'

/** Whose import it is, and which. */
export interface Importing {
  /** Its row is there already. */
  id: string
  /** The member who asked for it; null for the command line. */
  memberId: string | null
}

/** Inserts rows, each kind of row by a statement of its own. */
function createInserter(db: SharedDatabase) {
  type Insert = ReturnType<typeof insertInto>
  const inserts = new Map<object, Insert>()
  return (table: PlannedRows['table'], row: object) => {
    let insert = inserts.get(table)
    if (insert === undefined) {
      insert = insertInto(db, table)
      inserts.set(table, insert)
    }
    insert(row as never)
  }
}

function* rowsIn({ tables }: ImportPlan): Generator<[table: PlannedRows['table'], row: object]> {
  for (const { table, rows } of tables) for (const row of rows()) yield [table, row]
}

/**
 * Writes all that a plan has, in slices that hold the write lock for some milliseconds each, and shows it by a last write,
 * which also tells the changes: as one group of the member's. Until then the projects are hidden (`imported_projects`),
 * and their own rows are missing. What it leaves where it throws, or where its process ends, `clearImport` takes away.
 * @param onProgress called after each slice, with the number of records written and to write
 * @throws Error where the plan refuses; the reason of the signal that the writes have
 */
export async function writeInSlices(
  db: SharedDatabase,
  writes: BriefWrites,
  plan: ImportPlan,
  { id, memberId }: Importing,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Imported> {
  const { $client: client } = db
  const states = importStates(db)
  const insert = createInserter(db)
  const hide = insertInto(db, importedProjects)
  const total = totalOf(plan)
  let done = 0

  plan.refuse(db, false)
  await writes.slice(() => {
    states.writing(id, total)
    for (const projectId of plan.projectIds) hide({ projectId, importId: id })
  })
  onProgress(done, total)
  const rows = rowsIn(plan)
  const writeSome = ({ isLong }: BriefWrite): boolean => {
    do {
      const next = rows.next()
      if (next.done) return false
      insert(...next.value)
      done++
    } while (!isLong())
    states.advance(id, done)
    return true
  }
  while (await writes.slice(writeSome, id)) onProgress(done, total)

  const show = client.prepare('delete from imported_projects where import_id = ?')
  const attribute = client.prepare('update changes set actor_id = ?, "group" = ?, at = ? where seq > ?')
  // Parents first: those of the projects are there already.
  const tell = client.prepare(
    `insert into changes (at, actor_id, "group", kind, id, action, project_id, item_id, owner_id, after)
    select ?, ?, ?, kind, id, 'created', project_id, item_id, owner_id, after
    from imported_changes where import_id = ? order by place`,
  )
  const result = await writes.last((newest) => {
    plan.refuse(db, true)
    for (const row of plan.projects) insert(projects, row)
    const at = timestamp()
    attribute.run(memberId, newest + 1, at, newest)
    tell.run(at, memberId, newest + 1, id)
    show.run(id)
    const made = plan.result(false)
    states.done(id, total, made)
    return made
  })
  onProgress(total, total)
  await forgetChanges(db, writes, id)
  return result
}

/** Changes that are deleted at a time: some milliseconds. */
const FORGOTTEN_AT_ONCE = 500

/** Deletes the changes of an import that are told by now, or never will be. */
export async function forgetChanges(
  { $client: client }: SharedDatabase,
  writes: BriefWrites,
  importId: string,
): Promise<void> {
  const some = client.prepare(
    `delete from imported_changes where place in (
      select place from imported_changes where import_id = ? order by place limit ${FORGOTTEN_AT_ONCE})`,
  )
  const forgetSome = ({ isLong }: BriefWrite): boolean => {
    do {
      if (some.run(importId).changes < FORGOTTEN_AT_ONCE) return false
    } while (!isLong())
    return true
  }
  while (await writes.slice(forgetSome));
}
