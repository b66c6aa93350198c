/** Imports over HTTP and by the command of files that tell their tool, with mapped columns and a time zone. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { run } from '../command-line.ts'
import { type App, build, send, signInAs, tokenOf } from '../helper.ts'
import { ended, upload } from '../imports.ts'

/** Imports a file. @returns its items by title, and the completed import */
async function imported(app: App, query: string, file: string | Buffer) {
  const { status, body } = await upload(app, query, file)
  t.equal(status, 202)
  const job = await ended(app, body.id)
  if (job.status === 'failed') throw new Error(job.error)
  const { body: items } = await send(app, 'GET', `/api/projects/${job.projectId}/kanban-items`)
  return { job, items: Object.fromEntries(items.map((item: { title: string }) => [item.title, item])) }
}

const fixture = (name: string) => readFileSync(join('test/fixtures', name))

t.test('a file is imported without its format', async (t) => {
  const app = await build(t)
  const { job, items } = await imported(app, '', fixture('asana.csv'))
  t.match(job, { format: 'asana', status: 'done', counts: { items: 5, subtasks: 2 } })
  t.match(job.notes, [
    /^columns without a field here 3 .*Start Date 1, Projects 5, Budget 1$/,
    'an export of Asana has no comments and files',
    /^subtasks: 2 from cards with a parent, /,
  ])
  t.match(items.Anstrich, {
    column: 'Ausführung',
    metadata: { links: [{ type: 'blocked_by', to: '1209000000000002' }], asana: { Projects: 'Fassade' } },
  })
  for (const name of [
    'wekan-board.json',
    'deck-boards.json',
    'vikunja-data.json',
    'todoist.csv',
    'ticktick.csv',
  ]) {
    const made = await imported(app, 'timeZone=Europe/Berlin', fixture(name))
    t.equal(made.job.format, name.split(/[.-]/)[0])
    const due = Object.values(made.items).flatMap(({ dueDate }) => dueDate ?? [])
    t.ok(due.includes('2026-03-20T00:00:00.000Z'), `${name}: a day`)
  }
  const dry = await upload(app, 'dryRun=true', fixture('planner.csv'))
  t.match(await ended(app, dry.body.id), { format: 'planner', status: 'done', counts: { items: 3 } })
  const again = await upload(app, '', fixture('asana.csv'))
  t.match(await ended(app, again.body.id), { status: 'failed', error: /imported before/ })
})

t.test('a wrong format is refused with the right one, and an unknown file', async (t) => {
  const app = await build(t)
  const wrong = await upload(app, 'format=trello', fixture('wekan-board.json'))
  t.match(await ended(app, wrong.body.id), {
    status: 'failed',
    error: /it looks like a WeKan board: use wekan/,
  })
  const unknown = await upload(app, '', '{}')
  t.match(await ended(app, unknown.body.id), {
    format: '',
    status: 'failed',
    error: /^cannot import the file: it is of no tool that is known here/,
  })
  t.match(await upload(app, 'timeZone=Mars', 'title\n'), {
    status: 400,
    body: { details: { fieldErrors: { timeZone: [String] } } },
  })
})

t.test('columns of a table are mapped, beside people', async (t) => {
  const app = await build(t)
  const { id } = signInAs(app, 'member')
  const query = new URLSearchParams([
    ['map', 'What=title'],
    ['map', 'Until=due'],
    ['map', `Ann=${id}`],
  ])
  const { job, items } = await imported(app, String(query), 'What,Until,Owner\nSweep,2026-03-20,Ann\n')
  t.match(job, { format: 'csv', people: [{ matched: 'map', memberId: id }] })
  t.match(items.Sweep, { dueDate: '2026-03-20T00:00:00.000Z', assigneeId: id })
  t.match(await upload(app, 'map=Ann=nobody', 'title\nx\n'), { status: 400 })
  const wrong = await upload(app, 'map=Other=title', 'What\nx\n')
  t.match(await ended(app, wrong.body.id), { error: /no column is named "Other": there are "What"/ })
})

t.test('an archive tells that it is one, and is for admins', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = tokenOf(app, signInAs(app, 'admin').id, { scope: 'write' })
  const member = tokenOf(app, signInAs(app, 'member').id, { scope: 'write' })
  const archive = await app.inject({ method: 'GET', url: '/api/export', headers: admin })
  t.equal(archive.statusCode, 200)
  t.match(await upload(app, '', archive.rawPayload, member), { status: 403 })
  const checked = await upload(app, 'dryRun=true', archive.rawPayload, admin)
  t.match(checked, { status: 202, body: { id: String } })
  t.match(await ended(app, checked.body.id, admin), { format: 'phaseboard' })
  t.match(await upload(app, 'timeZone=UTC', archive.rawPayload, admin), {
    status: 400,
    body: { details: { fieldErrors: { timeZone: ['is not for phaseboard'] } } },
  })
})

t.test('the command recognises a file, and takes columns and a time zone', async (t) => {
  const folder = t.testdir({ 'tasks.csv': 'What;Until\nSweep;20.03.2026\n' })
  const environment = { DATABASE_URL: `file:${folder}/board.db` }
  const command = (...args: string[]) => run(t, ['import', ...args], environment)
  const linear = await command('test/fixtures/linear.csv', '--time-zone', 'Europe/Berlin')
  t.match(linear, { code: 0, stdout: /\nitems 3 \(1 dismissed\)\n(?:.*\n)*columns without a field here 6/ })
  const table = await command(join(folder, 'tasks.csv'), '--map', 'What=title', 'Until=due', '--dry-run')
  t.match(table, { code: 0, stdout: /\ndue dates 1\n/ })
  t.match(await command('csv', 'test/fixtures/linear.csv'), { code: 1, stderr: /use linear\n$/ })
  t.match(await command('any', join(folder, 'tasks.csv')), { code: 1, stderr: /no column is named title/ })
})
