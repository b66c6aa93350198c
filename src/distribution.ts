/** Counts values by size for a Prometheus histogram, at the cost of some additions. */

/** A histogram. */
export class Distribution {
  /** The upper bounds of the buckets, inclusive and ascending; values above the last have a bucket of their own. */
  readonly bounds: readonly number[]
  /** Values per bucket, not cumulative; one more than there are bounds. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  /** Counts a value. */
  add(value: number): void {
    const { bounds, counts } = this
    let bucket = 0
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++
    counts[bucket] = (counts[bucket] as number) + 1
    this.sum += value
  }
}
