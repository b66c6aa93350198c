/** A long poll for changes. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { identityOf, reachSame } from '../access/identity.ts'
import type { FeedQuery } from '../changes/feed.ts'
import { feedBody } from '../changes/feed-page.ts'
import type { ChangeFilter } from '../changes/filters.ts'
import type { Identity } from '../members/identity.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { ChangeReader, ChangeReaders } from './change-readers.ts'
import { channelOf, type ScopedReader, type Selection } from './change-selection.ts'

/** A request for the changes after a place. */
type PlacedQuery = FeedQuery & { after: number }

/** A single wait for the next change. */
class ChangePoll implements ChangeReader {
  readonly kind = 'poll'
  readonly request: FastifyRequest
  readonly identity: Identity
  readonly reader: ScopedReader
  readonly filter: ChangeFilter
  readonly channel: string
  place: number
  /** Its changes will be sent in a later turn. They are before its place, so it must not end without them. */
  #isAnswered = false
  readonly #limit: number
  readonly #readers: ChangeReaders
  readonly #settle: (answer: JsonBytes | undefined) => void
  readonly #reject: (error: unknown) => void

  constructor(
    readers: ChangeReaders,
    request: FastifyRequest,
    { after, limit, ...filter }: PlacedQuery,
    settle: (answer: JsonBytes | undefined) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request
    this.filter = filter
    this.identity = identityOf(request)
    this.reader = readers.readerOf(this.identity)
    this.channel = channelOf(this.reader, filter)
    this.place = after
    this.#limit = limit
    this.#readers = readers
    this.#settle = settle
    this.#reject = reject
  }

  take(selection: Selection): void {
    const { batch } = selection
    const { changes } = selection.of(this)
    const shown = changes.slice(0, this.#limit)
    this.place = shown.length < changes.length ? (shown.at(-1)?.row.seq as number) : batch.last
    if (shown.length === 0) return
    const { tail } = this.#readers
    this.#isAnswered = true
    this.#readers.remove(this)
    this.#readers.answer(() => {
      try {
        const texts = shown.map((change) => tail.textOf(change))
        this.#settle(feedBody(texts, this.place))
      } catch (error) {
        this.#reject(error)
      }
    })
  }

  /** It has read all changes before the wait; it reads those that it missed during the check of its credential. */
  replay(): boolean {
    this.#readers.remove(this)
    this.#settle(undefined)
    return false
  }

  miss(): void {
    // See `replay`.
  }

  tick(): void {
    // It sends nothing before its response.
  }

  end(): void {
    if (this.#isAnswered) return
    this.#readers.remove(this)
    // Filtered changes are not examined again.
    this.#settle(feedBody([], this.place))
  }

  refuse(error: unknown): void {
    this.#readers.remove(this)
    this.#reject(error)
  }

  fail(error: unknown): void {
    this.refuse(error)
  }
}

/**
 * Reads a page of changes; if it would be empty, waits for the next one.
 * @param milliseconds timeout; it also ends if the client disconnects, or the service stops
 * @returns the response
 * @throws ApiError 410; 503 if too many wait, 429 if the member has too many; 401 and 403 if the credential has
 * ended meanwhile
 */
export async function pollChanges(
  readers: ChangeReaders,
  request: FastifyRequest,
  reply: FastifyReply,
  query: FeedQuery,
  milliseconds: number,
): Promise<JsonBytes> {
  const deadline = performance.now() + milliseconds
  const isOver = () => performance.now() >= deadline || readers.isClosed || reply.raw.destroyed
  const identity = identityOf(request)
  const reader = readers.readerOf(identity)
  let page = await readers.read(query, reader, isOver)
  if (page.count > 0 || isOver()) return page.body
  const leave = readers.enter(identity)
  try {
    for (;;) {
      const place = { ...query, after: page.last }
      // Node warns of a negative one.
      const rest = Math.max(0, deadline - performance.now())
      const isBehind = page.last < page.newest
      const answer = isBehind ? undefined : await nextChanges(readers, request, reply, place, rest)
      if (!answer) page = await readers.read(place, reader, isOver)
      // The identity must not have changed during the wait.
      const now = await readers.identifyAgain(request)
      if (!reachSame(now, identity)) return feedBody([], place.after)
      if (answer) return answer
      if (page.count > 0 || isOver()) return page.body
    }
  } finally {
    leave()
  }
}

/** Waits for the next changes. @returns the response; undefined if it must be read */
async function nextChanges(
  readers: ChangeReaders,
  request: FastifyRequest,
  reply: FastifyReply,
  query: PlacedQuery,
  milliseconds: number,
): Promise<JsonBytes | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<JsonBytes | undefined>()
  const poll = new ChangePoll(readers, request, query, resolve, reject)
  const end = () => poll.end()
  const timer = setTimeout(end, milliseconds)
  reply.raw.once('close', end)
  readers.add(poll)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    reply.raw.off('close', end)
  }
}
