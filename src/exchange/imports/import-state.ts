/** The progress of an import in its row. While it is written, which is one transaction, the row stays as it is. */
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
  const recognised = set('format = :format')
  const writing = set("status = 'writing', done = :done, total = :total")
  const done = set(
    "status = 'done', done = :total, total = :total, project_id = :projectId, counts = :counts, matches = :matches",
  )
  const failed = set("status = 'failed', error = :error")
  return {
    reading: (id: string) => void reading().run({ id }),
    recognised: (id: string, format: string) => void recognised().run({ id, format }),
    /** @param records done before the write: an archive is checked first */
    writing: (id: string, records: number, total: number) => void writing().run({ id, done: records, total }),
    /** @param total written records */
    done: (id: string, total: number, { projectId, counts, notes, people }: Imported) =>
      void done().run({
        ...{ id, total, projectId, counts: JSON.stringify({ counts, notes }) },
        matches: people === undefined ? '' : JSON.stringify(people),
      }),
    failed: (id: string, error: string) => void failed().run({ id, error }),
  }
}
