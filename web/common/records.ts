/** The records of the page: confirmed records, with the user's pending writes on top. */
import { type Signal, signal } from '@preact/signals'

/** Applies a pending change to a record; undefined for a deleted one. */
export type Patch<T> = (record: T | undefined) => T | undefined

/** The handle of a pending change. */
export interface Pending {
  /** Removes the pending change after it was refused or confirmed. */
  end(): void
}

/** One record: the confirmed state (`base`) with its last change, and the shown state. */
class Entry<T> {
  readonly view: Signal<T | undefined> = signal(undefined)
  base: T | undefined
  /** The latest change in `base`. */
  seq = 0
  /** The change as of which `base` was last stored as a whole. Between it and `seq`, changes may be missing. */
  whole = 0
  readonly patches = new Set<Patch<T>>()
}

/**
 * The records of one kind, by id. All data from the service has the `seq` of its last change. Older data is ignored, so
 * responses and the stream may arrive in any order, and repeatedly.
 */
export class Records<T extends { id: string }> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #membership = signal(0)
  readonly #onView: ((id: string, before: T | undefined, after: T | undefined) => void) | undefined

  /** @param onView called when a shown record changes */
  constructor(onView?: (id: string, before: T | undefined, after: T | undefined) => void) {
    this.#onView = onView
  }

  /** The shown state of a record, or undefined. Subscribes only to this record. */
  get(id: string): T | undefined {
    const entry = this.#entries.get(id)
    // Also subscribes to a missing record, which may be added later.
    if (entry === undefined) this.#membership.value
    return entry?.view.value
  }

  /** The shown state of a record, without subscribing. */
  peek(id: string): T | undefined {
    return this.#entries.get(id)?.view.peek()
  }

  /** The confirmed state, without pending changes. */
  base(id: string): T | undefined {
    return this.#entries.get(id)?.base
  }

  /** The last known change of a record. */
  seqOf(id: string): number {
    return this.#entries.get(id)?.seq ?? 0
  }

  /** All shown ids, unordered. Subscribes to added and removed records, not to their contents. */
  ids(): string[] {
    this.#membership.value
    return [...this.#entries].filter(([, { view }]) => view.peek() !== undefined).map(([id]) => id)
  }

  /** All known ids, including deleted ones, without subscribing. */
  peekIds(): Iterable<string> {
    return this.#entries.keys()
  }

  /** All records, in order. Subscribes to each. */
  list(order: (a: T, b: T) => number): T[] {
    return this.ids()
      .map((id) => this.get(id))
      .filter((record) => record !== undefined)
      .sort(order)
  }

  /**
   * Replaces all records by a loaded list. Missing records are deleted, unless a later change of them is known.
   * @param isRepeated whether all later changes of fields are applied again afterwards
   */
  reset(records: readonly T[], seq: number, isRepeated = false): void {
    const present = new Set(records.map(({ id }) => id))
    for (const id of this.#entries.keys()) if (!present.has(id)) this.#store(id, undefined, seq, isRepeated)
    for (const record of records) this.#store(record.id, record, seq, isRepeated)
  }

  /** Stores a whole record, as of a change. */
  put(record: T, seq: number): void {
    this.#store(record.id, record, seq)
  }

  /** Applies a change of some fields. @returns whether the record is known */
  merge(id: string, change: (record: T) => T, seq: number): boolean {
    const entry = this.#entries.get(id)
    if (entry?.base === undefined) return false
    if (seq < entry.seq) return true
    entry.seq = seq
    entry.base = change(entry.base)
    this.#show(id, entry)
    return true
  }

  /** Deletes a record, as of a change. */
  remove(id: string, seq: number): void {
    this.#store(id, undefined, seq)
  }

  #store(id: string, base: T | undefined, seq: number, isRepeated = false): void {
    const entry = this.#entry(id)
    if (seq < (isRepeated ? entry.whole : entry.seq)) return
    entry.base = base
    entry.seq = entry.whole = seq
    this.#show(id, entry)
  }

  /** Removes records with all known changes. @param isLost whether to remove a record; by default all are */
  forget(isLost: (record: T) => boolean = () => true): void {
    for (const [id, entry] of this.#entries) {
      if (entry.base !== undefined && !isLost(entry.base)) continue
      entry.base = undefined
      entry.seq = entry.whole = 0
      this.#show(id, entry)
    }
  }

  /** Shows a pending change of the user until it ends. */
  patch(id: string, patch: Patch<T>): Pending {
    const entry = this.#entry(id)
    // A separate object each time, because the same function may be pending twice.
    const own: Patch<T> = (record) => patch(record)
    entry.patches.add(own)
    this.#show(id, entry)
    return {
      end: () => {
        if (entry.patches.delete(own)) this.#show(id, entry)
      },
    }
  }

  #entry(id: string): Entry<T> {
    let entry = this.#entries.get(id)
    if (entry === undefined) {
      entry = new Entry()
      this.#entries.set(id, entry)
    }
    return entry
  }

  #show(id: string, entry: Entry<T>): void {
    const before = entry.view.peek()
    let after = entry.base
    for (const patch of entry.patches) after = patch(after)
    if (after === before) return
    entry.view.value = after
    if ((before === undefined) !== (after === undefined)) this.#membership.value++
    this.#onView?.(id, before, after)
  }
}
