/**
 * Work in small steps, with a total of a few milliseconds in each turn of the event loop: requests run in between,
 * however much work there is.
 */

/** Milliseconds of one turn of the event loop. */
const TURN_TIME = 10

/** A small step, of a few milliseconds at most. @returns whether there are more; if it throws, there are none */
export type StepOfWork = () => boolean

/** Waiting work by key: the keys take turns, one step each. */
export class Turns {
  readonly #waiting = new Map<string, Set<StepOfWork>>()
  readonly #onError: (error: unknown) => void
  #isDue = false

  /** @param onError takes the errors of steps: other work goes on. It must not throw */
  constructor(onError: (error: unknown) => void) {
    this.#onError = onError
  }

  /**
   * Runs work from the next turn on. Work that already waits is not added again.
   * @param who the key: members get equal shares, and so do all readers of one member
   */
  add(who: string, step: StepOfWork): void {
    const own = this.#waiting.get(who)
    if (own) own.add(step)
    else this.#waiting.set(who, new Set([step]))
    this.#goOn()
  }

  #goOn(): void {
    if (this.#isDue || this.#waiting.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#turn()
      this.#isDue = false
      this.#goOn()
    })
  }

  #turn(): void {
    const deadline = performance.now() + TURN_TIME
    // A key with more work goes to the end of the queue.
    for (const [who, steps] of this.#waiting) {
      const step = steps.values().next().value as StepOfWork
      steps.delete(step)
      if (this.#run(step)) steps.add(step)
      this.#waiting.delete(who)
      if (steps.size > 0) this.#waiting.set(who, steps)
      if (performance.now() > deadline) break
    }
  }

  #run(step: StepOfWork): boolean {
    try {
      return step()
    } catch (error) {
      this.#onError(error)
      return false
    }
  }
}

/** Small pieces of work, of some milliseconds at most, run at once while the turn of the event loop has time. */
export class Attempts {
  /** Errors go to the caller: see `#later`. */
  readonly #turns = new Turns(() => undefined)
  /** Milliseconds used in this turn. */
  #spent = 0
  #isCounting = false

  /**
   * Runs work at once or, if this turn's time is used up, in one of the next turns.
   * @param who the key
   * @returns its result; a promise only if it must wait
   */
  do<T>(who: string, work: () => T): T | Promise<T> {
    if (this.#spent > TURN_TIME) return this.#later(who, work)
    const begin = performance.now()
    try {
      return work()
    } finally {
      this.#spend(performance.now() - begin)
    }
  }

  #spend(milliseconds: number): void {
    this.#spent += milliseconds
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#isCounting = false
      this.#spent = 0
    })
  }

  #later<T>(who: string, work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#turns.add(who, () => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
        return false
      })
    })
  }
}
