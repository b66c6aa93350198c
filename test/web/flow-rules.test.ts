/** The sentences and tables of the flow page, from the service's numbers. */
import t from 'tap'
import { formatNumber } from '../../web/common/dates.ts'
import type { Flow } from '../../web/flow/answer.ts'
import { chosenRange, daysBefore } from '../../web/flow/range.ts'
import * as say from '../../web/flow/sentences.ts'
import * as tables from '../../web/flow/tables.ts'

const day = (date: string, byColumn: Record<string, number>) => ({ date, arrived: 1, finished: 0, byColumn })

const FLOW: Flow = {
  from: '2026-01-01',
  to: '2026-01-03',
  days: [
    day('2026-01-01', { 'To Do': 3, 'In Progress': 1, Done: 0 }),
    day('2026-01-02', { 'To Do': 2, 'In Progress': 1, Parked: 1, Done: 0 }),
    day('2026-01-03', { 'To Do': 0, 'In Progress': 2, Parked: 1, Done: 2 }),
  ],
  cycleTime: {
    count: 2,
    p50: 1,
    p85: 11.5,
    p95: 12,
    items: [
      {
        id: 'a',
        title: '=SUM(A1)',
        started: '2026-01-01T08:00:00.000Z',
        finished: '2026-01-02T08:00:00.000Z',
        days: 1,
      },
      {
        id: 'b',
        title: 'Say "hello", then\nleave',
        started: '2026-01-01T08:00:00.000Z',
        finished: '2026-01-03T08:00:00.000Z',
        days: 2,
      },
    ],
  },
  leadTime: { count: 2, p50: 3, p85: 4, p95: 5 },
  throughput: { perWeek: [{ week: '2026-W01', finished: 2 }], mean: 4.666 },
  timeInColumn: [
    { column: 'To Do', p50: 1, p85: 2 },
    { column: 'Review', p50: 3, p85: 9 },
    { column: 'Parked', p50: null, p85: null },
  ],
  age: [
    { id: 'c', title: 'Old', column: 'In Progress', days: 30, above85: true },
    { id: 'd', title: 'Young', column: 'In Progress', days: 2, above85: false },
  ],
  forecast: { remaining: 41, p50: '2026-02-01', p85: '2026-03-12', p95: '2026-04-01' },
}
const EMPTY: Flow = {
  from: '2026-01-01',
  to: '2026-01-01',
  days: [day('2026-01-01', {})],
  cycleTime: { count: 0, p50: null, p85: null, p95: null, items: [] },
  leadTime: { count: 0, p50: null, p85: null, p95: null },
  throughput: { perWeek: [{ week: '2026-W01', finished: 0 }], mean: 0 },
  timeInColumn: [],
  age: [],
  forecast: { remaining: 3, p50: null, p85: null, p95: null },
}
const isDoing = (column: string) => column !== 'To Do' && column !== 'Done'

t.test('each chart has a sentence as its summary', async (t) => {
  t.equal(say.aboutWork(FLOW, isDoing), 'Work in progress grew from **1** to **3**.')
  t.equal(say.aboutWork(EMPTY, isDoing), 'Work in progress is **0**, as it was at the beginning.')
  const shrinking = { ...FLOW, days: FLOW.days.toReversed() }
  t.equal(say.aboutWork(shrinking, isDoing), 'Work in progress shrank from **3** to **1**.')
  t.equal(
    say.aboutCycleTime(FLOW),
    `Half of the cards were done within **1 day**, 85 % within **${formatNumber(11.5)}**.`,
  )
  t.equal(say.aboutThroughput(FLOW), `**${formatNumber(4.7)}** cards a week were finished on average.`)
  t.equal(say.aboutAge(FLOW), '**1** of 2 cards in progress is older than 85 % of finished ones were.')
  t.match(say.aboutAge({ ...FLOW, cycleTime: EMPTY.cycleTime }), /^\*\*2\*\* cards are in progress/)
  t.match(
    say.aboutForecast({ ...FLOW, cycleTime: { ...FLOW.cycleTime, count: 10 } }),
    /^At this pace the remaining \*\*41\*\* cards are done by \*\*.*12.*\*\* \(85 %\)\.$/,
  )
  t.equal(
    say.aboutForecast(FLOW),
    'A forecast needs at least 10 finished cards; in this range there are **2**.',
  )
  t.notOk(say.hasForecast(FLOW))
  t.equal(say.aboutTimeInColumn(FLOW), 'Cards stay longest in Review: half of them for **3 days** or more.')
})

t.test('empty charts say that there is no data', async (t) => {
  t.equal(say.aboutCycleTime(EMPTY), 'Nothing was finished in this range.')
  t.equal(say.aboutThroughput(EMPTY), 'Nothing was finished in this range.')
  t.equal(say.aboutAge(EMPTY), 'Nothing is in progress.')
  t.equal(say.aboutForecast(EMPTY), 'Nothing was finished in this range, so there is no forecast.')
  t.equal(
    say.aboutForecast({ ...EMPTY, forecast: { ...EMPTY.forecast, remaining: 0 } }),
    'Nothing is left to do.',
  )
  t.equal(say.aboutTimeInColumn(EMPTY), 'No card has passed a column in this range.')
})

t.test('a sentence in parts, and as plain text', async (t) => {
  t.strictSame(say.partsOf('From **5** to **9**.'), ['From ', '5', ' to ', '9', '.'])
  t.equal(say.plain('From **5** to **9**.'), 'From 5 to 9.')
})

t.test('columns are in the order of the board, other ones after them', async (t) => {
  const board = ['To Do', 'In Progress', 'Review', 'Done']
  t.strictSame(tables.columnsOf(FLOW, board), ['To Do', 'In Progress', 'Done', 'Parked'])
})

t.test('the tables have the numbers of the charts', async (t) => {
  t.strictSame(tables.workTable(FLOW, ['To Do', 'Parked']).rows[2], ['2026-01-03', 1, 0, 0, 1])
  t.strictSame(tables.throughputTable(FLOW).rows, [['2026-W01', 2]])
  t.strictSame(tables.ageTable(FLOW).rows[0], ['Old', 'In Progress', 30, 'yes'])
  t.strictSame(tables.forecastTable(FLOW).rows, [[41, '2026-02-01', '2026-03-12', '2026-04-01']])
  t.strictSame(tables.timeInColumnTable(FLOW).rows[2], ['Parked', null, null])
})

t.test('CSV values are quoted if needed, and contain no formulas', async (t) => {
  const lines = tables.csvOf(tables.cycleTimeTable(FLOW)).split('\r\n')
  t.equal(lines[0], '\ufeffCard,Started,Finished,Days')
  t.match(lines[1] ?? '', /^'=SUM\(A1\),/)
  t.match(lines[2] ?? '', /^"Say ""hello"", then\nleave",/)
  t.equal(tables.csvOf({ head: ['a'], rows: [[null], [-1]] }), '\ufeffa\r\n\r\n-1\r\n')
})

t.test('the range in an address', async (t) => {
  const known = [30, 90, 365]
  t.equal(daysBefore('2026-03-01', 30), '2026-01-31')
  t.equal(chosenRange(null, null, '2026-03-01', known), 90)
  t.equal(chosenRange('2026-01-31', null, '2026-03-01', known), 30)
  t.equal(chosenRange('2026-01-30', null, '2026-03-01', known), 'other')
  t.equal(chosenRange('2026-01-31', '2026-02-28', '2026-03-01', known), 'other')
})
