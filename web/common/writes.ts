/**
 * The queue of the user's writes. They are sent one after another, so the service gets them in order whatever the network does.
 * Each has an Idempotency-Key, so a write whose response was lost is sent again. Without a connection, writes wait for it. While
 * they wait, the tab's storage keeps them, so that a reload does not lose them.
 */
import { batch, computed, signal } from '@preact/signals'
import { randomId } from '../../src/client/random-id.ts'
import {
  describe,
  isAlreadyDone,
  isPassing,
  PhaseboardError,
  type PlainRequest,
  root,
  sendPlain,
} from './api.ts'
import { isKept, type KeptWrite, KeptWrites, type WriteStorage } from './kept-writes.ts'
import { liveState, onConnected } from './live.ts'
import type { Pending } from './records.ts'
import { askAgain, endSession, isLeaving, me, signedIn } from './session.ts'

/** The pause before a write is retried, in milliseconds, unless the stream reconnects sooner. */
const PAUSE = 5000
/** The maximum number of retries while the service is available. A write that never succeeds must not block the others forever. */
const REPEATS = 12
/** The delay after which the page shows that a write has no response, in milliseconds. */
const TIMEOUT = 10_000

/** A write of the user. */
export interface Write<Answer> {
  /** Sends it. @param idempotencyKey the same for each retry */
  send: (idempotencyKey: string) => Promise<Answer>
  /** The message after it, which names it if a reload comes between: "Moved to Done." */
  message?: string
  /** The optimistic update, which ends with the response. */
  pending?: readonly Pending[]
  /** Whether it bypasses the queue, because it may be slow: a file upload, or a host that may not respond. */
  isApart?: boolean
  /** Stores the response, in the same frame in which the optimistic update ends. */
  onDone?: (answer: Answer) => void
}

/** The number of writes without a response. */
const unanswered = signal(0)
/** The number of writes that were sent and found no connection, or have had no response for long. */
const stopped = signal(0)
/** The number of writes that wait for the service. */
export const waitingWrites = computed(() => (stopped.value > 0 ? unanswered.value : 0))

/** The last write of the queue: whether it failed. */
let last = Promise.resolve(false)

/** Waits until all current writes have a response. @returns whether the last of them failed, if there are any */
export const written = async (): Promise<boolean> => {
  const isAny = [...all].some(({ job }) => !job.isApart)
  return (await last) && isAny
}

/** A write without a response. */
interface Waiting {
  job: Write<unknown>
  /** The same for each retry. */
  key: string
  at: number
  /** Its stored form; null for none, undefined if that is not known yet. */
  kept?: KeptWrite | null
}

/** In their order. */
const all = new Set<Waiting>()

/** The tab's storage, if it is allowed. It is the tab's own, so that no other tab sends the same. */
function tabStorage(): WriteStorage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}

const kept = new KeptWrites(tabStorage(), root)
let isAnyKept = false

function keptOf(waiting: Waiting): KeptWrite | null {
  if (waiting.kept !== undefined) return waiting.kept
  const { job, key, at } = waiting
  const request = job.isApart ? undefined : describe(() => job.send(key))
  waiting.kept = request && isKept(request) ? { request, message: job.message ?? '', at } : null
  return waiting.kept
}

/** Stores the waiting writes in the tab's storage. @returns whether all are stored */
function keepWaiting(): boolean {
  const owner = me.peek()?.id
  // The page is about to reload for another user.
  if (owner === undefined || isLeaving.peek()) return false
  const writes = [...all].map(keptOf).filter((one) => one !== null)
  isAnyKept = writes.length > 0
  return kept.keep(owner, writes) === all.size
}

/**
 * Sends a write.
 * @returns the response
 * @throws PhaseboardError if the service refuses; the optimistic update is reverted by then
 */
export function write<Answer>(job: Write<Answer>): Promise<Answer> {
  return enqueue(job, { key: randomId(), at: Date.now() })
}

