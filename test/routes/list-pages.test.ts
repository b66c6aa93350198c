/** Every list supports pagination. */
import t from 'tap'
import { workedOff } from '../attention/members.ts'
import { type App, build, send, signInAs } from '../helper.ts'
import { CALLER, EMPTY, RECORDS, REQUESTS, run, SEEDED, urlOf } from '../operations.ts'

type Ask = (method: string, path: string, body?: object) => ReturnType<typeof send>

/** How to add records to lists without a POST. */
const MORE: Record<string, (app: App, ask: Ask) => Promise<unknown> | unknown> = {
  '/api/projects/{id}/team-assignments': (_app, ask) =>
    ask('PUT', '/api/projects/project/team-assignments', {
      members: ['ada', 'bob', 'cleo', 'dan'].map((memberId) => ({ memberId })),
    }),
  '/api/kanban-items/{id}/activity': async (_app, ask) => {
    for (const priority of ['low', 'high', 'critical', 'medium'])
      await ask('PATCH', '/api/kanban-items/item', { priority })
  },
  '/api/kanban-items': (_app, ask) => several(ask, '/api/projects/project/kanban-items', { title: 'Card' }),
  '/api/sessions': (app) =>
    insert(
      app,
      `insert into sessions (id, member_id, token_hash, last_used_at, expires_at) values (?, '${CALLER}', ?, '9999-12-31T00:00:00.000Z', '9999-12-31T00:00:00.000Z')`,
    ),
  '/api/imports': (app) =>
    insert(app, `insert into imports (id, format, member_id, status) values (?, ?, '${CALLER}', 'done')`),
  '/api/webhooks/{id}/deliveries': (app) =>
    insert(app, "insert into webhook_deliveries (id, webhook_id, seq, error) values (?, 'webhook', 1, ?)"),
  '/api/members': async (_app, ask) => {
    for (const name of ['bob', 'cleo', 'dan'])
      await ask('POST', '/api/members', { name, email: `${name}@example.test` })
  },
  '/api/people': (app) => insert(app, "insert into people (id, name, kind) values (?, ?, 'host')"),
  '/api/notifications': async (app) => {
    insert(app, `insert into notifications (id, member_id, kind, text) values (?, '${CALLER}', 'moved', ?)`)
    // Otherwise a notification of the other records could arrive between two pages.
    await workedOff(app)
  },
  '/api/member-links': (_app, ask) => several(ask, '/api/invitations', { role: 'member' }),
  '/api/audit-log': (_app, ask) => several(ask, '/api/teams', { name: 'Crew' }),
  '/api/projects/{id}/changes': (_app, ask) =>
    several(ask, '/api/projects/project/objectives', { title: 'x' }),
  '/api/kanban-items/{id}/changes': (_app, ask) =>
    several(ask, '/api/kanban-items/item/subtasks', { title: 'x' }),
  '/api/trash': async (_app, ask) => {
    for (let count = 0; count < 4; count++) {
      const { body } = await ask('POST', '/api/projects/project/kanban-items', { title: 'Card' })
      await ask('DELETE', `/api/kanban-items/${body.id}`)
    }
  },
}

/** Ids whose order by bytes differs from that by UTF-16. */
const IDS = ['a', 'b', '\uff5e', '\u{1f600}']

function insert(app: App, sql: string): void {
  for (const id of IDS) app.db.$client.prepare(sql).run(id, `${id}-`)
}

/** Makes all names distinct. */
let made = 0

/** Creates three records, in another order than the list's if clients can choose it. */
async function several(ask: Ask, url: string, body: object) {
  for (const sortOrder of [3, 1, 1]) {
    const places = /-ideas$|\/projects$|-subtasks$|objectives$/.test(url) ? { sortOrder } : {}
    const names = 'name' in body ? { name: `Name ${++made} ` } : {}
    const { status } = await ask('POST', url, { ...body, ...names, ...places })
    if (status !== 201) throw new Error(`${url}: ${status}`)
  }
}

const nextOf = ({ headers }: { headers: Record<string, unknown> }) =>
  /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1]

