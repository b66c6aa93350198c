import fc from 'fast-check'
import t from 'tap'
import { parseTimestamp, timestamp } from '../src/time.ts'

const pad = (value: number, width = 2) => String(value).padStart(width, '0')

t.test('a plain date is midnight UTC', async (t) => {
  t.equal(parseTimestamp('2026-01-31'), '2026-01-31T00:00:00.000Z')
  t.equal(parseTimestamp('0000-01-01'), '0000-01-01T00:00:00.000Z')
  t.equal(parseTimestamp('0099-12-31'), '0099-12-31T00:00:00.000Z')
  t.equal(parseTimestamp('9999-12-31'), '9999-12-31T00:00:00.000Z')
})

t.test('a date-time with its offset is converted to UTC with milliseconds', async (t) => {
  for (const [text, expected] of [
    ['2026-01-31T18:30:15.250Z', '2026-01-31T18:30:15.250Z'],
    ['2026-01-31T18:30:15Z', '2026-01-31T18:30:15.000Z'],
    ['2026-01-31T18:30Z', '2026-01-31T18:30:00.000Z'],
    ['2026-01-31T18:30:15.2Z', '2026-01-31T18:30:15.200Z'],
    ['2026-01-31T18:30:15,2Z', '2026-01-31T18:30:15.200Z'],
    ['2026-01-31T18:30:15.999999999Z', '2026-01-31T18:30:15.999Z'],
    ['2026-01-31T18:30:15+01:00', '2026-01-31T17:30:15.000Z'],
    ['2026-01-31T18:30:15+0130', '2026-01-31T17:00:15.000Z'],
    ['2026-01-31T18:30:15-05', '2026-01-31T23:30:15.000Z'],
    ['2026-01-31T18:30:15,5-0545', '2026-02-01T00:15:15.500Z'],
    ['2026-01-31T18:30-00:00', '2026-01-31T18:30:00.000Z'],
    ['2026-01-31T00:00:00+23:59', '2026-01-30T00:01:00.000Z'],
    ['2026-12-31T23:59:59.999-00:01', '2027-01-01T00:00:59.999Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    t.equal(parseTimestamp(text), expected, text)
  }
})

t.test("a date-time without an offset is UTC, whatever the machine's time zone is", async (t) => {
  const zone = process.env.TZ
  t.teardown(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })
  for (process.env.TZ of ['UTC', 'America/New_York', 'Asia/Kathmandu']) {
    for (const [text, expected] of [
      ['2026-01-31T18:30', '2026-01-31T18:30:00.000Z'],
      ['2026-01-31T18:30:15', '2026-01-31T18:30:15.000Z'],
      ['2026-01-31T18:30:15.25', '2026-01-31T18:30:15.250Z'],
      ['2026-01-31T18:30:15,5', '2026-01-31T18:30:15.500Z'],
      ['0000-01-01T00:00', '0000-01-01T00:00:00.000Z'],
    ] as const) {
      t.equal(parseTimestamp(text), expected, `${text} in ${process.env.TZ}`)
    }
    t.equal(parseTimestamp('2026-02-30T18:30'), undefined)
  }
})

t.test('days and times that do not exist are refused', async (t) => {
  for (const text of [
    '2026-00-10',
    '2026-13-10',
    '2026-01-00',
    '2026-01-32',
    '2026-04-31',
    '2026-06-31',
    '2026-09-31',
    '2026-11-31',
    '2026-02-29',
    '1900-02-29',
    '2100-02-29',
    '2028-02-30',
    '2026-01-31T24:00:00Z',
    '2026-01-31T18:60:00Z',
    '2026-01-31T23:59:60Z',
    '2026-01-31T18:30:00+24:00',
    '2026-01-31T18:30:00+01:60',
  ]) {
    t.equal(parseTimestamp(text), undefined, text)
  }
  for (const leap of ['2000-02-29', '2028-02-29', '0000-02-29', '0004-02-29']) {
    t.equal(parseTimestamp(leap), `${leap}T00:00:00.000Z`, `${leap} exists`)
  }
})

t.test('what falls outside the years 0000 to 9999 in UTC is refused', async (t) => {
  t.equal(parseTimestamp('0000-01-01T00:00:00+00:01'), undefined)
  t.equal(parseTimestamp('9999-12-31T23:59:00-00:01'), undefined)
  t.equal(parseTimestamp('9999-12-31T23:59:00+00:01'), '9999-12-31T23:58:00.000Z')
})

t.test('text of any other shape is refused', async (t) => {
  for (const text of [
    '',
    ' ',
    'tomorrow',
    '2026',
    '2026-01',
    '2026-1-31',
    '20260131',
    '26-01-31',
    '+002026-01-31',
    '-2026-01-31',
    '12026-01-31',
    '2026-W05-6',
    '2026-031',
    '31.01.2026',
    '01/31/2026',
    '2026-01-31T',
    '2026-01-31T18',
    '2026-01-31T18:30:15z',
    '2026-01-31T18:30:15+',
    '2026-01-31T18Z',
    '2026-01-31 18:30:15Z',
    '2026-01-31t18:30:15z',
    '2026-01-31T18:30:15.Z',
    '2026-01-31T18:30:15.1234567890Z',
    '2026-01-31T18:30:15+1:00',
    '2026-01-31T18:30:15+01:0',
    '2026-01-31T18:30:15 +01:00',
    '2026-01-31T18:30:15+01:00Z',
    '2026-01-31Z',
    ' 2026-01-31',
    '2026-01-31\n',
    '２０２６-01-31',
    '1769817600000',
    'Sat, 31 Jan 2026 18:30:15 GMT',
  ]) {
    t.equal(parseTimestamp(text), undefined, JSON.stringify(text))
  }
})

t.test('every canonical timestamp stays the same', async () => {
  const moment = fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59.999Z') })
  fc.assert(
    fc.property(
      moment.filter((date) => !Number.isNaN(date.getTime())),
      (date) => {
        const text = timestamp(date.getTime())
        return text === date.toISOString() && parseTimestamp(text) === text
      },
    ),
  )
})

t.test('every moment gives the same result with every offset', async () => {
  const moment = fc.integer({ min: Date.parse('0001-01-01'), max: Date.parse('9999-12-30') })
  const offset = fc.integer({ min: -(24 * 60 - 1), max: 24 * 60 - 1 })
  const style = fc.constantFrom(':', '')
  fc.assert(
    fc.property(moment, offset, style, (time, minutes, separator) => {
      const local = new Date(time + minutes * 60_000).toISOString().slice(0, -1)
      const hours = pad(Math.trunc(Math.abs(minutes) / 60))
      const text = `${local}${minutes < 0 ? '-' : '+'}${hours}${separator}${pad(Math.abs(minutes) % 60)}`
      return parseTimestamp(text) === timestamp(time)
    }),
  )
})

t.test('a day is accepted exactly if it exists', async () => {
  const part = (max: number) => fc.integer({ min: 0, max })
  fc.assert(
    fc.property(part(9999), part(14), part(33), (year, month, day) => {
      const text = `${pad(year, 4)}-${pad(month)}-${pad(day)}`
      const date = new Date(0)
      date.setUTCFullYear(year, month - 1, day)
      const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0 && month < 13
      return parseTimestamp(text) === (exists ? `${text}T00:00:00.000Z` : undefined)
    }),
    { numRuns: 2000 },
  )
})

t.test('no text throws an error, and every result is canonical', async () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'0123456789-:.,+TZ'), maxLength: 32 }),
  )
  fc.assert(
    fc.property(text, (value) => {
      const parsed = parseTimestamp(value)
      return parsed === undefined || (parsed === new Date(parsed).toISOString() && parsed.length === 24)
    }),
    { numRuns: 2000 },
  )
})

t.test('the current time is a canonical timestamp', async (t) => {
  const before = Date.now()
  const now = timestamp()
  t.equal(parseTimestamp(now), now)
  t.ok(Date.parse(now) >= before && Date.parse(now) <= Date.now())
  t.equal(timestamp(0), '1970-01-01T00:00:00.000Z')
})
