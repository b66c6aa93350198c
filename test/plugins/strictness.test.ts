import fc from 'fast-check'
import t from 'tap'
import { prefersStrict } from '../../src/requests/strictness.ts'
import { EXAMPLE_ID } from '../../src/schemas/common.ts'
import { documentedOperations } from '../documented.ts'
import {
  type App,
  build,
  count,
  createItem,
  createProject,
  invalid,
  long,
  seed,
  send,
  signInAs,
} from '../helper.ts'
import { bodyExamples } from '../operations.ts'

/** The example bodies, by operation id. */
const BODY_EXAMPLES = await bodyExamples()

const STRICT = { prefer: 'handling=strict' }
const APPLIED = 'handling=strict'
const UNKNOWN = 'is unknown'
const COLUMN = 'must be the name of a column of the project'
const strictly = (app: App, method: string, url: string, body?: unknown, headers: object = {}) =>
  send(app, method, url, body, { ...STRICT, ...headers })

t.test('the Prefer header asks for strict handling', async (t) => {
  const strict = [
    'handling=strict',
    'Handling=strict',
    'HANDLING = STRICT',
    'handling="strict"',
    'handling="st\\rict"',
    'handling=strict; foo; bar=1',
    'handling=strict;x="a,b;c"',
    'respond-async, handling=strict',
    'respond-async,wait=10,\thandling=strict\t, return=minimal',
    'foo="a, \\" handling=lenient", handling=strict',
    ', ,handling=strict,',
    'handling=strict, handling=lenient',
    '=x, handling=strict',
  ]
  const lenient = [
    '',
    'handling',
    'handling=',
    'handling=""',
    'handling=lenient',
    'handling=lenient, handling=strict',
    'handling, handling=strict',
    'handling=stricter',
    'handling=strict x',
    'handling strict',
    'handling="strict',
    'handling=strict"',
    'handling==strict',
    '"handling"=strict',
    'xhandling=strict',
    'strict',
    'foo="handling=strict"',
    'foo="a, handling=strict"',
    'foo="a\\", handling=strict"',
    'foo="never closed, handling=strict',
    'foo;handling=strict',
    'foo; x, bar; handling=strict',
  ]
  for (const header of strict) t.ok(prefersStrict(header), header)
  for (const header of lenient) t.notOk(prefersStrict(header), header)
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'handling=strict",;\\ \t') }),
      (header) => typeof prefersStrict(header) === 'boolean',
    ),
  )
  for (const hostile of ['"\\', '\\"', '",', ' ', '=', ';'].map((text) => text.repeat(8000)))
    t.notOk(prefersStrict(hostile))
})

t.test('several Prefer headers are one', async (t) => {
  const app = await build(t)
  const url = await app.listen({ port: 0 })
  const headers = new Headers()
  headers.append('prefer', 'respond-async')
  headers.append('prefer', 'handling=strict')
  const answer = await fetch(`${url}/api/projects?nonsense=1`, { headers })
  t.equal(answer.status, 400)
  t.equal(answer.headers.get('preference-applied'), APPLIED)
})

/** A valid body, except that its ids match nothing. */
const bodyOf = (operationId: string): Record<string, unknown> => ({ ...BODY_EXAMPLES[operationId] })

/** The objects inside a value with their paths, the value itself first. */
function objectsIn(value: unknown, path: (string | number)[] = []): [(string | number)[], object][] {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, child]) =>
    objectsIn(child, [...path, Array.isArray(value) ? Number(key) : key]),
  )
  return Array.isArray(value) ? inner : [[path, value], ...inner]
}

/** Fields of bodies whose objects may have any keys. */
const FREE = new Set(['metadata', 'phaseConfig', 'actionItems', 'history'])

