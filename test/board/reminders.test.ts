import fc from 'fast-check'
import t from 'tap'
import { before, DURATION_PATTERN, isLocal, timesOf, toStoredReminders } from '../../src/board/reminders.ts'

t.test('a duration before a time counts by the calendar in UTC', async (t) => {
  const cases: [string, string, string | undefined][] = [
    ['2026-03-30T09:00:00.000Z', 'P1D', '2026-03-29T09:00:00.000Z'],
    ['2026-03-29T12:00:00.000Z', 'P1D', '2026-03-28T12:00:00.000Z'],
    ['2026-03-31T00:00:00.000Z', 'P1M', '2026-02-28T00:00:00.000Z'],
    ['2024-03-31T00:00:00.000Z', 'P1M', '2024-02-29T00:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 'P1Y', '2023-02-28T00:00:00.000Z'],
    ['2026-01-15T00:00:00.000Z', 'P2W', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.000Z', 'PT30M', '2025-12-31T23:30:00.000Z'],
    ['2026-01-01T00:00:00.000Z', 'P1DT1H1M1S', '2025-12-30T22:58:59.000Z'],
    ['2026-01-01T00:00:00.000Z', 'P0D', '2026-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00.000Z', 'P99Y', undefined],
    ['2026-01-01T00:00:00.000Z', 'P', undefined],
    ['2026-01-01T00:00:00.000Z', 'PT', undefined],
    ['2026-01-01T00:00:00.000Z', 'P1.5D', undefined],
    ['2026-01-01T00:00:00.000Z', '-P1D', undefined],
    ['2026-01-01T00:00:00.000Z', 'P1D1W', undefined],
  ]
  for (const [time, duration, expected] of cases) {
    t.equal(before(time, duration), expected, `${duration} before ${time}`)
    t.equal(
      new RegExp(DURATION_PATTERN).test(duration) && !time.startsWith('0001'),
      expected !== undefined,
      duration,
    )
  }
})

t.test('the times of reminders are ascending, none twice, and of anything else there are none', async (t) => {
  const due = '2026-01-31T12:00:00.000Z'
  t.strictSame(
    timesOf([{ before: 'PT12H' }, { at: '2026-01-02' }, { at: '2026-01-31T00:00:00.000Z' }], due),
    ['2026-01-02T00:00:00.000Z', '2026-01-31T00:00:00.000Z'],
  )
  t.strictSame(timesOf([{ before: 'P1D' }], null), [], 'without a due date a duration means no time')
  t.strictSame(timesOf([{ before: 'P1D' }], 'tomorrow'), [])
  t.strictSame(timesOf([{ at: 'soon' }, {}], due), [])
  fc.assert(
    fc.property(
      fc.array(fc.record({ at: fc.string(), before: fc.string() }, { requiredKeys: [] })),
      fc.string(),
      (reminders, dueDate) => timesOf(reminders, dueDate).length <= 5,
    ),
  )
})

t.test('durations before a day count from nine, as local times', async (t) => {
  const durations = ['PT0S', 'P1D', 'P1M', 'PT10H', 'P1W'].map((before) => ({ before }))
  for (const due of ['2026-03-31T00:00:00.000Z', '2026-03-31', '2026-03-31T02:00:00+02:00'])
    t.strictSame(timesOf(durations, due), [
      '2026-02-28T09:00:00.000',
      '2026-03-24T09:00:00.000',
      '2026-03-30T09:00:00.000',
      '2026-03-30T23:00:00.000',
      '2026-03-31T09:00:00.000',
    ])
  t.strictSame(timesOf([{ at: '2026-03-30' }], '2026-03-31'), ['2026-03-30T00:00:00.000Z'], 'a time is one')
  t.strictSame(['2026-03-30T09:00:00.000', '2026-03-30T09:00:00.000Z'].map(isLocal), [true, false])
})

t.test('reminders are stored in UTC, none twice', async (t) => {
  t.strictSame(
    toStoredReminders([
      { at: '2026-01-31T01:00:00+01:00' },
      { before: 'P1D' },
      { at: '2026-01-31' },
      { before: 'P1D' },
    ]),
    [{ at: '2026-01-31T00:00:00.000Z' }, { before: 'P1D' }],
  )
})
