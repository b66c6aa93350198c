/** Reminders of days: by the clocks of each member's time zone, once, whatever happens meanwhile. */
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { hashToken } from '../../src/members/secrets.ts'
import { timestamp } from '../../src/time.ts'
import { makeOldFile, openTestDatabase } from '../database.ts'
import { type App, build, count, createItem, createProject, send } from '../helper.ts'
import { start } from '../process.ts'
import { manualClock, until } from '../receivers.ts'
import { isThorough } from '../rounds.ts'
import { consumerOf, writesOf } from './consumers.ts'
import { memberNamed, type Role } from './members.ts'

/** The number of migrations before local times. */
const BEFORE = 45

const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Of every kind: with whole, half and quarter hours, with and without daylight saving time, on both sides of the date line. */
const ZONES = [
  ...[
    'UTC',
    'Etc/GMT+12',
    'Etc/GMT-14',
    'Europe/Berlin',
    'Europe/London',
    'Europe/Lisbon',
    'Europe/Helsinki',
  ],
  ...['Europe/Istanbul', 'Europe/Moscow', 'Atlantic/Azores', 'America/New_York', 'America/Chicago'],
  ...['America/Denver', 'America/Phoenix', 'America/Los_Angeles', 'America/Anchorage', 'America/Adak'],
  ...['America/St_Johns', 'America/Halifax', 'America/Havana', 'America/Santiago', 'America/Asuncion'],
  ...['America/Sao_Paulo', 'America/Mexico_City', 'America/Nuuk', 'America/Tijuana', 'Africa/Cairo'],
  ...['Africa/Casablanca', 'Africa/Lagos', 'Asia/Beirut', 'Asia/Jerusalem', 'Asia/Tehran', 'Asia/Kolkata'],
  ...[
    'Asia/Kathmandu',
    'Asia/Yangon',
    'Asia/Tokyo',
    'Asia/Shanghai',
    'Australia/Sydney',
    'Australia/Adelaide',
  ],
  ...['Australia/Darwin', 'Australia/Lord_Howe', 'Pacific/Auckland', 'Pacific/Chatham', 'Pacific/Kiritimati'],
  ...['Pacific/Honolulu', 'Pacific/Marquesas', 'Pacific/Norfolk', 'Antarctica/Troll'],
]

const clocks = new Map<string, Intl.DateTimeFormat>()

/** What the clocks of a time zone show: `2027-03-28 09:00:00`. */
function shown(time: number, timeZone: string): string {
  const format =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  clocks.set(timeZone, format)
  return format.format(time)
}

const dayOf = (time: number) => timestamp(time).slice(0, 10)

/** Days of next year on which clocks are set in some of these zones: all, or those with the most zones. */
function daysOfChanges(): string[] {
  const year = new Date().getUTCFullYear() + 1
  const noons = Array.from({ length: 365 }, (_, day) => Date.UTC(year, 0, day + 1, 12))
  const setAt = (noon: number) =>
    ZONES.filter((zone) => shown(noon - DAY, zone).slice(11) !== shown(noon, zone).slice(11)).length
  return noons
    .filter((noon) => setAt(noon) > 0)
    .sort((one, other) => setAt(other) - setAt(one))
    .slice(0, isThorough ? undefined : 5)
    .sort()
    .map(dayOf)
}

/** Sets a member's time zone as the preferences do. */
function choose(app: App, memberId: string, timeZone: string, at = '2020-01-01T00:00:00.000Z'): void {
  app.db.$client
    .prepare(
      `insert into member_preferences (member_id, time_zone, updated_at) values (?, ?, ?)
      on conflict do update set time_zone = excluded.time_zone, updated_at = excluded.updated_at`,
    )
    .run(memberId, timeZone, at)
}

/** A board that members in some time zones watch, and a clock that the test sets. */
async function boardOf(t: Test, zones: Record<string, string>) {
  const app = await build(t, { authMode: 'required' })
  const admin = memberNamed(app, 'boss', 'admin')
  const project = await createProject(app, {}, admin.headers)
  const join = async (id: string, timeZone: string, role?: Role) => {
    const member = memberNamed(app, id, role)
    choose(app, id, timeZone)
    await send(app, 'PUT', `/api/projects/${project.id}/watch`, undefined, member.headers)
    return member
  }
  for (const [id, timeZone] of Object.entries(zones)) await join(id, timeZone)
  await app.notificationConsumer.work()
  await app.notificationConsumer.work()
  await app.notificationConsumer.stop()
  const clock = manualClock(Date.now())
  let consumer = consumerOf(app, clock)
  const create = (fields: object) => createItem(app, project.id, fields, admin.headers)
  /** Who was told at the last look, and what is the local time. The admin, who created the cards, is not counted. */
  const told = () =>
    app.db.$client
      .prepare(
        "select member_id from notifications where kind = 'due' and member_id <> 'boss' order by rowid",
      )
      .pluck()
      .all() as string[]
  return {
    ...{ app, admin, project, clock, join, create, told },
    at: async (time: number) => {
      clock.set(time)
      await consumer.work()
    },
    restart: () => {
      consumer = consumerOf(app, clock)
    },
  }
}

