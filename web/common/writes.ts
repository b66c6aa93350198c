/**
 * The user's writes on their way to the service, one after another: it has them in the order in which they were done, whatever
 * the network does to requests on their way. Each has an Idempotency-Key, so one whose answer was lost is sent again; without
 * a connection they wait for it.
 */
import { batch, computed, signal } from '@preact/signals'
import { isPassing, PhaseboardError } from './api.ts'
import { liveState, onConnected } from './live.ts'
import type { Pending } from './records.ts'
import { endSession, isLeaving, signedIn } from './session.ts'

/** Pause before a write is sent again, if the stream does not say sooner that the service is there, in milliseconds. */
const PAUSE = 5000
/** How often one is sent again while the service is there: what never succeeds must not hold up the others for ever. */
const REPEATS = 12
/** After how long it is said that a write is not answered, in milliseconds. */
const LATE = 10_000

/** A write of the user's. */
export interface Write<Answer> {
  /** Sends it. @param idempotencyKey the same each time it is sent */
  send: (idempotencyKey: string) => Promise<Answer>
  /** What is shown of it meanwhile; ended when it is answered. */
  pending?: readonly Pending[]
  /** Whether it goes beside the others, which do not wait for it: a file that takes a while, a host that may not answer. */
  isApart?: boolean
  /** Takes the answer over, in the same frame in which what was pending ends. */
  onDone?: (answer: Answer) => void
}

/** How many writes are not answered yet. */
const unanswered = signal(0)
/** How many of them were sent and found no connection, or no answer for long. */
const stopped = signal(0)
/** How many writes wait for the service. */
export const waitingWrites = computed(() => (stopped.value > 0 ? unanswered.value : 0))

let last: Promise<unknown> = Promise.resolve()

/** Waits until all writes of so far are answered. */
export const written = async (): Promise<void> => void (await last)

/**
 * Writes.
 * @returns the answer
 * @throws PhaseboardError when the service refuses; what was pending is taken back by then
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
  const timer = job.isApart ? undefined : setTimeout(stop, LATE)
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

/** @param onStop called where the service is not there */
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

/** Waits until the service is there again, as far as is known. */
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

/** Whoever leaves while writes wait is asked by the browser whether to. */
export function warnBeforeLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if (unanswered.peek() > 0 && !isLeaving.peek()) event.preventDefault()
  })
}
