/** Everybody who waits for changes, over streams and long polls: who they are, and what they get when. */
import type { FastifyRequest } from 'fastify'
import type { Feed } from '../changes/feed.ts'
import type { Sequence } from '../changes/sequence.ts'
import type { Batch, Tail } from '../changes/tail.ts'
import { ApiError } from '../errors.ts'
import type { Identity } from '../members/identity.ts'
import { Selection, type Wanted } from './change-selection.ts'

/** Milliseconds between two rounds, in which each credential is checked and each stream says that it is alive. */
const ROUND = 15_000

/** Readers of one turn of the event loop in a round, and long polls that are answered in one. */
const AT_ONCE = 100

/** Milliseconds of one turn of the event loop for replaying what was missed. */
const REPLAY_TIME = 10

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5

/** Somebody who waits for changes. */
export interface ChangeReader extends Wanted {
  readonly kind: 'stream' | 'poll'
  readonly request: FastifyRequest
  readonly identity: Identity
  /** The last change that was looked at, for it. */
  place: number
  /** Takes what comes right after its place. */
  take: (selection: Selection) => void
  /** Hears of what comes while it is behind. */
  miss: (selection: Selection) => void
  /** Reads some of what it missed. @returns whether there is more, and it takes more */
  replay: () => boolean
  /** Something happens once a round. */
  tick: () => void
  /** The service stops, or its rights have changed. */
  end: () => void
  /** Its credential has ended. */
  refuse: (error: unknown) => void
}

/** What readers stand on. */
export interface ReadersOptions {
  tail: Tail
  feed: Feed
  sequence: Sequence
  /** How many there may be. */
  max: number
  /** See the auth plugin. */
  identifyAgain: (request: FastifyRequest) => Identity | Promise<Identity>
}

/** The readers of a service. */
export class ChangeReaders {
  readonly tail: Tail
  readonly feed: Feed
  isClosed = false
  readonly #sequence: Sequence
  readonly #max: number
  readonly identifyAgain: ReadersOptions['identifyAgain']
  readonly #readers = new Set<ChangeReader>()
  /** Those whose credential is being checked, and get nothing meanwhile. */
  readonly #unsure = new Set<ChangeReader>()
  /** Those who read what they missed, in turn. */
  readonly #behind = new Set<ChangeReader>()
  /** Credentials that this process has ended just now. */
  readonly #ended = new Set<string>()
  readonly #answers: (() => void)[] = []
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ tail, feed, sequence, max, identifyAgain }: ReadersOptions) {
    this.tail = tail
    this.feed = feed
    this.#sequence = sequence
    this.#max = max
    this.identifyAgain = identifyAgain
  }

  /** How many there are. */
  get size(): number {
    return this.#readers.size
  }

  /** How many there are of a kind. */
  count(kind: ChangeReader['kind']): number {
    let count = 0
    for (const reader of this.#readers) if (reader.kind === kind) count++
    return count
  }

  /** The newest change: where who wants none of those before goes on from. */
  newest(): number {
    return this.#sequence.last()
  }

  /** Checks that there is room for another. @throws ApiError 503 */
  ensureRoom(): void {
    if (this.#readers.size < this.#max && !this.isClosed) return
    throw new ApiError(503, 'Too many streams', { headers: { 'retry-after': String(RETRY_AFTER) } })
  }

  /** Adds a reader, which gets all that comes after its place. */
  add(reader: ChangeReader): void {
    this.#unsubscribe ??= this.tail.subscribe((batch) => this.#deliver(batch))
    this.#timer ??= setInterval(() => this.#round([...this.#readers]), ROUND).unref()
    this.#readers.add(reader)
    this.catchUp(reader)
  }

  /** Removes a reader. */
  remove(reader: ChangeReader): void {
    this.#readers.delete(reader)
    this.#behind.delete(reader)
    this.#unsure.delete(reader)
    if (this.#readers.size > 0) return
    this.#unsubscribe?.()
    clearInterval(this.#timer)
    this.#unsubscribe = undefined
    this.#timer = undefined
  }

  /** Lets a reader that is behind read what it missed, in its turn. */
  catchUp(reader: ChangeReader): void {
    if (reader.place >= this.tail.last || !this.#readers.has(reader)) return
    if (this.#behind.size === 0) setImmediate(() => this.#replay())
    this.#behind.add(reader)
  }

  /** Answers a long poll, a hundred in one turn. */
  answer(settle: () => void): void {
    if (this.#answers.length === 0) setImmediate(() => this.#answerSome())
    this.#answers.push(settle)
  }

  /** Notes that this process is ending a session or token: whoever reads with it is checked after the commit. */
  credentialEnds(id: string): void {
    if (this.#readers.size === 0) return
    if (this.#ended.size === 0) setImmediate(() => this.#checkEnded())
    this.#ended.add(id)
  }

  /** Ends all, and lets nobody in any more. */
  close(): void {
    this.isClosed = true
    for (const reader of [...this.#readers]) reader.end()
  }

  #deliver(batch: Batch): void {
    this.#checkEnded()
    const members = new Set(batch.changes.flatMap(({ row }) => (row.kind === 'member' ? [row.id] : [])))
    if (members.size > 0) this.#check(({ identity }) => members.has(identity.member.id))
    const selection = new Selection(batch, this.tail)
    for (const reader of this.#readers) {
      if (reader.place >= batch.last) continue
      if (reader.place === batch.after && !this.#unsure.has(reader)) reader.take(selection)
      else {
        reader.miss(selection)
        this.catchUp(reader)
      }
    }
  }

  #replay(): void {
    const deadline = performance.now() + REPLAY_TIME
    for (const reader of this.#behind) {
      this.#behind.delete(reader)
      if (!this.#unsure.has(reader) && reader.replay()) this.#behind.add(reader)
      if (performance.now() > deadline) break
    }
    if (this.#behind.size > 0) setImmediate(() => this.#replay())
  }

  #answerSome(): void {
    for (const settle of this.#answers.splice(0, AT_ONCE)) settle()
    if (this.#answers.length > 0) setImmediate(() => this.#answerSome())
  }

  #checkEnded(): void {
    if (this.#ended.size === 0) return
    const ended = new Set(this.#ended)
    this.#ended.clear()
    this.#check(
      ({ identity: { sessionId = '', tokenId = '' } }) => ended.has(sessionId) || ended.has(tokenId),
    )
  }

  #check(concerns: (reader: ChangeReader) => boolean): void {
    for (const reader of [...this.#readers]) if (concerns(reader)) this.#checkOne(reader)
  }

  /** Identifies a reader again: it ends where it is not who it was. */
  #checkOne(reader: ChangeReader): void {
    const settle = ({ member: { id, role } }: Identity) => {
      const { member } = reader.identity
      if (id !== member.id || role !== member.role) reader.end()
    }
    try {
      const identity = this.identifyAgain(reader.request)
      if (!(identity instanceof Promise)) {
        settle(identity)
        return
      }
      this.#unsure.add(reader)
      identity
        .then(settle, (error) => reader.refuse(error))
        .finally(() => {
          this.#unsure.delete(reader)
          this.catchUp(reader)
        })
    } catch (error) {
      reader.refuse(error)
    }
  }

  #round(rest: ChangeReader[]): void {
    for (const reader of rest.splice(0, AT_ONCE)) {
      if (!this.#readers.has(reader)) continue
      this.#checkOne(reader)
      if (this.#readers.has(reader)) reader.tick()
    }
    if (rest.length > 0) setImmediate(() => this.#round(rest))
  }
}
