/** Limits of concurrent uploads and downloads of files: each uses some memory for as long as its client takes. */
import { unavailable } from '../errors.ts'

/** `Retry-After` without a slot, in seconds. */
const RETRY_AFTER = 2

/** A member that waits for a slot. */
interface Waiting {
  member: string | null
  /** @param release releases the slot */
  grant: (release: () => void) => void
}

export class FileSlots {
  readonly #most: number
  readonly #mostOfMember: number
  readonly #longest: number
  readonly #taken = new Map<string | null, number>()
  #size = 0
  #waiting: Waiting[] = []

  /**
   * @param most slots
   * @param options `ofMember`: those of one member; `longest`: the longest wait for one, in milliseconds
   */
  constructor(most: number, { ofMember = most, longest = 0 }: { ofMember?: number; longest?: number } = {}) {
    this.#most = most
    this.#mostOfMember = ofMember
    this.#longest = longest
  }

  /** The number of taken slots. */
  get taken(): number {
    return this.#size
  }

  /**
   * Takes a slot, at once. @param member null for the default member, which all clients of the host share
   * @returns releases it; idempotent
   * @throws ApiError 503 if there is none
   */
  take(member: string | null): () => void {
    if (!this.#isFree(member)) throw unavailable(RETRY_AFTER)
    this.#count(member, 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#count(member, -1)
      this.#grantNext()
    }
  }

  /** The same, or waits for one. */
  wait(member: string | null): Promise<() => void> {
    if (this.#isFree(member)) return Promise.resolve(this.take(member))
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((other) => other !== one)
        reject(unavailable(RETRY_AFTER))
      }, this.#longest).unref()
      const one: Waiting = {
        member,
        grant: (release) => {
          clearTimeout(timer)
          resolve(release)
        },
      }
      this.#waiting.push(one)
    })
  }

  #isFree(member: string | null): boolean {
    const own = member === null ? 0 : (this.#taken.get(member) ?? 0)
    return this.#size < this.#most && own < this.#mostOfMember
  }

  #count(member: string | null, change: number): void {
    this.#size += change
    const own = (this.#taken.get(member) ?? 0) + change
    if (own > 0) this.#taken.set(member, own)
    else this.#taken.delete(member)
  }

  #grantNext(): void {
    const next = this.#waiting.find(({ member }) => this.#isFree(member))
    if (next === undefined) return
    this.#waiting = this.#waiting.filter((one) => one !== next)
    next.grant(this.take(next.member))
  }
}