/** A card that is due in some days, with a reminder at a local time, in minutes. */
function remindedAt(time: number) {
  const dueDate = dayOf(time + 3 * DAY)
  const minutes = (Date.parse(dueDate) + 9 * HOUR - time) / MINUTE
  return { dueDate, reminders: [{ before: `PT${minutes}M` }] }
}

/** The current minute. */
const thisMinute = () => Math.floor(Date.now() / MINUTE) * MINUTE

t.test(
  'a day reminds at nine less the duration by the clocks of each time zone, also when they are set',
  async (t) => {
    const { app, create, at, restart } = await boardOf(
      t,
      Object.fromEntries(ZONES.map((zone) => [zone, zone])),
    )
    const days = daysOfChanges()
    t.comment(`days: ${days.join(' ')}`)
    /** What clocks show when each reminder comes, by the card's day and what is stored as the reminder's time. */
    const dues = days.flatMap((day) => {
      const nine = Date.parse(day) + 9 * HOUR
      return [
        { day, before: 'PT0S', time: nine },
        { day, before: 'P1D', time: nine - DAY },
        // 2:15, a time that is skipped, or comes twice, where clocks are set.
        { day, before: 'PT6H45M', time: nine - 6.75 * HOUR },
      ]
    })
    for (const day of days) {
      const reminders = dues.filter((one) => one.day === day).map(({ before }) => ({ before }))
      await create({ title: day, dueDate: day, reminders })
    }
    const told = app.db.$client.prepare<
      [number],
      { place: number; zone: string; title: string; due: string }
    >(
      `select rowid as place, member_id as zone, title, due_at as due from notifications
    where kind = 'due' and member_id <> 'boss' and rowid > ?`,
    )
    let [place, total] = [0, 0]
    let previous = 0
    for (const day of days) {
      const [from, to] = [Date.parse(day) - DAY - 6 * HOUR, Date.parse(day) + 22 * HOUR]
      for (let now = Math.max(from, previous + QUARTER); now <= to; now += QUARTER) {
        await at(now)
        // What is stored is enough to go on.
        if (now % (5 * HOUR) === 0) restart()
        for (const { place: next, zone, title, due } of told.all(place)) {
          place = next
          total++
          const wanted = due.replace('T', ' ').slice(0, 19)
          const before = shown(now - QUARTER, zone)
          const isFirst = shown(now, zone) >= wanted && before < wanted
          if (!isFirst) t.fail(`${title}, ${due} in ${zone}: told at ${shown(now, zone)}, after ${before}`)
          if (!dues.some((one) => one.day === title && timestamp(one.time).startsWith(due)))
            t.fail(`${title}: ${due}`)
        }
        previous = now
      }
    }
    t.equal(total, dues.length * ZONES.length, 'each once')
    await at(previous + 12 * HOUR)
    t.equal(count(app, 'item_times'), 0, 'nothing stays when it has come everywhere')
  },
)

t.test('an instant reminds everybody at the same time', async (t) => {
  const { create, at, told } = await boardOf(t, { tokyo: 'Asia/Tokyo', denver: 'America/Denver' })
  const due = thisMinute() + 3 * DAY + (thisMinute() % DAY === 0 ? MINUTE : 0)
  await create({ dueDate: timestamp(due), reminders: [{ before: 'P1D' }] })
  await at(due - DAY - 1)
  t.strictSame(told(), [])
  await at(due - DAY)
  t.strictSame(told().toSorted(), ['denver', 'tokyo'])
})

t.test('members without a time zone, or with an unknown one, have UTC', async (t) => {
  const { app, create, at, told, join } = await boardOf(t, { mars: 'Mars/Olympus', azores: 'Etc/GMT+1' })
  await join('nobody', 'UTC')
  app.db.$client.exec("delete from member_preferences where member_id = 'nobody'")
  const time = thisMinute() + DAY
  await create(remindedAt(time))
  await at(time - 1)
  t.strictSame(told(), [])
  await at(time)
  t.strictSame(told().toSorted(), ['mars', 'nobody'])
})

