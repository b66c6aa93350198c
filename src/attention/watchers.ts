/** The watchers of items and projects. The sequence of changes does not record watches, because they are private. */
import { eq } from 'drizzle-orm'
import { assigneeIdsOf } from '../board/assignees.ts'
import type { SharedDatabase } from '../db/client.ts'
import { writeInProgress } from '../db/current-write.ts'
import { throwNotFound } from '../db/existence.ts'
import { kanbanItems, projects } from '../db/schema.ts'
import { existsIn, given, selectOne } from '../db/statements.ts'
import { once } from '../once.ts'

/** The name of the consumer that creates notifications and watches, in the table of consumers. */
export const CONSUMER = 'notifications'

/** A member who watches, and the last change before it began. */
export interface Watcher {
  memberId: string
  since: number
}

/** A watch of an item; 0: an explicit unwatch. */
export interface ItemWatcher extends Watcher {
  watching: number
}

/** An implicit watch: it follows from an action of the member. */
export interface FoundWatch extends Watcher {
  itemId: string
}

/** Number of newest changes to search for implicit watches that the consumer has not stored yet: twice the lag of its stored position. */
const RECENT = 200

const statementsOf = (db: SharedDatabase) => {
  const { $client: client } = db
  const prepare = <Row>(text: string) => once(() => client.prepare<[object], Row>(text))
  const { projectId, assigneeId, assigneeIds } = kanbanItems
  const newest = '(select ifnull(max(seq), 0) from main.changes)'
  return {
    item: selectOne(db, () =>
      db
        .select({ projectId, assigneeId, assigneeIds })
        .from(kanbanItems)
        .where(eq(kanbanItems.id, given('id'))),
    ),
    projectExists: existsIn(db, projects),
    ofItem: prepare<ItemWatcher>(
      'select member_id as memberId, watching, since from item_watches where item_id = :itemId',
    ),
    ofProject: prepare<Watcher>(
      'select member_id as memberId, since from project_watches where project_id = :projectId',
    ),
    own: prepare<{ watching: number }>(
      'select watching from item_watches where item_id = :itemId and member_id = :memberId',
    ),
    ownOfProject: prepare<{ watching: number }>(
      'select 1 as watching from project_watches where project_id = :projectId and member_id = :memberId',
    ),
    /** The implicit watches that the consumer will find. The changes of a write in progress get its actor only at its end. */
    coming: prepare<{ seq: number }>(
      `select seq from main.changes as changes
      where seq > max(ifnull((select after from consumers where name = '${CONSUMER}'), 0), min(${newest} - ${RECENT}, +:ownAfter))
      and item_id = :itemId and (actor_id = :memberId or seq > :ownAfter) and action = 'created'
      and kind in ('kanban-item', 'kanban-comment')
      and not exists (select 1 from quiet_changes as quiet where changes.seq between quiet.first and quiet.last) limit 1`,
    ),
    watch: prepare(
      `insert into item_watches (item_id, member_id, watching, since) values (:itemId, :memberId, :watching, ${newest})
      on conflict do update set watching = excluded.watching, since = excluded.since
      where watching <> excluded.watching`,
    ),
    watchProject: prepare(
      `insert into project_watches (project_id, member_id, since) values (:projectId, :memberId, ${newest})
      on conflict do nothing`,
    ),
    unwatchProject: prepare(
      'delete from project_watches where project_id = :projectId and member_id = :memberId',
    ),
    found: prepare(
      `insert into item_watches (item_id, member_id, since) values (:itemId, :memberId, :since)
      on conflict do nothing`,
    ),
  }
}

export class Watchers {
  static readonly reads: readonly string[] = ['item', 'project', 'ofItem', 'ofProject']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    this.#db = db
    this.#sql = statementsOf(db)
  }

  /** Whether a member watches an item: by itself, with its project, or as one of its assignees. @throws ApiError 404 */
  item(itemId: string, memberId: string): { watching: boolean } {
    const item = this.#sql.item({ id: itemId }) ?? throwNotFound(kanbanItems)
    const { projectId } = item
    const own = this.#sql.own().get({ itemId, memberId })
    if (own !== undefined) return { watching: own.watching === 1 }
    const watching =
      assigneeIdsOf(item).includes(memberId) ||
      this.#sql.ownOfProject().get({ projectId, memberId }) !== undefined ||
      this.#sql.coming().get({ itemId, memberId, ownAfter: this.#ownAfter(memberId) }) !== undefined
    return { watching }
  }

  /** Whether a member watches a project. @throws ApiError 404 */
  project(projectId: string, memberId: string): { watching: boolean } {
    if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
    return { watching: this.#sql.ownOfProject().get({ projectId, memberId }) !== undefined }
  }

  /** Starts or ends a member's watch of an item. After an end, only this method starts a new watch. @throws ApiError 404 */
  setItem(itemId: string, memberId: string, watching: boolean): { watching: boolean } {
    if (this.#sql.item({ id: itemId }) === undefined) throwNotFound(kanbanItems)
    this.#sql.watch().run({ itemId, memberId, watching: Number(watching) })
    return { watching }
  }

  /** Starts or ends a member's watch of all items of a project. @throws ApiError 404 */
  setProject(projectId: string, memberId: string, watching: boolean): { watching: boolean } {
    if (!this.#sql.projectExists(projectId)) throwNotFound(projects)
    const statement = watching ? this.#sql.watchProject() : this.#sql.unwatchProject()
    statement.run({ projectId, memberId })
    return { watching }
  }

  /** The watches of an item itself, including explicit unwatches. */
  ofItem(itemId: string): ItemWatcher[] {
    return this.#sql.ofItem().all({ itemId })
  }

  ofProject(projectId: string): Watcher[] {
    return this.#sql.ofProject().all({ projectId })
  }

  /** Stores an implicit watch, unless the member has a watch or an explicit unwatch. */
  find({ itemId, memberId, since }: FoundWatch): void {
    this.#sql.found().run({ itemId, memberId, since })
  }

  /** The last change before a write of this member in progress: a batch reads its own watches. */
  #ownAfter(memberId: string): number {
    const write = writeInProgress(this.#db)
    return write?.actorId === memberId ? write.since : Number.MAX_SAFE_INTEGER
  }
}
