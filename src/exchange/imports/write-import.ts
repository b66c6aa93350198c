/** Writes an import, in one transaction. */
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { CardNumbers } from '../../board/card-numbers.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { attributionOf, currentWrite } from '../../db/current-write.ts'
import { newestChange } from '../../db/newest-change.ts'
import { markQuiet } from '../../db/quiet-changes.ts'
import { people, projects } from '../../db/schema.ts'
import { indexSearch } from '../../db/search-index.ts'
import { insertInto } from '../../db/statements.ts'
import { type Steps, type WholeWrite, writeWhole } from '../../db/whole-write.ts'
import { ProjectKeys } from '../../projects/project-keys.ts'
import { type Imported, type ImportPlan, totalOf } from './import-plan.ts'

/** Records of a step: some milliseconds. */
const AT_ONCE = 200

/** Options of the writing. */
export interface WritingOptions {
  /** The importing member; `BY_COMMAND` for a command, null for none. */
  actorId: string | null
  /** Called before the first record and after each step, with the number of records written and to write. */
  onProgress?: ((done: number, total: number) => void) | undefined
  /** Called at the end, in the same transaction. */
  whenWritten?: (made: Imported) => void
}

/** Writes all rows, parents before children. Their changes are one group of the actor. */
export function* importing(
  db: SharedDatabase,
  plan: ImportPlan,
  { actorId, onProgress = () => undefined, whenWritten }: WritingOptions,
  since?: number,
): Steps<Imported> {
  const attribution = attributionOf(db)
  attribution.begin()
  plan.refuse(db, since)
  const settled = plan.settlePeople(db)
  const total = totalOf(plan)
  let done = 0
  onProgress(done, total)
  function* insert(table: SQLiteTable, rows: Iterable<object>): Steps<void> {
    const insertOne = insertInto(db, table)
    for (const row of rows) {
      insertOne(row)
      done++
      if (done % AT_ONCE > 0) continue
      onProgress(done, total)
      yield
    }
  }
  const keys = new ProjectKeys(db)
  // One by one: the next project may have the same name.
  for (const project of plan.projects())
    yield* insert(projects, [{ ...project, key: keys.free(project.name) }])
  yield* insert(people, settled)
  for (const { table, rows } of plan.tables) yield* insert(table, rows())
  new CardNumbers(db).noteGiven()
  while (indexSearch(db, AT_ONCE)) yield
  onProgress(total, total)
  const made = plan.result(false)
  attribution.run(actorId, () => {
    markQuiet(db, currentWrite(db).since)
    whenWritten?.(made)
  })
  return made
}

/**
 * Writes an import, all or nothing.
 * @throws Error if the plan refuses; see {@link writeWhole}
 */
export async function writeImport(
  write: WholeWrite,
  plan: ImportPlan,
  options: WritingOptions,
): Promise<Imported> {
  // Slow checks run before the lock is held, and then only for newer changes.
  const since = newestChange(write.db.$client)
  plan.refuse(write.db)
  return await writeWhole(write, () => importing(write.db, plan, options, since))
}