t.test('strict handling refuses unknown fields and parameters in every operation', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const operations = await documentedOperations(app)
  t.ok(operations.length > 70, `${operations.length} operations`)
  let nested = 0
  for (const { method, path, operationId, requestBody } of operations) {
    // Nothing has this id. A valid request gets at most a 404, so no request affects another.
    const url = path.replaceAll(/\{\w+\}/g, EXAMPLE_ID)
    const { headers } = signInAs(app, 'admin')
    const body = requestBody && bodyOf(operationId)
    const isViolation = (answer: Awaited<ReturnType<typeof send>>, field: string) =>
      answer.body?.details?.fieldErrors?.[field]?.some((message: string) => message.endsWith(UNKNOWN)) ??
      false
    // Missing items are detected before the body is read.
    const isLookedUpFirst = ['updateKanbanItem', 'toggleKanbanSubtask', 'updateKanbanSubtask'].includes(
      operationId,
    )
    const refused = isLookedUpFirst ? [400, 404, 500] : [400]

    const asked = await strictly(app, method, `${url}?nonsense=1&nonsense=2&limitt=x`, body, headers)
    t.ok(
      refused.includes(asked.status),
      `${operationId}: a strict request with unknown parameters is ${asked.status}`,
    )
    if (!isLookedUpFirst)
      t.match(asked.body.details.fieldErrors, { nonsense: [UNKNOWN], limitt: [UNKNOWN] }, operationId)
    t.equal(asked.headers['preference-applied'], APPLIED, operationId)
    for (const [index, wanted] of [{}, { prefer: 'handling=lenient' }].entries()) {
      const lenient = await send(app, method, `${url}?nonsense=1`, body, {
        ...signInAs(app, 'admin').headers,
        ...wanted,
      })
      t.notOk(isViolation(lenient, 'nonsense'), `${operationId}: ignored otherwise (${index})`)
      t.notOk('preference-applied' in lenient.headers)
    }
    if (body === undefined) continue
    for (const [at] of objectsIn(body)) {
      if (FREE.has(String(at[0])) || operationId === 'signIn') continue
      // Messages belong to the protocol. Only the arguments of tools are always strict.
      if (operationId === 'mcp') continue
      // A file, which is read later.
      if (['createImport', 'setAttachmentThumbnail'].includes(operationId)) continue
      // A violation in a body of a batch belongs to that request.
      if (operationId === 'runBatch' && at.includes('body')) continue
      const changed = structuredClone(body)
      let target = changed as Record<string | number, unknown>
      for (const key of at) target = target[key] as typeof target
      target.nonsense = 1
      const field = String(at[0] ?? 'nonsense')
      if (at.length > 0) nested++
      const again = signInAs(app, 'admin').headers
      const strict = await strictly(app, method, url, changed, again)
      t.ok(refused.includes(strict.status), `${operationId} ${at.join('.')}: ${strict.status}`)
      if (!isLookedUpFirst) t.ok(isViolation(strict, field), `${operationId} ${at.join('.')} is told`)
      const lenient = await send(app, method, url, changed, again)
      t.notOk(isViolation(lenient, field), `${operationId} ${at.join('.')}: ignored otherwise`)
    }
  }
  t.ok(nested > 6, `${nested} nested objects`)
  for (const url of ['/docs', '/openapi.json']) {
    t.equal((await strictly(app, 'GET', `${url}?nonsense=1`)).status, 400)
    t.equal((await strictly(app, 'GET', url)).status, 200)
    t.equal((await strictly(app, 'HEAD', `${url}?nonsense=1`)).status, 400)
  }
})

t.test('strict handling refuses unknown fields for existing records, and changes nothing', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const ids = seed(app, project.id, item.id)
  for (const [url, valid] of [
    [`/api/kanban-items/${item.id}`, { title: 'New' }],
    [`/api/projects/${project.id}`, { name: 'New' }],
    [`/api/objectives/${ids.objective}`, { title: 'New' }],
    [`/api/personal-ideas/${ids.idea}`, { title: 'New' }],
  ] as const) {
    const before = (await send(app, 'GET', url)).body
    const refused = await strictly(app, 'PATCH', url, { ...valid, id: 'x', nonsense: 1, titel: 'x' })
    t.strictSame([refused.status, refused.body], [400, invalid({ nonsense: [UNKNOWN], titel: [UNKNOWN] })])
    const changed = await strictly(app, 'PATCH', url, { ...valid, id: 'x' })
    t.strictSame([changed.status, changed.body], [400, invalid({ id: ['is read-only'] })])
    t.strictSame((await send(app, 'GET', url)).body, before)
    const accepted = await strictly(app, 'PATCH', url, valid)
    t.match(accepted, { status: 200, body: valid, headers: { 'preference-applied': APPLIED } })
    t.match(await send(app, 'PATCH', url, { ...valid, nonsense: 1 }), { status: 200 })
  }
})

