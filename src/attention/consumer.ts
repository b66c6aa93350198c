/**
 * Creates notifications from the sequence of changes while the service runs. The changes are its queue; its position in them is stored
 * together with the notifications. So writes do not wait for it, and no notification is lost or duplicated when the service ends.
 *
 * It works in steps of some milliseconds, and stores few rows at a time.
 */
import { setImmediate } from 'node:timers/promises'
import { assigneeIdsOf } from '../board/assignees.ts'
import { Consumer, type ConsumerDependencies } from '../changes/consumer.ts'
import type { Feed } from '../changes/feed.ts'
import type { ChangeRow, Sequence } from '../changes/sequence.ts'
import { ApiError } from '../errors.ts'
import { getOrMake } from '../once.ts'
import { timestamp } from '../time.ts'
import type { Attention, NotificationsOfWrite, QuietRange, Results } from './attention.ts'
import type { ItemTime } from './item-times.ts'
import type { Chosen, Span } from './local-times.ts'
import type { NewNotification } from './notifications.ts'
import {
  isWithoutResult,
  type LiveItem,
  NotificationPlanner,
  type Plan,
  type PlannerSources,
} from './planner.ts'
import type { Recipient } from './recipients.ts'
import type { FoundWatch, ItemWatcher, Watcher } from './watchers.ts'

/** Milliseconds between two polls of the sequence and the clock. */
const HEARTBEAT = 250

/**
 * The limits of one read: kinds that cause notifications, number of changes, bytes of their records, and bytes of one. No request
 * creates a larger change. One of another tool would block the event loop, so it causes no notification.
 */
const READ = {
  kinds: ['kanban-item', 'kanban-comment', 'kanban-column'],
  limit: 100,
  bytes: 65_536,
  largest: 1_500_000,
}

/** Milliseconds of one step. */
const STEP_TIME = 2

/** Rows that one transaction stores: a millisecond or two. */
const STORED_AT_ONCE = 100

/**
 * How many changes the stored place may lag if there were no notifications. Reading an item searches them for watches that are not stored
 * yet: 20 µs for 100, 380 for 1,000.
 */
const PLACE_STORED_AFTER = 100

/** Milliseconds between two looks at local times, at full minutes: so they come to the second, with durations of whole minutes. */
const LOOK = 60_000

/** Due times that are read at once. */
const TIMES = 100

/** The consumer sees all changes. */
const ALL = { id: '', role: 'admin' }

/** Stores its results; each promise resolves when they are on disk. */
interface AttentionWrites {
  store: (results: Results) => Promise<void>
  storeTimes: (...args: Parameters<Attention['storeTimes']>) => Promise<void>
}

/** The dependencies of the consumer. */
interface NotificationConsumerOptions extends ConsumerDependencies {
  sequence: Pick<Sequence, 'first' | 'last'>
  feed: Pick<Feed, 'slice'>
  rules: Attention
  writes: AttentionWrites
  /** Whether a recipient sees a project now. */
  sees: PlannerSources['sees']
  restrictionsOf: PlannerSources['restrictionsOf']
  /** Recipients without a row. */
  others: ReadonlySet<string>
  /** Called after notifications were stored. */
  onStored: () => void
}

