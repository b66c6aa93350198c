/** Handles of imported members that another member here already has. */
import type SQLite from 'better-sqlite3'
import { timestamp } from '../../time.ts'
import { type ArchiveFacts, reader, recordKey } from './archive-facts.ts'
import type { FileToRead } from './archive-manifest.ts'
import type { Visit } from './read-archive.ts'

/** Leaves out the handles that are taken. The service gives these members others at its next start. */
export class TakenHandles {
  readonly #client: SQLite.Database
  readonly #facts: ArchiveFacts
  readonly #taken: { id: string; handle: string }[] = []

  constructor(client: SQLite.Database, facts: ArchiveFacts) {
    this.#client = client
    this.#facts = facts
  }

  /** The writer of members' records that leaves them out. @param insert inserts a record */
  writing(of: FileToRead, insert: Visit): Visit {
    const idOf = reader(of, 'id')
    const place = of.fields.findIndex(({ name }) => name === 'handle')
    const isTaken = this.#client.prepare('select 1 from members where handle = ?').pluck()
    return (values) => {
      const handle = values[place]
      if (typeof handle === 'string' && isTaken.get(handle) === 1) {
        values[place] = null
        this.#taken.push({ id: String(idOf(values)[0]), handle })
      }
      insert(values)
    }
  }

  /**
   * Appends changes of those whose history in the archive has the handle. Call it after the changes of the archive, in the same
   * transaction.
   */
  append(actorId: string | null): void {
    const insert = this.#client.prepare<[object]>(
      `insert into changes (at, actor_id, "group", kind, id, action, before, after)
      select :at, :actorId, ifnull(max(seq), 0) + 1, 'member', :id, 'updated', json_object('handle', :handle), '{"handle":null}'
      from changes`,
    )
    const at = timestamp()
    for (const one of this.#taken) {
      if (this.#facts.created.has(recordKey('member', one.id))) insert.run({ ...one, at, actorId })
    }
  }
}
