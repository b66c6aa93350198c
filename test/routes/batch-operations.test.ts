/** Every documented operation, as the only request of a batch, responds as it does directly. */
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { EXAMPLE_ID } from '../../src/schemas/common.ts'
import { type Batched, comparable, dump, EMPTYING, errorOf, RECORDS, seeding, sendBatch } from '../batches.ts'
import { documentedOperations } from '../documented.ts'
import { type App, build, send, signInAs } from '../helper.ts'
import { bodyExamples, run } from '../operations.ts'
import { inTurn } from '../rounds.ts'

/** The example bodies, by operation id. */
const BODY_EXAMPLES = await bodyExamples()

/** Operations that a batch refuses, entirely or with their example bodies. */
const ALONE = new Set([
  'signIn',
  'checkLink',
  'useLink',
  'createPasswordLink',
  'createInvitation',
  'whoAmI',
  'signOut',
  'beginOpenIdSignIn',
  'endOpenIdSignIn',
  'exportAll',
  'createImport',
  'listSessions',
  'getSession',
  'revokeSession',
  'listTokens',
  'createToken',
  'getToken',
  'revokeToken',
  'runBatch',
  'streamChanges',
  'exportProjectAsCsv',
  'exportProjectAsJson',
  'getCalendar',
  'getAttachmentContent',
  'getAttachmentThumbnail',
  'setAttachmentThumbnail',
  'createShareLink',
  'createWebhook',
  'getSharedProject',
  'testWebhook',
  'sendTestMail',
  'rotateWebhookSecret',
  // The example contains a password.
  'createMember',
])

interface Operation extends Batched {
  operationId: string
}

/** All operations under /api, with valid requests. */
const operationsOf = async (app: App): Promise<Operation[]> =>
  (await documentedOperations(app))
    .filter(({ path }) => path.startsWith('/api/'))
    .map(({ operationId, method, path }) => ({
      operationId,
      method,
      path: path.replaceAll(/\/([\w-]+)\/\{\w+\}/g, (_, name: string) => `/${name}/${RECORDS[name]}`),
      ...(BODY_EXAMPLES[operationId] && { body: bodyOf(operationId, path) }),
    }))

/** The example of a body, with existing ids. */
function bodyOf(operationId: string, path: string): unknown {
  const collection = path.endsWith('/reorder') ? path.split('/').at(-2) : path.split('/')[2]
  const id = path.startsWith('/api/ingest/') ? 'project' : RECORDS[collection ?? '']
  return JSON.parse(JSON.stringify(BODY_EXAMPLES[operationId]).replaceAll(EXAMPLE_ID, String(id)))
}

/** Variants of a request, valid and invalid. */
const VARIANTS: Record<string, (operation: Operation) => Operation> = {
  'as documented': (operation) => operation,
  'with an empty body': (operation) => (operation.body ? { ...operation, body: {} } : operation),
  'without a body': ({ body: _, ...operation }) => operation,
  'with a body of wrong types': (operation) => ({
    ...operation,
    body: Object.fromEntries(Object.keys(operation.body ?? {}).map((name) => [name, [{ wrong: true }]])),
  }),
  'about what is not there': (operation) => ({
    ...operation,
    path: operation.path.replace(/^(\/api\/[\w-]+)\/(\w+)(?=\/|$)/, (whole, start: string, id: string) =>
      Object.values(RECORDS).includes(id) ? `${start}/n%2Fone` : whole,
    ),
  }),
  'with a query': (operation) => ({
    ...operation,
    path: `${operation.path}?limit=1&q=a&moveTo=Done&ownerId=`,
  }),
  'with a bad query': (operation) => ({ ...operation, path: `${operation.path}?limit=x&cursor=x&view=x` }),
  'of no operation': (operation) => ({ ...operation, path: `${operation.path}/x//y` }),
}

/** Compares large values: an assertion for each of thousands would cost more than their requests. */
function same(t: Test, found: unknown, wanted: unknown, said: string): void {
  if (!isDeepStrictEqual(found, wanted)) t.strictSame(found, wanted, said)
}

const ROLES = ['admin', 'member', 'viewer'] as const

