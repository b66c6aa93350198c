/** The shipped build with 200,000 changes: 300 long polls of a viewer wait, each with its own filter, while other requests continue. */
import SQLite from 'better-sqlite3'
import t from 'tap'
import { onPreparedFile, start } from './process.ts'

const CHANGES = 200_000
const POLLS = 300
/** Kinds without any changes here. A filter may name any of them besides the others. */
const OTHERS = [
  'kanban-subtask',
  'kanban-comment',
  'kanban-label',
  'kanban-item-label',
  'transcript-summary',
  'team-assignment',
  'personal-idea',
  'team',
  'kanban-activity',
]
/** The compared parts of responses. */
interface Body {
  id: string
  last: number
  changes: { kind: string; action: string }[]
}
const ADMIN = { email: 'ada@example.org', password: 'a long password of Ada' }
const VIEWER = { email: 'bob@example.org', password: 'a long password of Bob' }

t.test('300 long polls of one viewer do not block others, and each gets its change', async (t) => {
  const environment = {
    ...onPreparedFile(t.testdir()),
    AUTH_MODE: 'required',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    STREAMS_MAX: '5000',
  }
  let service = await start(t, environment)
  const ask = async (method: string, path: string, body?: object, cookie?: string) => {
    const headers = { 'content-type': 'application/json', ...(cookie && { cookie }) }
    const answer = await fetch(service.url + path, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    return {
      status: answer.status,
      cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '',
      body: (await answer.json()) as Body,
    }
  }
  const { cookie: admin } = await ask('POST', '/api/session', ADMIN)
  await ask('POST', '/api/members', { ...VIEWER, name: 'Bob', role: 'viewer' }, admin)
  const project = (await ask('POST', '/api/projects', { name: 'Apollo' }, admin)).body
  service.kill('SIGTERM')
  await service.exited

  const db = new SQLite(environment.DATABASE_URL.replace(/^file:/, ''))
  t.teardown(() => db.close())
  db.exec(
    `insert into changes (kind, id, action, project_id, item_id, "group", after)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${CHANGES})
    select 'metric', 'm' || i, 'created', 'p' || (i % 100), 'i' || i, 1000000, '{"name":"Metric"}' from n`,
  )
  service = await start(t, environment)
  const mark = db.prepare("select -seq from change_subjects where subject = '' and seq < 0").pluck()
  while (Number(mark.get() ?? 0) < CHANGES) await new Promise((resolve) => setTimeout(resolve, 50))

  const { cookie: viewer } = await ask('POST', '/api/session', VIEWER)
  const items = `/api/projects/${project.id}/kanban-items`
  let answered = 0
  const polls = Array.from({ length: POLLS }, async (_, index) => {
    const kinds = ['objective', ...OTHERS.filter((_kind, bit) => (index >> bit) % 2 === 1)]
    const found: string[] = []
    for (let after = 0; found.length === 0; ) {
      const { status, body } = await ask(
        'GET',
        `/api/changes?wait=30&after=${after}&kind=${kinds}`,
        undefined,
        viewer,
      )
      if (status !== 200) return [status]
      found.push(...body.changes.map(({ kind, action }) => `${kind} ${action}`))
      after = body.last
    }
    answered++
    return found
  })
  for (let turn = 0; turn < 50; turn++) {
    t.equal((await ask('GET', '/healthz')).status, 200)
    t.equal((await ask('POST', items, { title: `Card ${turn}` }, admin)).status, 201)
  }
  t.equal(answered, 0, 'nobody is answered with what is not asked for')
  const made = await ask('POST', `/api/projects/${project.id}/objectives`, { title: 'Land' }, admin)
  t.equal(made.status, 201)
  const found = await Promise.all(polls)
  t.strictSame([...new Set(found.map((one) => `${one}`))], ['objective created'])
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0 })
})
