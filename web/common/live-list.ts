/** Lists that are loaded as a whole, and reloaded after relevant changes. */
import { batch, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Change } from './api.ts'
import { appliedSeq, onChange, onConnected, onReset } from './live.ts'
import { Records } from './records.ts'
import { read } from './session.ts'

/** The minimum delays of a reload in milliseconds, after the previous load and after the change. */
const PAUSE = { reading: 1000, change: 50 }

/** The state of the first load. Loaded data stays if a later load fails. */
type ListState = { step: 'loading' } | { step: 'ready' } | { step: 'failed'; error: unknown }

export class LiveList<T extends { id: string }> {
  readonly records = new Records<T>()
  readonly state = signal<ListState>({ step: 'loading' })
  readonly #read: () => Promise<readonly T[]>
  readonly #isAbout: (change: Change) => boolean
  #users = 0
  #ends: (() => void)[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #readAt = 0
  #isReading = false
  #isStale = false
  /** Whether the last load failed: shown data may be old. */
  #hasFailed = false
  /** How often something was forgotten. */
  #lost = 0

  /**
   * @param readAll loads the whole list
   * @param isAbout whether a change is relevant
   */
  constructor(readAll: () => Promise<readonly T[]>, isAbout: (change: Change) => boolean) {
    this.#read = readAll
    this.#isAbout = isAbout
  }

  /** Loads the list, and updates it while it is in use. @returns a function that ends the use */
  use(): () => void {
    this.#users++
    if (this.#users === 1) {
      this.#ends = [
        onChange((change) => this.#isAbout(change) && this.#schedule()),
        onReset(() => this.refresh()),
        onConnected(() => this.#hasFailed && this.refresh()),
      ]
      if (!this.#isReading) this.refresh()
    }
    return () => {
      this.#users--
      if (this.#users > 0) return
      for (const end of this.#ends) end()
      clearTimeout(this.#timer)
      this.#timer = undefined
    }
  }

  /** Reloads the list. */
  refresh(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#isReading) this.#isStale = true
    else void this.#load()
  }

  /** Removes entries that the user no longer sees, and reloads the list if it is in use. */
  forget(isLost: (record: T) => boolean): void {
    this.#lost++
    this.records.forget(isLost)
    if (this.#users > 0) this.#schedule()
  }

  /** Reloads the list if it is in use. If it is not, clears it, so that its next use loads it. */
  renew(): void {
    if (this.#users > 0) this.#schedule()
    else {
      this.#lost++
      this.records.forget()
      this.state.value = { step: 'loading' }
    }
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    const pause = Math.max(PAUSE.change, this.#readAt + PAUSE.reading - Date.now())
    this.#timer = setTimeout(() => this.refresh(), pause)
  }

  async #load(): Promise<void> {
    this.#isReading = true
    this.#readAt = Date.now()
    const seq = appliedSeq()
    const lost = this.#lost
    this.#hasFailed = false
    try {
      const found = await read(this.#read)
      if (lost !== this.#lost) {
        // The response may contain entries that the user no longer sees.
        this.#isStale = true
        return
      }
      batch(() => {
        this.records.reset(found, seq)
        this.state.value = { step: 'ready' }
      })
    } catch (error) {
      this.#hasFailed = true
      if (this.state.peek().step !== 'ready') this.state.value = { step: 'failed', error }
    } finally {
      this.#isReading = false
      if (this.#isStale && this.#users > 0) this.#schedule()
      this.#isStale = false
    }
  }
}

/** Updates a list while a component is mounted. */
export function useLiveList<T extends { id: string }>(list: LiveList<T>): void {
  useEffect(() => list.use(), [list])
}
