/**
 * One stream of changes for all tabs of a browser, which has six connections to a host. A tab holds a lock while it reads the
 * stream, and passes on what arrives by a channel. The lock goes to another tab when that tab is closed, crashes or is hidden. If
 * it hangs, another tab takes the lock. Tabs of other users have other locks and channels.
 */
import { randomId } from '../../src/client/random-id.ts'
import type { AccessChange, Change, MemberNotification } from './api.ts'

/** An event of the stream: a change, an access change, a notification of the user, or its position. */
export type Arrival =
  | { kind: 'change'; change: Change }
  | { kind: 'access'; access: AccessChange }
  | { kind: 'notification'; notification: MemberNotification }
  | { kind: 'place'; seq: number }

/** The messages between tabs. */
type Message =
  /** From the reader. `reading`: its position is known from now on. */
  | { type: 'reading' | 'alive' | 'lost' | 'ended' }
  | { type: 'arrival'; arrival: Arrival }
  /** To one tab: the events that it has missed; `isGap` if they are unknown. */
  | { type: 'welcome'; to: string; missed: readonly Arrival[]; isGap: boolean; seq: number }
  /** To the reader. `ask`: whether it hangs. `retry`: the service responds again. */
  | { type: 'hello'; from: string; after: number | undefined }
  | { type: 'ask' | 'retry' }

/** A tab, as the stream sees it. */
export interface Tab {
  /** Its position; undefined before it has one. */
  place: () => number | undefined
  /** Whether it is connected, as the reader. */
  isConnected: () => boolean
  /** Reads the stream until the signal is aborted. */
  read: (signal: AbortSignal) => void
  /** Handles events that another tab has read. */
  take: (arrival: Arrival) => void
  /** Handles a gap: everything up to this position may be missing. */
  restart: (seq: number) => void
  /** The reader has lost the connection. */
  lost: () => void
  /** The reader's session has ended. */
  ended: () => void
  /** Connects at once, as the reader. */
  retry: () => void
}

/** The number of events that the reader stores, for tabs that come back. */
const REMEMBERED = 500
/** The interval of the reader's heartbeat, and how long other tabs wait for it, in milliseconds. */
const ALIVE = { every: 5000, within: 20_000 }

/** Whether the browser supports this. Without TLS it has no locks, and each tab has its own stream. */
export const canShare = (): boolean => 'locks' in navigator && 'BroadcastChannel' in globalThis

