/**
 * Determines the notifications of a write and their recipients. It processes the changes of the write one by one; its results are
 * notifications, watches, and items whose times have changed. It only reads.
 */
import { madeBy, shownChange, shownFields } from '../changes/api-changes.ts'
import { isWithin, type Restriction } from '../changes/restrictions.ts'
import type { ChangeRow } from '../changes/sequence.ts'
import { getOrMake } from '../once.ts'
import { handlesOf, mentionsIn } from './mentions.ts'
import { type NewNotification, NOTIFICATION_KINDS, type NotificationKind } from './notifications.ts'
import type { Recipient } from './recipients.ts'
import type { FoundWatch, ItemWatcher, Watcher } from './watchers.ts'

/** If a write would notify a member of more items, it creates a single notification. */
const MOST_ITEMS = 10

/** The same for more notifications of fewer items: as many as a batch has requests. */
const MOST_NOTIFICATIONS = 200

/** Different items of one write that are counted one by one for each member; beyond, each change counts. */
const ITEMS_COUNTED = 100

/** Characters of a text in a notification. */
const EXCERPT = 280

/** The current state of an item. */
export interface LiveItem {
  projectId: string
  title: string
  assigneeIds: readonly string[]
  /** Whether it has watches of its own, explicit unwatches included. Most items have none. */
  isWatched: boolean
}

/** Its reads. */
export interface PlannerSources {
  /** The current item; undefined if it does not exist: then there are no notifications. */
  item: (id: string) => LiveItem | undefined
  projectName: (id: string) => string
  /** Whether an item was assigned after a change. */
  isAssignedAfter: (itemId: string, seq: number) => boolean
  watchersOf: (itemId: string) => readonly ItemWatcher[]
  watchersOfProject: (projectId: string) => readonly Watcher[]
  recipient: (memberId: string) => Recipient | undefined
  /** The ids of the members with these handles. */
  named: (handles: readonly string[]) => ReadonlyMap<string, string>
  /** Whether a recipient sees a project now. */
  sees: (recipient: Recipient, projectId: string) => boolean
  /** The times in which a project was `assigned`. */
  restrictionsOf: (projectId: string) => readonly Restriction[]
}

/** The notifications of a write for one member. */
interface MemberPlan {
  /** Only the first, once a single notification replaces all. */
  notifications: NewNotification[]
  /** How many there would be, of how many items. */
  count: number
  items: Set<string>
  kind: NotificationKind
  projectIds: Set<string>
}

/** The results of a write. */
export interface Plan {
  first: number
  last: number
  /** By member: either those of at most ten items, or a single one. */
  notifications: NewNotification[][]
  watches: FoundWatch[]
  /** The items whose times may have changed, with the time of the change. */
  items: Map<string, string>
  /** Whether recipients were determined. */
  hasDecided: boolean
}

/** The fields of an item that its times depend on. */
const TIMED = ['dueDate', 'reminders', 'claimedUntil']

/** The fields of an item whose changes cause notifications. */
const NOTIFYING = ['column', 'assigneeId', 'assigneeIds', 'description']

/** Whether the JSON of a change has one of some fields, without parsing it. May be true for a text that only looks like it. */
const namesAny = (json: string, fields: readonly string[]): boolean =>
  fields.some((field) => json.includes(`"${field}":`))

/** Whether an update changes none of these fields. */
const notifiesNobody = ({ kind, action, fromProjectId, after }: ChangeRow): boolean =>
  kind === 'kanban-item' &&
  action === 'updated' &&
  fromProjectId === null &&
  !namesAny(after ?? '', NOTIFYING)

/** Whether an update may change the times of its item. True for a text that only looks like it, which costs a useless lookup. */
const mayChangeTimes = ({ before, after }: ChangeRow): boolean =>
  namesAny(before ?? '', TIMED) || namesAny(after ?? '', TIMED)

/** Whether a change has no result, in any write. */
export const isWithoutResult = (row: ChangeRow): boolean => notifiesNobody(row) && !mayChangeTimes(row)

