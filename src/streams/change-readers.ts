/** All readers that wait for changes, over streams and long polls: their credentials, and delivery to them. */
import type { FastifyRequest } from 'fastify'
import { principalOf } from '../access/caller.ts'
import { reachSame } from '../access/identity.ts'
import type { Policy } from '../access/policy.ts'
import type { Reader } from '../changes/api-changes.ts'
import type { Feed, FeedQuery } from '../changes/feed.ts'
import { type FeedPage, PageReading } from '../changes/feed-page.ts'
import type { Sequence } from '../changes/sequence.ts'
import type { Batch, Tail } from '../changes/tail.ts'
import { TooMuchWork } from '../db/work-limits.ts'
import type { Identity } from '../members/identity.ts'
import { type StepOfWork, Turns } from '../requests/turns.ts'
import { type ScopedReader, Selection, type Wanted } from './change-selection.ts'
import { Slots, tooMany } from './slots.ts'
import { UnreadStreams, type WeighedStream } from './unread-streams.ts'

/** Milliseconds between two rounds, which check each credential and send each stream's heartbeat. */
const ROUND = 15_000

/** Long polls answered in one turn of the event loop, each in some tenths of a millisecond. */
const ANSWERS_AT_ONCE = 20

/** Milliseconds of one step that delivers a batch or checks credentials. */
const STEP_TIME = 3

/** Batches delivered concurrently, at most: readers that miss one read it from the sequence. */
const BATCHES = 8

/** Most notifications that wait for the check of a credential. With more, the stream ends, so that its client lists them. */
const NOTIFICATIONS_WAITING = 100

/** The key of work for all readers; not a member's id. */
const ALL = ''

/** A notification, as its member's streams get it. */
export interface MembersNotification {
  memberId: string
  projectId: string | null
  /** The change that it is about; null for a time. */
  seq?: number | null
}

/** A reader that waits for changes. */
export interface ChangeReader extends Wanted {
  readonly kind: 'stream' | 'poll'
  readonly request: FastifyRequest
  readonly identity: Identity
  /** The last change examined for it. */
  place: number
  /** Its unread bytes. */
  weighed?: WeighedStream
  /** Receives changes right after its place. */
  take: (selection: Selection) => void
  /** Called with new changes while it is behind. */
  miss: (selection: Selection) => void
  /** Reads missed changes, for some milliseconds. @returns whether there are more, and it accepts more */
  replay: () => boolean
  /** Sends a notification to its member. A long poll waits for changes only. */
  notify?: (notification: MembersNotification) => void
  /** Called once per round. */
  tick: () => void
  /**
   * The service stops, or its caller's rights have changed.
   * @param identity with the new rights
   */
  end: (identity?: Identity) => void
  /** Its credential has ended. */
  refuse: (error: unknown) => void
  /** It could not be served: it ends, so that its client tries again. */
  fail: (error: unknown) => void
}

/** The dependencies of readers. */
interface ReadersOptions {
  tail: Tail
  feed: Feed
  sequence: Sequence
  /** The limits of their number. */
  max: number
  policy: Policy
  /** Makes the policy check for commits of other connections: the changes that will be read next may have changed access. */
  refresh: () => unknown
  /** Takes errors that no reader is the cause of. */
  onError: (error: unknown) => void
  /** See the auth plugin. */
  identifyAgain: (request: FastifyRequest) => Identity | Promise<Identity>
}

/** The readers of a service. */
export class ChangeReaders {
  readonly tail: Tail
  readonly feed: Feed
  isClosed = false
  readonly policy: Policy
  readonly #sequence: Sequence
  readonly #slots: Slots
  readonly #turns: Turns
  readonly #onError: (error: unknown) => void
  readonly #unread = new UnreadStreams(() => [...this.#readers].flatMap((reader) => reader.weighed ?? []))
  readonly identifyAgain: ReadersOptions['identifyAgain']
  readonly #refresh: () => unknown
  readonly #readers = new Set<ChangeReader>()
  /** Readers with a pending check of their credential, which get nothing meanwhile; and their notifications of that time. */
  readonly #unsure = new Map<ChangeReader, MembersNotification[]>()
  /** The queue of readers that are behind. */
  readonly #steps = new WeakMap<ChangeReader, StepOfWork>()
  /** Batches in delivery, each with its next reader. */
  readonly #deliveries: { selection: Selection; left: Iterator<ChangeReader> }[] = []
  /** Credentials that this process has just ended. */
  readonly #ended = new Set<string>()
  readonly #answers: (() => void)[] = []
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined

