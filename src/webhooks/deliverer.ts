/**
 * Delivers changes to webhooks while the service runs: each webhook gets its changes in order, one at a
 * time, and its place is stored after each success. A delivery in flight when the service ends, however it ends, is sent again
 * after the next start.
 *
 * Each of at most a hundred webhooks waits only for its own receiver: a slow one does not delay others.
 */
import { setImmediate } from 'node:timers/promises'
import { createCache } from '../cache.ts'
import { toChange } from '../changes/api-changes.ts'
import { Consumer, type ConsumerDependencies } from '../changes/consumer.ts'
import type { ChangeHead, Sequence } from '../changes/sequence.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { webhooks } from '../db/schema.ts'
import { ApiError } from '../errors.ts'
import type { WebhookDelivery } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { isChat } from './chat-formats.ts'
import type { ChatMessages } from './chat-messages.ts'
import {
  type Delivered,
  type Deliveries,
  JITTER,
  RETRY_DELAYS,
  receives,
  type Skipped,
  secretsOf,
  type Target,
} from './deliveries.ts'
import { WAITED } from './host-lookup.ts'
import type { Attempt, InTurn, Message, Sender } from './webhook-sender.ts'

/** Milliseconds between polls of the table: another service may have changed it, and retries become due. */
export const HEARTBEAT = 1000

/** Changes examined at a time. */
const SLICE = 100

/** How many changes that are not for the webhook its stored place may lag. */
const SKIPS_STORED_AFTER = 1000

/** Latest changes whose messages are kept for other webhooks. */
const BODIES_KEPT = 10

/** Concurrent test deliveries, at most. */
const TESTS_LIMIT = 20

/** Notifies of possible new changes. */
export interface Tail {
  /** @returns a function that ends it */
  subscribe: (listener: () => void) => () => void
}

/** Stores outcomes: `Deliveries` as writes that resolve once they are on disk. */
export interface Outcomes {
  delivered: (...args: Parameters<Deliveries['delivered']>) => Promise<number | undefined>
  failed: (...args: Parameters<Deliveries['failed']>) => Promise<void>
  skipped: (...args: Parameters<Deliveries['skipped']>) => Promise<void>
}

/** The dependencies of the deliverer. */
export interface DelivererOptions extends ConsumerDependencies {
  sequence: Pick<Sequence, 'heads' | 'one' | 'groupOf'>
  deliveries: Pick<Deliveries, 'active' | 'target'>
  outcomes: Outcomes
  sender: Sender
  chat: Pick<ChatMessages, 'bodyOf' | 'test'>
  inTurn: InTurn
  tail: Tail
}

/** An active webhook. */
interface Place {
  webhook: Target
  /** The `after` and filter of the queue. */
  basis: string
  /** The matching changes, up to the last examined one. */
  queue: number[]
  examined: number
  /** When its place was stored, or first seen, by the monotonic clock. */
  storedAt: number
  /** The failure count of the next attempt, and the attempt's time by the monotonic clock. */
  retryOf: string
  dueAt: number
  isRunning: boolean
}

/** The next change for a webhook, which is as it was then. */
interface Next {
  seq: number
  webhook: Target
  queue: number[]
  /** Undefined if it was pruned, or if a chat is not told of it. */
  message: Message | undefined
}

const basisOf = ({ after, projectId, kinds, format }: Target) =>
  JSON.stringify([after, projectId, kinds, format])

