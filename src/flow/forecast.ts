/** When the rest will be done: a Monte Carlo simulation that repeats the days of the past in random order. */
import { createHash } from 'node:crypto'
import { percentile } from './quantiles.ts'

/** Runs of the simulation. */
export const RUNS = 10_000

/** Days that a run may take: what takes longer is said to take so long. */
export const HORIZON = 36_525

/** Steps that a run takes on average, at most: a step is a day on which something was finished, or several where these are more. */
const STEPS = 100

/** Random chunks of such days, for steps of several. */
const CHUNKS = 2000

/**
 * A generator of random numbers (sfc32, by Chris Doty-Humphrey, of PractRand), the same for the same seed.
 * @param seed any text
 * @returns the next one: an integer from 0 to 2 ** 32 - 1
 */
export function randomOf(seed: string): () => number {
  const hash = createHash('sha256').update(seed).digest()
  let [a, b, c, d] = [hash.readInt32LE(0), hash.readInt32LE(4), hash.readInt32LE(8), 1]
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 12; round += 1) next()
  return next
}

/** The days until the rest is done, that so many per cent of the runs did not exceed. */
export interface Forecast {
  p50: number
  p85: number
  p95: number
}

/** One step after the other: how many items each finishes, and how many days it takes. */
interface Steps {
  finished: Float64Array
  days: Float64Array
}

/**
 * How many days the remaining items take: each run draws days of the past at random, with repetition, until as many items
 * are finished. The days without any are drawn together, by the distribution of how many come in a row. Where a run would
 * draw more than some 100 others, it draws chunks of them instead, and takes the last chunk in part.
 * @param remaining items
 * @param finished items that were finished on each day of the past
 * @param seed the same seed gives the same forecast
 * @returns undefined where nothing was finished
 */
export function forecast(remaining: number, finished: readonly number[], seed: string): Forecast | undefined {
  const productive = Float64Array.from(finished.filter((count) => count > 0))
  if (productive.length === 0) return undefined
  if (remaining === 0) return { p50: 0, p85: 0, p95: 0 }
  const random = randomOf(seed)
  const below = (length: number) => Math.floor((random() / 2 ** 32) * length)
  const chance = productive.length / finished.length
  const byChance = chance < 1 ? 1 / Math.log(1 - chance) : 0
  /** Days up to the next one on which something is finished: geometrically distributed. */
  const wait = () => 1 + Math.floor(Math.log((random() + 1) / 2 ** 32) * byChance)
  const total = productive.reduce((sum, count) => sum + count, 0)
  const size = Math.ceil((remaining * productive.length) / total / STEPS)
  const chunks =
    size > 1 ? chunksOf(size, () => [productive[below(productive.length)] as number, wait()]) : undefined

  const taken = new Float64Array(RUNS)
  for (let run = 0; run < RUNS; run += 1) {
    let [left, days] = [remaining, 0]
    if (chunks === undefined) {
      while (left > 0 && days < HORIZON) {
        left -= productive[below(productive.length)] as number
        days += wait()
      }
    } else {
      while (left > 0 && days < HORIZON) {
        const chunk = below(CHUNKS)
        const more = chunks.finished[chunk] as number
        days += (chunks.days[chunk] as number) * Math.min(1, left / more)
        left -= more
      }
    }
    taken[run] = Math.min(HORIZON, Math.ceil(days))
  }
  taken.sort()
  const within = (percent: number) => percentile(taken, percent) as number
  return { p50: within(50), p85: within(85), p95: within(95) }
}

function chunksOf(size: number, draw: () => readonly [finished: number, days: number]): Steps {
  const chunks = { finished: new Float64Array(CHUNKS), days: new Float64Array(CHUNKS) }
  for (let index = 0; index < CHUNKS * size; index += 1) {
    const [finished, days] = draw()
    const chunk = index % CHUNKS
    chunks.finished[chunk] = (chunks.finished[chunk] as number) + finished
    chunks.days[chunk] = (chunks.days[chunk] as number) + days
  }
  return chunks
}