function enqueue<Answer>(job: Write<Answer>, more: Omit<Waiting, 'job'>): Promise<Answer> {
  const waiting: Waiting = { job: job as Write<unknown>, ...more }
  unanswered.value++
  all.add(waiting)
  if (stopped.peek() > 0) keepWaiting()
  // It waits behind the write that found this.
  askAgain()
  if (job.isApart) return perform(job, waiting)
  const done = last.then(() => perform(job, waiting))
  last = done.then(
    () => false,
    () => true,
  )
  return done
}

async function perform<Answer>(job: Write<Answer>, waiting: Waiting): Promise<Answer> {
  const end = () => {
    for (const pending of job.pending ?? []) pending.end()
  }
  let isStopped = false
  const stop = () => {
    if (isStopped) return
    isStopped = true
    stopped.value++
    keepWaiting()
  }
  const timer = job.isApart ? undefined : setTimeout(stop, TIMEOUT)
  try {
    const answer = await sendUntilAnswered(job, waiting.key, stop)
    batch(() => {
      job.onDone?.(answer)
      end()
    })
    return answer
  } catch (error) {
    batch(end)
    throw error
  } finally {
    clearTimeout(timer)
    all.delete(waiting)
    batch(() => {
      unanswered.value--
      if (isStopped) stopped.value--
    })
    if (isAnyKept) keepWaiting()
  }
}

/** @param onStop called if the service is unavailable */
async function sendUntilAnswered<Answer>(
  { send }: Write<Answer>,
  key: string,
  onStop: () => void,
): Promise<Answer> {
  for (let repeats = 0; ; ) {
    try {
      return await send(key)
    } catch (error) {
      if (error instanceof PhaseboardError && error.status === 401) {
        endSession()
        await signedIn()
      } else if (isPassing(error) && repeats < REPEATS) {
        if (liveState.peek() === 'live') repeats++
        onStop()
        await connection()
      } else {
        throw error
      }
    }
  }
}

/** Waits until the service seems available again. */
function connection(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop()
      resolve()
    }
    const stop = onConnected(end)
    const timer = setTimeout(end, PAUSE)
  })
}

/** The results of the writes that waited when the page was reloaded. */
interface Resumed {
  /** The number of sent writes. */
  sent: number
  /** The messages of those that were not saved, with the reason; undefined if too much time has passed. */
  refused: { message: string; error?: unknown }[]
}

/**
 * Sends the writes that waited when the page was reloaded, before any newer one. Those of another member are forgotten.
 * @param owner the id of the member
 */
export async function resumeWrites(owner: string): Promise<Resumed> {
  const { writes, late } = kept.take(owner)
  const sending = writes.map((one) =>
    enqueue(
      { send: () => sendPlain(one.request), message: one.message },
      { key: keyOf(one.request), at: one.at, kept: one },
    ),
  )
  // Until they are answered, another reload must not lose them.
  if (writes.length > 0) keepWaiting()
  const results = await Promise.allSettled(sending)
  const refused = results.flatMap((result, index) =>
    result.status === 'rejected' && !isAlreadyDone(result.reason)
      ? [{ message: writes[index]?.message ?? '', error: result.reason }]
      : [],
  )
  return {
    sent: results.length - refused.length,
    refused: [...late.map(({ message }) => ({ message })), ...refused],
  }
}

const keyOf = ({ options }: PlainRequest): string => options.idempotencyKey ?? ''

/** Whether the page is about to reload, with all waiting writes in the tab's storage. */
let isReloading = false

/** Reloads the page. The browser asks first only if that loses waiting writes. */
export function reload(): void {
  isReloading = keepWaiting()
  location.reload()
}

/** Makes the browser ask for confirmation if the user leaves while writes wait, and keeps them for a reload. */
export function warnBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (unanswered.peek() > 0 && !isLeaving.peek() && !isReloading) event.preventDefault()
  })
  const keepAny = () => {
    if (all.size > 0) keepWaiting()
  }
  addEventListener('pagehide', keepAny)
  document.addEventListener('visibilitychange', keepAny)
}
