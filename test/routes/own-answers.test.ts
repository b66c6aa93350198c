/**
 * Strict handling accepts the service's own responses as bodies: read-only fields are ignored if they are unchanged, and
 * refused otherwise.
 */
import { join } from 'node:path'
import t from 'tap'
import { sendBatch } from '../batches.ts'
import { build, createItem, createProject, send, signInAs } from '../helper.ts'
import { CALLER, declaredRoutes, EMPTY, RECORDS, run, SEEDED, urlOf } from '../operations.ts'

const { routes } = await declaredRoutes()
// A notification is only listed: it has no answer of its own.
const changes = routes.filter(
  ({ method, path }) => method === 'PATCH' && path.endsWith('/:id') && !path.includes('/notifications/'),
)

const STRICT = { prefer: 'handling=strict' }

/** Another value than the given one. */
const otherThan = (value: unknown) => (value === 'other' ? 'another' : 'other')

t.test('every record can be sent back unchanged, and nothing changes', async (t) => {
  t.ok(changes.length > 12, `${changes.length} routes`)
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode, adminPassword: 'correct horse', webhookAllowPrivate: true })
    for (const { path } of changes) {
      run(app.db.$client, EMPTY)
      const { headers } = signInAs(app, 'admin', { id: CALLER })
      run(app.db.$client, SEEDED)
      app.db.$client.exec('update members set handle = id')
      // An old version has stored this. The current one would not.
      app.db.$client.exec('update projects set phase = \'Build\', phase_config = \'[{"name":"Build"}]\'')
      app.db.$client.exec('update kanban_items set "column" = \'Parked\'')
      const url = urlOf(path, (collection) => RECORDS[collection])
      const ask = (method: string, body?: object, more: object = {}) =>
        send(app, method, url, body, { ...headers, ...STRICT, ...more })
      const { body: record } = await ask('GET')
      const same = await ask('PATCH', record)
      t.equal(same.status, 200, `${path} ${JSON.stringify(same.body)}`)
      const again = await ask('PATCH', { ...same.body, warnings: ['of an answer'] })
      const known = 'warnings' in same.body || path === '/api/kanban-items/:id'
      if (known) t.equal(again.status, 200, `${path}, with warnings`)

      const now = (await ask('GET')).body
      let refused = 0
      for (const name of Object.keys(record)) {
        const before = (await ask('GET')).body
        const { status, body } = await ask('PATCH', { [name]: otherThan(record[name]) })
        if (!JSON.stringify(body).includes('is read-only')) continue
        refused++
        t.strictSame(
          [status, body.details],
          [400, { formErrors: [], fieldErrors: { [name]: ['is read-only'] } }],
          `${path} ${name}`,
        )
        t.strictSame((await ask('GET')).body, before, `${path} ${name}: nothing has changed`)
        const { status: lax } = await send(app, 'PATCH', url, { [name]: 'other' }, headers)
        t.equal(lax, 200, `${path} ${name} is ignored as ever`)
        const batch = await sendBatch(
          app,
          [{ method: 'PATCH', path: url, body: { [name]: otherThan(now[name]) } }],
          { ...headers, ...STRICT },
        )
        const isAlone = /must be sent alone|cannot be part/.test(JSON.stringify(batch.body))
        if (!isAlone && batch.status === 400)
          t.match(JSON.stringify(batch.body), 'is read-only', `${path} ${name}`)
      }
      t.ok(refused >= 3, `${path}: ${refused} fields`)
      t.match((await ask('PATCH', { nonsense: 1 })).body.details.fieldErrors, { nonsense: ['is unknown'] })
    }
  }
})

t.test(
  'a record that changed meanwhile is refused, after the precondition, also in batches and by the worker thread',
  async (t) => {
    const app = await build(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
    const project = await createProject(app)
    const item = await createItem(app, project.id)
    const url = `/api/kanban-items/${item.id}`
    const answered = (await send(app, 'GET', url)).body
    await send(app, 'POST', `${url}/subtasks`, { title: 'Step' })
    const refusal = { error: 'Validation failed', details: { fieldErrors: { subtasks: ['is read-only'] } } }
    t.match(await send(app, 'PATCH', url, answered, STRICT), { status: 400, body: refusal })
    const tag = { ...STRICT, 'if-match': '"x"' }
    t.equal((await send(app, 'PATCH', url, answered, tag)).status, 412)
    const batched = await sendBatch(app, [{ method: 'PATCH', path: url, body: answered }], STRICT)
    t.match(batched, { status: 400, body: { details: { request: 0, ...refusal.details } } })
    const now = (await send(app, 'GET', url)).body
    const changed = await sendBatch(
      app,
      [{ method: 'PATCH', path: url, body: { ...now, title: 'Ace' } }],
      STRICT,
    )
    t.match(changed, { status: 200, body: { results: [{ body: { title: 'Ace' } }] } })
    t.match(await send(app, 'PATCH', url, { title: 5, id: 'other' }, STRICT), {
      status: 400,
      body: { details: { fieldErrors: { title: ['must be string'] } } },
    })
    t.match(await send(app, 'PATCH', '/api/kanban-items/none', { id: 'other' }, STRICT), { status: 404 })
    t.match(await send(app, 'PATCH', url, [now], STRICT), { status: 400 })
    t.match(await send(app, 'PATCH', url, 'null', STRICT), { status: 400 })

    app.db.$client.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 3000)
    insert into kanban_items (id, project_id, title, description) select 'item-' || i, '${project.id}', 'Card', printf('%2000s', 'x') from n`)
    const whole = `/api/projects/${project.id}`
    const { body: large } = await send(app, 'GET', whole)
    t.equal(large.kanbanItems.length, 3001)
    const { kanbanItems: _, ...rest } = large
    const renamed = await send(app, 'PATCH', whole, { ...rest, name: 'Gemini' }, STRICT)
    t.strictSame([renamed.status, renamed.body.name], [200, 'Gemini'])
    t.match(await send(app, 'PATCH', whole, { ...rest, id: 'other' }, STRICT), { status: 400 })
  },
)
