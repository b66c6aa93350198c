import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { dateOf, inDays, timeOf, timestampOf, weekOf } from '../../src/flow/days.ts'
import { forecast, HORIZON } from '../../src/flow/forecast.ts'
import { percentile } from '../../src/flow/quantiles.ts'
import { Renames } from '../../src/flow/renames.ts'

/** The exact day by which a given percentage of all runs is done, if each day completes one item or none. */
function exact(remaining: number, chance: number, percent: number): number {
  // The probabilities of the remaining numbers after some days.
  let left = [1, ...new Array(remaining).fill(0)] as number[]
  for (let day = 1; ; day += 1) {
    left = left.map((now, done) =>
      done === remaining
        ? now + (left[done - 1] as number) * chance
        : now * (1 - chance) + (left[done - 1] ?? 0) * chance,
    )
    if ((left[remaining] as number) >= percent / 100) return day
  }
}

t.test('a forecast uses past data, and the same seed gives the same result', async (t) => {
  t.equal(forecast(5, [0, 0, 0], 'p'), undefined, 'nothing was finished')
  t.strictSame(forecast(0, [1], 'p'), { p50: 0, p85: 0, p95: 0 })
  t.strictSame(forecast(7, [2], 'p'), { p50: 4, p85: 4, p95: 4 }, 'two a day, every day')
  const past = [0, 3, 1, 0, 0, 2, 5]
  t.strictSame(forecast(60, past, 'p'), forecast(60, past, 'p'))
  t.notSame(forecast(600, [...past, 40], 'p'), forecast(600, [...past, 40], 'q'))
})

t.test('its percentiles equal those of the exact distribution', async (t) => {
  for (const [remaining, chance] of [
    [1, 0.1],
    [4, 0.5],
    [10, 0.25],
    [40, 0.9],
  ] as const) {
    const past = Array.from({ length: 20 }, (_, day) => Number(day < 20 * chance))
    const result = forecast(remaining, past, 'seed')
    for (const percent of [50, 85, 95] as const) {
      const wanted = exact(remaining, chance, percent)
      const is = result?.[`p${percent}`] as number
      t.ok(
        Math.abs(is - wanted) <= Math.max(1, wanted * 0.05),
        `${remaining} ${chance} ${percent}: ${is}, ${wanted}`,
      )
    }
  }
})

t.test('a forecast for many items takes no longer, and has a limit', async (t) => {
  const past = new Array(1000).fill(0)
  past[500] = 1
  t.strictSame(forecast(20_000, past, 'p'), { p50: HORIZON, p85: HORIZON, p95: HORIZON })
  const steady = forecast(20_000, [1, 0], 'p')
  t.ok(Math.abs((steady?.p50 as number) - HORIZON) < 1)
  const half = forecast(10_000, [1, 0], 'p')
  t.ok(Math.abs((half?.p50 as number) - 20_000) < 200, String(half?.p50))
})

t.test('days, weeks and times', async (t) => {
  t.equal(weekOf(Date.UTC(2026, 0, 1) / 86_400_000), '2026-W01')
  t.equal(weekOf(Date.UTC(2027, 0, 3) / 86_400_000), '2026-W53')
  t.equal(weekOf(Date.UTC(2024, 11, 30) / 86_400_000), '2025-W01')
  t.equal(dateOf(0), '1970-01-01')
  t.equal(inDays(21_600_000), 0.25)
  fc.assert(
    fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }), (date) => {
      deepStrictEqual([timestampOf(+date), timeOf(date.toISOString())], [date.toISOString(), +date])
    }),
    { numRuns: 5000 },
  )
  for (const text of ['oops', '', 5, null, undefined]) t.ok(Number.isNaN(timeOf(text)))
  t.equal(timeOf('2026-01-31'), Date.UTC(2026, 0, 31))
})

t.test('percentiles are measured values', async (t) => {
  t.equal(percentile([], 50), null)
  t.equal(percentile([4], 95), 4)
  t.equal(percentile([1, 2, 3, 4], 50), 2)
  t.equal(percentile([1, 2, 3, 4], 85), 4)
})

t.test('former names lead to the current name of a column', async (t) => {
  const renames = new Renames([
    { at: 10, from: 'A', to: 'B', isOfOther: true },
    { at: 20, from: 'B', to: 'C', isOfOther: false },
    { at: 30, from: 'X', to: 'A', isOfOther: false },
    { at: 40, from: 'C', to: undefined, isOfOther: true },
    { at: 50, from: 'C', to: 'D', isOfOther: false },
  ])
  const now = (name: string, at: number) => renames.nameNow(name, at)
  t.equal(now('A', 5), 'C', 'deleted: it leads no further')
  t.equal(now('B', 15), 'C')
  t.equal(now('A', 30), 'A')
  t.equal(now('X', 30), 'A')
  t.equal(now('X', 31), 'X')
  t.equal(now('C', 45), 'D')
  t.equal(now('D', 60), 'D')
  t.equal(renames.hasOfOther('A', 'B'), true)
  t.equal(renames.hasOfOther('B', 'A'), false)
  t.equal(renames.hasOfOther('B', 'C'), false, 'renamed by the service')
})
