/** Limits of concurrent readers of changes: in total, and per member. */
import { ApiError } from '../errors.ts'
import type { Identity } from '../members/identity.ts'

/** The share of all slots that one member may take ... */
const SHARE = 0.1
/** ... but at least this many. */
const LEAST = 10

/** `Retry-After`, in seconds. */
const RETRY_AFTER = 5

/** The member of an identity; undefined for the default member, which all clients of the host share. */
export const ownerOf = ({ member, via }: Identity): string | undefined =>
  via === 'default' ? undefined : member.id

/** The slots of all readers of changes. */
export class Slots {
  readonly #max: number
  readonly #share: number
  readonly #taken = new Map<string | undefined, number>()
  #size = 0

  constructor(max: number) {
    this.#max = max
    this.#share = Math.max(LEAST, Math.floor(max * SHARE))
  }

  /**
   * Takes a slot.
   * @returns releases it; idempotent
   * @throws ApiError 503 if all are taken; 429 if the member has its share
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

/** The error for one too many. */
export const tooMany = (status: 429 | 503) =>
  new ApiError(status, 'Too many streams', {
    headers: { 'retry-after': String(RETRY_AFTER) },
    code: 'too_many_streams',
  })
