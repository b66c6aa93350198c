/** The progress of an import in its row. */
import type { SharedDatabase } from '../../db/client.ts'
import { once } from '../../once.ts'
import type { Imported } from './import-plan.ts'

/** The error of an orphaned import. */
export const STOPPED = 'The service was stopped before it was done'

const NOW = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"

/** Prepares the statements on the rows of imports. Run each inside a write. */
export function importStates({ $client: client }: SharedDatabase) {
  const set = (fields: string) =>
    once(() => client.prepare(`update imports set ${fields}, updated_at = ${NOW} where id = :id`))
  const reading = set("status = 'reading'")
  const checked = set('done = :done, total = :total')
  const writing = set("status = 'writing', total = :total")
  const advance = set('done = :done')
  const done = set(
    "status = 'done', done = :total, total = :total, project_id = :projectId, counts = :counts, matches = :matches",
  )
  const failed = set("status = 'failed', error = :error")
  return {
    reading: (id: string) => void reading().run({ id }),
    /** @param records checked so far and in total: an archive is read as a whole before it is written */
    checked: (id: string, records: number, total: number) => void checked().run({ id, done: records, total }),
    writing: (id: string, total: number) => void writing().run({ id, total }),
    advance: (id: string, records: number) => void advance().run({ id, done: records }),
    /** @param total written records */
    done: (id: string, total: number, { projectId, counts, notes, people }: Imported) =>
      void done().run({
        ...{ id, total, projectId, counts: JSON.stringify({ counts, notes }) },
        matches: people === undefined ? '' : JSON.stringify(people),
      }),
    failed: (id: string, error: string) => void failed().run({ id, error }),
  }
}