t.test('a reminder is for the time zones that had not reached it when it was set', async (t) => {
  const { create, at, told } = await boardOf(t, {
    east: 'Etc/GMT-2',
    here: 'UTC',
    west: 'Etc/GMT+2',
    wester: 'Etc/GMT+9',
  })
  const time = thisMinute()
  await create(remindedAt(time - MINUTE))
  await at(Date.now())
  t.strictSame(told(), [])
  await at(time + 2 * HOUR)
  t.strictSame(told(), ['west'])
  await at(time + 9 * HOUR)
  t.strictSame(told(), ['west', 'wester'])
})

t.test('a reminder that is worked off after the look at its time comes late, and is not lost', async (t) => {
  const { app, clock, create, at, told } = await boardOf(t, { here: 'UTC' })
  const time = thisMinute() + 3 * MINUTE
  await create(remindedAt(time - DAY))
  await at(time)
  await create(remindedAt(time))
  // A look ahead of the consumer's place: the write took long to commit.
  app.rules.attention.localTimes.setLookedAt(clock.now() + MINUTE)
  await at(time + 2 * MINUTE)
  t.strictSame(told(), ['here'])
})

t.test('a change of the time zone counts from the next look on', async (t) => {
  const zones = { ada: 'Etc/GMT+6', bob: 'UTC', eve: 'Etc/GMT+6' }
  const { app, create, at, told, restart } = await boardOf(t, zones)
  const time = thisMinute() + DAY
  const change = (id: string, zone: string, now: number) => choose(app, id, zone, timestamp(now))
  await create(remindedAt(time))
  await at(time)
  t.strictSame(told(), ['bob'])
  // Where Ada is now, the time has passed; Bob was told before.
  change('ada', 'Etc/GMT-4', time + HOUR)
  change('bob', 'Etc/GMT+3', time + HOUR)
  await at(time + HOUR + MINUTE)
  t.strictSame(told(), ['bob', 'ada'])
  // Eve's time has not come there.
  change('eve', 'Etc/GMT+4', time + 2 * HOUR)
  await at(time + 3 * HOUR)
  restart()
  t.strictSame(told(), ['bob', 'ada'])
  await at(time + 4 * HOUR)
  t.strictSame(told(), ['bob', 'ada', 'eve'])
  await at(time + 13 * HOUR)
  t.strictSame(told(), ['bob', 'ada', 'eve'], 'each once')
})

t.test('who begins to watch after the time is not reminded, also after a restart', async (t) => {
  const { app, create, at, told, join, restart } = await boardOf(t, { ada: 'UTC' })
  const time = thisMinute() + DAY
  await create(remindedAt(time))
  await at(time)
  await join('bob', 'UTC')
  await join('west', 'Etc/GMT+1')
  await at(time + MINUTE)
  restart()
  await at(time + 2 * HOUR)
  t.strictSame(told(), ['ada', 'west'])
  t.equal(count(app, 'notifications', "kind = 'due'"), 3, 'and the admin')
})

t.test('what fails or is stopped in the middle goes on, and each is told once', async (t) => {
  const { app, clock, create, at, told } = await boardOf(t, { ada: 'UTC', bob: 'UTC' })
  const time = thisMinute() + DAY
  for (let number = 0; number < 250; number++) await create(remindedAt(time))
  await at(time - 1)
  clock.set(time)
  const writes = writesOf(app)
  let stored = 0
  const reported: string[] = []
  const failing = consumerOf(app, clock, {
    writes: {
      ...writes,
      storeTimes: async (...args) => {
        if (++stored > 3) throw new Error('disk is full')
        t.ok(args[0].length <= 100 && args[1].length <= 100, 'in small transactions')
        await writes.storeTimes(...args)
      },
    },
    warn: (_fields, message) => reported.push(message),
  })
  await failing.work()
  t.strictSame(reported, ['could not create notifications'])
  const before = told().length
  t.ok(before > 0 && before < 500, `${before} before`)
  await at(time + HOUR)
  t.equal(told().length, 500)
  t.equal(count(app, 'notifications', "kind = 'due'"), 750)
})

t.test('reminders come after the clock was far ahead for a while', async (t) => {
  const { create, at, told } = await boardOf(t, { ada: 'UTC' })
  const time = thisMinute() + DAY
  await create(remindedAt(time))
  await at(time + 400 * DAY)
  t.strictSame(told(), ['ada'], 'too early')
  await at(Date.now())
  await create(remindedAt(time + HOUR))
  await at(time)
  t.strictSame(told(), ['ada'])
  await at(time + HOUR)
  t.strictSame(told(), ['ada', 'ada'])
})

