/** Errors on their way from the worker thread. */
import t from 'tap'
import { ApiError, BatchFailure, SpecifiedFailure } from '../../src/errors.ts'
import { outcomeOf, unwrap } from '../../src/worker/outcomes.ts'

/** The error of work in the thread, as it arrives. */
function arrived(error: Error): unknown {
  const outcome = structuredClone(
    outcomeOf(() => {
      throw error
    }),
  )
  try {
    return unwrap(outcome)
  } catch (thrown) {
    return thrown
  }
}

t.test('a client error stays one, and is no failure of the service', async (t) => {
  const specified = arrived(new SpecifiedFailure('there is no such subtask', 'not_found'))
  t.ok(specified instanceof SpecifiedFailure)
  t.match(specified, { message: 'there is no such subtask', code: 'not_found' })
  const refusal = arrived(new ApiError(409, 'Taken', { code: 'claimed', details: { missing: ['a'] } }))
  t.ok(refusal instanceof ApiError)
  t.match(refusal, { statusCode: 409, message: 'Taken', code: 'claimed', details: { missing: ['a'] } })
})

t.test('any other error keeps its message, and the code of SQLite', async (t) => {
  t.match(arrived(new Error('broken')), { message: 'broken' })
  t.match(arrived(Object.assign(new Error('broken'), { code: 'SQLITE_FULL' })), { code: 'SQLITE_FULL' })
})

t.test('a failed request of a batch keeps its index, and its cause', async (t) => {
  const cause = new SpecifiedFailure('the request body is empty', 'not_json')
  const failed = arrived(new BatchFailure('Failed to create project', 3, cause))
  t.ok(failed instanceof BatchFailure)
  t.match(failed, { failure: 'Failed to create project', details: { request: 3 } })
  t.ok(failed instanceof Error && failed.cause instanceof SpecifiedFailure)
  t.match(failed, { cause: { message: 'the request body is empty', code: 'not_json' } })
})