/** The consumer of one process. */
export class NotificationConsumer {
  readonly #options: NotificationConsumerOptions
  readonly #consumer: Consumer
  readonly #sources: PlannerSources
  /** The position up to which all writes are processed, in memory; undefined before it has the lock. */
  #place: number | undefined
  #storedPlace = 0
  #storedAt = 0
  /** The next time of an item; undefined if it must be read. */
  #nextTime: string | null | undefined
  /** The minute of the last look at local times; undefined before the first one. */
  #minute: number | undefined
  /** When the current step of work ends. */
  #deadline = 0
  /** Cached reads of the current step: this process writes only between steps. */
  readonly #read = {
    recipients: new Map<string, Recipient | undefined>(),
    ofProjects: new Map<string, readonly Watcher[]>(),
    zones: new Map<string, Chosen>(),
  }
  /** The rows to store, and their number. */
  #notifications: NotificationsOfWrite[] = []
  #watches: FoundWatch[] = []
  /** The items of these watches. */
  readonly #watched = new Set<string>()
  #items: [string, string][] = []
  #rows = 0
  /** Whether it has determined recipients since the position was stored: later, the result may be different. */
  #hasDecided = false

  constructor(options: NotificationConsumerOptions) {
    this.#options = options
    this.#consumer = new Consumer({
      ...options,
      heartbeat: HEARTBEAT,
      look: () => {
        if (this.#isNeeded()) void this.work()
      },
      failure: 'could not create notifications',
    })
    const { rules, sees, restrictionsOf, others } = options
    const { recipients, ofProjects } = this.#read
    this.#sources = {
      item: (id) => this.#item(id),
      projectName: (id) => rules.projectName(id),
      isAssignedAfter: (itemId, seq) => rules.isAssignedAfter(itemId, seq),
      watchersOf: (itemId) => this.#watchersOf(itemId),
      watchersOfProject: (projectId) =>
        getOrMake(ofProjects, projectId, () => rules.watchers.ofProject(projectId)),
      recipient: (id) => getOrMake(recipients, id, () => rules.recipients.one(id, others)),
      named: (handles) => rules.recipients.named(handles),
      sees,
      restrictionsOf,
    }
  }

  /** Starts at the position of the previous consumer; the very first time at the newest change. */
  start(): void {
    this.#consumer.start()
  }

  /** Stops after the current step. */
  stop(): Promise<void> {
    return this.#consumer.stop()
  }

  /** Processes the new changes and due times, unless that is in progress. @returns when that is done */
  work(): Promise<void> {
    return this.#consumer.runOnce(() => this.#workOff())
  }

  /** Whether there is something to do, in some microseconds. */
  #isNeeded(): boolean {
    if (this.#place === undefined) return true
    if (this.#options.sequence.last() > this.#place) return true
    if (this.#nextTime === undefined) this.#nextTime = this.#options.rules.times.next()
    const now = this.#options.clock.now()
    return this.#isLookDue(now) || (this.#nextTime !== null && this.#nextTime <= timestamp(now))
  }

  #isLookDue(now: number): boolean {
    return Math.floor(now / LOOK) !== this.#minute
  }

  async #workOff(): Promise<void> {
    if (!this.#consumer.takesLock()) return
    try {
      await this.#follow()
      await this.#notifyOfTimes()
      await this.#notifyOfLocalTimes()
    } catch (error) {
      // It may have been in the middle of a write.
      this.#place = undefined
      this.#clear()
      throw error
    }
  }

  #clear(): void {
    this.#notifications = []
    this.#watches = []
    this.#watched.clear()
    this.#items = []
    this.#rows = 0
  }

  /** Processes the changes after its position. */
  async #follow(): Promise<void> {
    const { rules, sequence, clock } = this.#options
    if (this.#place === undefined) {
      const stored = rules.place()
      this.#place = stored ?? sequence.last()
      this.#storedPlace = this.#place
      this.#storedAt = clock.elapsed()
      if (stored === undefined) await this.#store(this.#place)
    }
    let place = this.#place
    let planner: NotificationPlanner | undefined
    let latest: { row: ChangeRow; group: number } | undefined
    for (;;) {
      if (this.#consumer.isStopped) return
      await this.#pause()
      const slice = this.#slice(place, latest)
      const quiet = rules.quietRanges(place, slice.last)
      for (const [index, row] of slice.rows.entries()) {
        const group = slice.groups[index] as number
        if (planner !== undefined && planner.group !== group) {
          await this.#end(planner)
          this.#place = row.seq - 1
          planner = undefined
        }
        latest = { row, group }
        if (planner === undefined && isWithoutResult(row)) continue
        planner ??= new NotificationPlanner(group, row.seq, this.#sources)
        await this.#inSteps(planner.take(row, quietRangeOf(quiet, row.seq)))
      }
      place = slice.last
      if (place >= slice.newest) break
    }
    // A write is committed as a whole.
    if (planner !== undefined) await this.#end(planner)
    this.#place = place
    await this.#storeRest(place)
  }

  #slice(after: number, latest: { row: ChangeRow; group: number } | undefined) {
    const { feed, sequence } = this.#options
    try {
      return feed.slice({ after, ...READ }, ALL, latest)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // It was stopped for longer than the retention of changes.
      return feed.slice({ after: sequence.first() - 1, ...READ }, ALL)
    }
  }

  /** Runs work for some milliseconds at a time. */
  async #inSteps<T>(steps: Generator<void, T, void>): Promise<T> {
    for (;;) {
      const { done, value } = steps.next()
      if (performance.now() >= this.#deadline) await this.#pause()
      if (done) return value
    }
  }

  /** Yields to other work. */
  async #pause(): Promise<void> {
    await setImmediate()
    this.#readAgain()
    this.#deadline = performance.now() + STEP_TIME
  }

  /** Other processes may have written. */
  #readAgain(): void {
    for (const values of Object.values(this.#read)) values.clear()
  }

  /** Stores the results of a write; the last rows wait for those of other writes. */
  async #end(planner: NotificationPlanner): Promise<void> {
    const { first, last, notifications, watches, items, hasDecided }: Plan = await this.#inSteps(
      planner.end(),
    )
    this.#hasDecided ||= hasDecided
    for (const watch of watches) {
      this.#watches.push(watch)
      this.#watched.add(watch.itemId)
      await this.#storeIfMany(1)
    }
    for (const item of items) {
      this.#items.push(item)
      await this.#storeIfMany(1)
    }
    for (const ofMember of notifications) {
      this.#notifications.push({ first, last, notifications: ofMember })
      await this.#storeIfMany(ofMember.length)
    }
  }

  async #storeIfMany(added: number): Promise<void> {
    this.#rows += added
    if (this.#rows >= STORED_AT_ONCE) await this.#store(undefined)
  }

  /** An item, which may only have watches that are not stored yet. */
  #item(id: string): LiveItem | undefined {
    const item = this.#options.rules.item(id)
    return item && this.#watched.has(id) ? { ...item, isWatched: true } : item
  }

  /** The watchers of an item, including watches that are not stored yet. */
  #watchersOf(itemId: string): ItemWatcher[] {
    const stored = this.#options.rules.watchers.ofItem(itemId)
    if (!this.#watched.has(itemId)) return stored
    const known = new Set(stored.map(({ memberId }) => memberId))
    const found = this.#watches.filter((watch) => watch.itemId === itemId && !known.has(watch.memberId))
    const first = new Map(found.toReversed().map((watch) => [watch.memberId, { ...watch, watching: 1 }]))
    return [...stored, ...first.values()]
  }

  /** Stores the rest, and the position if that is worth a write. */
  async #storeRest(place: number): Promise<void> {
    const isLate = this.#consumer.isLate(place - this.#storedPlace, PLACE_STORED_AFTER, this.#storedAt)
    if (this.#rows > 0 || this.#hasDecided || isLate) await this.#store(place)
  }

  async #store(after: number | undefined): Promise<void> {
    const { writes, clock, onStored } = this.#options
    const results: Results = {
      notifications: this.#notifications,
      watches: this.#watches,
      items: this.#items,
      after,
    }
    await writes.store(results)
    this.#readAgain()
    this.#clear()
    if (results.items.length > 0) this.#nextTime = undefined
    if (after !== undefined) {
      this.#storedPlace = after
      this.#storedAt = clock.elapsed()
      this.#hasDecided = false
    }
    if (results.notifications.length > 0) onStored()
  }

  /** Notifies watchers of the due times, by the system clock. */
  async #notifyOfTimes(): Promise<void> {
    const { rules, clock } = this.#options
    for (;;) {
      if (this.#consumer.isStopped) return
      const times = rules.times.due(timestamp(clock.now()), TIMES)
      if (times.length === 0) break
      await this.#storeTimes(times)
      await this.#pause()
    }
    this.#nextTime = rules.times.next()
  }

  /** Notifies watchers of the local times that the clocks of their time zones have reached, once a minute. */
  async #notifyOfLocalTimes(): Promise<void> {
    const { rules, writes, clock } = this.#options
    const { localTimes } = rules
    const now = clock.now()
    if (!this.#isLookDue(now)) return
    // Otherwise storing the time of the look would be a write every minute.
    let isWorthAWrite = false
    for (const { after, to, hasCome } of await this.#inSteps(localTimes.spans(now))) {
      for (let times = localTimes.some(after, to, TIMES); ; ) {
        const last = times.at(-1)
        if (last === undefined) break
        if (this.#consumer.isStopped) return
        isWorthAWrite = true
        await this.#storeTimes(times, hasCome)
        await this.#pause()
        times = localTimes.some(last, to, TIMES)
      }
    }
    for (;;) {
      const over = localTimes.over(now, TIMES)
      if (over.length === 0 && !isWorthAWrite) break
      await writes.storeTimes([], over, now)
      isWorthAWrite = false
      await this.#pause()
    }
    this.#minute = Math.floor(now / LOOK)
  }

  /** Notifies watchers of times. @param hasCome of local times, which stay until they have come to everybody */
  async #storeTimes(times: readonly ItemTime[], hasCome?: Span['hasCome']): Promise<void> {
    let notifications: NewNotification[] = []
    let passed: ItemTime[] = []
    const store = async () => {
      if (notifications.length + passed.length === 0) return
      await this.#options.writes.storeTimes(notifications, passed)
      this.#readAgain()
      if (notifications.length > 0) this.#options.onStored()
      notifications = []
      passed = []
    }
    for (const time of times) {
      for (const one of await this.#notificationsOf(time, hasCome)) {
        notifications.push(one)
        if (notifications.length >= STORED_AT_ONCE) await store()
      }
      if (hasCome === undefined) passed.push(time)
    }
    await store()
  }

  /** The recipients of the notification of a time. */
  async #notificationsOf(time: ItemTime, hasCome?: Span['hasCome']): Promise<NewNotification[]> {
    const sources = this.#sources
    const zoneOf = (id: string) =>
      getOrMake(this.#read.zones, id, () => this.#options.rules.localTimes.zoneOf(id))
    const found: NewNotification[] = []
    function* find(item: NonNullable<ReturnType<Attention['times']['itemAt']>>): Generator<void, void, void> {
      const decided = new Set<string>()
      const mayReceive = (memberId: string): boolean => {
        if (decided.has(memberId)) return false
        decided.add(memberId)
        if (hasCome !== undefined && !hasCome(time, zoneOf(memberId))) return false
        const recipient: Recipient | undefined = sources.recipient(memberId)
        return recipient !== undefined && sources.sees(recipient, item.projectId)
      }
      const add = (memberId: string) => {
        if (!mayReceive(memberId)) return
        const text = time.kind === 'due' ? (item.dueDate ?? '') : ''
        const { id: itemId, projectId, title } = item
        const { kind, at: dueAt } = time
        found.push({
          memberId,
          kind,
          itemId,
          projectId,
          actorId: null,
          seq: null,
          title,
          text,
          count: 1,
          dueAt,
        })
      }
      for (const { memberId, watching } of sources.watchersOf(item.id)) {
        if (watching === 1) add(memberId)
        else decided.add(memberId)
        yield
      }
      for (const { memberId } of sources.watchersOfProject(item.projectId)) {
        add(memberId)
        yield
      }
      for (const id of assigneeIdsOf(item)) add(id)
    }
    const item = this.#options.rules.times.itemAt(time)
    if (item !== undefined) await this.#inSteps(find(item))
    return found
  }
}

/** The range that a change is in, if any. */
const quietRangeOf = (ranges: readonly QuietRange[], seq: number): QuietRange | undefined =>
  ranges.find(({ first, last }) => first <= seq && seq <= last)