/** The deliverer of one process. */
export class Deliverer {
  /** Delivery attempts, by result. */
  readonly attempts = { delivered: 0, failed: 0 }
  readonly #options: DelivererOptions
  readonly #places = new Map<string, Place>()
  readonly #consumer: Consumer
  /** Bodies of messages by `seq`. */
  readonly #bodies = createCache<number, Buffer>(BODIES_KEPT)
  /** Running test deliveries. */
  #tests = 0
  #unsubscribe: (() => void) | undefined

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#consumer = new Consumer({
      ...options,
      heartbeat: HEARTBEAT,
      look: () => {
        // Changes may have been pruned.
        this.#bodies.clear()
        this.refresh()
        this.#storeSkips()
      },
      failure: 'could not look for changes to deliver',
    })
  }

  /** Starts delivering changes. */
  start(): void {
    this.#consumer.start()
  }

  /** Stops: aborts deliveries in flight, and waits for their end. */
  async stop(): Promise<void> {
    this.#follow(false)
    await this.#consumer.stop()
    this.#options.sender.close()
  }

  /** Reads changes in the table of webhooks. */
  refresh(): void {
    if (this.#consumer.isStopped) return
    this.#consumer.attempt(() => {
      const active = this.#options.deliveries.active()
      const targets = active.length > 0 && this.#consumer.takesLock() ? active : []
      const ids = new Set(targets.map(({ id }) => id))
      for (const [id, { isRunning }] of this.#places) if (!isRunning && !ids.has(id)) this.#places.delete(id)
      for (const webhook of targets) this.#adopt(webhook)
      this.#follow(targets.length > 0)
      this.#look()
    })
  }

  /**
   * Delivers a test message, whatever state the webhook is in; its place does not change.
   * @returns the result, which is not stored
   * @throws ApiError 404; 503 while too many tests run
   */
  async test(webhookId: string): Promise<WebhookDelivery> {
    const target = this.#options.deliveries.target(webhookId) ?? throwNotFound(webhooks)
    if (this.#tests >= TESTS_LIMIT) {
      throw new ApiError(503, 'Too many tests at the same time', { headers: { 'retry-after': '10' } })
    }
    this.#tests += 1
    try {
      const createdAt = timestamp(this.#options.clock.now())
      const id = `${webhookId}.test-${newId()}`
      const data = { webhookId, message: 'This is a test of the webhook: nothing has changed.' }
      const body = isChat(target.format)
        ? this.#options.chat.test(target)
        : Buffer.from(JSON.stringify({ type: 'webhook.test', timestamp: createdAt, data }))
      const secrets = secretsOf(target, this.#options.clock.now())
      const attempt = await this.#send({ id, url: target.url, secrets, body })
      return { id, webhookId, seq: null, ...attempt, createdAt }
    } finally {
      this.#tests -= 1
    }
  }

  /** Follows the sequence while there are active webhooks. */
  #follow(isNeeded: boolean): void {
    if (isNeeded === (this.#unsubscribe !== undefined)) return
    this.#unsubscribe?.()
    this.#unsubscribe = isNeeded ? this.#options.tail.subscribe(() => this.#look()) : undefined
  }

  #send(message: Message): Promise<Attempt> {
    return this.#options.sender.send(message, this.#consumer.stopping)
  }

  /** Updates a webhook: its place and filter may have been set, or its failures reset. */
  #adopt(webhook: Target): Place {
    const { clock } = this.#options
    const basis = basisOf(webhook)
    const place = this.#places.get(webhook.id) ?? {
      webhook,
      basis: '',
      queue: [],
      examined: 0,
      storedAt: clock.elapsed(),
      retryOf: '',
      dueAt: 0,
      isRunning: false,
    }
    this.#places.set(webhook.id, place)
    place.webhook = webhook
    if (place.basis !== basis) Object.assign(place, { basis, queue: [], examined: webhook.after })
    const { attempts, retryAt } = webhook
    const retryOf = `${attempts} ${retryAt}`
    if (place.retryOf !== retryOf) {
      // The system clock may have been set back since.
      const longest = (RETRY_DELAYS[attempts - 1] ?? 0) * (1 + JITTER)
      const delay = Math.min(Date.parse(retryAt ?? '') - clock.now(), longest)
      Object.assign(place, { retryOf, dueAt: clock.elapsed() + delay })
    }
    return place
  }

  /** Whether the next attempt is due, by either clock, since one stops while the machine sleeps. */
  #isDue({ webhook: { retryAt }, dueAt }: Place): boolean {
    const { clock } = this.#options
    if (retryAt === null || clock.elapsed() >= dueAt) return true
    return !(clock.now() < Date.parse(retryAt))
  }

  /** Examines new changes, and starts to deliver matching ones. */
  #look(): void {
    const slices = new Map<number, ChangeHead[]>()
    // Webhooks that are up to date read the same slice.
    const read = (seq: number) => {
      const slice = slices.get(seq) ?? [...this.#options.sequence.heads(seq, SLICE)]
      slices.set(seq, slice)
      return slice
    }
    for (const place of this.#places.values()) {
      if (place.isRunning || this.#consumer.isStopped || !this.#isDue(place)) continue
      const isMore = place.queue.length === 0 && this.#examine(place, read)
      if (isMore || place.queue.length > 0) this.#run(place)
    }
  }

  /** Examines the next changes. @returns whether there may be more */
  #examine(place: Place, read: (seq: number) => ChangeHead[]): boolean {
    const heads = read(place.examined)
    for (const head of heads) {
      if (receives(place.webhook, head)) place.queue.push(head.seq)
      place.examined = head.seq
    }
    return heads.length === SLICE
  }

  /** Delivers a webhook's queue. */
  #run(place: Place): void {
    place.isRunning = true
    const deliver = () =>
      this.#deliverAll(place).finally(() => {
        place.isRunning = false
      })
    void this.#consumer.run(deliver, 'could not deliver changes to a webhook')
  }

  async #deliverAll(place: Place): Promise<void> {
    while (!this.#consumer.isStopped) {
      // All webhooks may have a large change to deliver.
      const next = await this.#options.inTurn(place.webhook.id, () => this.#next(place))
      if (next === undefined) return
      if (next === 'later') await setImmediate()
      else await this.#deliver(place, next)
    }
  }

  /** The next change of a webhook; undefined if there is none, or none is due, and `later` if it must be looked for further. */
  #next(place: Place): Next | 'later' | undefined {
    const { deliveries, sequence } = this.#options
    const webhook = deliveries.target(place.webhook.id)
    if (!webhook?.active) return undefined
    this.#adopt(webhook)
    if (!this.#isDue(place)) return undefined
    const isMore = place.queue.length === 0 && this.#examine(place, (seq) => [...sequence.heads(seq, SLICE)])
    const [seq] = place.queue
    if (seq === undefined) return isMore ? 'later' : undefined
    return { seq, webhook, queue: place.queue, message: this.#messageOf(webhook, seq) }
  }

  /** Delivers a change, and stores the result. */
  async #deliver(place: Place, { seq, webhook, queue, message }: Next): Promise<void> {
    const { outcomes, clock } = this.#options
    if (message === undefined) {
      queue.shift()
      return
    }
    const attempt = await this.#send(message)
    const delivered: Delivered = { seq, attempt }
    if (attempt.error !== null) {
      if (this.#consumer.isStopped || attempt.error === WAITED) return
      this.attempts.failed++
      const jitter = JITTER * (2 * Math.random() - 1)
      await this.#store(() => outcomes.failed(webhook, delivered, clock.now(), jitter))
      return
    }
    this.attempts.delivered++
    const to = place.queue === queue && queue.length === 1 ? place.examined : seq
    const after = await this.#store(() => outcomes.delivered(webhook.id, delivered, webhook.after, to))
    // Otherwise it was set meanwhile, and the queue is rebuilt.
    if (after !== to || place.queue !== queue) return
    queue.shift()
    place.webhook = { ...webhook, after }
    place.basis = basisOf(place.webhook)
    place.storedAt = clock.elapsed()
  }

  /** The message of a change; undefined if it was pruned, or if a chat is not told of it. */
  #messageOf(target: Target, seq: number): Message | undefined {
    const { id, url } = target
    const body = isChat(target.format) ? this.#chatBodyOf(target, seq) : this.#bodyOf(seq)
    return body && { id: `${id}.${seq}`, url, secrets: secretsOf(target, this.#options.clock.now()), body }
  }

  #chatBodyOf(target: Target, seq: number): Buffer | undefined {
    const { chat, sequence } = this.#options
    const row = sequence.one(seq)
    return row && chat.bodyOf(row, target)
  }

  #bodyOf(seq: number): Buffer | undefined {
    const kept = this.#bodies.get(seq)
    if (kept !== undefined) return kept
    const { sequence } = this.#options
    const row = sequence.one(seq)
    if (row === undefined) return undefined
    const data = toChange(row, sequence.groupOf(row))
    const body = Buffer.from(JSON.stringify({ type: `${row.kind}.${row.action}`, timestamp: row.at, data }))
    this.#bodies.set(seq, body)
    return body
  }

  #store<T>(write: () => Promise<T>): Promise<T> {
    return this.#consumer.store(write, 'could not store how a delivery went')
  }

  /** Stores places that have moved past non-matching changes. */
  #storeSkips(): void {
    const now = this.#options.clock.elapsed()
    const skips: Skipped[] = []
    for (const place of this.#places.values()) {
      const { webhook, examined, queue, isRunning, storedAt } = place
      const skipped = examined - webhook.after
      const isLate = this.#consumer.isLate(skipped, SKIPS_STORED_AFTER, storedAt)
      if (isRunning || queue.length > 0 || !isLate) continue
      skips.push({ id: webhook.id, from: webhook.after, to: examined })
      place.storedAt = now
    }
    if (skips.length === 0) return
    const store = () => this.#options.outcomes.skipped(skips)
    void this.#consumer.run(store, 'could not store the places of webhooks')
  }
}