for (const authMode of ['open', 'required'] as const) {
  t.test(`in ${authMode} mode a batch of one request returns the same response`, async (t) => {
    const [direct, batched] = await Promise.all([build(t, { authMode }), build(t, { authMode })])
    // The records and the sequence begin anew each time. In one of the two, the consumer may see a seeded comment, and make its
    // author watch the item.
    for (const { notificationConsumer } of [direct, batched]) await notificationConsumer.stop()
    const operations = await operationsOf(direct)
    const changes = () =>
      [direct, batched].map((app) => app.db.$client.prepare('select total_changes()').pluck().get())
    t.ok(operations.length > 80)
    let compared = 0
    for (const role of ROLES) {
      // With a fixed id, so that both services respond alike.
      let unchanged: unknown
      const [one, other] = [direct, batched].map((app) => signInAs(app, role, { id: `the-${role}` }).headers)
      for (const [name, vary] of Object.entries(VARIANTS)) {
        // Violations are the same in both modes. Other callers than admins only show access.
        const isAboutAccess = role !== 'admin' || authMode === 'open'
        if (isAboutAccess && name !== 'as documented') continue
        for (const [turn, operation] of operations.entries()) {
          // In open mode all roles may do everything, and take turns.
          if (authMode === 'open' && !inTurn(ROLES, turn).includes(role)) continue
          const isAlone = ALONE.has(operation.operationId)
          if (isAlone && name !== 'as documented') continue
          // Making the records takes longest, and most requests change none.
          if (!isDeepStrictEqual(changes(), unchanged))
            for (const app of [direct, batched]) {
              run(app.db.$client, EMPTYING)
              run(app.db.$client, seeding(`the-${role}`))
            }
          unchanged = changes()
          const { operationId, method, path, body } = vary(operation)
          const said = `${operationId} ${name}, by ${role === 'admin' ? 'an' : 'a'} ${role}`
          const request = { method, path, ...(body !== undefined && { body }) }
          const before = isAlone ? dump(batched) : undefined
          const answer = await sendBatch(batched, [request], other)
          if (before) {
            t.ok(answer.status === 400 || answer.status === 403, `${said} is refused`)
            same(t, dump(batched), before, `${said} without a change`)
            continue
          }
          const expected = await send(direct, method, path, body, one)
          if (answer.status !== 200) {
            compared++
            same(t, errorOf(answer), { status: expected.status, ...expected.body }, said)
            same(t, answer.body.details?.request, 0, said)
            continue
          }
          const [result] = answer.body.results
          compared++
          same(
            t,
            comparable([result.status, result.body]),
            comparable([expected.status, expected.body]),
            said,
          )
          same(
            t,
            answer.headers['phaseboard-seq'] === undefined,
            expected.headers['phaseboard-seq'] === undefined,
            `${said}, and has a sequence or none`,
          )
          if (result.etag && typeof expected.headers.etag !== 'string') t.fail(`${said} has an ETag`)
        }
      }
    }
    t.ok(compared > 80, `${compared} responses are the same`)
  })
}

t.test('requests that a batch does not allow are refused with a reason', async (t) => {
  const app = await build(t)
  const admin = signInAs(app, 'admin').headers
  const alone = {
    error: 'Validation failed',
    details: { request: 0, formErrors: [], fieldErrors: { path: ['must not be part of a batch'] } },
  }
  const operations = (await operationsOf(app)).filter(({ operationId }) => ALONE.has(operationId))
  t.equal(operations.length, ALONE.size)
  for (const { operationId, ...request } of operations) {
    const { status, body } = await sendBatch(app, [request], admin)
    t.strictSame([status, body], [400, alone], operationId)
  }
  for (const [method, path, body] of [
    ['POST', '/api/members', { name: 'Bob', email: 'bob@example.test', password: 'battery staple' }],
    ['PATCH', '/api/members/none', { password: 'battery staple' }],
    ['PATCH', '/api/members/none', { password: 5 }],
    ['GET', '/api/changes?wait=1', undefined],
    ['GET', '/api/changes?after=0&wait=', undefined],
  ] as const) {
    const answer = await sendBatch(app, [{ method, path, body }], admin)
    t.strictSame([answer.status, answer.body], [400, alone], `${method} ${path}`)
  }
  const made = await sendBatch(
    app,
    [{ method: 'POST', path: '/api/members', body: { name: 'Bob', email: 'bob@example.test' } }],
    admin,
  )
  t.match(made.body.results, [{ status: 201, body: { name: 'Bob' } }])
})
