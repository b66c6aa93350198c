/** The requests that the page at /docs prefills for "Try it out" succeed once they have real ids. */
import t from 'tap'
import { memberLinks, notifications, people } from '../src/db/schema.ts'
import { hashToken } from '../src/members/secrets.ts'
import { EXAMPLE_ID } from '../src/schemas/common.ts'
import { documentedOperations } from './documented.ts'
import { type App, build, createItem, createProject, send } from './helper.ts'
import { insertion, ROUTED, rowOf } from './kinds.ts'
import { bodyExamples } from './operations.ts'

/** The example bodies, by operation id. */
const BODY_EXAMPLES = await bodyExamples()

/** A service with a record of each kind, and a member who may change them. @returns the ids by collection */
async function seeded(app: App) {
  const credentials = BODY_EXAMPLES.signIn as { email: string; password: string }
  const { headers, body } = await send(app, 'POST', '/api/session', credentials)
  const adminId = body.member.id as string
  const admin = { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' }
  const make = async (url: string, body: object): Promise<string> =>
    (await send(app, 'POST', url, body, admin)).body.id
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  for (const operation of ['checkLink', 'useLink']) {
    const { token } = BODY_EXAMPLES[operation] as { token: string }
    const expiresAt = '9999-12-31T00:00:00.000Z'
    const link = { id: operation, kind: 'invitation', tokenHash: hashToken(token), expiresAt } as const
    app.db.insert(memberLinks).values(link).run()
  }
  const records: Record<string, string> = {}
  for (const example of ROUTED) {
    const id = `${example.id} to be tried`
    const row = rowOf(example, { owner: adminId, project: project.id, item: item.id })
    app.db.$client.exec(insertion(example.table, { ...row, id }))
    records[example.routes.collection] = id
  }
  const bob = { name: 'Bob Builder', kind: 'host' } as const
  app.db
    .insert(people)
    .values([
      { ...bob, id: 'person' },
      { ...bob, id: 'ada' },
    ])
    .run()
  const memberId = (await send(app, 'GET', '/api/session', undefined, admin)).body.member.id
  app.db.insert(notifications).values({ id: 'notification', memberId, kind: 'moved' }).run()
  return {
    admin,
    records: {
      ...records,
      projects: project.id,
      'kanban-items': item.id,
      subtasks: records['kanban-subtasks'],
      labels: records['kanban-labels'],
      'personal-ideas': await make('/api/personal-ideas', { title: 'Fly' }),
      webhooks: await make('/api/webhooks', { url: 'https://example.org/', active: false }),
      people: 'person',
      notifications: 'notification',
      teams: await make('/api/teams', { name: 'Crew' }),
      members: await make('/api/members', { name: 'Bob', email: 'bob@example.test' }),
      tokens: await make('/api/tokens', { name: 'CI' }),
      sessions: (await send(app, 'GET', '/api/sessions', undefined, admin)).body[0].id,
    } as Record<string, string>,
  }
}

t.test('every documented body is accepted unchanged, with real ids', async (t) => {
  const { password } = BODY_EXAMPLES.signIn as { password: string }
  const app = await build(t, { adminPassword: password })
  const { admin, records } = await seeded(app)
  const tried = new Set<string>()
  // Deletions come last, because the others need the records.
  const operations = (await documentedOperations(app)).toSorted(
    (one, other) => Number(one.method === 'DELETE') - Number(other.method === 'DELETE'),
  )
  for (const { operationId, method, path, requestBody } of operations) {
    // A file is not JSON, and has no example.
    if (requestBody?.content['application/json'] === undefined) continue
    tried.add(operationId)
    const { example } = requestBody.content['application/json'] ?? {}
    t.type(example, 'object', `${operationId} has an example`)
    const url = path.replace(
      /\/([\w-]+)\/\{(\w+)\}/g,
      (_, collection) => `/${collection}/${records[collection]}`,
    )
    // An id in the body is that of the path's record, or of the project that it names.
    const collection = path.endsWith('/reorder') ? path.split('/').at(-2) : path.split('/')[2]
    const id = path.startsWith('/api/ingest/') ? records.projects : records[collection ?? '']
    const body = JSON.stringify(example).replaceAll(EXAMPLE_ID, String(id))
    const answer = await send(
      app,
      method,
      url,
      body,
      ['signIn', 'useLink'].includes(operationId) ? {} : admin,
    )
    t.ok(answer.status === 200 || answer.status === 201, `${method} ${url} ${body}: ${answer.status}`, answer)
  }
  t.strictSame([...tried].toSorted(), Object.keys(BODY_EXAMPLES).toSorted(), 'no example is left over')
})

t.test('no example is only a type', async (t) => {
  for (const [operationId, example] of Object.entries(BODY_EXAMPLES)) {
    t.notMatch(JSON.stringify(example), /"string"/, operationId)
    t.ok(Object.keys(example).length > 0, operationId)
  }
})

t.test('optional parameters have no default in the form', async (t) => {
  const app = await build(t)
  let seen = 0
  for (const { operationId, parameters = [] } of await documentedOperations(app)) {
    for (const { in: place, name, required = false, example, examples, schema } of parameters) {
      if (place !== 'query') continue
      seen++
      // The value that Swagger UI prefills for a parameter.
      const prefilled = [example, examples, schema.example, schema.examples, schema.default]
      t.equal(required, false, `${operationId} ${name} may be left out`)
      t.strictSame(
        prefilled.filter((value) => value !== undefined),
        [],
        `${operationId} ${name}`,
      )
    }
  }
  t.ok(seen > 20)
})

t.test('the initial request of every list finds records', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const project = await createProject(app)
  await createItem(app, project.id)
  for (const url of ['/api/projects', '/api/kanban-items', `/api/projects/${project.id}/kanban-items`]) {
    t.equal((await send(app, 'GET', url)).body.length, 1, url)
  }
})