for (const authMode of ['open', 'required'] as const) {
  t.test(`in ${authMode} mode`, async (t) => {
    const app = await build(t, { authMode, adminPassword: 'correct horse' })
    const { paths } = (await send(app, 'GET', '/openapi.json')).body
    const lists = Object.keys(paths).filter((path) => {
      const schema = paths[path].get?.responses[200]?.content?.['application/json']?.schema ?? {}
      return path.startsWith('/api/') && (schema.type === 'array' || schema.anyOf !== undefined)
    })
    t.ok(lists.length > 20, `${lists.length} lists`)
    for (const path of lists) {
      run(app.db.$client, EMPTY)
      const { headers } = signInAs(app, 'admin', { id: CALLER })
      run(app.db.$client, SEEDED)
      const ask: Ask = (method, path, body) => send(app, method, path, body, headers)
      const url = urlOf(path.replace('{id}', ':id'), (collection) => RECORDS[collection])
      const [, body] = REQUESTS[`POST ${path.replace('{id}', ':id')}`] ?? []
      const more = MORE[path] ?? (() => several(ask, url, body ?? {}))
      await more(app, ask)

      const documented = paths[path].get.parameters.map(({ name }: { name?: string }) => name)
      t.ok(documented.includes('limit') && documented.includes('cursor'), `${path} is documented`)
      const whole = await ask('GET', url)
      t.equal(whole.status, 200, path)
      const rows = JSON.stringify(whole.body)
      t.ok(whole.body.length > 2, `${path} has ${whole.body.length}`)
      // Without a limit the history is a page too: see changes-history.test.ts.
      if (path.endsWith('/changes')) continue
      for (const limit of [1, 2, whole.body.length, 500]) {
        const all: unknown[] = []
        let pages = 0
        for (let next: string | undefined = `${url}?limit=${limit}`; next !== undefined; pages++) {
          const page = await ask('GET', next)
          t.equal(page.status, 200, next)
          t.ok(page.body.length <= limit, next)
          all.push(...page.body)
          next = nextOf(page)
        }
        t.equal(JSON.stringify(all), rows, `${path}, by ${limit}`)
        if (path !== '/api/trash')
          t.equal(pages, Math.ceil(whole.body.length / limit), `${path}, by ${limit}`)
      }
      const rest = nextOf(await ask('GET', `${url}?limit=1`))?.replace('limit=1&', '') ?? ''
      if (path !== '/api/trash')
        t.equal(
          JSON.stringify((await ask('GET', rest)).body),
          JSON.stringify(whole.body.slice(1)),
          `${path}: the rest`,
        )
      for (const bad of ['limit=0', 'limit=x', 'cursor=nope'])
        t.equal((await ask('GET', `${url}?${bad}`)).status, 400, `${path}?${bad}`)
    }
  })
}

t.test('an unknown query parameter is ignored, and refused by strict handling, in every read', async (t) => {
  const app = await build(t)
  run(app.db.$client, EMPTY)
  const { headers } = signInAs(app, 'admin', { id: CALLER })
  run(app.db.$client, SEEDED)
  const { paths } = (await send(app, 'GET', '/openapi.json')).body
  const reads = Object.keys(paths).filter(
    (path) => path.startsWith('/api/') && paths[path].get && !path.endsWith('/stream'),
  )
  t.ok(reads.length > 40)
  for (const path of reads) {
    const url = urlOf(path.replace(/\{(\w+)\}/g, ':$1'), (collection) => RECORDS[collection])
    const separator = path === '/api/search' ? '?q=x&' : '?'
    const plain = await send(app, 'GET', `${url}${separator.slice(0, -1)}`, undefined, headers)
    const lax = await send(app, 'GET', `${url}${separator}nonsense=1`, undefined, headers)
    t.equal(lax.status, plain.status, `${path} ignores it`)
    const strict = await send(app, 'GET', `${url}${separator}nonsense=1`, undefined, {
      ...headers,
      prefer: 'handling=strict',
    })
    t.equal(strict.status, 400, `${path} refuses it`)
    t.match(JSON.stringify(strict.body), 'nonsense', path)
  }
})

t.test('a page continues after the last shown record, even if it is gone or sorted by text', async (t) => {
  const app = await build(t)
  const { id } = (await send(app, 'POST', '/api/projects', { name: 'Apollo' })).body
  const url = `/api/projects/${id}/objectives`
  const made: string[] = []
  for (const sortOrder of [1, 2, 2, 3, 4])
    made.push((await send(app, 'POST', url, { title: `${sortOrder}`, sortOrder })).body.id)
  const next = nextOf(await send(app, 'GET', `${url}?limit=2`)) ?? ''
  await send(app, 'DELETE', `/api/objectives/${made[1]}`)
  const idsOf = async (path: string) =>
    (await send(app, 'GET', path)).body.map((record: { id: string }) => record.id)
  t.strictSame(await idsOf(next), made.slice(2, 4), 'it is gone')
  await send(app, 'PATCH', `/api/objectives/${made[0]}`, { sortOrder: 9 })
  t.strictSame(
    await idsOf(next.replace('limit=2', 'limit=9')),
    [...made.slice(2), made[0]],
    'what moved behind it shows',
  )
  app.db.$client.prepare("update objectives set sort_order = 'x' where id = ?").run(made[2])
  app.db.$client.prepare("update objectives set sort_order = 'a' where id = ?").run(made[3])
  const paged: string[] = []
  for (let path: string | undefined = `${url}?limit=1`; path !== undefined; ) {
    const page = await send(app, 'GET', path)
    paged.push(...page.body.map((record: { id: string }) => record.id))
    path = nextOf(page)
  }
  t.strictSame(paged, [made[4], made[0], made[3], made[2]])
})
