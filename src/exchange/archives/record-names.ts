/** A compact set of record names: eight bytes for each. */
import { hash } from 'node:crypto'

/** Initial capacity. */
const ROOM = 1024

const digestOf = (name: string): bigint => hash('sha1', name, 'buffer').readBigUInt64LE()

/**
 * A set of names that stores 64 bits of each hash: among ten million, a collision is expected in one of 300,000 archives.
 * For speed, add all before lookups.
 */
export class RecordNames {
  #digests = new BigUint64Array(ROOM)
  #size = 0
  #isSorted = false

  add(name: string): void {
    if (this.#size === this.#digests.length) {
      const larger = new BigUint64Array(2 * this.#size)
      larger.set(this.#digests)
      this.#digests = larger
    }
    this.#digests[this.#size++] = digestOf(name)
    this.#isSorted = false
  }

  has(name: string): boolean {
    if (!this.#isSorted) {
      this.#digests.subarray(0, this.#size).sort()
      this.#isSorted = true
    }
    const wanted = digestOf(name)
    let [from, to] = [0, this.#size]
    while (from < to) {
      const middle = (from + to) >>> 1
      if ((this.#digests[middle] as bigint) < wanted) from = middle + 1
      else to = middle
    }
    return from < this.#size && this.#digests[from] === wanted
  }
}