  constructor({ tail, feed, sequence, max, policy, refresh, onError, identifyAgain }: ReadersOptions) {
    this.#onError = onError
    this.#turns = new Turns(onError)
    this.policy = policy
    this.#refresh = refresh
    this.tail = tail
    this.feed = feed
    this.#sequence = sequence
    this.#slots = new Slots(max)
    this.identifyAgain = identifyAgain
  }

  /** The caller as a reader of changes, with its current scope. */
  readerOf(identity: Identity): ScopedReader {
    const principal = principalOf(identity)
    const { id, role } = identity.member
    return { id, role, isUnlimited: principal === undefined, scope: () => this.policy.scopeOf(principal) }
  }

  get size(): number {
    return this.#readers.size
  }

  count(kind: ChangeReader['kind']): number {
    let count = 0
    for (const reader of this.#readers) if (reader.kind === kind) count++
    return count
  }

  /** The newest change: the start of readers that want no earlier ones. */
  newest(): number {
    return this.#sequence.last()
  }

  /** Takes a slot for a reader. @returns releases it. @throws ApiError 503; 429 if one member has too many */
  enter(identity: Identity): () => void {
    if (this.isClosed) throw tooMany(503)
    return this.#slots.take(identity)
  }

  /**
   * Reads a page of the feed, in turns with all readers.
   * @param isOver whether it is no longer needed
   * @throws ApiError 410
   */
  read(query: FeedQuery, reader: Reader, isOver: () => boolean): Promise<FeedPage> {
    const reading = new PageReading(this.feed, query, reader)
    const { promise, resolve, reject } = Promise.withResolvers<FeedPage>()
    this.#turns.add(reader.id, () => {
      try {
        this.#refresh()
        const isMore = !isOver() && reading.step()
        if (!isMore) resolve(reading.page())
        return isMore
      } catch (error) {
        reject(error)
        return false
      }
    })
    return promise
  }

  /** Records that a stream was sent something; unread streams are cut beyond a limit. */
  sent(bytes: number): void {
    this.#unread.sent(bytes)
  }

  /** Sends notifications to the streams of their members. */
  sendNotifications(notifications: readonly MembersNotification[]): void {
    this.#refresh()
    const ofMembers = Map.groupBy(notifications, ({ memberId }) => memberId)
    for (const reader of this.#readers) {
      const own = ofMembers.get(reader.identity.member.id) ?? []
      const waiting = this.#unsure.get(reader)
      if (waiting === undefined) this.#notify(reader, own)
      else if (reader.notify && waiting.push(...own) > NOTIFICATIONS_WAITING)
        this.#attempt(reader, () => reader.end())
    }
  }

  #notify(reader: ChangeReader, notifications: readonly MembersNotification[]): void {
    this.#attempt(reader, () => {
      for (const one of notifications) reader.notify?.(one)
    })
  }

  /** Adds a reader, which gets all changes after its place. */
  add(reader: ChangeReader): void {
    this.#unsubscribe ??= this.tail.subscribe((batch) => this.#deliver(batch))
    this.#timer ??= setInterval(() => this.#round(), ROUND).unref()
    this.#readers.add(reader)
    this.catchUp(reader)
  }

  remove(reader: ChangeReader): void {
    this.#readers.delete(reader)
    this.#unsure.delete(reader)
    if (this.#readers.size > 0) return
    this.#unsubscribe?.()
    clearInterval(this.#timer)
    this.#unsubscribe = undefined
    this.#timer = undefined
  }

  /** Lets a reader catch up, in its turn. */
  catchUp(reader: ChangeReader): void {
    if (reader.place >= this.tail.last || !this.#readers.has(reader)) return
    let step = this.#steps.get(reader)
    if (step === undefined) {
      step = () =>
        this.#readers.has(reader) &&
        !this.#unsure.has(reader) &&
        (this.#attempt(reader, () => reader.replay()) ?? false)
      this.#steps.set(reader, step)
    }
    this.#turns.add(reader.reader.id, step)
  }

  /** Answers long polls, few in one turn. */
  answer(settle: () => void): void {
    if (this.#answers.length === 0) setImmediate(() => this.#answerSome())
    this.#answers.push(settle)
  }

  /** Records that this process is ending a session or token: its readers are checked after the commit. */
  credentialEnds(id: string): void {
    if (this.#readers.size === 0) return
    if (this.#ended.size === 0) setImmediate(() => this.#checkEnded())
    this.#ended.add(id)
  }

  /** Ends all readers, and accepts no new ones. */
  close(): void {
    this.isClosed = true
    // Batches in delivery are still sent.
    while (this.#deliverSome());
    for (const reader of [...this.#readers]) this.#attempt(reader, () => reader.end())
  }

  /** Does work for one reader. An error ends this reader only. @returns the result; undefined after an error */
  #attempt<T>(reader: ChangeReader, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      try {
        reader.fail(error)
      } catch (another) {
        this.#readers.delete(reader)
        this.#onError(another)
      }
      return undefined
    }
  }

  #deliver(batch: Batch): void {
    this.#refresh()
    this.#checkEnded()
    const members = new Set(batch.changes.flatMap(({ row }) => (row.kind === 'member' ? [row.id] : [])))
    if (members.size > 0) this.#check(({ identity }) => members.has(identity.member.id))
    // Readers that are not reached in time are behind when the next one comes.
    if (this.#deliveries.length === BATCHES) this.#deliveries.shift()
    this.#deliveries.push({
      selection: new Selection(batch, this.tail, this.feed),
      left: this.#readers.values(),
    })
    if (this.#deliveries.length === 1) this.#begin(this.#deliverSome)
  }

  /** Runs the first step of the work for all readers at once. */
  #begin(step: StepOfWork): void {
    if (step()) this.#turns.add(ALL, step)
  }

  /** Delivers batches in order. @returns whether there are more */
  readonly #deliverSome = (): boolean => {
    const deadline = performance.now() + STEP_TIME
    for (let next = this.#deliveries[0]; next !== undefined; next = this.#deliveries[0]) {
      for (;;) {
        if (performance.now() > deadline) return true
        const { done, value } = next.left.next()
        if (done) break
        this.#attempt(value, () => this.#hand(next.selection, value))
      }
      this.#deliveries.shift()
    }
    return false
  }

  #hand(selection: Selection, reader: ChangeReader): void {
    const { batch } = selection
    if (reader.place >= batch.last) return
    try {
      if (reader.place === batch.after && !this.#unsure.has(reader)) {
        reader.take(selection)
        return
      }
      reader.miss(selection)
    } catch (error) {
      // It reads these changes in its turn, while unindexed changes are examined.
      if (!(error instanceof TooMuchWork)) throw error
    }
    this.catchUp(reader)
  }

  #answerSome(): void {
    for (const settle of this.#answers.splice(0, ANSWERS_AT_ONCE)) {
      try {
        settle()
      } catch (error) {
        this.#onError(error)
      }
    }
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

  /** Identifies a reader again, and ends it if its identity has changed. */
  #checkOne(reader: ChangeReader): void {
    const settle = (identity: Identity) => {
      if (!reachSame(identity, reader.identity)) reader.end(identity)
    }
    try {
      const identity = this.identifyAgain(reader.request)
      if (!(identity instanceof Promise)) {
        settle(identity)
        return
      }
      const waiting = this.#unsure.get(reader) ?? []
      this.#unsure.set(reader, waiting)
      identity
        .then(settle, (error) => reader.refuse(error))
        .finally(() => {
          this.#unsure.delete(reader)
          if (this.#readers.has(reader)) this.#notify(reader, waiting.splice(0))
          this.catchUp(reader)
        })
        .catch(this.#onError)
    } catch (error) {
      reader.refuse(error)
    }
  }

  #round(): void {
    const left = [...this.#readers].values()
    this.#begin(() => {
      const deadline = performance.now() + STEP_TIME
      for (const reader of left) {
        if (!this.#readers.has(reader)) continue
        this.#attempt(reader, () => {
          this.#checkOne(reader)
          if (this.#readers.has(reader)) reader.tick()
        })
        if (performance.now() > deadline) return true
      }
      return false
    })
  }
}
