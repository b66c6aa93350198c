/** The results of the requests in a batch. */
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { TooMuchWork } from '../../src/db/too-much-work.ts'
import type { ApiError } from '../../src/errors.ts'
import { etagOf, followed } from '../../src/etags.ts'
import { keepUnchanged } from '../../src/requests/read-only.ts'
import type { ResponseShape } from '../../src/requests/respond.ts'
import { ref } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { batch, GET, giving, POST } from './runs.ts'

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

const any = Type.Object({}, { additionalProperties: true })
const LIST = { operationId: 'list', response: { 200: any } }
/** A record's response has a tag. */
const RECORD = { operationId: 'record', response: { 200: ref(ProjectSchema) } }
const SHAPE: ResponseShape = { name: 'Project', status: 200, schema: ref(ProjectSchema), kind: 'record' }

/** A batch of reads with these results. */
const reads = (values: unknown[], schema: object, fields: object = {}, ifMatch?: string) => {
  const left = [...values]
  const requests = values.map(() => ({ ...GET, ...(ifMatch !== undefined && { ifMatch }) }))
  return batch(requests, { schema, handler: () => giving(left.shift()), ...fields })
}

t.test('the response has the results in order, and their tags', async (t) => {
  const project = Buffer.from('{"id":"a"}')
  const tagged = reads([project], RECORD)
  const etag = JSON.stringify(etagOf('{"id":"a"}'))
  t.equal(tagged.text(), `{"results":[{"status":200,"body":{"id":"a"},"etag":${etag}}],"dryRun":false}`)
  const { text, sizes } = reads([{ id: 'b' }, Buffer.from('[1]')], LIST)
  t.equal(text(), '{"results":[{"status":200,"body":{"id":"b"}},{"status":200,"body":[1]}],"dryRun":false}')
  t.strictSame(sizes, [0, '{"id":"b"}'.length])
  t.equal(
    batch([POST], {}, { isDryRun: true }).text(),
    '{"results":[{"status":200,"body":{"success":true}}],"dryRun":true}',
  )
})

t.test('the results are limited in total', async (t) => {
  const half = Buffer.alloc(8 * 1024 * 1024, '1')
  t.ok(reads([half, half], LIST).text())
  const tooLarge = { statusCode: 413, message: 'Batch is too large' }
  t.throws(() => reads([half, half, {}], LIST).text(), tooLarge)
})

/** The headers of a refusal. */
function headersOf(refused: () => unknown): object | undefined {
  try {
    refused()
  } catch (error) {
    return (error as ApiError).headers
  }
  return undefined
}

t.test('a read checks the tag of what it has read', async (t) => {
  const run = (value: unknown, ifMatch: string, schema: object = LIST) =>
    JSON.parse(reads([value], schema, {}, ifMatch).text()).results.length
  const page = { body: Buffer.from('[]'), etag: '"x"' }
  t.equal(run(page, '"x"'), 1)
  t.throws(() => run(page, '"y"'), status(412, { headers: { etag: '"x"' } }))
  const more = { ...page, next: 'cursor' }
  t.equal(run(more, followed('"x"')), 1)
  t.throws(() => run(more, '"x"'), status(412))
  const untagged = { body: Buffer.from('[]') }
  t.equal(run(untagged, '*'), 1)
  for (const value of [untagged, { ...untagged, next: 'cursor' }, { etag: '"x"' }])
    t.strictSame(
      headersOf(() => run(value, '"x"')),
      {},
      'there is none to tell',
    )
  const project = Buffer.from('{"id":"a"}')
  t.equal(run(project, etagOf('{"id":"a"}'), RECORD), 1)
  t.throws(() => run(project, '"x"', RECORD), status(412))
})

t.test('preconditions are checked before the rule runs', async (t) => {
  const current = Buffer.from('{"id":"a"}')
  const record = { get: () => giving(current), shape: SHAPE }
  const config = { access: 'own', record }
  const ended: number[] = []
  const check = { ended: (request = 0) => void ended.push(request), losing: () => undefined }
  const run = (ifMatch: string | undefined, unchanged: object = {}) => {
    const preHandler = (request: never, _reply: unknown, done: () => void) => {
      keepUnchanged(request, unchanged as Record<string, unknown>)
      done()
    }
    const fields = { config, preHandler, handler: () => giving('the rule') }
    const { text, ran } = batch([POST, { ...POST, ...(ifMatch && { ifMatch }) }], fields, { check })
    text()
    return ran
  }
  t.strictSame(run(etagOf('{"id":"a"}')), ['the rule', current, 'the rule'])
  t.strictSame(ended.splice(0), [0, 1])
  t.strictSame(run(undefined, { id: 'a' }), [current, 'the rule', current, 'the rule'])
  ended.length = 0
  t.throws(() => run('"x"'), status(412))
  t.strictSame(ended, [0], 'its rule has not run')
  t.throws(() => run(undefined, { id: 'c' }), status(400))
  const left = batch(
    [
      { ...POST, as: 'r' },
      { ...GET, path: '/api/x?a={{r.id}}' },
    ],
    {
      config,
      schema: RECORD,
      handler: () => giving(undefined),
    },
  )
  t.match(left.text(), /"body":\{"id":"a"\}/, 'what a rule leaves to read')
})

t.test(
  'a request that takes a project from its caller is refused, if no later one gives it back',
  async (t) => {
    const losing = (request: number | undefined) => ({ ended: () => undefined, losing: () => request })
    t.ok(batch([POST, POST], {}, { check: losing(undefined) }).text())
    const lost = batch([POST, POST], {}, { check: losing(0) })
    const refused = { statusCode: 400, message: 'You would lose this project' }
    let error: unknown
    t.throws(() => {
      try {
        lost.text()
      } catch (thrown) {
        error = thrown
        throw thrown
      }
    }, refused)
    t.match(lost.run.errorOf(error), { ...refused, details: { request: 0 } })
    const broken = () => {
      throw new Error('broken')
    }
    t.throws(
      () => batch([POST], { handler: broken }, { check: losing(0) }).text(),
      refused,
      'the first one counts',
    )
    const much = () => {
      throw new TooMuchWork()
    }
    t.throws(() => batch([POST], { handler: much }, { check: losing(0) }).text(), { name: 'TooMuchWork' })
  },
)
