/**
 * The tail of the sequence: the one reader of a process that notices new changes, whoever commits them, and hands them to
 * all who follow. Each change is read, decoded and serialised once, however many follow.
 */
import { LRUCache } from 'lru-cache'
import { changeText } from './change-text.ts'
import type { Feed } from './feed.ts'
import type { ChangeRow, Sequence } from './sequence.ts'

/** Milliseconds between two looks for other connections' commits, while somebody follows. A look takes some µs. */
const INTERVAL = 50

/** Changes of one batch, and bytes of their records, at most: what one turn of the event loop has time for. */
const ROWS = 100
const BYTES = 65_536

/** Memory for the texts of changes, in characters. */
const CACHE_SIZE = 4 * 1024 * 1024

/** A change as it is handed on. */
export interface TailedChange {
  row: ChangeRow
  /** See `Sequence.groupOf`. */
  group: number
}

/** Changes that were committed, in order. */
export interface Batch {
  /** The change before the first. */
  after: number
  /** The last one. */
  last: number
  changes: readonly TailedChange[]
}

/** Whether a change forgets somebody, whose name goes from earlier changes, too. */
const forgets = ({ row }: TailedChange) => row.kind === 'person' && row.action === 'deleted'

/** Everybody: the tail itself sees all. */
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
  /** The latest change that was handed on, with its group. */
  #latest: TailedChange | undefined
  #last = 0
  #timer: NodeJS.Timeout | undefined
  #isDue = false
  #hasFailed = false

  /** @param onError takes the first of several failures in a row, of the database say */
  constructor(sequence: Sequence, feed: Feed, onError: (error: unknown) => void) {
    this.#sequence = sequence
    this.#feed = feed
    this.#onError = onError
  }

  /** The change up to which all are handed on; while nobody follows, the newest. */
  get last(): number {
    return this.#followers.size > 0 ? this.#last : this.#sequence.last()
  }

  /**
   * Follows the sequence from here on: each change after `last` comes once, in order, in batches.
   * @param follower must not throw, nor take long
   * @returns ends it
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

  /** Tells that this process may have written: looks for changes at once, after the callbacks of this turn. */
  notify(): void {
    if (this.#isDue || this.#followers.size === 0) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      this.#read()
    })
  }

  /** A change as JSON. Only for committed ones: it is kept. */
  textOf({ row, group }: TailedChange): string {
    let text = this.#texts.get(row.seq)
    if (text === undefined) {
      text = changeText(row, group)
      this.#texts.set(row.seq, text)
    }
    return text
  }

  /** Hands on the next batch, if there is one; where there may be more, another turn goes on. */
  #read(): void {
    if (this.#followers.size === 0) return
    try {
      if (this.#sequence.last() <= this.#last) return
      const batch = this.#next()
      if (batch.changes.some(forgets)) this.#texts.clear()
      for (const follower of this.#followers) follower(batch)
      this.#hasFailed = false
      this.notify()
    } catch (error) {
      // It is tried again, many times a second.
      if (!this.#hasFailed) this.#onError(error)
      this.#hasFailed = true
    }
  }

  #next(): Batch {
    // What was pruned meanwhile, nobody gets.
    const after = Math.max(this.#last, this.#sequence.first() - 1)
    const { rows, groups, last } = this.#feed.slice({ after, limit: ROWS, bytes: BYTES }, ALL, this.#latest)
    const changes = rows.map((row, index) => ({ row, group: groups[index] as number }))
    this.#last = last
    this.#latest = changes.at(-1)
    return { after, last, changes }
  }
}
