/** One sentence for each chart, from the same numbers as the chart. Numbers are between `**`. */
import { formatNumber, fullDay } from '../common/dates.ts'
import { later } from '../later-texts.ts'
import type { Flow } from './answer.ts'

const t = later.flow

/** Splits a sentence into parts. Those with an odd index are numbers, which are shown in bold. */
export const partsOf = (sentence: string): string[] => sentence.split('**')

/** The sentence as plain text. */
export const plain = (sentence: string): string => partsOf(sentence).join('')

/** The number of cards in progress on a day. @param isDoing whether a column, by its name, is work in progress */
const inProgressOn = (day: Flow['days'][number] | undefined, isDoing: (column: string) => boolean): number =>
  Object.entries(day?.byColumn ?? {}).reduce((sum, [column, count]) => sum + (isDoing(column) ? count : 0), 0)

/** Whether work in progress grew or shrank. */
export function aboutWork({ days }: Flow, isDoing: (column: string) => boolean): string {
  const first = inProgressOn(days[0], isDoing)
  const last = inProgressOn(days.at(-1), isDoing)
  if (first === last) return t.workStayed(formatNumber(last))
  return last > first
    ? t.workGrew(formatNumber(first), formatNumber(last))
    : t.workShrank(formatNumber(first), formatNumber(last))
}

/** How long cards took. */
export const aboutCycleTime = ({ cycleTime: { count, p50, p85 } }: Flow): string =>
  count === 0 || p50 === null || p85 === null
    ? t.nothingFinished
    : t.cycleTime(t.days(p50), formatNumber(p85, 1))

/** How many cards were completed per week. */
export const aboutThroughput = ({ throughput: { mean }, cycleTime: { count } }: Flow): string =>
  count === 0 && mean === 0 ? t.nothingFinished : t.throughput(formatNumber(mean, 1))

/** How many cards in progress are old. */
export function aboutAge({ age, cycleTime }: Flow): string {
  if (age.length === 0) return t.nothingInProgress
  if (cycleTime.count === 0) return t.ageWithoutComparison(formatNumber(age.length))
  return t.age(formatNumber(age.filter(({ above85 }) => above85).length), formatNumber(age.length))
}

/** The number of finished cards that a forecast needs. */
const LEAST = 10

/** Whether enough cards were finished for a forecast. */
export const hasForecast = ({ cycleTime: { count }, forecast: { remaining, p85 } }: Flow): boolean =>
  remaining > 0 && p85 !== null && count >= LEAST

/** When the remaining work will be done. */
export function aboutForecast({ cycleTime: { count }, forecast: { remaining, p85 } }: Flow): string {
  if (remaining === 0) return t.nothingRemains
  if (p85 !== null && count < LEAST) return t.tooFewForForecast(formatNumber(count), formatNumber(LEAST))
  return p85 === null ? t.noForecast : t.forecast(formatNumber(remaining), fullDay(p85))
}

/** Where cards wait longest. */
export function aboutTimeInColumn({ timeInColumn }: Flow): string {
  const [longest] = timeInColumn
    .filter(({ p50 }) => p50 !== null)
    .toSorted((a, b) => (b.p50 ?? 0) - (a.p50 ?? 0))
  return longest === undefined || longest.p50 === null
    ? t.nothingMoved
    : t.timeInColumn(longest.column, t.days(longest.p50))
}
