/** Writes an import in one transaction, for in-memory databases, which have no other writers. */
import { type SharedDatabase, writeAs } from '../../db/client.ts'
import { currentWrite } from '../../db/current-write.ts'
import { markQuiet } from '../../db/quiet-changes.ts'
import { people, projects } from '../../db/schema.ts'
import { type ImportPlan, type PlannedRows, rowsOf, totalOf } from './import-plan.ts'

/** Rows in one statement: enough to be fast, few enough to show progress. */
const BATCH = 100

/** Options of the writing. */
export interface AtOnce {
  /** Called before the first record and after each batch, with the number of records inserted and to insert. */
  onProgress?: ((done: number, total: number) => void) | undefined
}

function* batchesOf(rows: Iterable<object>): Iterable<object[]> {
  let batch: object[] = []
  for (const row of rows) {
    batch.push(row)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/**
 * Writes an import, all or nothing.
 * @param actorId the importing member; `BY_COMMAND` for a command, null for none
 * @throws Error if the plan refuses
 */
export function importAtOnce(
  db: SharedDatabase,
  plan: ImportPlan,
  actorId: string | null,
  { onProgress }: AtOnce = {},
): void {
  const total = totalOf(plan)
  const first = rowsOf(
    projects,
    plan.projectIds.length,
    () => plan.projects() as (typeof projects.$inferInsert)[],
  )
  writeAs(db, actorId, () => {
    const { since } = currentWrite(db)
    plan.refuse(db)
    const settled: (typeof people.$inferInsert)[] = []
    plan.settlePeople(db)((person) => void settled.push(person))
    let done = 0
    onProgress?.(done, total)
    const insert = ({ table, rows }: PlannedRows, onBatch: (count: number) => void = () => undefined) => {
      for (const batch of batchesOf(rows())) {
        db.insert(table).values(batch).run()
        onBatch(batch.length)
      }
    }
    const note = (count: number) => {
      done += count
      onProgress?.(done, total)
    }
    insert(first, note)
    insert(rowsOf(people, settled.length, () => settled))
    for (const planned of plan.tables) insert(planned, note)
    markQuiet(db, since)
  })
}