t.test('strict handling refuses unlisted values, in bodies and in filters', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const oneOf = (...values: string[]) => `must be one of ${values.map((value) => `"${value}"`).join(', ')}`
  const priority = oneOf('low', 'medium', 'high', 'critical')
  const status = oneOf('backlog', 'active', 'completed', 'archived')
  const projectUrl = `/api/projects/${project.id}`
  const items = `${projectUrl}/kanban-items`
  const { id } = await createItem(app, project.id)
  const rows: [string, string, object | undefined, Record<string, string[]>][] = [
    [
      'POST',
      items,
      { title: 'x', priority: 'hgih', source: 'mail' },
      { priority: [priority], source: [oneOf('manual', 'transcript', 'import')] },
    ],
    ['PATCH', `/api/kanban-items/${id}`, { priority: 'High' }, { priority: [priority] }],
    [
      'PATCH',
      '/api/kanban-items',
      { ids: [id], update: { priority: 'no' } },
      { update: [`update.priority ${priority}`] },
    ],
    [
      'POST',
      '/api/projects',
      { name: 'x', status: 'done', type: 'x', health: 'ill', phase: 'any' },
      {
        status: [status],
        type: [oneOf('technical', 'business', 'custom')],
        health: [oneOf('on-track', 'at-risk', 'blocked')],
      },
    ],
    ['PATCH', projectUrl, { health: 'y' }, { health: [oneOf('on-track', 'at-risk', 'blocked')] }],
    [
      'POST',
      `${projectUrl}/objectives`,
      { title: 'x', status: 'open' },
      { status: [oneOf('not-started', 'in-progress', 'completed')] },
    ],
    [
      'POST',
      `${projectUrl}/metrics`,
      { name: 'x', value: 1, trend: 'flat' },
      { trend: [oneOf('up', 'down', 'stable')] },
    ],
    [
      'POST',
      '/api/personal-ideas',
      { title: 'x', status: 'new' },
      { status: [oneOf('idea', 'ready', 'promoted', 'discarded')] },
    ],
    [
      'PUT',
      `${projectUrl}/team-assignments`,
      { members: [{ memberId: 'a', role: 'boss' }] },
      { members: [`members[0].role ${oneOf('member', 'lead', 'viewer')}`] },
    ],
    ['GET', '/api/projects?status=done', undefined, { status: [status] }],
    ['GET', '/api/projects?status=active&status=done', undefined, { status: [status] }],
    ['GET', `${items}?priority=hgih`, undefined, { priority: [priority] }],
    [
      'GET',
      `/api/kanban-items?priority=low&priority=hgih&prio=low&limit=0`,
      undefined,
      { priority: [priority], prio: [UNKNOWN], limit: ['must be >= 1'] },
    ],
  ]
  for (const [method, url, body, fieldErrors] of rows) {
    const before = count(app, 'projects') + count(app, 'kanban_items')
    const strict = await strictly(app, method, url, body)
    t.strictSame([strict.status, strict.body], [400, invalid(fieldErrors)], `${method} ${url}`)
    t.equal(strict.headers['preference-applied'], APPLIED)
    t.equal(count(app, 'projects') + count(app, 'kanban_items'), before)
    const lenient = await send(app, method, url.replace('&limit=0', ''), body)
    t.ok(lenient.status < 300, `${method} ${url} is ${lenient.status} otherwise`)
  }
  for (const [method, url, body] of [
    ['GET', '/api/projects?status=&status=active&teamId=any', undefined],
    ['GET', `${items}?priority=&assigneeId=anybody&label=any`, undefined],
    ['POST', items, { title: 'x', priority: 'critical', metadata: { any: { thing: 1 } } }],
    [
      'PATCH',
      projectUrl,
      { phase: 'Anything', phaseConfig: [{ name: 'Anything', more: 1 }], metadata: '{"any":1}' },
    ],
  ] as const)
    t.match(await strictly(app, method, url, body), { status: method === 'POST' ? 201 : 200 }, url)
})

t.test('strict handling accepts only phases of the project’s sequence', async (t) => {
  const app = await build(t)
  const sequence = ['Discovery', 'Design', 'Development', 'Testing', 'Deployment']
  const mustBe = (names: string[]) =>
    invalid({ phase: [`must be one of ${names.map((name) => `"${name}"`).join(', ')}`] })
  const create = (body: object) => strictly(app, 'POST', '/api/projects', { name: 'Apollo', ...body })
  t.strictSame((await create({ phase: 'Desgin' })).body, mustBe(sequence))
  t.equal(count(app, 'projects'), 0)
  t.match(await create({ phase: '' }), { status: 201, body: { phase: 'Discovery' } })
  t.match(await create({ phase: 'Any', phaseConfig: [] }), { status: 201 })
  const { body: made } = await create({ phase: 'Design' })
  const change = (body: object) => strictly(app, 'PATCH', `/api/projects/${made.id}`, body)
  const refused = await change({ phase: 'Desing', nextStep: 'x' })
  t.strictSame([refused.status, refused.body], [400, mustBe(sequence)])
  t.strictSame((await change({ phase: 'Testing', phaseConfig: [{ name: 'Go' }] })).body, mustBe(['Go']))
  t.match(await change({}), { status: 200, body: { phase: 'Design', nextStep: '' } })
  t.match(await change({ phase: 'Testing' }), { status: 200, body: { phase: 'Testing' } })
  t.match(await change({ phaseConfig: [{ name: 'Go' }] }), { status: 200 })
})

