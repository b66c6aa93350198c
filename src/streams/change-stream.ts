/** A stream of changes to one client. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { identityOf } from '../access/identity.ts'
import type { ChangeFilter } from '../changes/filters.ts'
import type { TailedChange } from '../changes/tail.ts'
import type { Scope } from '../db/row-security.ts'
import { unlessTooMuch } from '../db/work-limits.ts'
import { ApiError } from '../errors.ts'
import type { Identity } from '../members/identity.ts'
import type { ChangeReader, ChangeReaders, MembersNotification } from './change-readers.ts'
import { channelOf, eventsOf, type ScopedReader, type Selection } from './change-selection.ts'
import { EventStream, eventText, placeText } from './event-stream.ts'
import { ownerOf } from './slots.ts'
import type { WeighedStream } from './unread-streams.ts'

/** Most changes that a replay reads at once, and bytes of their records. */
const ROWS = 100
const BYTES = 65_536

/** A client that lets more than this many bytes pass ... */
const MAX_MISSED = 1024 * 1024
/** ... without reading for this many milliseconds is disconnected ... */
const PATIENCE = 1000
/** ... and so is one that reads nothing for this many. */
const MAX_PATIENCE = 60_000

/** Most notifications that wait for a client that does not read. With more, the stream ends, so that its client lists them. */
const NOTIFICATIONS_WAITING = 100

/** A stream of changes to one client: first missed changes, at its own pace, then each as it is committed. */
export class ChangeStream implements ChangeReader, WeighedStream {
  readonly weighed = this
  readonly kind = 'stream'
  readonly request: FastifyRequest
  readonly identity: Identity
  readonly reader: ScopedReader
  readonly filter: ChangeFilter
  readonly channel: string
  readonly owner: string | undefined
  place: number
  /** The body of the response. */
  readonly body: EventStream
  readonly #readers: ChangeReaders
  readonly #leave: () => void
  /** Bytes of events since the client last read. */
  #missed = 0
  /** The reader's scope at the last event. */
  #scope: Scope | undefined
  /** The last change at that time. */
  #scopedAt: number
  /** Notifications that wait for the client. */
  #notifications: string[] = []
  /** The last replayed change. */
  #latest: TailedChange | undefined

  /**
   * @param place where to continue; undefined: from now
   * @throws ApiError 503 if there are too many, 429 if the member has too many
   */
  constructor(
    readers: ChangeReaders,
    request: FastifyRequest,
    reply: FastifyReply,
    filter: ChangeFilter,
    place: number | undefined,
  ) {
    this.identity = identityOf(request)
    this.#leave = readers.enter(this.identity)
    this.owner = ownerOf(this.identity)
    this.request = request
    this.filter = filter
    this.reader = readers.readerOf(this.identity)
    this.#scope = this.reader.scope()
    this.channel = channelOf(this.reader, filter)
    this.#readers = readers
    const newest = readers.newest()
    this.#scopedAt = newest
    this.place = Math.min(place ?? newest, newest)
    this.body = new EventStream(
      reply.raw,
      () => this.#goOn(),
      () => this.#close(),
    )
    // This sends the headers; and a client that is cut off before the first event knows where to continue.
    this.body.send(placeText(this.place))
    readers.add(this)
  }

  take(selection: Selection): void {
    if (this.body.waitsSince !== undefined) {
      this.miss(selection)
      return
    }
    // An error must come before the position advances.
    const { changes, events } = selection.of(this)
    const sent = changes.length > 0 ? events() : undefined
    this.#sendAccess()
    this.place = selection.batch.last
    this.#send(sent)
  }

  miss(selection: Selection): void {
    if (this.body.waitsSince === undefined) return
    this.#missed += selection.of(this).size()
    this.#cutOffIfSlow()
  }

  replay(): boolean {
    if (this.body.waitsSince !== undefined) return false
    try {
      const query = { ...this.filter, after: this.place, limit: ROWS, bytes: BYTES }
      const { rows, groups, last, newest } = this.#readers.feed.slice(query, this.reader, this.#latest)
      // Rows of a limited reader may differ from what is stored.
      const isAltered = this.#readers.feed.visibility.of(this.reader).isLimited
      const changes = rows.map((row, index) => ({ row, group: groups[index] as number, isAltered }))
      this.#latest = changes.at(-1) ?? this.#latest
      this.#sendAccess()
      this.place = last
      this.#send(changes.length > 0 ? eventsOf(changes, this.#readers.tail) : undefined)
      return last < newest
    } catch (error) {
      this.fail(error)
      return false
    }
  }

