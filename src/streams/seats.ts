/** How many may follow the changes at the same time: in all, and of one member. */
import { ApiError } from '../errors.ts'
import type { Identity } from '../members/identity.ts'

/** Of all seats, those that one member may take ... */
const SHARE = 0.1
/** ... and so many in any case. */
const LEAST = 10

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5

/** Whose an identity's readers are; undefined for the default member: that is everybody who can reach the host. */
export const ownerOf = ({ member, via }: Identity): string | undefined =>
  via === 'default' ? undefined : member.id

/** The seats of all who follow the changes. */
export class Seats {
  readonly #max: number
  readonly #share: number
  readonly #taken = new Map<string | undefined, number>()
  #size = 0

  constructor(max: number) {
    this.#max = max
    this.#share = Math.max(LEAST, Math.floor(max * SHARE))
  }

  /**
   * Takes a seat.
   * @returns gives it back; again is no matter
   * @throws ApiError 503 where all are taken; 429 where the member has its share
   */
  take(identity: Identity): () => void {
    if (this.#size >= this.#max) throw tooMany(503)
    const owner = ownerOf(identity)
    const own = this.#taken.get(owner) ?? 0
    if (owner !== undefined && own >= this.#share) throw tooMany(429)
    this.#size++
    this.#taken.set(owner, own + 1)
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#size--
      const left = Number(this.#taken.get(owner)) - 1
      if (left > 0) this.#taken.set(owner, left)
      else this.#taken.delete(owner)
    }
  }
}

/** The answer to one too many. */
export const tooMany = (status: 429 | 503) =>
  new ApiError(status, 'Too many streams', {
    headers: { 'retry-after': String(RETRY_AFTER) },
    code: 'too_many_streams',
  })
