/** What of a batch of changes goes to whom: selected and written once for all with the same rights and filter. */
import { type ChangeFilter, passes } from '../changes/filters.ts'
import type { Batch, Tail, TailedChange } from '../changes/tail.ts'
import type { Reader } from '../changes/told.ts'
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
  /** The same as events; shared, hence not to be written to. */
  events: () => Buffer
}

/** Changes as events, in UTF-8. */
export const eventsOf = (changes: readonly TailedChange[], tail: Tail): Buffer =>
  Buffer.from(changes.map((change) => eventText('change', tail.textOf(change), change.row.seq)).join(''))

/** A batch, and what of it has been selected so far. */
export class Selection {
  readonly batch: Batch
  readonly #tail: Tail
  readonly #owners: ReadonlySet<string | null>
  readonly #selected = new Map<string, Selected>()

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
      let events: Buffer | undefined
      selected = {
        changes,
        events: () => {
          events ??= eventsOf(changes, this.#tail)
          return events
        },
      }
      this.#selected.set(key, selected)
    }
    return selected
  }
}