  notify(notification: MembersNotification): void {
    if (!this.#mayShow(notification)) return
    const { place: _, memberId: __, ...shown } = notification as MembersNotification & { place: unknown }
    this.#notifications.push(JSON.stringify(shown))
    if (this.#notifications.length > NOTIFICATIONS_WAITING) this.end()
    else this.#sendNotifications()
  }

  tick(): void {
    if (this.body.waitsSince === undefined) {
      this.#sendAccess()
      this.body.send(placeText(this.place))
    } else this.#cutOffIfSlow()
  }

  end(identity?: Identity): void {
    const last = identity && this.#accessEvents(this.#readers.readerOf(identity))
    this.#close()
    this.body.end(last)
  }

  get waitsSince(): number | undefined {
    return this.body.waitsSince
  }

  unsent(): readonly Buffer[] {
    return this.body.unsent()
  }

  cut(): void {
    this.body.destroy()
  }

  refuse(): void {
    this.end()
  }

  /**
   * Sends the projects that the reader has gained and lost. Call it before the position advances: its event must not
   * have the position of changes that are sent after it, or a connection that is lost in between would resume after them.
   */
  #sendAccess(): void {
    this.#send(this.#accessEvents(this.reader))
  }

  /** The projects that its reader has gained and lost, as events. @param reader with the current rights */
  #accessEvents(reader: ScopedReader): Buffer | undefined {
    const scope = reader.scope()
    // All changes up to its position were sent with the former scope.
    this.#scopedAt = Math.max(this.#scopedAt, this.place)
    if (scope === this.#scope) return undefined
    const events = this.#readers.policy
      .difference(this.#scope, scope, this.#scopedAt)
      .filter(({ projectId }) => (this.filter.projectId ?? projectId) === projectId)
      .map((event) => eventText('access', JSON.stringify(event), this.place))
    this.#scope = scope
    return events.length > 0 ? Buffer.from(events.join('')) : undefined
  }

  /** Whether its reader sees the project of a notification, and saw what it is about. One about several projects requires a credential with access to all. */
  #mayShow({ projectId, seq = null }: MembersNotification): boolean {
    const scope = this.reader.scope()
    if (projectId === null) return scope?.hasIdeas ?? true
    if (scope?.projects.has(projectId) === false) return false
    const view = this.#readers.feed.visibility.of(this.reader)
    return seq === null || (unlessTooMuch(() => view.seesProject(projectId, seq)) ?? false)
  }

  /** Sends the waiting notifications, unless the client has not read earlier events yet. */
  #sendNotifications(): void {
    if (this.#notifications.length === 0 || this.body.waitsSince !== undefined) return
    const events = this.#notifications.map((one) => eventText('notification', one, this.place))
    this.#notifications = []
    this.#send(Buffer.from(events.join('')))
  }

  #send(events: Buffer | undefined): void {
    if (!events) return
    this.body.send(events)
    this.#readers.sent(events.length)
  }

  #close(): void {
    this.#leave()
    this.#readers.remove(this)
  }

  #goOn(): void {
    this.#missed = 0
    this.#sendNotifications()
    this.#readers.catchUp(this)
  }

  #cutOffIfSlow(): void {
    const waits = performance.now() - (this.body.waitsSince ?? Number.POSITIVE_INFINITY)
    if (waits > MAX_PATIENCE || (waits > PATIENCE && this.#missed > MAX_MISSED)) this.cut()
  }

  /** Ends the stream, with an event if the next changes are no longer stored. */
  fail(error: unknown): void {
    if (error instanceof ApiError && error.statusCode === 410)
      this.body.send(Buffer.from(eventText('gone', JSON.stringify(error.details))))
    else this.request.log.error({ err: error }, 'could not read the changes of a stream')
    this.end()
  }
}
