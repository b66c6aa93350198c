/** Writes an import in slices: other writes wait only briefly, and it is hidden until it is complete. */

import { getTableName } from 'drizzle-orm'
import type { Chunk, ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import { foldAll, type LargeSlice, LargeWrite, type Publish } from '../../db/large-writes.ts'
import { people, projects } from '../../db/schema.ts'
import { insertInto } from '../../db/statements.ts'
import { type Imported, type ImportPlan, type PlannedRows, totalOf } from './import-plan.ts'
import { importStates } from './import-state.ts'

/** The import and its member. */
export interface Importing {
  /** Its row already exists. */
  id: string
  /** The importing member; null for the command line. */
  memberId: string | null
}

/** Inserts rows, with a statement for each combination of fields. */
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
 * Writes all rows of a plan, in slices that hold the write lock for some milliseconds each, and reveals them by a last write,
 * which also publishes the changes, as one group of the member. Until then the projects are hidden, and their own rows are
 * missing (see `src/db/large-writes.ts`). After an error, or the death of its process, `clearImport` removes its records.
 * @param onProgress called after each slice, with the number of written and total records
 * @throws Error if the plan refuses; the reason of the writer's signal
 */
export async function writeInSlices(
  db: SharedDatabase,
  writes: ChunkedWriter,
  plan: ImportPlan,
  { id, memberId }: Importing,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Imported> {
  const states = importStates(db)
  const insert = createInserter(db)
  const total = totalOf(plan)
  let done = 0

  plan.refuse(db)
  const settle = plan.settlePeople(db)
  const write = await LargeWrite.begin(db, writes, { projectIds: plan.projectIds, importId: id }, () => {
    states.writing(id, total)
    return ''
  })
  onProgress(done, total)
  const settleSome = ({ isLong, hide }: LargeSlice) =>
    settle((person) => {
      insert(people, person)
      hide(getTableName(people), person.id)
    }, isLong)
  while (await write.slice(settleSome));
  const rows = rowsIn(plan)
  const writeSome = ({ isLong }: Chunk): boolean => {
    do {
      const next = rows.next()
      if (next.done) return false
      insert(...next.value)
      done++
    } while (!isLong())
    states.advance(id, done)
    return true
  }
  while (await write.slice(writeSome)) onProgress(done, total)

  // Slow checks run before the lock is held, and then only for newer changes.
  const since = newestChange(db)
  plan.refuse(db)
  const work = (publish: Publish) => {
    plan.refuse(db, since)
    // Parents first: the projects precede their records.
    for (const row of plan.projects()) insert(projects, row)
    publish()
  }
  const { value } = await write.last(memberId ?? BY_COMMAND, work, () => {
    const made = plan.result(false)
    states.done(id, total, made)
    return made
  })
  onProgress(total, total)
  // The import is complete even if this fails: the next one, or the service, continues it.
  await foldAll(db, writes).catch(() => undefined)
  return value
}

/** The newest change; 0 for none. */
const newestChange = ({ $client: client }: SharedDatabase): number =>
  client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck().get() ?? 0
