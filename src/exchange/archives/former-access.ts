/**
 * The times in which the projects of an archive were `assigned`, by its history: whoever did not see a change there does not see it here. Triggers
 * record only what a project is when it is written.
 */
import type SQLite from 'better-sqlite3'
import { storedFields } from '../../changes/api-changes.ts'
import type { Restriction } from '../../changes/restrictions.ts'
import { getOrMake } from '../../once.ts'
import { reader } from './archive-facts.ts'
import type { StoredValue } from './archive-lines.ts'
import type { FileToRead } from './archive-manifest.ts'

const EVERYONE = 'everyone'

/** A project, up to a change. */
interface Past {
  /** The last one has not ended while it is `assigned`. */
  times: Restriction[]
  /** The ids of the assigned members, by assignment. */
  assigned: Map<string, unknown>
}

const fieldsOf = (value: StoredValue | undefined) =>
  (typeof value === 'string' ? storedFields(value) : undefined) ?? {}

export class FormerAccess {
  readonly #pasts = new Map<string, Past>()

  /** The reader of the archive's changes. @returns takes each with its number here */
  reading(of: FileToRead): (values: readonly StoredValue[], seq: number) => void {
    const read = reader(of, 'kind', 'id', 'action', 'projectId', 'before', 'after')
    return (values, seq) => {
      const [kind, id, action, projectId, ...fields] = read(values)
      if ((kind !== 'project' && kind !== 'team-assignment') || projectId === null) return
      const past = getOrMake(this.#pasts, String(projectId), () => ({ times: [], assigned: new Map() }))
      const [before, after] = fields.map(fieldsOf)
      if (kind === 'project') follow(past, seq, before?.access, after?.access)
      else if (action === 'deleted') past.assigned.delete(String(id))
      else if (after && 'memberId' in after) past.assigned.set(String(id), after.memberId)
    }
  }

  /**
   * Stores the times. Inside the write, after the projects.
   * @param since the last change before the import
   */
  write(client: SQLite.Database, since: number): void {
    // What is `assigned` now was so when it was written here. The triggers numbered their own changes, which the archive's replace.
    client.prepare('update restrictions set first_seq = :since + 1 where first_seq > :since').run({ since })
    const isOpen = client.prepare('select 1 from restrictions where project_id = ? and last_seq is null')
    const insert = client.prepare(
      'insert or ignore into restrictions (project_id, first_seq, last_seq, member_ids) values (?, ?, ?, ?)',
    )
    for (const [id, { times }] of this.#pasts) {
      for (const { firstSeq, lastSeq, memberIds } of times) {
        if (lastSeq === null && isOpen.get(id) !== undefined) continue
        insert.run(id, firstSeq || since + 1, lastSeq, JSON.stringify([...memberIds]))
      }
    }
  }
}

/** Follows a change of a project. */
function follow({ times, assigned }: Past, seq: number, before: unknown, after: unknown): void {
  if (after === undefined) return
  const last = times.at(-1)
  const isAssigned = last?.lastSeq === null
  const end = { lastSeq: seq - 1, memberIds: new Set(assigned.values()) }
  if (after !== EVERYONE) {
    if (!isAssigned) times.push({ firstSeq: seq, lastSeq: null, memberIds: new Set() })
  } else if (isAssigned) Object.assign(last, end)
  // Since before the history that the archive has.
  else if (last === undefined && (before ?? EVERYONE) !== EVERYONE) times.push({ firstSeq: 0, ...end })
}