t.test('all violations are reported together, at most a hundred', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const items = `/api/projects/${id}/kanban-items`
  const answer = await strictly(app, 'POST', `${items}?dry=1`, { priority: 'x', dueDate: 'x', color: 'red' })
  t.strictSame(
    answer.body,
    invalid({
      title: ['is required'],
      priority: ['must be one of "low", "medium", "high", "critical"'],
      dueDate: ['must be an ISO 8601 date-time or a plain date, or must be one of null, "", false, 0'],
      color: [UNKNOWN],
      dry: [UNKNOWN],
    }),
  )
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`f${index}`, 1]))
  const { body } = await strictly(app, 'POST', items, { ...many, title: 'x' })
  t.equal(Object.keys(body.details.fieldErrors).length, 100)
  t.strictSame(body.details.formErrors, ['has 49900 more violations'])
  const entries = Array.from({ length: 1000 }, (_, index) => ({
    id: `${index}`,
    column: 'Done',
    sortOrder: 1,
    a: 1,
    b: 1,
  }))
  const reorder = (await strictly(app, 'POST', `${items}/reorder`, { items: entries })).body.details
  t.equal(reorder.fieldErrors.items.length, 100)
  t.strictSame(reorder.fieldErrors.items.slice(0, 2), ['items[0].a is unknown', 'items[0].b is unknown'])
  t.strictSame(reorder.formErrors, ['has 1900 more violations'])
})

