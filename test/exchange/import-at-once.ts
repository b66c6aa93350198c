/** Imports in a connection that nothing else uses. */
import type { SharedDatabase } from '../../src/db/client.ts'
import type { ImportPlan } from '../../src/exchange/imports/import-plan.ts'
import { importing, type WritingOptions } from '../../src/exchange/imports/write-import.ts'

/** Writes an import at once, all or nothing. @throws Error if the plan refuses */
export function importAtOnce(
  db: SharedDatabase,
  plan: ImportPlan,
  actorId: string | null,
  options: Pick<WritingOptions, 'onProgress'> = {},
): void {
  const write = () => {
    for (const _ of importing(db, plan, { ...options, actorId }));
  }
  db.transaction(write, { behavior: 'immediate' })
}