const excerptOf = (text: string): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1).toWellFormed()}…` : line
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/**
 * Those whom a change assigns. Of a change of the list alone the first is no news: its own change has named it, if another tool has
 * written that alone.
 */
function newlyAssigned(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const [former, latter] = [before, after].map(({ assigneeIds }) => assigneeIds as string[] | undefined)
  return (latter ?? []).filter((id, at) => !former?.includes(id) && (at > 0 || 'assigneeId' in after))
}

const isMoreImportant = (one: NotificationKind, other: NotificationKind) =>
  NOTIFICATION_KINDS.indexOf(one) < NOTIFICATION_KINDS.indexOf(other)

/** Whether a single notification replaces all. */
const isTooMuch = ({ items, count }: MemberPlan) => items.size > MOST_ITEMS || count > MOST_NOTIFICATIONS

/** The changes of one write. */
export class NotificationPlanner {
  readonly group: number
  readonly #sources: PlannerSources
  readonly #first: number
  #last: number
  readonly #plans = new Map<string, MemberPlan>()
  readonly #watches: FoundWatch[] = []
  /** The same, by item. */
  readonly #watchesOf = new Map<string, FoundWatch[]>()
  readonly #items = new Map<string, string>()
  /** Renamed columns: their items do not move. */
  readonly #renamed = new Set<string>()
  readonly #recipients = new Map<string, Recipient | undefined>()
  readonly #sees = new Map<string, Map<string, boolean>>()
  readonly #ofProjects = new Map<string, readonly Watcher[]>()
  readonly #restrictions = new Map<string, readonly Restriction[]>()

  constructor(group: number, first: number, sources: PlannerSources) {
    this.group = group
    this.#first = first
    this.#last = first
    this.#sources = sources
  }

  /**
   * Processes the next change of the write, in steps: it may have thousands of watchers.
   * @param quiet the range of changes without notifications that it is in, if any
   */
  *take(row: ChangeRow, quiet?: { at: string | null }): Generator<void, void, void> {
    this.#last = row.seq
    if (row.kind === 'kanban-column' && row.action === 'updated') this.#noteRenaming(row)
    if (row.kind !== 'kanban-item' && row.kind !== 'kanban-comment') return
    if (row.kind === 'kanban-item') this.#noteTimes(row, quiet?.at)
    if (quiet !== undefined || row.action === 'deleted' || row.itemId === null || notifiesNobody(row)) return
    const shown = shownChange(row)
    const [before, after] = [shown.before ?? {}, shown.after ?? {}]
    if (row.kind === 'kanban-item') yield* this.#takeItem(row, row.itemId, before, after)
    else yield* this.#takeComment(row, row.itemId, before, after)
  }

  /** The result, in steps. */
  *end(): Generator<void, Plan, void> {
    const notifications: NewNotification[][] = []
    for (const [, plan] of this.#plans) {
      notifications.push(isTooMuch(plan) ? [this.#together(plan)] : plan.notifications)
      if (notifications.length % 100 === 0) yield
    }
    return {
      first: this.#first,
      last: this.#last,
      notifications,
      watches: this.#watches,
      items: this.#items,
      hasDecided: this.#sees.size > 0,
    }
  }

  #together({ notifications, count, items, kind, projectIds }: MemberPlan): NewNotification {
    const [first] = notifications as [NewNotification]
    const [projectId = null, another] = projectIds
    const isOfOne = another === undefined && projectId !== null
    if (items.size === 1) return { ...first, kind, seq: this.#last, text: '' }
    return {
      ...first,
      kind,
      itemId: null,
      projectId: isOfOne ? projectId : null,
      seq: this.#last,
      title: isOfOne ? this.#sources.projectName(projectId) : '',
      text: '',
      // Beyond those that are counted one by one.
      count: items.size < ITEMS_COUNTED ? items.size : count,
    }
  }

  #noteRenaming({ projectId, before, after }: ChangeRow): void {
    const [from, to] = [shownFields('kanban-column', before)?.name, shownFields('kanban-column', after)?.name]
    if (from !== undefined) this.#renamed.add(JSON.stringify([projectId, from, to]))
  }

  /** @param madeAt when the change was made here, if later: an import keeps the times of its changes */
  #noteTimes(row: ChangeRow, madeAt: string | null = null): void {
    const { id, at, action, before, after } = row
    // Most items have none of them.
    const concerns =
      action === 'updated'
        ? mayChangeTimes(row)
        : /"reminders":"(?!\[?\]?")|"claimedUntil":"/.test(`${before ?? ''}${after ?? ''}`)
    if (concerns) this.#items.set(id, madeAt !== null && madeAt > at ? madeAt : at)
  }

  *#takeItem(
    row: ChangeRow,
    itemId: string,
    before: Record<string, unknown>,
    after: Record<string, unknown>,
  ): Generator<void, void, void> {
    const { action, projectId, fromProjectId } = row
    const mentioned = yield* this.#newlyMentioned(before.description, after.description)
    const assigned = newlyAssigned(before, after)
    const isMoved =
      action === 'updated' &&
      (fromProjectId !== null ||
        ('column' in after && !this.#renamed.has(JSON.stringify([projectId, before.column, after.column]))))
    if (action === 'created' && row.actorId !== null) this.#watch(itemId, row.actorId, row.seq)
    if (assigned.length === 0 && mentioned.length === 0 && !isMoved) return
    const item = this.#sources.item(itemId)
    if (item === undefined) return
    for (const id of assigned) {
      this.#watch(itemId, id, row.seq)
      this.#notify(row, item, id, 'assigned', '')
    }
    const excerpt = mentioned.length > 0 ? excerptOf(textOf(after.description)) : ''
    this.#notifyMentioned(row, item, mentioned, assigned, excerpt)
    if (!isMoved) return
    const others = new Set([...assigned, ...mentioned])
    const column = textOf(after.column)
    for (const id of this.#watchersOf(row, itemId, item)) {
      if (!others.has(id)) this.#notify(row, item, id, 'moved', column)
      yield
    }
  }

  *#takeComment(
    row: ChangeRow,
    itemId: string,
    before: Record<string, unknown>,
    after: Record<string, unknown>,
  ): Generator<void, void, void> {
    const isNew = row.action === 'created'
    const mentioned = yield* this.#newlyMentioned(before.content, after.content)
    const author = isNew ? textOf(after.authorId) : ''
    if (author !== '') this.#watch(itemId, author, row.seq)
    if (!isNew && mentioned.length === 0) return
    const item = this.#sources.item(itemId)
    if (item === undefined) return
    const excerpt = excerptOf(textOf(after.content))
    this.#notifyMentioned(row, item, mentioned, [author], excerpt)
    if (!isNew) return
    const others = new Set([author, ...mentioned])
    for (const id of this.#watchersOf(row, itemId, item)) {
      if (!others.has(id)) this.#notify(row, item, id, 'commented', excerpt)
      yield
    }
  }

  /** Mentioned members watch the item. @param except those who learn of the change otherwise */
  #notifyMentioned(
    row: ChangeRow,
    item: LiveItem,
    mentioned: readonly string[],
    except: readonly string[],
    excerpt: string,
  ): void {
    for (const id of mentioned) {
      if (!this.#mayReceive(id, item, row)) continue
      this.#watch(row.itemId as string, id, row.seq)
      if (!except.includes(id)) this.#notify(row, item, id, 'mentioned', excerpt)
    }
  }

  /** The members whom a text mentions and its former version did not. Each text is a step: a long one takes some tens of milliseconds. */
  *#newlyMentioned(before: unknown, after: unknown): Generator<void, string[], void> {
    if (typeof after !== 'string' || !after.includes('@')) return []
    const current = mentionsIn(after)
    if (current.size === 0) return []
    yield
    const former = mentionsIn(textOf(before))
    const mentions = [...current].filter((one) => !former.has(one)).map(handlesOf)
    const formerHandles = [...former].map(handlesOf)
    const ids = this.#sources.named([...new Set([...mentions, ...formerHandles].flat())])
    const idsOf = (each: string[][]) =>
      each.map((handles) => handles.map((one) => ids.get(one)).find(Boolean))
    const known = new Set(idsOf(formerHandles))
    return [...new Set(idsOf(mentions))].filter((id) => id !== undefined && !known.has(id)) as string[]
  }

  /** The watchers of an item since before a change: its own, those of its project, and its assignees. */
  *#watchersOf(
    { seq, actorId, projectId, fromProjectId }: ChangeRow,
    itemId: string,
    item: LiveItem,
  ): Generator<string> {
    const decided = new Set<string>()
    const own = item.isWatched ? this.#sources.watchersOf(itemId) : []
    for (const { memberId, watching, since } of own) {
      decided.add(memberId)
      if (watching === 1 && since < seq) yield memberId
    }
    // Of the same write.
    for (const { memberId, since } of this.#watchesOf.get(itemId) ?? []) {
      if (decided.has(memberId)) continue
      decided.add(memberId)
      if (since < seq) yield memberId
    }
    for (const project of new Set([projectId, fromProjectId])) {
      if (project === null) continue
      for (const { memberId, since } of this.#watchersOfProject(project)) {
        if (decided.has(memberId) || since >= seq) continue
        decided.add(memberId)
        yield memberId
      }
    }
    // Assigned by an import, or by another tool before this version; and not only since this change.
    const left = item.assigneeIds.filter(
      (id) => id !== actorId && !decided.has(id) && this.#recipient(id) !== undefined,
    )
    if (left.length > 0 && !this.#sources.isAssignedAfter(itemId, seq)) yield* left
  }

  #watchersOfProject(projectId: string): readonly Watcher[] {
    return getOrMake(this.#ofProjects, projectId, () => this.#sources.watchersOfProject(projectId))
  }

  #recipient(id: string): Recipient | undefined {
    return getOrMake(this.#recipients, id, () => this.#sources.recipient(id))
  }

  /** Whether a person can receive notifications, and sees an item and its change: it may have been in another project then, or hidden. */
  #mayReceive(id: string, item: LiveItem, row: ChangeRow): boolean {
    const recipient = this.#recipient(id)
    if (recipient === undefined || !this.#sawThen(recipient, row)) return false
    const seen = getOrMake(this.#sees, id, () => new Map<string, boolean>())
    const sees = (projectId: string) =>
      getOrMake(seen, projectId, () => this.#sources.sees(recipient, projectId))
    return sees(item.projectId) && (row.projectId === null || sees(row.projectId))
  }

  /** Whether a recipient saw a change when it was made. True for people of a host: their rights are only known in their requests. */
  #sawThen({ id, role }: Recipient, { seq, projectId }: ChangeRow): boolean {
    if (projectId === null || role === null || role === 'admin') return true
    const restrictions = getOrMake(this.#restrictions, projectId, () =>
      this.#sources.restrictionsOf(projectId),
    )
    return restrictions.find((one) => isWithin(one, seq))?.memberIds.has(id) ?? true
  }

  #watch(itemId: string, memberId: string, since: number): void {
    if (this.#recipient(memberId) === undefined) return
    const watch = { itemId, memberId, since }
    this.#watches.push(watch)
    const ofItem = this.#watchesOf.get(itemId)
    if (ofItem) ofItem.push(watch)
    else this.#watchesOf.set(itemId, [watch])
  }

  #notify(row: ChangeRow, item: LiveItem, memberId: string, kind: NotificationKind, text: string): void {
    if (memberId === row.actorId || !this.#mayReceive(memberId, item, row)) return
    const { projectId, title } = item
    const plan = this.#plans.get(memberId) ?? {
      notifications: [],
      count: 0,
      items: new Set<string>(),
      kind,
      projectIds: new Set<string>(),
    }
    this.#plans.set(memberId, plan)
    plan.count++
    if (plan.items.size < ITEMS_COUNTED) plan.items.add(row.itemId as string)
    if (plan.projectIds.size < 2) plan.projectIds.add(projectId)
    if (isMoreImportant(kind, plan.kind)) plan.kind = kind
    if (isTooMuch(plan)) {
      plan.notifications.length = 1
      return
    }
    plan.notifications.push({
      memberId,
      kind,
      itemId: row.itemId,
      projectId,
      actorId: madeBy(row).actorId,
      seq: row.seq,
      title,
      text,
      count: 1,
      dueAt: null,
    })
  }
}
