/**
 * Notices commits of other connections. SQLite's `data_version` says so at 2 to 3 µs of locks; the requests that one poll of the
 * event loop brings share one question.
 *
 * A request that was sent after another process's commit was acknowledged still sees that commit: a poll returns when bytes have
 * come, and the first bytes of a socket are those of its next request, so that whatever is asked after the poll is asked
 * after the request was sent. Where that does not follow, SQLite is asked again: for a request behind another one on the same
 * socket, whose bytes may be what the poll returned for, and for one that came without a socket.
 */
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { SharedDatabase } from '../db/client.ts'

/** A poll of the event loop: libuv counts turns before each, and events after it, of which a turn may have several. */
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
  /** Whether it has a body, whose end comes nobody knows when. */
  hasBody: boolean
}

/** When other connections have committed. Without a server that tells of its requests, SQLite is asked every time. */
export class Freshness {
  readonly #ask: () => number | undefined
  readonly #latest = new WeakMap<Socket, Latest>()
  #version: number | undefined
  /** The poll that brought the latest request for which an answer since that poll is fresh. */
  #arrivedIn: Poll | undefined
  /** The poll since which the version is known. */
  #askedIn: Poll | undefined

  constructor({ $client }: SharedDatabase) {
    const pragma = $client.prepare<[], number>('pragma data_version').pluck()
    this.#ask = () => pragma.get()
  }

  /** Takes note of a request, as soon as its headers are there. Every request of its server has to be told. */
  arrive({ socket, headers, httpVersionMajor }: IncomingMessage): void {
    // Over HTTP/2 a connection carries many requests at a time.
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

  /** SQLite is asked again, for a request of which nothing is known. */
  forget(): void {
    this.#askedIn = undefined
    this.#arrivedIn = undefined
  }

  /** A number that every commit of another connection changes, as of when the present request was sent, or later. */
  version(): number | undefined {
    const poll = currentPoll()
    if (isSame(this.#askedIn, poll)) return this.#version
    this.#askedIn = isSame(this.#arrivedIn, poll) ? poll : undefined
    return this.versionNow()
  }

  /** The same as of now: what is read in one transaction with it has this version. */
  versionNow(): number | undefined {
    this.#version = this.#ask()
    return this.#version
  }
}
