/** Names of records, as many as an archive has: eight bytes for each. */
import { hash } from 'node:crypto'

/** Names that there is room for at first. */
const ROOM = 1024

const digestOf = (name: string): bigint => hash('sha1', name, 'buffer').readBigUInt64LE()

/**
 * A set of names that keeps no more of each than 64 bits of its hash: of ten million, two have the same in one of 300,000 archives.
 * Best all are added before any is looked for.
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