t.test('looks that find nothing write nothing', async (t) => {
  const { app, create, at } = await boardOf(t, { ada: 'Asia/Tokyo' })
  const time = thisMinute() + DAY
  await create(remindedAt(time))
  await at(Date.now())
  const changes = () => app.db.$client.prepare('select total_changes()').pluck().get()
  const before = changes()
  for (let minute = 1; minute < 10; minute++) await at(Date.now() + minute * MINUTE)
  t.equal(changes(), before)
})

t.test('an upgrade counts the reminders to come from nine', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const old = makeOldFile(path, BEFORE)
  old.exec(`
    insert into projects (id, name) values ('p', 'P');
    insert into kanban_items (id, project_id, title, "column", due_date) values
      ('day', 'p', 'Day', 'To Do', '2027-03-31T00:00:00.000Z'), ('plain', 'p', 'Day', 'To Do', '2027-03-31'),
      ('instant', 'p', 'Instant', 'To Do', '2027-03-31T12:00:00.000Z');
    insert into item_times (item_id, kind, at) values
      ('day', 'due', '2027-02-28T00:00:00.000Z'), ('day', 'lease-lapsed', '2027-01-01T00:00:00.000Z'),
      ('plain', 'due', '2027-03-30T22:00:00.000Z'), ('instant', 'due', '2027-03-31T11:00:00.000Z');`)
  old.close()
  const db = openTestDatabase(t, `file:${path}`)
  const times = db.$client
    .prepare('select item_id, at from item_times where since is not null order by item_id')
    .raw()
  t.strictSame(times.all(), [
    ['day', '2027-02-28T09:00:00.000'],
    ['plain', '2027-03-31T07:00:00.000'],
  ])
})

t.test('the service as it ships, with a clock that is set, and killed meanwhile', async (t) => {
  const folder = t.testdir()
  const clock = join(folder, 'ahead')
  const setAhead = (milliseconds: number) => {
    writeFileSync(`${clock}.new`, String(milliseconds))
    renameSync(`${clock}.new`, clock)
  }
  setAhead(0)
  const settable = `import { readFileSync } from 'node:fs'
    const now = Date.now
    Date.now = () => now() + Number(readFileSync(${JSON.stringify(clock)}, 'utf8'))`
  const file = join(folder, 'board.db')
  const environment = {
    DATABASE_URL: `file:${file}`,
    AUTH_MODE: 'required',
    ADMIN_PASSWORD: 'correct horse',
    NODE_OPTIONS: `--import=data:text/javascript;base64,${Buffer.from(settable).toString('base64')}`,
  }
  let service = await start(t, environment)
  const tool = new SQLite(file)
  for (const id of ['tokyo', 'denver']) {
    tool
      .prepare("insert into members (id, name, email, role) values (?, ?, ?, 'member')")
      .run(id, id, `${id}@example.test`)
    tool
      .prepare(
        "insert into api_tokens (id, member_id, name, scope, token_hash) values (?, ?, 'CI', 'write', ?)",
      )
      .run(id, id, hashToken(`pbt_${id}`))
  }
  tool.close()
  const ask = async <Answer>(member: string, method: string, path: string, body?: object) => {
    const response = await fetch(`${service.url}/api${path}`, {
      method,
      headers: { authorization: `Bearer pbt_${member}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Answer
  }
  for (const [member, timeZone] of [
    ['tokyo', 'Asia/Tokyo'],
    ['denver', 'America/Denver'],
  ] as const)
    await ask(member, 'PATCH', '/me/preferences', { timeZone })
  const project = await ask<{ id: string }>('tokyo', 'POST', '/projects', { name: 'Days' })
  const day = dayOf(Date.now() + 5 * DAY)
  const card = await ask<{ id: string; dueDate: string }>(
    'tokyo',
    'POST',
    `/projects/${project.id}/kanban-items`,
    {
      title: 'Card',
      dueDate: day,
      reminders: [{ before: 'P1D' }],
    },
  )
  await ask('denver', 'PUT', `/kanban-items/${card.id}/watch`)
  const told = async (member: string) =>
    (await ask<{ text: string }[]>(member, 'GET', '/notifications?kind=due')).map(({ text }) => text)
  // In Tokyo there is no daylight saving time.
  const nineInTokyo = Date.parse(`${day}T00:00:00Z`) - DAY
  setAhead(nineInTokyo - Date.now())
  await until(async () => (await told('tokyo')).length > 0)
  t.strictSame(await told('denver'), [])
  service.kill('SIGKILL')
  await service.exited
  setAhead(nineInTokyo + 16 * HOUR - Date.now())
  service = await start(t, environment)
  await until(async () => (await told('denver')).length > 0)
  t.strictSame([await told('tokyo'), await told('denver')], [[card.dueDate], [card.dueDate]], 'each once')
})
