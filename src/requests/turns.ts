/**
 * Work in small steps, a few milliseconds in each turn of the event loop for all of it together: requests run in between,
 * however much there is to do.
 */

/** Milliseconds of one turn of the event loop. */
const TURN_TIME = 10

/** A small step, of a few milliseconds at most. It must not throw. @returns whether there are more */
export type StepOfWork = () => boolean

/** Work that is waiting, in the order of those it is done for: each gets a step in turn, however much another waits for. */
export class Turns {
  readonly #waiting = new Map<string, Set<StepOfWork>>()
  #isDue = false

  /**
   * Has work done from the next turn on. What waits already is not added again.
   * @param who whom it is done for: members get equal shares, and so do all readers of one member
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
    // Whoever has more to do comes again, behind all others.
    for (const [who, steps] of this.#waiting) {
      const step = steps.values().next().value as StepOfWork
      steps.delete(step)
      if (step()) steps.add(step)
      this.#waiting.delete(who)
      if (steps.size > 0) this.#waiting.set(who, steps)
      if (performance.now() > deadline) break
    }
  }
}

/** Small pieces of work, of some milliseconds at most, each done at once as long as its turn of the event loop has time for it. */
export class Attempts {
  readonly #turns = new Turns()
  /** Milliseconds that were spent in this turn. */
  #spent = 0
  #isCounting = false

  /**
   * Does work now, or, where others have spent the time of this turn, in one of the next.
   * @param who whom it is done for
   * @returns its result; a promise only where it has to wait
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