t.test('a strict request creates no column', async (t) => {
  const app = await build(t)
  const [one, two] = [await createProject(app), await createProject(app)]
  await send(app, 'POST', `/api/projects/${two.id}/kanban-columns`, { name: 'Elsewhere' })
  const items = `/api/projects/${one.id}/kanban-items`
  const item = await createItem(app, one.id, { title: 'a' })
  const other = await createItem(app, two.id, { title: 'b', column: 'Elsewhere' })
  const url = `/api/kanban-items/${item.id}`
  const columns = count(app, 'kanban_columns')
  const before = (await send(app, 'GET', '/api/kanban-items')).body
  const rows: [string, string, object | undefined, Record<string, string[]>][] = [
    ['POST', items, { title: 'x', column: 'In Progres' }, { column: [COLUMN] }],
    ['POST', items, { title: 'x', column: 'Elsewhere' }, { column: [COLUMN] }],
    ['PATCH', url, { column: 'done' }, { column: [COLUMN] }],
    [
      'PATCH',
      '/api/kanban-items',
      { ids: [item.id], update: { column: 'done' } },
      { update: [`update.column ${COLUMN}`] },
    ],
    [
      'PATCH',
      '/api/kanban-items',
      { ids: [other.id, item.id], update: { column: 'Elsewhere' } },
      { update: [`update.column ${COLUMN}`] },
    ],
    ['POST', `${url}/move`, { column: 'done' }, { column: [COLUMN] }],
    ['POST', `/api/kanban-items/${other.id}/move`, { projectId: one.id }, { column: [COLUMN] }],
    [
      'POST',
      `${items}/reorder`,
      {
        items: [
          { id: item.id, column: 'done', sortOrder: 1 },
          { id: other.id, column: 'Dnoe', sortOrder: 1 },
        ],
      },
      {
        items: [
          `items[0].column ${COLUMN}`,
          `items[1].column ${COLUMN}`,
          'items[1].id must be that of a kanban item of the project',
        ],
      },
    ],
    ['GET', `${items}?column=Dnoe`, undefined, { column: [COLUMN] }],
    ['GET', `${items}?column=Done&column=Elsewhere`, undefined, { column: [COLUMN] }],
    ['GET', `/api/kanban-items?projectId=${one.id}&column=Elsewhere`, undefined, { column: [COLUMN] }],
    ['GET', '/api/kanban-items?column=Nowhere', undefined, { column: [COLUMN] }],
  ]
  for (const [method, path, body, fieldErrors] of rows) {
    const answer = await strictly(app, method, path, body)
    t.strictSame([answer.status, answer.body], [400, invalid(fieldErrors)], `${method} ${path}`)
    t.equal(answer.headers['preference-applied'], APPLIED)
  }
  t.equal(count(app, 'kanban_columns'), columns)
  t.strictSame((await send(app, 'GET', '/api/kanban-items')).body, before, 'nothing has changed')
  t.equal(count(app, 'kanban_activity'), 0)

  for (const [method, path, body, status] of [
    ['GET', `${items}?column=Done&column=&column=Review`, undefined, 200],
    ['GET', `${items}?column=done`, undefined, 200],
    ['GET', '/api/kanban-items?column=Elsewhere&column=Done', undefined, 200],
    ['POST', items, { title: 'x', column: 'Done' }, 201],
    ['PATCH', url, { column: 'Done' }, 200],
    ['PATCH', '/api/kanban-items', { ids: [item.id, other.id], update: { column: 'Review' } }, 200],
    ['POST', `${url}/move`, { projectId: two.id, column: 'Elsewhere' }, 200],
    [
      'POST',
      `/api/projects/${two.id}/kanban-items/reorder`,
      { items: [{ id: item.id, column: 'Done', sortOrder: 1 }] },
      200,
    ],
  ] as const) {
    const answer = await strictly(app, method, path, body)
    t.equal(answer.status, status, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    t.equal(answer.headers['preference-applied'], APPLIED)
  }
  t.equal(count(app, 'kanban_columns'), columns)

  app.db.$client.exec("delete from kanban_columns where name = 'To Do'")
  const answer = await strictly(app, 'POST', items, { title: 'x' })
  t.strictSame(
    [answer.status, answer.body],
    [400, invalid({ column: [COLUMN] })],
    'the default column is one, too',
  )
  t.equal((await send(app, 'POST', items, { title: 'x' })).status, 201)
})

t.test('the order of checks is the same: 401, 403, early 404, 500 of the body, 400, 404', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [member, viewer] = [signInAs(app, 'member').headers, signInAs(app, 'viewer').headers]
  const wrong = { nonsense: 1 }
  for (const [method, url, body, headers, status] of [
    ['GET', '/api/projects?nonsense=1', undefined, {}, 401],
    ['POST', '/api/projects', wrong, {}, 401],
    ['POST', '/api/projects', wrong, viewer, 403],
    ['POST', '/api/projects', '{oops', member, 500],
    ['PATCH', '/api/kanban-items/none', wrong, member, 404],
    ['PATCH', '/api/projects/none', wrong, member, 400],
    ['PATCH', '/api/projects/none', {}, member, 404],
    ['POST', '/api/projects/none/kanban-items', { title: 'x', column: 'none' }, member, 404],
    ['GET', '/api/projects/none/kanban-items?column=none', undefined, member, 404],
    ['GET', '/api/nowhere?nonsense=1', undefined, member, 404],
    ['PUT', '/api/projects?nonsense=1', wrong, member, 405],
    ['GET', `/api/search?q=${long(501)}&Q=x`, undefined, member, 400],
  ] as const) {
    const answer = await strictly(app, method, url, body, headers)
    t.equal(answer.status, status, `${method} ${url}`)
    t.equal(answer.headers['preference-applied'], APPLIED, `${method} ${url}`)
  }
})

t.test('strict handling also checks optional bodies', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const { label } = seed(app, project.id, item.id)
  const url = `/api/kanban-items/${item.id}/labels/${label}`
  t.match(await strictly(app, 'PUT', url), { status: 200 })
  t.match(await strictly(app, 'PUT', url, {}), { status: 200 })
  t.match(await strictly(app, 'PUT', url, { color: 'red' }), {
    status: 400,
    body: invalid({ color: [UNKNOWN] }),
  })
  t.match(await send(app, 'PUT', url, { color: 'red' }), { status: 200 })
  t.match(await strictly(app, 'GET', '/api/projects', { any: 1 }), { status: 200 })
  t.match(await strictly(app, 'DELETE', url, { any: 1 }), { status: 200 })
})

t.test('the document describes the header once, for all operations', async (t) => {
  const app = await build(t)
  const { components } = (await send(app, 'GET', '/openapi.json')).body
  t.match(components.parameters.Prefer, { name: 'Prefer', in: 'header', required: false })
  for (const { operationId, parameters = [], responses } of await documentedOperations(app)) {
    t.strictSame(parameters.at(-1), components.parameters.Prefer, operationId)
    t.ok(responses[400]?.headers && 'Preference-Applied' in responses[400].headers, operationId)
  }
})
