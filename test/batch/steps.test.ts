/** The results of steps, with rules that return what they are given. */
import { Type } from '@sinclair/typebox'
import t from 'tap'
import { type Step, StepRunner, type StepsMode } from '../../src/batch/steps.ts'
import type { ApiError } from '../../src/errors.ts'
import { etagOf, followed } from '../../src/etags.ts'
import type { ResponseShape } from '../../src/requests/responses.ts'
import type { Rules } from '../../src/requests/rules.ts'
import type { ChangeCheck } from '../../src/requests/scoped-rules.ts'
import { openTestDatabase } from '../database.ts'

/** What an error has, at least. */
const status = (statusCode: number, fields: object = {}) => ({ message: /./, statusCode, ...fields })

const any = Type.Object({}, { additionalProperties: true })
const shapeOf = (kind: ResponseShape['kind'], fields: Partial<ResponseShape> = {}): ResponseShape => ({
  name: `StepsOf${kind}`,
  status: 200,
  schema: any,
  kind,
  ...fields,
})
const RECORD = shapeOf('record')
const LIST = shapeOf('other')

class Echo {
  static readonly reads = ['give']
  give(value: unknown) {
    return value
  }
}
const rules = { echo: new Echo() } as unknown as Rules

/** A step with this result. */
const step = (value: unknown, fields: Partial<Step> = {}): Step => ({
  request: 0,
  call: { path: 'echo.give', args: [value] },
  shape: RECORD,
  ...fields,
})

const runnerOn = (
  t: Parameters<typeof openTestDatabase>[0],
  mode: Partial<StepsMode> = {},
  check?: Partial<ChangeCheck>,
) =>
  new StepRunner(
    openTestDatabase(t),
    rules,
    { isDryRun: false, isRead: false, ...mode },
    check as ChangeCheck | undefined,
  )

const shown = (runner: StepRunner) => Buffer.from(runner.response()).toString()

t.test('the response has the results in order, and their tags', async (t) => {
  const runner = runnerOn(t)
  t.equal(shown(runner), '{"results":[],"dryRun":false}')
  t.strictSame(runner.run(step({ id: 'a' }, { as: 'a' })), [['a', '{"id":"a"}']])
  t.strictSame(runner.run(step({ id: 'b' }, { shape: LIST })), [])
  t.strictSame(
    runner.run({ request: 2, call: { path: 'echo.give', args: [1] } }),
    [],
    'no result of a request',
  )
  t.strictSame(runner.run(step(Buffer.from('[1]'), { shape: LIST, as: 'b' })), [['b', '[1]']])
  const nothing = { ...RECORD, mayBeEmpty: true }
  t.strictSame(runner.run(step(null, { shape: nothing, as: 'n' })), [['n', 'null']])
  const tag = JSON.stringify(etagOf('{"id":"a"}'))
  const results = [
    `{"status":200,"body":{"id":"a"},"etag":${tag}}`,
    '{"status":200,"body":{"id":"b"}}',
    '{"status":200,"body":[1]}',
    '{"status":204,"body":null}',
  ]
  t.equal(shown(runner), `{"results":[${results.join(',')}],"dryRun":false}`)
  t.equal(runner.size, '{"id":"a"}{"id":"b"}[1]null'.length)
  t.match(shown(runnerOn(t, { isDryRun: true })), /"dryRun":true/)
})

t.test('the results are limited in total', async (t) => {
  const runner = runnerOn(t)
  const half = step(Buffer.alloc(8 * 1024 * 1024), { shape: LIST })
  for (const _ of [1, 2]) t.strictSame(runner.run(half), [])
  t.throws(() => runner.run(step({})), { statusCode: 413, message: 'Batch is too large' })
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
  const run = (value: unknown, ifMatch: string, shape = LIST) =>
    runnerOn(t).run(step(value, { ifMatch, shape }))
  const page = { body: Buffer.from('[]'), etag: '"x"' }
  t.strictSame(run(page, '"x"'), [])
  t.throws(() => run(page, '"y"'), status(412, { headers: { etag: '"x"' } }))
  const more = { ...page, next: 'cursor' }
  t.strictSame(run(more, followed('"x"')), [])
  t.throws(() => run(more, '"x"'), status(412))
  const untagged = { body: Buffer.from('[]') }
  t.strictSame(run(untagged, '*'), [])
  for (const value of [untagged, { ...untagged, next: 'cursor' }, { etag: '"x"' }])
    t.strictSame(
      headersOf(() => run(value, '"x"')),
      {},
      'there is none to tell',
    )
  t.strictSame(run({ id: 'a' }, etagOf('{"id":"a"}'), RECORD), [])
  t.throws(() => run({ id: 'a' }, '"x"', RECORD), status(412))
})

t.test('preconditions are checked before the rule runs', async (t) => {
  const record = { get: { path: 'echo.give', args: [{ id: 'a' }] }, shape: RECORD }
  const ran: number[] = []
  const check = { ended: (request: number) => void ran.push(request), losing: () => undefined }
  const run = (fields: Partial<Step>) => runnerOn(t, {}, check).run(step({ id: 'b' }, { record, ...fields }))
  run({ ifMatch: etagOf('{"id":"a"}'), request: 1 })
  run({ unchanged: { id: 'a' }, request: 2 })
  t.throws(() => run({ ifMatch: '"x"' }), status(412))
  t.throws(() => run({ unchanged: { id: 'c' } }), status(400))
  t.strictSame(ran, [1, 2])
  t.strictSame(
    runnerOn(t).run(step(undefined, { record, as: 'r' })),
    [['r', '{"id":"a"}']],
    'what a rule leaves to read',
  )
})

t.test('a step that takes a project from its caller is refused', async (t) => {
  t.equal(runnerOn(t).refusal(), undefined)
  const losing = (request: number | undefined) => runnerOn(t, {}, { losing: () => request }).refusal()
  t.equal(losing(undefined), undefined)
  t.match(losing(0), { name: 'StepFailure', request: 0, cause: { statusCode: 400 } })
})
