/** Selects the changes of a batch for readers: selected and serialised once for all with the same rights and filter. */

import type { Reader } from '../changes/api-changes.ts'
import type { Feed } from '../changes/feed.ts'
import { type ChangeFilter, passes } from '../changes/filters.ts'
import type { Batch, Tail, TailedChange } from '../changes/tail.ts'
import type { Scope } from '../db/row-security.ts'
import { once } from '../once.ts'
import { eventText } from './event-stream.ts'

/** A caller who reads changes, and its current scope; undefined: everything. */
export interface ScopedReader extends Reader {
  scope: () => Scope | undefined
}

/** The reader and its filter. */
export interface Wanted {
  reader: ScopedReader
  filter: ChangeFilter
  /** Equal for readers with the same role and filter, except for ideas: see {@link channelOf}. */
  channel: string
}

/** The key of readers that get the same changes, except for their own ideas, and for those of projects that were `assigned`. */
export const channelOf = (
  { role, isUnlimited = false }: Reader,
  { projectId, itemId, kinds = [] }: ChangeFilter,
): string => JSON.stringify([role === 'admin', isUnlimited, projectId ?? null, itemId ?? null, kinds])

/** The selected changes of a batch. */
export interface Selected {
  changes: readonly TailedChange[]
  /** Length of their texts, in characters. */
  size: () => number
  /** The same as events; shared, so do not modify it. */
  events: () => Buffer
}

/** Cache size of a batch's events, in bytes: beyond it, readers serialise their own. */
const KEPT = 4 * 1024 * 1024

/** Changes as events, in UTF-8. */
export const eventsOf = (changes: readonly TailedChange[], tail: Tail): Buffer =>
  Buffer.from(changes.map((change) => eventText('change', tail.textOf(change), change.row.seq)).join(''))

/** A batch with its cached selections. */
export class Selection {
  readonly batch: Batch
  readonly #tail: Tail
  readonly #feed: Pick<Feed, 'visibility'>
  readonly #owners: ReadonlySet<string | null>
  readonly #areForFew: () => boolean
  readonly #selected = new Map<string, Selected>()
  #kept = 0

  constructor(batch: Batch, tail: Tail, feed: Pick<Feed, 'visibility'>) {
    this.batch = batch
    this.#feed = feed
    this.#tail = tail
    this.#areForFew = once(() => feed.visibility.areForFew(batch.changes.map(({ row }) => row)))
    this.#owners = new Set(batch.changes.map(({ row }) => row.ownerId))
  }

  /** The selection for a reader. @throws TooMuchWork if it cannot be made on the event loop yet: the reader replays the changes */
  of({ reader, filter, channel }: Wanted): Selected {
    const scope = reader.scope()
    const isForOne =
      this.#owners.has(reader.id) || (scope === undefined && !reader.isUnlimited && this.#areForFew())
    const key = `${channel}${scope?.number ?? ''} ${isForOne ? reader.id : ''}`
    let selected = this.#selected.get(key)
    if (selected === undefined) {
      const view = this.#feed.visibility.of(reader)
      const changes = this.batch.changes.flatMap((change) => {
        if (!passes(change.row, filter) || !view.maySee(change.row)) return []
        const row = view.shown(change.row)
        return row === change.row ? [change] : [{ ...change, row, isAltered: true }]
      })
      selected = { changes, size: once(() => this.#sizeOf(changes)), events: this.#events(changes) }
      this.#selected.set(key, selected)
    }
    return selected
  }

  #sizeOf(changes: readonly TailedChange[]): number {
    return changes.reduce((size, change) => size + this.#tail.textOf(change).length, 0)
  }

  #events(changes: readonly TailedChange[]): () => Buffer {
    let kept: Buffer | undefined
    return () => {
      if (kept) return kept
      const events = eventsOf(changes, this.#tail)
      if (this.#kept < KEPT) {
        kept = events
        this.#kept += events.length
      }
      return events
    }
  }
}
