/** Filters by due dates relative to now: days are the same everywhere, instants depend on the time zone. */
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { dayAfter } from '../../src/time-zones.ts'
import { build, createItem, createProject, invalid, send, signInAs } from '../helper.ts'
import { steady } from '../rounds.ts'

/** 10:30 in Berlin, 22:30 in Auckland, 23:30 of the day before in Honolulu. */
const NOW = Date.parse('2027-03-10T09:30:00.000Z')

/** Stops the clock of the filters. */
function stopClock(t: Test, now: number) {
  const { now: systemNow } = Date
  Date.now = () => now
  t.teardown(() => {
    Date.now = systemNow
  })
}

t.test('a day is due when it is that day for the reader, an instant when it comes', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const dues: Record<string, string> = {
    'the 9th': '2027-03-09',
    'the 10th': '2027-03-10',
    'the 16th': '2027-03-16',
    'the 17th': '2027-03-17',
    'an hour ago': '2027-03-10T08:30:00Z',
    'in an hour': '2027-03-10T10:30:00Z',
    'in 15 hours': '2027-03-11T00:30:00Z',
  }
  for (const [title, dueDate] of Object.entries(dues)) await createItem(app, project.id, { title, dueDate })
  await createItem(app, project.id, { title: 'done', dueDate: '2027-03-01', column: 'Done' })
  await createItem(app, project.id, { title: 'whenever' })
  stopClock(t, NOW)
  const titles = async (query: string) => {
    const { status, body, headers } = await send(
      app,
      'GET',
      `/api/projects/${project.id}/kanban-items?sort=dueDate&${query}`,
    )
    t.strictSame([status, headers['cache-control']], [200, 'no-store'], query)
    return body.map(({ title }: { title: string }) => title)
  }
  t.strictSame(await titles('due=overdue'), ['the 9th', 'an hour ago'])
  t.strictSame(await titles('due=today'), ['the 10th', 'an hour ago', 'in an hour'])
  t.strictSame(await titles('due=today&timeZone=Pacific/Honolulu'), ['the 9th', 'an hour ago'])
  t.strictSame(await titles('due=overdue&timeZone=Pacific/Honolulu'), ['an hour ago'])
  t.strictSame(await titles('due=today&timeZone=Pacific/Auckland'), ['the 10th', 'an hour ago', 'in an hour'])
  t.strictSame(await titles('due=today&timeZone=America/Los_Angeles'), [
    'the 10th',
    'an hour ago',
    'in an hour',
    'in 15 hours',
  ])
  t.strictSame(await titles('due=week'), [
    ...['done', 'the 9th', 'the 10th', 'an hour ago', 'in an hour', 'in 15 hours', 'the 16th'],
  ])
  t.strictSame(
    (await send(app, 'GET', '/api/kanban-items?due=today&timeZone=Mars/Olympus')).body,
    invalid({ timeZone: ['must be an IANA time zone'] }),
  )
  t.match(await send(app, 'GET', '/api/kanban-items?due=soon'), { status: 400 })
})

t.test('without a time zone it is that of the preferences', async (t) => {
  stopClock(t, NOW)
  const app = await build(t, { authMode: 'required' })
  const { headers } = signInAs(app, 'admin')
  const project = await createProject(app, {}, headers)
  await createItem(app, project.id, { dueDate: '2027-03-09' }, headers)
  const found = async () =>
    (await send(app, 'GET', '/api/kanban-items?due=today', undefined, headers)).body.length
  t.equal(await found(), 0)
  await send(app, 'PATCH', '/api/me/preferences', { timeZone: 'Pacific/Honolulu' }, headers)
  t.equal(await found(), 1)
  app.db.$client.exec("update member_preferences set time_zone = 'Mars/Olympus'")
  t.equal(await found(), 0, 'of another tool, one that is none')
})

t.test('a day begins and ends by the clocks of its time zone', (t) => {
  const zones = Intl.supportedValuesOf('timeZone')
  const time = fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2030-01-01') })
  fc.assert(
    fc.property(fc.constantFrom(...zones), time, (timeZone, now) => {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
      const { day, begins } = dayAfter(now, 0, timeZone)
      const next = dayAfter(now, 1, timeZone)
      t.equal(day, format.format(now), timeZone)
      t.ok(begins <= now && now < next.begins, timeZone)
      t.strictSame([format.format(begins), format.format(next.begins - 1)], [day, day], timeZone)
    }),
    { numRuns: 100, ...steady },
  )
  t.strictSame(dayAfter(Date.parse('2027-03-28T00:30:00Z'), 1, 'Europe/Berlin'), {
    day: '2027-03-29',
    begins: Date.parse('2027-03-28T22:00:00Z'),
  })
  t.end()
})

t.test('a day is overdue from the midnight at its end by the clocks of each time zone', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  for (const [day, zones] of [
    // Clocks are set at two or three, at midnight, by half an hour, or not at all.
    ['2027-03-14', ['America/New_York', 'America/Havana', 'America/St_Johns', 'America/Phoenix', 'UTC']],
    ['2027-03-27', ['Asia/Beirut', 'Europe/Berlin', 'Atlantic/Azores', 'America/Nuuk', 'Asia/Kathmandu']],
    ['2027-03-28', ['Asia/Beirut', 'Europe/London', 'Europe/Lisbon', 'Atlantic/Azores', 'Asia/Kolkata']],
    ['2027-04-04', ['Australia/Lord_Howe', 'Australia/Sydney', 'Pacific/Auckland', 'Pacific/Chatham']],
    ['2027-04-03', ['America/Santiago', 'Pacific/Norfolk', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']],
    ['2027-09-04', ['America/Santiago', 'Africa/Casablanca', 'Asia/Tehran', 'Etc/GMT+12', 'Etc/GMT-14']],
    ['2027-10-31', ['Europe/Helsinki', 'Europe/Dublin', 'Africa/Cairo', 'Asia/Gaza', 'Antarctica/Troll']],
    ['2027-10-30', ['Asia/Beirut', 'Africa/Cairo', 'Asia/Jerusalem', 'Asia/Tokyo', 'Australia/Eucla']],
    [
      '2027-11-07',
      ['America/Havana', 'America/Chicago', 'America/Adak', 'America/Halifax', 'America/Tijuana'],
    ],
  ] as const) {
    const item = await createItem(app, project.id, { dueDate: day })
    for (const timeZone of zones) {
      const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' })
      // The second at which the date on the clocks changes.
      let [before, end] = [Date.parse(day), Date.parse(day) + 50 * 3_600_000]
      while (end - before > 1000) {
        const middle = Math.floor((before + end) / 2000) * 1000
        if (format.format(middle) > day) end = middle
        else before = middle
      }
      const isOverdueAt = async (now: number) => {
        stopClock(t, now)
        const url = `/api/projects/${project.id}/kanban-items?due=overdue&timeZone=${encodeURIComponent(timeZone)}`
        return (await send(app, 'GET', url)).body.some(({ id }: { id: string }) => id === item.id)
      }
      const found = [await isOverdueAt(end - 1), await isOverdueAt(end)]
      t.strictSame(found, [false, true], `${day} in ${timeZone} at ${new Date(end).toISOString()}`)
    }
  }
})
