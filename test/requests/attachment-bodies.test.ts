/** Small bodies that arrive slowly, or not at all. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import t from 'tap'
import { receiveSmall } from '../../src/requests/attachment-uploads.ts'

t.test('a body whose next bytes do not come in time is refused', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const body = new Readable({ read: () => undefined })
  body.push('some')
  const received = receiveSmall(body, 100)
  const refused = t.rejects(received, { message: 'Request Timeout' })
  await new Promise(setImmediate)
  mock.timers.tick(31_000)
  await refused
  t.ok(body.destroyed)
})

t.test('a small body is received as a whole', async (t) => {
  t.equal(String(await receiveSmall(Readable.from([Buffer.from('so'), Buffer.from('me')]), 4)), 'some')
  await t.rejects(receiveSmall(Readable.from([Buffer.from('some')]), 3), { message: 'Payload Too Large' })
})
