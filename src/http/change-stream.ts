/** A stream of changes to one client. */
import type { FastifyRequest } from 'fastify'
import type { ChangeFilter } from '../changes/filters.ts'
import type { TailedChange } from '../changes/tail.ts'
import type { Reader } from '../changes/told.ts'
import { ApiError } from '../errors.ts'
import type { Identity } from '../members/identity.ts'
import type { ChangeReader, ChangeReaders } from './change-readers.ts'
import { channelOf, eventsOf, type Selection } from './change-selection.ts'
import { EventStream, eventText, placeText } from './event-stream.ts'
import { identityOf } from './identity.ts'

/** Changes that a replay reads at once, and bytes of their records, at most. */
const ROWS = 100
const BYTES = 65_536

/** A client that lets more than so many bytes pass ... */
const MAX_MISSED = 1024 * 1024
/** ... without reading anything for so many milliseconds is cut off ... */
const PATIENCE = 1000
/** ... and so is one that reads nothing for so many. */
const MAX_PATIENCE = 60_000

/** A stream of changes to one client: first what it missed, at its own pace, then each as it is committed. */
export class ChangeStream implements ChangeReader {
  readonly kind = 'stream'
  readonly request: FastifyRequest
  readonly identity: Identity
  readonly reader: Reader
  readonly filter: ChangeFilter
  readonly channel: string
  place: number
  /** The body of the response. */
  readonly body: EventStream
  readonly #readers: ChangeReaders
  /** Bytes of events that have passed since the client last read. */
  #missed = 0
  /** The latest change that was replayed. */
  #latest: TailedChange | undefined

  /**
   * @param place where to go on; undefined: from now
   * @throws ApiError 503 where there are too many
   */
  constructor(
    readers: ChangeReaders,
    request: FastifyRequest,
    filter: ChangeFilter,
    place: number | undefined,
  ) {
    readers.ensureRoom()
    this.request = request
    this.filter = filter
    this.identity = identityOf(request)
    const { id, role } = this.identity.member
    this.reader = { id, role }
    this.channel = channelOf(this.reader, filter)
    this.#readers = readers
    const newest = readers.newest()
    this.place = Math.min(place ?? newest, newest)
    this.body = new EventStream(
      () => this.#goOn(),
      () => readers.remove(this),
    )
    // The headers go out with it; and who is cut off before the first event knows where to go on.
    this.body.send(placeText(this.place))
    readers.add(this)
  }

  take(selection: Selection): void {
    if (this.body.waitsSince !== undefined) {
      this.miss(selection)
      return
    }
    this.place = selection.batch.last
    this.#send(selection.of(this).changes.length > 0 ? selection.of(this).events() : undefined)
  }

  miss(selection: Selection): void {
    if (this.body.waitsSince === undefined) return
    const { changes, events } = selection.of(this)
    if (changes.length > 0) this.#missed += events().length
    this.#cutOffIfSlow()
  }

  replay(): boolean {
    if (this.body.waitsSince !== undefined) return false
    try {
      const query = { ...this.filter, after: this.place, limit: ROWS, bytes: BYTES }
      const { rows, groups, last, newest } = this.#readers.feed.slice(query, this.reader, this.#latest)
      const changes = rows.map((row, index) => ({ row, group: groups[index] as number }))
      this.#latest = changes.at(-1) ?? this.#latest
      this.place = last
      this.#send(changes.length > 0 ? eventsOf(changes, this.#readers.tail) : undefined)
      return last < newest
    } catch (error) {
      this.#fail(error)
      return false
    }
  }

  tick(): void {
    if (this.body.waitsSince === undefined) this.body.send(placeText(this.place))
    else this.#cutOffIfSlow()
  }

  end(): void {
    this.#readers.remove(this)
    this.body.end()
  }

  refuse(): void {
    this.end()
  }

  #send(events: Buffer | undefined): void {
    if (events) this.body.send(events)
  }

  #goOn(): void {
    this.#missed = 0
    this.#readers.catchUp(this)
  }

  #cutOffIfSlow(): void {
    const waits = performance.now() - (this.body.waitsSince ?? Number.POSITIVE_INFINITY)
    if (waits > MAX_PATIENCE || (waits > PATIENCE && this.#missed > MAX_MISSED)) this.body.destroy()
  }

  /** Ends with an event where what comes next is not kept any more, else without. */
  #fail(error: unknown): void {
    if (error instanceof ApiError && error.statusCode === 410)
      this.body.send(eventText('gone', JSON.stringify(error.details)))
    else this.request.log.error({ err: error }, 'could not read the changes of a stream')
    this.end()
  }
}
