/** Seeded random choices, so that every run does the same. */

/**
 * Creates a random number generator (Mulberry32).
 * @param seed any whole number
 * @returns a function that returns the next number, from 0 to below 1
 */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** One of the values, which must not be empty. */
export const pick = <T>(random: () => number, values: readonly T[]) =>
  values[Math.floor(random() * values.length)] as T

/** A copy of the list in random order (Fisher-Yates). */
export function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const result = [...list]
  for (let last = result.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[result[last], result[other]] = [result[other] as T, result[last] as T]
  }
  return result
}
