/** Removes the records of a cancelled large write, in slices and without changes in the sequence. */
import type { Chunk, ChunkedWriter } from './chunked-writer.ts'
import { clearProject } from './clear-project.ts'
import type { SharedDatabase } from './client.ts'
import type { LargeWrite } from './large-writes.ts'

/** Records deleted at a time. */
const ROWS = 100

/** Deletes records hidden by id, inside a slice. @returns whether there are more */
function clearRecords({ $client: client }: SharedDatabase, write: number): (slice: Chunk) => boolean {
  const tables = client
    .prepare<[number], string>('select distinct record_table from hidden_records where "write" = +?')
    .pluck()
  const some = (table: string) =>
    client.prepare<[number], string>(
      `select id from hidden_records where "write" = +? and record_table = '${table}' limit ${ROWS}`,
    )
  const forget = client.prepare('delete from hidden_records where record_table = ? and id = ?')
  const removals = tables.all(write).map((table) => {
    const remove = client.prepare(`delete from "${table}" where id = ?`)
    const named = some(table).pluck()
    return () => {
      const ids = named.all(write)
      for (const id of ids) {
        remove.run(id)
        forget.run(table, id)
      }
      return ids.length
    }
  })
  return ({ isLong }) => {
    for (const remove of removals) while (remove() > 0) if (isLong()) return true
    return false
  }
}

/**
 * Removes all records of a large write, and ends it.
 * @param also work in the last slice
 */
export async function takeAway(
  db: SharedDatabase,
  writes: ChunkedWriter,
  write: LargeWrite,
  also: () => void = () => undefined,
): Promise<void> {
  const hidden = db.$client
    .prepare<[number], string>('select project_id from hidden_projects where write = ?')
    .pluck()
  for (const projectId of hidden.all(write.number)) {
    const clearSome = clearProject(db, projectId)
    while (await writes.slice(clearSome));
  }
  const clearSome = clearRecords(db, write.number)
  while (await writes.slice(clearSome));
  await write.forget()
  await writes.slice(() => {
    write.end()
    also()
  })
}
