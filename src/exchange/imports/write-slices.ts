/** Writing an import in slices: nobody waits long for it, and nobody sees any of it before all is there. */

import { getTableName } from 'drizzle-orm'
import type { Chunk, ChunkedWriter } from '../../db/chunked-writer.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { BY_COMMAND } from '../../db/current-write.ts'
import { foldAll, type LargeSlice, LargeWrite, type Tell } from '../../db/large-writes.ts'
import { people, projects } from '../../db/schema.ts'
import { insertInto } from '../../db/statements.ts'
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
 * which also tells the changes: as one group of the member's. Until then the projects are hidden, and their own rows are
 * missing (see `src/db/large-writes.ts`). What it leaves where it throws, or where its process ends, `clearImport` takes away.
 * @param onProgress called after each slice, with the number of records written and to write
 * @throws Error where the plan refuses; the reason of the signal that the writes have
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

  // Whatever takes long is looked at before the lock is held, and then only what has come since.
  const since = newestChange(db)
  plan.refuse(db)
  const work = (tell: Tell) => {
    plan.refuse(db, since)
    // Parents first: the projects come before what belongs to them.
    for (const row of plan.projects()) insert(projects, row)
    tell()
  }
  const { value } = await write.last(memberId ?? BY_COMMAND, work, () => {
    const made = plan.result(false)
    states.done(id, total, made)
    return made
  })
  onProgress(total, total)
  // It is done, whatever becomes of this: the next one, or the service, goes on with it.
  await foldAll(db, writes).catch(() => undefined)
  return value
}

/** The newest change; 0 for none. */
const newestChange = ({ $client: client }: SharedDatabase): number =>
  client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck().get() ?? 0
