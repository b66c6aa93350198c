/** Limits of concurrent uploads and downloads of files, and of large bodies: each uses some memory for as long as its client takes. */
import { unavailable } from '../errors.ts'

/** `Retry-After` without a slot, in seconds. */
const RETRY_AFTER = 2

/** Longest wait for a slot, in milliseconds. */
const LONGEST_WAIT = 30_000

/** A request that waits for a slot. */
interface Waiting {
  share: string
  /** @param release releases the slot */
  grant: (release: () => void) => void
}

export class TransferSlots {
  readonly #most: number
  readonly #mostOfShare: number
  readonly #longest: number
  readonly #taken = new Map<string, number>()
  #size = 0
  #waiting: Waiting[] = []

  /**
   * @param most slots
   * @param options `ofShare`: those of one share; `longest`: the longest wait for one, in milliseconds, half a minute by default
   */
  constructor(most: number, { ofShare, longest = LONGEST_WAIT }: { ofShare: number; longest?: number }) {
    this.#most = most
    this.#mostOfShare = ofShare
    this.#longest = longest
  }

  /** The number of taken slots. */
  get taken(): number {
    return this.#size
  }

  /**
   * Takes a slot, or waits for one.
   * @param share whose it is: see `shareOf`
   * @returns releases it; idempotent
   * @throws ApiError 503 after the longest wait
   */
  wait(share: string): Promise<() => void> {
    if (this.#isFree(share)) return Promise.resolve(this.#take(share))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== one)
        reject(unavailable(RETRY_AFTER))
      }, this.#longest).unref()
      const one: Waiting = {
        share,
        grant: (release) => {
          clearTimeout(timer)
          resolve(release)
        },
      }
      this.#waiting.push(one)
    })
  }

  #take(share: string): () => void {
    this.#count(share, 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#count(share, -1)
      this.#grantNext()
    }
  }

  #isFree(share: string): boolean {
    return this.#size < this.#most && (this.#taken.get(share) ?? 0) < this.#mostOfShare
  }

  #count(share: string, change: number): void {
    this.#size += change
    const own = (this.#taken.get(share) ?? 0) + change
    if (own > 0) this.#taken.set(share, own)
    else this.#taken.delete(share)
  }

  #grantNext(): void {
    const next = this.#waiting.find(({ share }) => this.#isFree(share))
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    next.grant(this.#take(next.share))
  }
}
