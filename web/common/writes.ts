/**
 * The user's writes on their way to the service. Those of one record go one after another, of others four at once. Each has an
 * Idempotency-Key, so one whose answer was lost is sent again; without a connection they wait for it.
 */
import { batch, signal } from '@preact/signals'
import { type Answer, isPassing, PhaseboardError } from './api.ts'
import { onConnected } from './live.ts'
import type { Pending } from './records.ts'
import { endSession, isLeaving, signedIn } from './session.ts'

const AT_ONCE = 4
/** Pause before a write is sent again, if the stream does not say sooner that the service is there, in milliseconds. */
const PAUSE = 5000

/** A write of the user's. */
export interface Write<Data> {
  /** What it is about, e.g. `kanban-item:<id>`: writes on the same go one after another. */
  record: string
  /** Sends it. @param idempotencyKey the same each time it is sent */
  send: (idempotencyKey: string) => Promise<Answer<Data>>
  /** What is shown of it meanwhile; ended when it is answered. */
  pending?: readonly Pending[]
  /** Takes the answer over, in the same frame in which what was pending ends. */
  onDone?: (answer: Answer<Data>) => void
}

/** How many writes are not answered yet. */
const unanswered = signal(0)
/** How many of them wait for the connection. */
export const waitingWrites = signal(0)

const lines = new Map<string, Promise<unknown>>()
const starts: (() => void)[] = []
let running = 0

/**
 * Writes.
 * @returns the answer
 * @throws PhaseboardError when the service refuses; what was pending is taken back by then
 */
export function write<Data>(job: Write<Data>): Promise<Answer<Data>> {
  unanswered.value++
  const key = crypto.randomUUID()
  const before = lines.get(job.record) ?? Promise.resolve()
  const done = before.then(
    () => perform(job, key),
    () => perform(job, key),
  )
  lines.set(job.record, done)
  const leave = () => {
    if (lines.get(job.record) === done) lines.delete(job.record)
  }
  done.then(leave, leave)
  return done
}

async function perform<Data>(job: Write<Data>, key: string): Promise<Answer<Data>> {
  await turn()
  const end = () => {
    for (const pending of job.pending ?? []) pending.end()
  }
  try {
    const answer = await sendUntilAnswered(job, key)
    batch(() => {
      job.onDone?.(answer)
      end()
    })
    return answer
  } catch (error) {
    batch(end)
    throw error
  } finally {
    unanswered.value--
    running--
    starts.shift()?.()
  }
}

function turn(): Promise<void> {
  if (running < AT_ONCE) {
    running++
    return Promise.resolve()
  }
  return new Promise((resolve) =>
    starts.push(() => {
      running++
      resolve()
    }),
  )
}

async function sendUntilAnswered<Data>({ send }: Write<Data>, key: string): Promise<Answer<Data>> {
  for (;;) {
    try {
      return await send(key)
    } catch (error) {
      if (error instanceof PhaseboardError && error.status === 401) {
        endSession()
        await signedIn()
      } else if (isPassing(error)) {
        waitingWrites.value++
        await connection()
        waitingWrites.value--
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
