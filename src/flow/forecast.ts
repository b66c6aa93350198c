/** The forecast: a Monte Carlo simulation that draws past days in random order. */
import { createHash } from 'node:crypto'
import { percentile } from './quantiles.ts'

/** Runs of the simulation. */
const RUNS = 10_000

/** Most days of a run; longer ones count as this long. */
export const HORIZON = 36_525

/** Most steps of a run on average: a step is a day with finished items, or a chunk of several. */
const STEPS = 100

/** Random chunks of such days. */
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

/** The percentiles of days until the rest is done. */
export interface Forecast {
  p50: number
  p85: number
  p95: number
}

/** The steps: finished items, and days, of each. */
interface Steps {
  finished: Float64Array
  days: Float64Array
}

/**
 * The days that the remaining items take: each run draws past days at random, with repetition, until as many items
 * are finished. Idle days are drawn together, by the distribution of their run lengths. If a run would
 * draw more than some 100 other days, it draws chunks of them instead, and uses the last chunk in part.
 * @param remaining number of items
 * @param finished numbers of items finished on each past day
 * @param seed the same seed gives the same forecast
 * @returns undefined if no item was finished
 */
export function forecast(remaining: number, finished: readonly number[], seed: string): Forecast | undefined {
  const productive = Float64Array.from(finished.filter((count) => count > 0))
  if (productive.length === 0) return undefined
  if (remaining === 0) return { p50: 0, p85: 0, p95: 0 }
  const random = randomOf(seed)
  const below = (length: number) => Math.floor((random() / 2 ** 32) * length)
  const chance = productive.length / finished.length
  const byChance = chance < 1 ? 1 / Math.log(1 - chance) : 0
  /** Days until the next day with finished items: geometrically distributed. */
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
