/** Pruning of the sequence and its index, at the start and while the service runs. */
import { join } from 'node:path'
import { mock } from 'node:test'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { BY_SERVICE } from '../../src/requests/perform.ts'
import { type App, build, count, createProject, LONG_AGO } from '../helper.ts'

const DAY = 24 * 60 * 60 * 1000

/** Appends changes with a given time. */
function append(app: App, daysAgo: number, rows: number, after = '{}') {
  const at = new Date(Date.now() - daysAgo * DAY).toISOString()
  app.db.$client
    .prepare(
      `insert into changes (at, kind, id, action, project_id, after)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      select ?, 'metric', 'x' || i, 'created', 'apollo', ? from n`,
    )
    .run(rows, at, after)
}
const last = (app: App) => app.rules.changes.sequence.last()
const first = (app: App) => app.rules.changes.sequence.first()
const index = (app: App) => {
  while (app.rules.changes.subjects.behind() > 0) app.rules.changes.subjects.index()
}

t.test('changes older than the retention are deleted at the start, with their index entries', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const before = await build(t, { databaseUrl, changesKeepDays: 0 })
  before.db.$client.exec(`update changes set at = '${LONG_AGO}'`)
  append(before, 91, 2500)
  append(before, 89, 10)
  index(before)
  const entries = count(before, 'change_subjects')
  const all = count(before, 'changes')
  await before.close()

  const forEver = await build(t, { databaseUrl, changesKeepDays: 0 })
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.equal(count(forEver, 'changes'), all, '0 is for ever')
  await forEver.close()

  const app = await build(t, { databaseUrl })
  while (app.rules.changes.retention.hasOlder(Date.now() - 90 * DAY)) await wait(5)
  t.equal(count(app, 'changes'), 10)
  t.equal(count(app, 'change_subjects', 'seq > 0'), 20, 'of a project and of a kind')
  t.ok(entries > 2500)
  t.strictSame(app.rules.changes.subjects.list('apollo', Number.POSITIVE_INFINITY, 100).length, 10)
})

t.test('newer changes are kept, even behind older ones', async (t) => {
  const app = await build(t, { changesKeepDays: 0 })
  const { retention, sequence } = app.rules.changes
  const until = Date.now() - 90 * DAY
  app.db.$client.exec(`update changes set at = '${LONG_AGO}'`)
  append(app, 91, 2)
  append(app, -9000, 1)
  append(app, 91, 1)
  append(app, 89, 1)
  const kept = last(app)
  append(app, 400, 3)
  while (retention.prune(until));
  t.equal(first(app), kept, 'a time that is not yet holds nothing up')
  t.equal(retention.hasOlder(until), false)
  t.equal(sequence.after(0, 10).length, 4)
})

t.test('the newest change is kept, however old it is: no number is used twice', async (t) => {
  const app = await build(t, { changesKeepDays: 0 })
  append(app, 400, 5)
  const newest = last(app)
  const { retention } = app.rules.changes
  t.equal(retention.prune(Date.now()), false)
  t.equal(first(app), newest)
  t.equal(retention.hasOlder(Date.now()), false)
  t.equal(retention.prune(Date.now()), false)
  await createProject(app)
  t.equal(app.rules.changes.sequence.one(newest + 1)?.kind, 'project')
})

t.test('old changes are pruned once an hour; a failure is retried', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const app = await build(t, { changesKeepDays: 10 })
  append(app, 11, 3)
  append(app, 9, 1)
  const turns = async () => {
    for (let turn = 0; turn < 30; turn++) await setImmediate()
  }
  app.db.$client.exec("create trigger kept before delete on changes begin select raise(abort, 'no'); end")
  mock.timers.tick(60 * 60 * 1000)
  await turns()
  t.equal(count(app, 'changes'), 4)
  app.db.$client.exec('drop trigger kept')
  mock.timers.tick(60 * 60 * 1000)
  await turns()
  t.equal(count(app, 'changes'), 1)
})

t.test('the worker thread writes the index when it is far behind', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const before = await build(t, { databaseUrl })
  append(before, 0, 1000)
  for (let turn = 0; turn < 20; turn++) await setImmediate()
  t.equal(before.rules.changes.subjects.indexed(), 0, 'a short rest is left to be searched')
  append(before, 0, 5000, JSON.stringify({ text: 'x'.repeat(1000) }))
  await before.close()
  const app = await build(t, { databaseUrl })
  t.throws(() => app.rules.changes.subjects.index(), { name: 'TooMuchWork' })
  while (app.rules.changes.subjects.behind() > 0) await wait(5)
  t.equal(count(app, 'change_subjects', "subject = 'apollo' and seq > 0"), 6000)
  t.equal(app.rules.changes.subjects.list('apollo', 5000, 1)[0], 4999)
})

t.test('while many changes are made, the index waits; far behind, it does not', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const before = await build(t, { databaseUrl })
  append(before, 0, 3000)
  await before.close()
  const app = await build(t, { databaseUrl })
  const { subjects } = app.rules.changes
  for (let turn = 0; turn < 25; turn++) {
    append(app, 0, 50)
    await wait(100)
  }
  t.equal(subjects.indexed(), 0)
  append(app, 0, 20_000)
  while (subjects.behind() > 4000) await wait(5)
  t.ok(subjects.behind() > 0, 'and leaves a rest until few are made')
})

t.test('two services write one index', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const [one, other] = [await build(t, { databaseUrl }), await build(t, { databaseUrl })]
  append(one, 0, 3000)
  const index = async (app: App) => (await app.perform(app.changes.subjects.index(100), BY_SERVICE)).value
  while ((await Promise.all([index(one), index(other)])).every((left) => left > 0));
  while ((await index(other)) > 0);
  t.equal(count(one, 'change_subjects', "subject = 'apollo' and seq > 0"), 3000)
})
