import { randomFillSync } from 'node:crypto'
import { v7 } from 'uuid'

/** Random bytes per id. */
const SIZE = 16

/** Random bytes for the next ids: one system call for many ids costs as much as for one. */
const pool = new Uint8Array(SIZE * 256)
let used = pool.length

function randomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SIZE
  return pool.subarray(used - SIZE, used)
}

/** The millisecond and the sequence number of the latest id (RFC 9562, section 6.2, method 1). */
let latest = { msecs: 0, seq: 0 }

/** The first sequence number of a millisecond: random, with room to count up. */
const firstOf = (random: Uint8Array) =>
  (((random[6] as number) & 0x3f) << 24) |
  ((random[7] as number) << 16) |
  ((random[8] as number) << 8) |
  (random[9] as number)

/** A new record id: UUIDv7 (RFC 9562), so that ids sort by creation, also within one millisecond. */
export function newId(): string {
  const random = randomBytes()
  const now = Date.now()
  latest =
    now > latest.msecs
      ? { msecs: now, seq: firstOf(random) }
      : // The clock may have been set back; the sequence has room for a thousand million ids.
        { msecs: latest.msecs, seq: latest.seq + 1 }
  return v7({ random, ...latest })
}

/** The millisecond of a UUIDv7, in hexadecimal. */
const MILLISECOND = /^([0-9a-f]{8})-([0-9a-f]{4})-7/

/**
 * A new record id that also sorts after one of an earlier process, since which the clock may have been set back. If that one is no UUIDv7,
 * of another tool, this may be impossible.
 */
export function newIdAfter(earlier: string): string {
  const next = newId()
  const [, high, low] = MILLISECOND.exec(earlier) ?? []
  if (next > earlier || high === undefined) return next
  const random = randomBytes()
  return v7({ random, msecs: Number.parseInt(`${high}${low}`, 16) + 1, seq: firstOf(random) })
}
