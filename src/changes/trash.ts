/** The trash: deleted projects and items that an undo restores. It stores nothing besides the changes. */
import { Type } from '@sinclair/typebox'
import { read, type SharedDatabase } from '../db/client.ts'
import type { JsonPage } from '../db/pages.ts'
import { BYTES_READ, bytesOf, isLimited, TooMuchWork } from '../db/work-limits.ts'
import { asText } from '../json.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import { type TrashEntry, TrashEntrySchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { madeBy, type Reader, shownFields } from './api-changes.ts'
import type { Groups } from './groups.ts'
import { HISTORY_LIMIT } from './history.ts'
import type { Placed, Sequence } from './sequence.ts'
import { DELETIONS, type Subjects } from './subjects.ts'
import type { Visibility } from './visibility.ts'

/** Most deletions examined for one page: on the event loop, and elsewhere. */
const EXAMINED = { limited: 1000, unlimited: 50_000 }

/** Deletions examined together. */
const SLICE = 500

/** The page: its project, number of entries, and the change before which they come. */
export interface TrashQuery {
  projectId?: string
  limit?: number
  cursor?: number
}

/** A page, with the cursor of the next one, if any. */
export interface TrashPage {
  entries: TrashEntry[]
  next: number | undefined
}

/** A deletion of a record that does not exist now. */
interface Deletion extends Placed, Omit<TrashEntry, 'title' | 'actor'> {
  size: number
}

/** An unindexed change that created or deleted a project or an item. */
interface Recent {
  seq: number
  id: string
  action: string
}

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  /** Deletions of records that could be restored: the project of an item must exist. */
  candidates: once(() =>
    client.prepare<{ seqs: string; projectId: string | null }, Deletion>(
      `select seq, kind, id, project_id as projectId, cast(at as text) as at, actor_id as actorId, "group", ${bytesOf('before')} as size
      from changes c where seq in (select value from json_each(+:seqs))
      and (+:projectId is null or project_id = +:projectId)
      and case kind
        when 'project' then not exists (select 1 from projects where id = c.id)
        else not exists (select 1 from kanban_items where id = c.id)
          and exists (select 1 from projects where id = c.project_id)
        end
      order by seq`,
    ),
  ),
  /** The newest indexed change of a subject. */
  newest: once(() =>
    client
      .prepare<[string], number | null>('select max(seq) from change_subjects where subject = +?')
      .pluck(),
  ),
  /** Whether the first change of a record in its group created it: then undoing the group does not restore it. */
  isMadeInGroup: once(() =>
    client
      .prepare<Pick<Deletion, 'id' | 'kind'> & { group: number }, number>(
        `select action = 'created' and kind = :kind and id = :id from changes where seq =
        (select min(seq) from change_subjects where subject = +:id and seq >= +:group)`,
      )
      .pluck(),
  ),
  recent: once(() =>
    client.prepare<{ indexed: number; ids: string }, Recent>(
      `select seq, id, action from changes where seq > +:indexed and kind in ('project', 'kanban-item')
      and action in ('created', 'deleted') and id in (select value from json_each(+:ids))`,
    ),
  ),
  before: once(() =>
    client.prepare<[number], string | null>('select cast(before as text) from changes where seq = ?').pluck(),
  ),
})

/** The dependencies of the trash. */
interface TrashParts {
  sequence: Sequence
  subjects: Subjects
  groups: Groups
  visibility: Visibility
}

/** The deleted projects and items that can be restored. */
export class Trash {
  static readonly reads: readonly string[] = ['page', 'answer']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #sequence: Sequence
  readonly #subjects: Subjects
  readonly #groups: Groups
  readonly #visibility: Visibility
  readonly #toJson = createJsonWriter(Type.Array(ref(TrashEntrySchema)))

  constructor(db: SharedDatabase, { sequence, subjects, groups, visibility }: TrashParts) {
    this.#visibility = visibility
    this.#db = db
    this.#sql = statementsOf(db)
    this.#sequence = sequence
    this.#subjects = subjects
    this.#groups = groups
  }

  /**
   * A page of restorable records, newest first. An item deleted with its project is restored with it, and is not listed.
   * A page may be short although there is a next one: restored records are skipped.
   * @throws TooMuchWork
   */
  page(query: TrashQuery, reader: Reader): TrashPage {
    return read(this.#db, () => this.#page(query, reader))
  }

  /** The same page, as the response. @throws TooMuchWork */
  answer(query: TrashQuery, reader: Reader): JsonPage {
    const { entries, next } = this.page(query, reader)
    return { body: this.#toJson(entries), next }
  }

  #page(
    { projectId, limit = HISTORY_LIMIT, cursor = Number.POSITIVE_INFINITY }: TrashQuery,
    reader: Reader,
  ): TrashPage {
    const view = this.#visibility.of(reader)
    const isSeen = (deletion: Deletion) => view.seesProject(deletion.projectId, deletion.seq)
    const isOnLoop = isLimited(this.#db)
    const most = isOnLoop ? EXAMINED.limited : EXAMINED.unlimited
    const found: Deletion[] = []
    let last = cursor
    for (let examined = 0; found.length <= limit; examined += SLICE) {
      if (examined >= most) {
        if (isOnLoop) throw new TooMuchWork()
        return { entries: this.#entries(found), next: last }
      }
      const seqs = this.#subjects.list(DELETIONS, last, SLICE)
      found.push(...this.#undoable(seqs, projectId).filter(isSeen))
      if (seqs.length < SLICE) break
      last = seqs.at(-1) as number
    }
    const shown = found.slice(0, limit)
    return { entries: this.#entries(shown), next: found.length > limit ? shown.at(-1)?.seq : undefined }
  }

  /** The restorable ones of some deletions, newest first. */
  #undoable(seqs: readonly number[], projectId: string | undefined): Deletion[] {
    const candidates = this.#sql
      .candidates()
      .all({ seqs: JSON.stringify(seqs), projectId: projectId ?? null })
    if (candidates.length === 0) return []
    const groups = this.#sequence.groupsOf(candidates)
    const indexed = this.#subjects.indexed()
    const ids = JSON.stringify(candidates.map(({ id }) => id))
    const recent = Map.groupBy(this.#sql.recent().all({ indexed, ids }), ({ id }) => id)
    const isLatest = ({ seq, id }: Deletion) =>
      (this.#sql.newest().get(id) ?? 0) <= seq && !recent.get(id)?.some((one) => one.seq > seq)
    const wasBefore = ({ seq, kind, id }: Deletion, group: number) =>
      !recent.get(id)?.some((one) => one.action === 'created' && one.seq >= group && one.seq < seq) &&
      this.#sql.isMadeInGroup().get({ kind, id, group }) !== 1
    return candidates
      .filter((deletion, index) => {
        const group = groups[index] as number
        return this.#groups.isWhole(deletion, group) && isLatest(deletion) && wasBefore(deletion, group)
      })
      .toReversed()
  }

  #entries(deletions: readonly Deletion[]): TrashEntry[] {
    const bytes = deletions.reduce((sum, { size }) => sum + size, 0)
    if (bytes > BYTES_READ && isLimited(this.#db)) throw new TooMuchWork()
    return deletions.map(({ seq, kind, id, projectId, at, ...made }) => {
      const { name = '', title = name } = shownFields(kind, this.#sql.before().get(seq) ?? null) ?? {}
      return { seq, kind, id, title: asText(title), projectId, at, ...madeBy(made) }
    })
  }
}
