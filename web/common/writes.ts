/**
 * The queue of the user's writes. They are sent one after another, so the service gets them in order whatever the network does.
 * Each has an Idempotency-Key, so a write whose response was lost is sent again. Without a connection, writes wait for it.
 */
import { batch, computed, signal } from '@preact/signals'
import { isPassing, PhaseboardError } from './api.ts'
import { liveState, onConnected } from './live.ts'
import type { Pending } from './records.ts'
import { endSession, isLeaving, signedIn } from './session.ts'

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

let last: Promise<unknown> = Promise.resolve()

/** Waits until all current writes have a response. */
export const written = async (): Promise<void> => void (await last)

/**
 * Sends a write.
 * @returns the response
 * @throws PhaseboardError if the service refuses; the optimistic update is reverted by then
 */
export function write<Answer>(job: Write<Answer>): Promise<Answer> {
  unanswered.value++
  if (job.isApart) return perform(job)
  const done = last.then(() => perform(job))
  last = done.catch(() => undefined)
  return done
}

async function perform<Answer>(job: Write<Answer>): Promise<Answer> {
  const end = () => {
    for (const pending of job.pending ?? []) pending.end()
  }
  let isStopped = false
  const stop = () => {
    if (!isStopped) stopped.value++
    isStopped = true
  }
  const timer = job.isApart ? undefined : setTimeout(stop, TIMEOUT)
  try {
    const answer = await sendUntilAnswered(job, stop)
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
    batch(() => {
      unanswered.value--
      if (isStopped) stopped.value--
    })
  }
}

/** @param onStop called if the service is unavailable */
async function sendUntilAnswered<Answer>({ send }: Write<Answer>, onStop: () => void): Promise<Answer> {
  const key = crypto.randomUUID()
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

/** Makes the browser ask for confirmation if the user leaves while writes wait. */
export function warnBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (unanswered.peek() > 0 && !isLeaving.peek()) event.preventDefault()
  })
}
