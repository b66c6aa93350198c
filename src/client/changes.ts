/** The stream of changes, which reconnects after lost connections. */
import type { Change } from './api.d.ts'
import { PhaseboardError, unanswered } from './errors.ts'
import { readEvents } from './events.ts'
import { isPassing, pause, pauseAfter } from './pauses.ts'
import type { Requests } from './requests.ts'
import type { ChangesOptions } from './types.d.ts'
import { targetOf } from './urls.ts'

const PATH = '/api/changes/stream'
const REQUEST = `GET ${PATH}`
/** Three missed heartbeats of the service, in milliseconds. */
const MAX_SILENCE = 45_000
/** Longest pause between attempts, in milliseconds. */
const LONGEST_PAUSE = 30_000
/** A connection that lasted this long, in milliseconds, counts as good, even without changes. */
const GOOD = 5000

/** Whether reconnecting may help: after temporary failures, not after refusals. */
export const isWorthAnother = (error: unknown): error is PhaseboardError =>
  error instanceof PhaseboardError && (isPassing(error) || error.status >= 500)

/** Waits before the next attempt. @param failures number of failed attempts before */
export const pauseBeforeAnother = (
  failure: PhaseboardError | undefined,
  failures: number,
  signal: AbortSignal | undefined,
): Promise<void> => pause(pauseAfter(failure, failures, LONGEST_PAUSE) ?? LONGEST_PAUSE, signal)

/** The place before the oldest stored change, if a failure is that earlier ones are gone; else 0. */
function placeBeforeOldest(error: unknown): number {
  if (!(error instanceof PhaseboardError) || error.status !== 410) return 0
  const { oldest } = Object(error.details)
  return typeof oldest === 'number' ? oldest - 1 : 0
}

/** The state of one connection. */
class Connection {
  /** Where the next connection continues. */
  place: number | undefined
  /** Whether it brought a change. */
  isUseful = false
  readonly #requests: Requests
  readonly #options: ChangesOptions
  readonly #closing = new AbortController()

  constructor(requests: Requests, options: ChangesOptions, place: number | undefined) {
    this.#requests = requests
    this.#options = options
    this.place = place
  }

  /** Waits for the service, up to its longest silence. @returns a function that ends the wait */
  #awaiting = (): (() => void) => {
    const { maxSilence = MAX_SILENCE } = this.#options
    const timer = setTimeout(() => this.#closing.abort(new Error('the connection is silent')), maxSilence)
    return () => clearTimeout(timer)
  }

  /** Yields each change as it comes. @throws PhaseboardError if the connection fails or is lost */
  async *changes(): AsyncGenerator<Change, void, undefined> {
    const { signal, onState, onPlace, onAccess, onNotification } = this.#options
    const close = () => this.#closing.abort()
    signal?.addEventListener('abort', close)
    try {
      const body = await this.#connect()
      onState?.('connected')
      for await (const { events, id } of readEvents(body, this.#awaiting)) {
        for (const { event, data } of events) {
          // Others of the same piece may be left after the abort.
          if (signal?.aborted) return
          if (event === 'gone') throw this.#gone(data)
          if (event === 'access') onAccess?.(JSON.parse(data))
          if (event === 'notification') onNotification?.(JSON.parse(data))
          if (event === 'change') yield this.#passed(JSON.parse(data))
        }
        // Even without matching changes: examined ones need not be examined again.
        if (id !== undefined) {
          this.place = Number(id)
          onPlace?.(this.place)
        }
      }
    } catch (cause) {
      throw cause instanceof PhaseboardError ? cause : unanswered(cause, REQUEST)
    } finally {
      signal?.removeEventListener('abort', close)
      close()
    }
  }

  #passed(change: Change): Change {
    this.place = change.seq
    this.isUseful = true
    return change
  }

  async #connect(): Promise<ReadableStream<Uint8Array>> {
    const { projectId, itemId, kinds, headers } = this.#options
    const query = { after: this.place, projectId, itemId, kind: kinds?.length ? kinds.join(',') : undefined }
    const init = {
      headers: { ...headers, accept: 'text/event-stream, application/problem+json' },
      signal: this.#closing.signal,
      cache: 'no-store' as const,
    }
    const awaited = this.#awaiting()
    const response = await this.#requests.sendOnce(targetOf(PATH, { query }), REQUEST, init).finally(awaited)
    if (!response.body || !/^text\/event-stream\b/.test(response.headers.get('content-type') ?? '')) {
      throw new PhaseboardError({
        status: response.status,
        error: 'The response is not a stream of Phaseboard',
        request: REQUEST,
      })
    }
    return response.body
  }

  #gone(data: string): PhaseboardError {
    const details = JSON.parse(data)
    return new PhaseboardError({
      status: 410,
      error: 'Changes are gone',
      code: 'changes_gone',
      details,
      request: REQUEST,
    })
  }
}

/** Follows the sequence of changes: see {@link ChangesOptions}. @throws PhaseboardError if reconnecting is useless */
export async function* followChanges(
  requests: Requests,
  options: ChangesOptions = {},
): AsyncGenerator<Change, void, undefined> {
  const { signal, onState } = options
  let place = options.after
  let failures = 0
  while (!signal?.aborted) {
    const connection = new Connection(requests, options, place)
    const since = performance.now()
    let failure: PhaseboardError | undefined
    try {
      yield* connection.changes()
    } catch (error) {
      if (signal?.aborted) return
      const begin = options.after === 0 && connection.place === 0 ? placeBeforeOldest(error) : 0
      if (begin > 0) {
        place = begin
        continue
      }
      // A consumer's error arrives by `throw`, and is passed on.
      if (!isWorthAnother(error)) throw error
      failure = error
    }
    if (signal?.aborted) return
    onState?.('disconnected', failure)
    place = connection.place
    failures = connection.isUseful || performance.now() - since > GOOD ? 0 : failures + 1
    await pauseBeforeAnother(failure, failures, signal)
  }
}
