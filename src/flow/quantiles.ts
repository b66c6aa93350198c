/** Percentiles without interpolation: each is a measured value. */

/**
 * The percentile of sorted values by nearest rank: the smallest value that at least that percentage of all does not exceed.
 * @param sorted ascending
 * @param percent 1 to 100
 * @returns null without values
 */
export const percentile = (sorted: ArrayLike<number>, percent: number): number | null =>
  sorted.length === 0 ? null : (sorted[Math.ceil((percent * sorted.length) / 100) - 1] as number)

/** Values in ascending order. */
export const ascending = (values: readonly number[]): Float64Array => new Float64Array(values).sort()

/** The number of values, and their percentiles. */
export function spread(values: readonly number[]) {
  const sorted = ascending(values)
  return {
    count: sorted.length,
    p50: percentile(sorted, 50),
    p85: percentile(sorted, 85),
    p95: percentile(sorted, 95),
  }
}
