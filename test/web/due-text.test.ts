/** Which day a typed due date stands for. */
import t from 'tap'
import { dueOf } from '../../web/board/due-text.ts'
import { texts } from '../../web/texts.ts'

/** A Wednesday. */
const NOW = new Date(2026, 10, 25, 22, 15)
const { dueWords } = texts.board

const day = (text: string, locale = 'en-GB') => dueOf(text, NOW, dueWords, locale)

const EXPECTED: Readonly<Record<string, string | undefined>> = {
  today: '2026-11-25',
  Tomorrow: '2026-11-26',
  tom: '2026-11-26',
  fri: '2026-11-27',
  Friday: '2026-11-27',
  wed: '2026-12-02',
  mon: '2026-11-30',
  'next week': '2026-11-30',
  '+3': '2026-11-28',
  '3d': '2026-11-28',
  '3 days': '2026-11-28',
  'in 2 weeks': '2026-12-09',
  '2w': '2026-12-09',
  '24 dec': '2026-12-24',
  'Dec 24': '2026-12-24',
  'december 24 2027': '2027-12-24',
  '1 nov': '2027-11-01',
  '24.12.': '2026-12-24',
  '24.12.27': '2027-12-24',
  '2026-12-24': '2026-12-24',
  '29 feb 2028': '2028-02-29',
  '31 feb': undefined,
  '': undefined,
  t: undefined,
  f: undefined,
  3: undefined,
  someday: undefined,
  '2026-13-01': undefined,
}

t.test('the words of the page, days, months, and relative days', async (t) => {
  for (const [text, expected] of Object.entries(EXPECTED)) t.equal(day(text), expected, text)
  t.equal(day('Fr', 'de'), '2026-11-27', "the names of days are the locale's")
  t.equal(day('24. Dezember', 'de'), '2026-12-24')
})
