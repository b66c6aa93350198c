/**
 * Detects commits of other connections. SQLite's `data_version` costs 2 to 3 µs of locks, so the requests of one poll of the
 * event loop share one check.
 *
 * A request sent after another process's commit was acknowledged still sees that commit: a poll returns when bytes have
 * arrived, and the first bytes of a socket belong to its next request, so a check after the poll is later than the
 * sending of the request. If that does not hold, SQLite is asked again: for a request behind another one on the same
 * socket, whose bytes may have ended the poll, and for one without a socket.
 */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { SharedDatabase } from '../db/client.ts'

/** A poll of the event loop, identified by libuv's counters of turns and events; a turn may have several. */
interface Poll {
  loopCount: number
  events: number
}

const currentPoll = (): Poll => performance.nodeTiming.uvMetricsInfo

const isSame = (one: Poll | undefined, other: Poll) =>
  one !== undefined && one.loopCount === other.loopCount && one.events === other.events

/** The latest request of a socket. */
interface Latest {
  poll: Poll
  /** Whether it has a body, which ends at an unknown time. */
  hasBody: boolean
}

/** Detects commits of other connections. Without a server that reports its requests, SQLite is asked every time. */
export class Freshness {
  readonly #ask: () => number | undefined
  readonly #latest = new WeakMap<Socket, Latest>()
  #version: number | undefined
  /** The poll of the latest request for which a check after that poll is fresh. */
  #arrivedIn: Poll | undefined
  /** The poll of the latest check. */
  #askedIn: Poll | undefined

  constructor({ $client }: SharedDatabase) {
    const pragma = $client.prepare<[], number>('pragma data_version').pluck()
    this.#ask = () => pragma.get()
  }

  /** Records a request once its headers have arrived. All requests of its server must be reported. */
  arrive({ socket, headers, httpVersionMajor }: IncomingMessage): void {
    // An HTTP/2 connection carries concurrent requests.
    if (!(socket instanceof Socket) || httpVersionMajor > 1) {
      this.forget()
      return
    }
    const poll = currentPoll()
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const latest = this.#latest.get(socket)
    if (latest?.hasBody || isSame(latest?.poll, poll)) this.#askedIn = undefined
    this.#arrivedIn = poll
    this.#latest.set(socket, { poll, hasBody })
  }

  /** Makes the next check ask SQLite, for a request without a known poll. */
  forget(): void {
    this.#askedIn = undefined
    this.#arrivedIn = undefined
  }

  /** A number that every commit of another connection changes, as of the sending of the current request or later. */
  version(): number | undefined {
    const poll = currentPoll()
    if (isSame(this.#askedIn, poll)) return this.#version
    // If the check fails, the next request asks again.
    const version = this.versionNow()
    this.#askedIn = isSame(this.#arrivedIn, poll) ? poll : undefined
    return version
  }

  /** The same as of now: reads in the same transaction have this version. */
  versionNow(): number | undefined {
    this.#version = this.#ask()
    return this.#version
  }
}
