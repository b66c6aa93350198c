/** What of a batch of changes goes to whom: selected and written once for all with the same rights and filter. */
import { type ChangeFilter, passes } from '../changes/filters.ts'
import type { Batch, Tail, TailedChange } from '../changes/tail.ts'
import type { Reader } from '../changes/told.ts'
import { once } from '../once.ts'
import { eventText } from './event-stream.ts'

/** Who asks, and for what. */
export interface Wanted {
  reader: Reader
  filter: ChangeFilter
  /** The same for all with the same rights and filter, ideas apart: see {@link channelOf}. */
  channel: string
}

/** What those have in common who get the same changes, but for ideas of their own. */
export const channelOf = ({ role }: Reader, { projectId, itemId, kinds = [] }: ChangeFilter): string =>
  JSON.stringify([role === 'admin', projectId ?? null, itemId ?? null, kinds])

/** What somebody gets of a batch. */
export interface Selected {
  changes: readonly TailedChange[]
  /** Characters of their texts. */
  size: () => number
  /** The same as events; shared, hence not to be written to. */
  events: () => Buffer
}

/** Bytes of events that a batch keeps for others: where many filters let much through, the others write their own. */
const KEPT = 4 * 1024 * 1024

/** Changes as events, in UTF-8. */
export const eventsOf = (changes: readonly TailedChange[], tail: Tail): Buffer =>
  Buffer.from(changes.map((change) => eventText('change', tail.textOf(change), change.row.seq)).join(''))

/** A batch, and what of it has been selected so far. */
export class Selection {
  readonly batch: Batch
  readonly #tail: Tail
  readonly #owners: ReadonlySet<string | null>
  readonly #selected = new Map<string, Selected>()
  #kept = 0

  constructor(batch: Batch, tail: Tail) {
    this.batch = batch
    this.#tail = tail
    this.#owners = new Set(batch.changes.map(({ row }) => row.ownerId))
  }

  /** What somebody gets of the batch. */
  of({ reader, filter, channel }: Wanted): Selected {
    const key = this.#owners.has(reader.id) ? `${channel}${reader.id}` : channel
    let selected = this.#selected.get(key)
    if (selected === undefined) {
      const changes = this.batch.changes.filter(({ row }) => passes(row, filter, reader))
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