/** A tab's part in reading one stream, until it is closed. */
export class TabStream {
  readonly #name: string
  readonly #tab: Tab
  /** Distinguishes the answers to its latest hello from those to earlier ones. */
  #id = ''
  readonly #channel: BroadcastChannel
  readonly #alive: typeof ALIVE
  readonly #closing = new AbortController()
  /** Ends the latest request for the lock, or the reading under it. */
  #losing: AbortController | undefined
  #isReader = false
  /** Whether another tab listens. */
  #hasListeners = false
  /** Whether the reader has sent the events that this tab has missed. Until then, this tab ignores its messages. */
  #isWelcome = false
  /** The latest arrivals, each with the position before it. */
  #remembered: { after: number; arrival: Arrival }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  /** @param name distinguishes services and users @param alive the interval of the heartbeat, and how long other tabs wait for it */
  constructor(name: string, tab: Tab, alive = ALIVE) {
    this.#alive = alive
    this.#name = `phaseboard:stream:${name}`
    this.#tab = tab
    this.#channel = new BroadcastChannel(this.#name)
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data)
    this.#hello()
    this.#awaitReader()
    void this.#request(false)
  }

  get isReader(): boolean {
    return this.#isReader
  }

  /** Sends an event that this tab has read to the other tabs. @param before the position before it */
  arrived(arrival: Arrival, before: number | undefined): void {
    if (!this.#isReader) return
    if (before === undefined) {
      // The position is only known now: other tabs may ask from here on.
      this.#remembered = []
      this.#post({ type: 'reading' })
      return
    }
    if (arrival.kind !== 'place') {
      this.#remembered.push({ after: before, arrival })
      if (this.#remembered.length > REMEMBERED) this.#remembered.shift()
    }
    if (this.#hasListeners) this.#post({ type: 'arrival', arrival })
  }

  /** Notifies the other tabs that the connection is lost, or that the session has ended. */
  notify(type: 'lost' | 'ended'): void {
    if (this.#isReader) this.#post({ type })
  }

  /** Connects at once: as the reader, or by the reader. */
  retry(): void {
    if (this.#isReader) this.#tab.retry()
    else this.#post({ type: 'retry' })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#closing.abort()
    this.#isReader = false
    this.#channel.close()
  }

  #post(message: Message): void {
    if (!this.#closing.signal.aborted) this.#channel.postMessage(message)
  }

  #hello(): void {
    this.#isWelcome = false
    this.#id = randomId()
    this.#post({ type: 'hello', from: this.#id, after: this.#tab.place() })
  }

  /** Waits for the lock, or takes it from a tab that hangs. */
  async #request(steal: boolean): Promise<void> {
    const { signal } = this.#closing
    // A request that still waits would stay in the queue.
    this.#losing?.abort()
    const losing = new AbortController()
    this.#losing = losing
    const stop = AbortSignal.any([signal, losing.signal])
    try {
      await navigator.locks.request(this.#name, steal ? { steal } : { signal: stop }, () => {
        if (stop.aborted) return
        this.#lead(stop)
        return new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()))
      })
    } catch {
      // Closed, or this tab hung and another one took the lock, or this tab takes it from one that hangs.
    }
    losing.abort()
    if (signal.aborted || losing !== this.#losing) return
    this.#isReader = false
    this.#hello()
    this.#awaitReader()
    void this.#request(false)
  }

  #lead(stop: AbortSignal): void {
    this.#isReader = true
    this.#remembered = []
    this.#sayAlive()
    this.#post({ type: 'reading' })
    this.#tab.read(stop)
  }

  #sayAlive(): void {
    clearTimeout(this.#timer)
    if (!this.#isReader) return
    this.#post({ type: 'alive' })
    this.#timer = setTimeout(() => this.#sayAlive(), this.#alive.every)
  }

  /** Takes the lock if the reader's heartbeat stops and it does not answer either. Not all tabs at the same moment. */
  #awaitReader(): void {
    this.#wait(this.#alive.within * (1 + Math.random() / 4), () => {
      // Browsers slow down the timers of a hidden reader, but not its messages.
      this.#post({ type: 'ask' })
      this.#wait(this.#alive.every, () => void this.#request(true))
    })
  }

  #wait(time: number, then: () => void): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#isReader || this.#closing.signal.aborted || then(), time)
  }

  #receive(message: Message): void {
    if (this.#isReader) this.#receiveAsReader(message)
    else this.#receiveAsListener(message)
  }

  #receiveAsReader(message: Message): void {
    if (message.type === 'retry') this.#tab.retry()
    if (message.type === 'ask') this.#post({ type: 'alive' })
    if (message.type !== 'hello') return
    this.#hasListeners = true
    const seq = this.#tab.place()
    // It is sent once it is known.
    if (seq === undefined) return
    const { from, after } = message
    const first = this.#remembered[0]?.after ?? seq
    const isGap = after === undefined || after < first
    const missed = isGap
      ? []
      : this.#remembered.filter((one) => one.after >= after).map(({ arrival }) => arrival)
    this.#post({ type: 'welcome', to: from, missed, isGap, seq })
    if (!this.#tab.isConnected()) this.#post({ type: 'lost' })
  }

  #receiveAsListener(message: Message): void {
    const { type } = message
    if (
      type === 'hello' ||
      type === 'ask' ||
      type === 'retry' ||
      (type === 'welcome' && message.to !== this.#id)
    )
      return
    this.#awaitReader()
    if (type === 'reading') this.#hello()
    else if (type === 'ended') this.#tab.ended()
    else if (type === 'lost') this.#tab.lost()
    else if (type === 'arrival' && this.#isWelcome) this.#tab.take(message.arrival)
    else if (type === 'welcome') {
      this.#isWelcome = true
      if (message.isGap) this.#tab.restart(message.seq)
      else {
        for (const arrival of message.missed) this.#tab.take(arrival)
        this.#tab.take({ kind: 'place', seq: message.seq })
      }
    }
  }
}
