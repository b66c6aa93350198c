/** The words for a due date, and the days they mean. */
import t from 'tap'
import { parseDue } from '../../web/common/due-words.ts'

/** A Wednesday. */
const TODAY = new Date(2026, 10, 25, 22, 15)

t.test('words mean a day from today on', async (t) => {
  const days = {
    today: '2026-11-25',
    ' Tomorrow ': '2026-11-26',
    tom: '2026-11-26',
    thu: '2026-11-26',
    thurs: '2026-11-26',
    FRI: '2026-11-27',
    friday: '2026-11-27',
    sun: '2026-11-29',
    mon: '2026-11-30',
    tues: '2026-12-01',
    wed: '2026-12-02',
    '2027-01-31': '2027-01-31',
    '2028-02-29': '2028-02-29',
    '2020-01-01': '2020-01-01',
  }
  for (const [text, day] of Object.entries(days)) t.equal(parseDue(text, TODAY), day, text)
})

t.test('any other text means none', async (t) => {
  const others = [
    '',
    ' ',
    'f',
    'fr',
    'frida y',
    'fridays',
    'soon',
    'constructor',
    '__proto__',
    '2027-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-1-5',
    '20261-01-01',
    '2026-11-25T10:00',
  ]
  for (const text of others) t.equal(parseDue(text, TODAY), undefined, text)
})

t.test('a day follows the calendar, not the clock', async (t) => {
  t.equal(parseDue('tomorrow', new Date(2026, 11, 31, 23, 59)), '2027-01-01', 'over the end of a year')
  t.equal(parseDue('tomorrow', new Date(2028, 1, 28, 0, 0)), '2028-02-29', 'in a leap year')
  const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  for (let date = 1; date <= 400; date++) {
    const day = new Date(2026, 2, date)
    const found = weekdays.map((word) => parseDue(word, day) ?? '')
    t.equal(new Set(found).size, 7)
    for (const [index, one] of found.entries()) {
      const [year = 0, month = 0, at = 0] = one.split('-').map(Number)
      const then = new Date(year, month - 1, at)
      t.equal(then.getDay(), index)
      const passed = Math.round((then.getTime() - day.getTime()) / 86_400_000)
      t.ok(passed >= 1 && passed <= 7, `${weekdays[index]} after ${day.toDateString()} is ${one}`)
    }
  }
})
