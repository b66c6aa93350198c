/** An imported archive: nobody is told of its history, and its reminders are still to come. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { timestamp } from '../../src/time.ts'
import { exported, imported } from '../exchange/archives.ts'
import { type App, build, count, createItem, createProject, send } from '../helper.ts'
import { ended, upload } from '../imports.ts'
import { memberNamed, workedOff } from './members.ts'

const FUTURE = timestamp(Date.now() + 24 * 60 * 60 * 1000)
const PAST = '2026-02-01T00:00:00.000Z'
const LONG_AGO = '2026-01-01T00:00:00.000Z'
const SETTINGS = { authMode: 'required', adminPassword: 'correct horse' } as const

/** A service in which Ada was assigned, mentioned and reminded, in the past, and has a reminder to come. @returns its export */
async function source(t: Test) {
  const folder = t.testdir()
  const app = await build(t, { ...SETTINGS, databaseUrl: `file:${join(folder, 'source.db')}` })
  const admin = memberNamed(app, 'boss', 'admin')
  memberNamed(app, 'ada')
  const project = await createProject(app, {}, admin.headers)
  const items = []
  for (const reminders of [[{ at: PAST }], [{ at: PAST }, { at: FUTURE }]]) {
    const item = await createItem(app, project.id, { assigneeId: 'ada', reminders }, admin.headers)
    const comments = `/api/kanban-items/${item.id}/comments`
    await send(app, 'POST', comments, { content: 'Look, @ada' }, admin.headers)
    await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done' }, admin.headers)
    await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Next' }, admin.headers)
    items.push(item)
  }
  await workedOff(app)
  t.ok(count(app, 'notifications', "member_id = 'ada'") >= 6)
  app.db.$client.prepare('update changes set at = ?').run(LONG_AGO)
  const archive = await app.inject({ method: 'GET', url: '/api/export', headers: admin.headers })
  await exported(app.db.$client, join(folder, 'archive'))
  return {
    folder,
    archive: archive.rawPayload,
    reminded: items[1]?.id,
  }
}

const timesIn = (app: App) => app.db.$client.prepare('select item_id, at from item_times').raw().all()

for (const [name, settings, kind] of [
  ['a new service', {}, 'whole'],
  ['a new service in memory', { databaseUrl: ':memory:' }, 'whole'],
  ['a service with other records', { adminEmail: 'root@localhost' }, 'beside'],
] as const) {
  t.test(`an archive imported into ${name}`, async (t) => {
    const { folder, archive, reminded } = await source(t)
    const app = await build(t, { ...SETTINGS, databaseUrl: `file:${join(folder, 'target.db')}`, ...settings })
    const root = kind === 'beside' ? memberNamed(app, 'root', 'admin') : undefined
    if (root) await createProject(app, {}, root.headers)
    await workedOff(app)
    const headers = root?.headers ?? (await adminOf(app))
    const { body } = await upload(app, 'format=phaseboard', archive, headers)
    t.match(await ended(app, body.id, headers), { status: 'done' })
    await workedOff(app)
    t.equal(count(app, 'notifications'), 0, 'nobody is notified again')
    t.strictSame(timesIn(app), [[reminded, FUTURE]], 'only the time to come is noted')
    t.equal(count(app, 'quiet_changes'), 0)
  })
}

/** The session of the admin of the first start. */
async function adminOf(app: App): Promise<{ cookie: string }> {
  const account = { email: 'admin@localhost', password: 'correct horse' }
  const { headers } = await send(app, 'POST', '/api/session', account)
  return { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' }
}

t.test('an archive imported before the first start', async (t) => {
  const { folder, reminded } = await source(t)
  const file = join(folder, 'restored.db')
  await imported(file, join(folder, 'archive'))
  const app = await build(t, { ...SETTINGS, databaseUrl: `file:${file}` })
  await workedOff(app)
  t.equal(count(app, 'notifications'), 0)
  t.strictSame(timesIn(app), [[reminded, FUTURE]])
})
