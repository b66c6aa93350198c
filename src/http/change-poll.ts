/** A request that waits for changes: a long poll. */
import { setImmediate } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FeedQuery, feedBody } from '../changes/feed.ts'
import type { ChangeFilter } from '../changes/filters.ts'
import type { Reader } from '../changes/told.ts'
import type { Identity } from '../members/identity.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import type { ChangeReader, ChangeReaders } from './change-readers.ts'
import { channelOf, type Selection } from './change-selection.ts'
import { identityOf } from './identity.ts'

/** One wait for the next change. */
class ChangePoll implements ChangeReader {
  readonly kind = 'poll'
  readonly request: FastifyRequest
  readonly identity: Identity
  readonly reader: Reader
  readonly filter: ChangeFilter
  readonly channel: string
  place: number
  readonly #limit: number
  readonly #readers: ChangeReaders
  readonly #settle: (answer: JsonBytes | undefined) => void
  readonly #reject: (error: unknown) => void

  constructor(
    readers: ChangeReaders,
    request: FastifyRequest,
    { after, limit, ...filter }: FeedQuery,
    settle: (answer: JsonBytes | undefined) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = request
    this.filter = filter
    this.identity = identityOf(request)
    const { id, role } = this.identity.member
    this.reader = { id, role }
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
    this.#readers.remove(this)
    this.#readers.answer(() =>
      this.#settle(
        feedBody(
          shown.map((change) => tail.textOf(change)),
          this.place,
        ),
      ),
    )
  }

  /** It has read all there was before it began to wait; what it did not get while it was being checked, it reads. */
  replay(): boolean {
    this.end()
    return false
  }

  miss(): void {
    // See `replay`.
  }

  tick(): void {
    // It has nothing to say before its answer.
  }

  end(): void {
    this.#readers.remove(this)
    this.#settle(undefined)
  }

  refuse(error: unknown): void {
    this.#readers.remove(this)
    this.#reject(error)
  }
}

/**
 * Reads a page of changes; where it would be empty, waits for the next one.
 * @param milliseconds how long, at most; or until the client is gone, or the service stops
 * @returns the answer
 * @throws ApiError 410; 503 where too many wait; 401 and 403 where the credential has ended meanwhile
 */
export async function pollChanges(
  readers: ChangeReaders,
  request: FastifyRequest,
  reply: FastifyReply,
  query: FeedQuery,
  milliseconds: number,
): Promise<JsonBytes> {
  const deadline = performance.now() + milliseconds
  const { member } = identityOf(request)
  let after = query.after
  for (;;) {
    const page = readers.feed.page({ ...query, after }, member)
    const rest = deadline - performance.now()
    if (page.count > 0 || rest <= 0 || readers.isClosed || reply.raw.destroyed) return page.body
    after = page.last
    if (after < page.newest) {
      await setImmediate()
      continue
    }
    const answer = await nextChanges(readers, request, reply, { ...query, after }, rest)
    const { role } = (await readers.identifyAgain(request)).member
    if (role !== member.role) return feedBody([], after)
    if (answer) return answer
  }
}

/** Waits for the next changes. @returns the answer; undefined where it is not known, and there may be none */
async function nextChanges(
  readers: ChangeReaders,
  request: FastifyRequest,
  reply: FastifyReply,
  query: FeedQuery,
  milliseconds: number,
): Promise<JsonBytes | undefined> {
  readers.ensureRoom()
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
