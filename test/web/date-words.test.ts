/** What typed dates mean, in both languages. */
import t, { type Test } from 'tap'
import { asDueDate, atTimeOf, parseDate } from '../../web/common/date-words.ts'
import { dayOf, isInstant } from '../../web/common/dates.ts'
import { laterEnglish } from '../../web/later-texts.ts'
import { germanTexts } from '../../web/texts.de.ts'
import { textsOf } from '../../web/texts.ts'

/** A Wednesday. */
const NOW = new Date(2026, 10, 25, 22, 15)

interface Way {
  now?: Date
  isPast?: boolean
  current?: string
}

/** Reads in English. */
const english = (text: string, { now = NOW, ...way }: Way = {}, locale = 'en-GB') =>
  parseDate(text, { now, words: laterEnglish.dates.words, locales: [locale, 'en'], ...way })

/** Reads in German. */
const german = (text: string, { now = NOW, ...way }: Way = {}, locale = 'de') =>
  parseDate(text, {
    now,
    words: germanTexts(textsOf.helpers).dates.words,
    locales: [locale, 'de', 'en'],
    ...way,
  })

/** Sets the time zone of a test. */
function inZone(t: Test, zone: string): void {
  const before = process.env.TZ
  process.env.TZ = zone
  t.teardown(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
}

type Table = Readonly<Record<string, string | undefined>>

function compare(t: Test, read: (text: string) => string | undefined, expected: Table): void {
  for (const [text, day] of Object.entries(expected)) t.equal(read(text), day, text)
}

t.test('days in English', async (t) => {
  compare(t, english, {
    today: '2026-11-25',
    ' Tomorrow ': '2026-11-26',
    tomor: '2026-11-26',
    to: '2026-11-25',
    tom: '2026-11-26',
    tmr: '2026-11-26',
    'day after tomorrow': '2026-11-27',
    yesterday: '2026-11-24',
    thu: '2026-11-26',
    thurs: '2026-11-26',
    FRI: '2026-11-27',
    Friday: '2026-11-27',
    fr: '2026-11-27',
    'fri.': '2026-11-27',
    mon: '2026-11-30',
    wed: '2026-12-02',
    'next week': '2026-11-30',
    '+3': '2026-11-28',
    '3d': '2026-11-28',
    '3 days': '2026-11-28',
    'in 3 days': '2026-11-28',
    'in 2 weeks': '2026-12-09',
    '2w': '2026-12-09',
    '24 dec': '2026-12-24',
    '24 Dec.': '2026-12-24',
    '24th December': '2026-12-24',
    'Dec 24': '2026-12-24',
    'Dec 24th, 2027': '2027-12-24',
    'december 24 2027': '2027-12-24',
    'Thu, 24 Dec 2026': '2026-12-24',
    '24.12.': '2026-12-24',
    '24.12': '2026-12-24',
    '24. 12. 2027': '2027-12-24',
    '24.12.27': '2027-12-24',
    '2026-12-24': '2026-12-24',
    '2020-01-01': '2020-01-01',
  })
})

t.test('days in German', async (t) => {
  compare(t, german, {
    heute: '2026-11-25',
    Morgen: '2026-11-26',
    übermorgen: '2026-11-27',
    'u\u0308bermorgen': '2026-11-27',
    gestern: '2026-11-24',
    'nächste Woche': '2026-11-30',
    Fr: '2026-11-27',
    'Fr.': '2026-11-27',
    Freitag: '2026-11-27',
    mo: '2026-11-30',
    mi: '2026-12-02',
    so: '2026-11-29',
    sonnt: '2026-11-29',
    'in 3 Tagen': '2026-11-28',
    '3 t': '2026-11-28',
    '2 Wochen': '2026-12-09',
    '24.12.': '2026-12-24',
    '24.12.2026': '2026-12-24',
    '1. Dez.': '2026-12-01',
    '24. Dezember': '2026-12-24',
    '3 März 2027': '2027-03-03',
    'Do., 24. Dezember 2026': '2026-12-24',
    '2026-12-24': '2026-12-24',
    // English is known, too.
    tomorrow: '2026-11-26',
    fri: '2026-11-27',
    '24 Dec': '2026-12-24',
  })
  t.equal(german('1. Jänner', {}, 'de-AT'), '2027-01-01', 'the names of a region')
  t.equal(german('1. Januar', {}, 'de-AT'), '2027-01-01', 'and of its language')
})

t.test('other texts are no dates', async (t) => {
  const others = [
    ...['', ' ', ',', 't', 'f', 'm', '3', 'someday', 'frida y', 'fridays', 'constructor', '__proto__'],
    ...[
      '2027-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-1-5',
      '20261-01-01',
      '31 feb',
      '31.2.',
      '0.1.',
      '13/13',
    ],
    ...[
      'Fri 24 Dec 2026',
      'dec',
      'in 3',
      'at',
      '24:00',
      '17:60',
      '13pm',
      '0am',
      '17.30',
      '5 17',
      'fri 5',
      '@',
    ],
  ]
  for (const text of others) {
    t.equal(english(text), undefined, text)
    t.equal(german(text), undefined, text)
  }
})

t.test(
  '3/4 is in March or April, as the region writes it; a day that is only possible in one order is in that',
  async (t) => {
    const orders = [
      ['en-US', '3/4', '2027-03-04'],
      ['en', '3/4/2028', '2028-03-04'],
      ['en-GB', '3/4', '2027-04-03'],
      ['en-US', '12/24', '2026-12-24'],
      ['en-GB', '12/24', '2026-12-24'],
      ['en-US', '24/12/26', '2026-12-24'],
      // With points, the day comes first in every language.
      ['en-US', '3.4.', '2027-04-03'],
    ] as const
    for (const [locale, text, day] of orders) t.equal(english(text, {}, locale), day, `${locale}: ${text}`)
    t.equal(german('3/4'), '2027-04-03')
    t.equal(german('12/24'), '2026-12-24')
  },
)

t.test('a date without a year is the next one, or the last one of a field for past dates', async (t) => {
  t.equal(english('25 nov'), '2026-11-25', 'today')
  t.equal(english('24 nov'), '2027-11-24')
  t.equal(english('24 nov', { isPast: true }), '2026-11-24')
  t.equal(english('26.11.', { isPast: true }), '2025-11-26')
  t.equal(english('fri', { isPast: true }), '2026-11-20')
  t.equal(english('wed', { isPast: true }), '2026-11-25', 'today')
  t.equal(
    english('24 nov', { current: '2026-11-24' }),
    '2026-11-24',
    "the field's own value stays in its year",
  )
  t.equal(english('23 nov', { current: '2026-11-24' }), '2027-11-23')
  t.equal(english('29 feb'), '2028-02-29')
  t.equal(english('29.2.', { isPast: true }), '2024-02-29')
  t.equal(english('29 feb', { now: new Date(2097, 0, 1) }), '2104-02-29', '2100 has none')
  t.equal(english('29.2.2028'), '2028-02-29')
  t.equal(english('29.2.2027'), undefined)
})

t.test('days follow the calendar, not the clock', async (t) => {
  inZone(t, 'Europe/Berlin')
  t.equal(
    english('tomorrow', { now: new Date(2026, 11, 31, 23, 59) }),
    '2027-01-01',
    'over the end of a year',
  )
  t.equal(english('tomorrow', { now: new Date(2028, 1, 28, 0, 0) }), '2028-02-29', 'in a leap year')
  t.equal(
    english('tomorrow', { now: new Date(2026, 9, 24, 23, 30) }),
    '2026-10-25',
    'before a day of 25 hours',
  )
  t.equal(english('+2', { now: new Date(2026, 9, 24, 23, 30) }), '2026-10-26')
  const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
  for (let date = 1; date <= 400; date++) {
    const now = new Date(2026, 2, date)
    const found = weekdays.map((word) => english(word, { now }) ?? '')
    for (const [index, one] of found.entries()) {
      const then = new Date(`${one}T00:00`)
      t.equal(then.getDay(), index)
      const passed = Math.round((then.getTime() - now.getTime()) / 86_400_000)
      t.ok(passed >= 1 && passed <= 7, `${weekdays[index]} after ${now.toDateString()} is ${one}`)
    }
  }
})

t.test('a date with a time is an instant of the zone here', async (t) => {
  inZone(t, 'America/New_York')
  const now = new Date(2026, 10, 25, 16, 15)
  compare(t, (text) => english(text, { now }), {
    'fri 17:30': '2026-11-27T22:30:00.000Z',
    'Fri, 17:30': '2026-11-27T22:30:00.000Z',
    '17:30 fri': '2026-11-27T22:30:00.000Z',
    'fri at 5pm': '2026-11-27T22:00:00.000Z',
    'fri 5 p.m.': '2026-11-27T22:00:00.000Z',
    'tomorrow 5:05 pm': '2026-11-26T22:05:00.000Z',
    '24 Dec, 9:00': '2026-12-24T14:00:00.000Z',
    'Dec 24, 2026, 9:00\u202fAM': '2026-12-24T14:00:00.000Z',
    '12/24 12pm': '2026-12-24T17:00:00.000Z',
    '12/24 12am': '2026-12-24T05:00:00.000Z',
    '2026-12-24T09:00': '2026-12-24T14:00:00.000Z',
    'in 3 days at 9': '2026-11-28T14:00:00.000Z',
    'today 9:00': '2026-11-25T14:00:00.000Z',
    // A time alone is the next one.
    '17:30': '2026-11-25T22:30:00.000Z',
    '5pm': '2026-11-25T22:00:00.000Z',
    'at 9': '2026-11-26T14:00:00.000Z',
    '16:15': '2026-11-26T21:15:00.000Z',
  })
  compare(t, (text) => german(text, { now }), {
    'fr 17:30': '2026-11-27T22:30:00.000Z',
    'Fr., 17:30': '2026-11-27T22:30:00.000Z',
    'morgen um 9 Uhr': '2026-11-26T14:00:00.000Z',
    'morgen 9.05': '2026-11-26T14:05:00.000Z',
    '24.12. 17.30 Uhr': '2026-12-24T22:30:00.000Z',
    '24. Dez., 17:30': '2026-12-24T22:30:00.000Z',
    'um 9': '2026-11-26T14:00:00.000Z',
    '17 Uhr': '2026-11-25T22:00:00.000Z',
  })
})

t.test('a time on a day on which the clock changes', async (t) => {
  inZone(t, 'Europe/Berlin')
  t.equal(german('28.3.2027 1:30'), '2027-03-28T00:30:00.000Z')
  t.equal(
    german('28.3.2027 2:30'),
    '2027-03-28T01:30:00.000Z',
    'a time that the clock skips is an hour later',
  )
  t.equal(german('28.3.2027 3:30'), '2027-03-28T01:30:00.000Z')
  t.equal(german('31.10.2027 2:30'), '2027-10-31T00:30:00.000Z', 'of two, the first')
  const before = new Date(2027, 2, 27, 20, 0)
  t.equal(german('9:00', { now: before }), '2027-03-28T07:00:00.000Z', 'tomorrow, 23 hours long')
})

t.test('an instant at midnight UTC is none of the whole day', async (t) => {
  inZone(t, 'Europe/Berlin')
  const found = german('24.12.2026 1:00') ?? ''
  t.ok(isInstant(found), found)
  t.equal(Math.abs(Date.parse(found) - Date.parse('2026-12-24T00:00:00Z')), 1)
  t.equal(dayOf(atTimeOf('2026-12-24', 0, 30)), '2026-12-24', 'it is on its day here, not in UTC')
  t.equal(asDueDate('2026-12-24'), '2026-12-24T00:00:00.000Z')
  t.equal(asDueDate('2026-12-24T14:00:00.000Z'), '2026-12-24T14:00:00.000Z')
  t.equal(asDueDate(''), null)
})

t.test('what the page shows is read again', async (t) => {
  inZone(t, 'Europe/Berlin')
  for (const [locale, read] of [
    ['en-GB', english],
    ['en-US', english],
    ['de', german],
    ['de-AT', german],
  ] as const) {
    const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
    const full = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: 'UTC' })
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
    for (let date = 0; date < 365; date++) {
      const at = new Date(Date.UTC(2026, 10, 25 + date))
      const expected = at.toISOString().slice(0, 10)
      const shown = day.format(at)
      if (read(shown, {}, locale) !== expected) t.fail(`${locale}: ${shown} is not ${expected}`)
      const whole = full.format(at)
      if (read(whole, {}, locale) !== expected) t.fail(`${locale}: ${whole} is not ${expected}`)
      const moment = atTimeOf(expected, date % 24, date % 60)
      const both = `${shown}, ${time.format(new Date(moment))}`
      if (read(both, {}, locale) !== moment) t.fail(`${locale}: ${both} is not ${moment}`)
    }
    t.pass(locale)
  }
})
