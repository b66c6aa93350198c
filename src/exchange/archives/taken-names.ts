/** Unique names of imported records that another record here already has: handles of members, keys of projects. */
import type SQLite from 'better-sqlite3'
import { timestamp } from '../../time.ts'
import { type ArchiveFacts, reader, recordKey } from './archive-facts.ts'
import type { FileToRead } from './archive-manifest.ts'
import type { Visit } from './read-archive.ts'

/** The field of a kind that holds the name. */
interface NameField {
  kind: 'member' | 'project'
  table: 'members' | 'projects'
  field: 'handle' | 'key'
}

export const HANDLES: NameField = { kind: 'member', table: 'members', field: 'handle' }
export const PROJECT_KEYS: NameField = { kind: 'project', table: 'projects', field: 'key' }

/** Leaves out the names that are taken. The service gives these records others. */
export class TakenNames {
  readonly #client: SQLite.Database
  readonly #facts: ArchiveFacts
  readonly #of: NameField
  readonly #taken: { id: string; projectId: string | null; name: string }[] = []

  constructor(client: SQLite.Database, facts: ArchiveFacts, of: NameField) {
    this.#client = client
    this.#facts = facts
    this.#of = of
  }

  /** The writer of the kind's records that leaves them out. @param insert inserts a record */
  writing(of: FileToRead, insert: Visit): Visit {
    const { kind, table, field } = this.#of
    const idOf = reader(of, 'id')
    const place = of.fields.findIndex(({ name }) => name === field)
    const isTaken = this.#client.prepare(`select 1 from ${table} where ${field} = ?`).pluck()
    return (values) => {
      const name = values[place]
      if (typeof name === 'string' && isTaken.get(name) === 1) {
        values[place] = null
        const id = String(idOf(values)[0])
        this.#taken.push({ id, projectId: kind === 'project' ? id : null, name })
      }
      insert(values)
    }
  }

  /**
   * Appends changes of those whose history in the archive has the name. Call it after the changes of the archive, in the same
   * transaction.
   */
  append(actorId: string | null): void {
    const { kind, field } = this.#of
    const insert = this.#client.prepare<[object]>(
      `insert into changes (at, actor_id, "group", kind, id, action, project_id, before, after)
      select :at, :actorId, ifnull(max(seq), 0) + 1, '${kind}', :id, 'updated', :projectId, json_object('${field}', :name), '{"${field}":null}'
      from changes`,
    )
    const at = timestamp()
    for (const one of this.#taken) {
      if (this.#facts.created.has(recordKey(kind, one.id))) insert.run({ ...one, at, actorId })
    }
  }
}
