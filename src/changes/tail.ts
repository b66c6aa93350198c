/**
 * The tail of the sequence: the only reader in a process that detects new changes, by any process, and passes them to
 * all followers. Each change is read, decoded and serialised once, for any number of followers.
 */
import { LRUCache } from 'lru-cache'
import { changeText } from './change-text.ts'
import type { Feed } from './feed.ts'
import { containsName } from './forgetting.ts'
import type { ChangeRow, Sequence } from './sequence.ts'

/** Milliseconds between two polls for other connections' commits, while there are followers. A poll takes some µs. */
const INTERVAL = 50

/** Most changes of one batch, and bytes of their records, limited by the time of one turn of the event loop. */
const ROWS = 100
const BYTES = 65_536

/** Memory for the texts of changes, in characters. */
const CACHE_SIZE = 4 * 1024 * 1024

/** A change as passed to followers. */
export interface TailedChange {
  row: ChangeRow
  /** See `Sequence.groupOf`. */
  group: number
  /** Whether the row is not as stored, but as one reader may see it: then its text is not cached. */
  isAltered?: boolean
}

/** Committed changes, in order. */
export interface Batch {
  /** The change before the first. */
  after: number
  last: number
  changes: readonly TailedChange[]
}

/** The tail itself sees all changes. */
const ALL = { id: '', role: 'admin' }

/** The tail of the sequence. */
export class Tail {
  readonly #sequence: Sequence
  readonly #feed: Feed
  readonly #onError: (error: unknown) => void
  readonly #followers = new Set<(batch: Batch) => void>()
  readonly #texts = new LRUCache<number, string>({
    maxSize: CACHE_SIZE,
    sizeCalculation: (text) => text.length,
  })
  /** The latest passed change, with its group. */
  #latest: TailedChange | undefined
  #last = 0
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #hasFailed = false

  /** @param onError takes the first of consecutive failures, e.g. of the database */
  constructor(sequence: Sequence, feed: Feed, onError: (error: unknown) => void) {
    this.#sequence = sequence
    this.#feed = feed
    this.#onError = onError
  }

  /** The last change passed to followers; without followers, the newest. */
  get last(): number {
    return this.#followers.size > 0 ? this.#last : this.#sequence.last()
  }

  /**
   * Follows the sequence from now on: each change after `last` is passed once, in order, in batches.
   * @param follower must not throw, and must be fast
   * @returns stops following
   */
  subscribe(follower: (batch: Batch) => void): () => void {
    if (this.#followers.size === 0) {
      this.#last = this.#sequence.last()
      this.#latest = undefined
      this.#timer = setInterval(() => this.#read(), INTERVAL).unref()
    }
    this.#followers.add(follower)
    return () => {
      this.#followers.delete(follower)
      if (this.#followers.size > 0) return
      clearInterval(this.#timer)
    }
  }

  /** Polls at once after a possible write of this process, after the callbacks of this turn. */
  notify(): void {
    if (this.#isDue || this.#followers.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#read()
    })
  }

  /** A change as JSON. Only for committed changes, since it is cached, except for names, which may be erased at any time. */
  textOf({ row, group, isAltered = false }: TailedChange): string {
    if (isAltered || containsName(row.kind)) return changeText(row, group)
    let text = this.#texts.get(row.seq)
    if (text === undefined) {
      text = changeText(row, group)
      this.#texts.set(row.seq, text)
    }
    return text
  }

  /** Passes the next batch, if any; another turn continues if there may be more. */
  #read(): void {
    if (this.#followers.size === 0) return
    try {
      if (this.#sequence.last() <= this.#last) return
      const batch = this.#next()
      for (const follower of this.#followers) follower(batch)
      this.#hasFailed = false
      this.notify()
    } catch (error) {
      // Retried many times a second.
      if (!this.#hasFailed) this.#onError(error)
      this.#hasFailed = true
    }
  }

  #next(): Batch {
    // Changes pruned meanwhile are skipped.
    const after = Math.max(this.#last, this.#sequence.first() - 1)
    const { rows, groups, last } = this.#feed.slice({ after, limit: ROWS, bytes: BYTES }, ALL, this.#latest)
    const changes = rows.map((row, index) => ({ row, group: groups[index] as number }))
    this.#last = last
    this.#latest = changes.at(-1)
    return { after, last, changes }
  }
}
