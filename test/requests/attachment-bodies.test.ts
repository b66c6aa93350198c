/** Bodies that arrive slowly, or not at all. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import { CHUNK_BYTES } from '../../src/db/file-contents.ts'
import { type ChunkSink, receiveFile, receiveSmall } from '../../src/requests/attachment-uploads.ts'

/** A body that arrives as the clock, which goes by hand, passes. */
function slowBody(t: Test) {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const body = new Readable({ read: () => undefined })
  const pass = async (seconds: number, bytes = 0) => {
    if (bytes > 0) body.push(Buffer.alloc(bytes))
    await new Promise(setImmediate)
    mock.timers.tick(seconds * 1000)
    await new Promise(setImmediate)
  }
  return { body, pass }
}

const LIMIT = 25 * 1024 * 1024

t.test('a body of a byte every five seconds is refused after ten', async (t) => {
  const { body, pass } = slowBody(t)
  const refused = t.rejects(receiveSmall(body, LIMIT), { statusCode: 408, message: 'Request Timeout' })
  await pass(5, 1)
  await pass(5, 1)
  await pass(2, 1)
  await refused
  t.notOk(body.destroyed, 'the refusal is sent over the same connection')
})

t.test('over a line of 16 kbit/s, a body takes as long as its size needs', async (t) => {
  const { body, pass } = slowBody(t)
  const received = receiveSmall(body, LIMIT)
  for (let seconds = 0; seconds < 3600; seconds += 10) await pass(10, 10 * 2048)
  body.push(null)
  t.equal((await received).length, 3600 * 2048)
})

t.test('a fast body may pause for half a minute, and no longer', async (t) => {
  const { body, pass } = slowBody(t)
  const refused = t.rejects(receiveSmall(body, LIMIT), { message: 'Request Timeout' })
  await pass(1, LIMIT / 2)
  await pass(28)
  await pass(1, LIMIT / 4)
  await pass(31)
  await refused
})

t.test('a small body is received as a whole', async (t) => {
  t.equal(String(await receiveSmall(Readable.from([Buffer.from('so'), Buffer.from('me')]), 4)), 'some')
  await t.rejects(receiveSmall(Readable.from([Buffer.from('some')]), 3), { message: 'Payload Too Large' })
})

t.test('the time that the database takes is not the sender’s', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.teardown(() => mock.timers.reset())
  const first = Promise.withResolvers<void>()
  const writes: number[] = []
  const sink: ChunkSink = {
    write: async (_content, chunk, bytes) => {
      writes.push(chunk)
      if (chunk === 0) await first.promise
      return { content: 1, bytes }
    },
    damaged: async () => undefined,
    discard: async () => void t.fail('nothing is discarded'),
  }
  const body = Readable.from([
    Buffer.alloc(CHUNK_BYTES),
    Buffer.alloc(CHUNK_BYTES),
    Buffer.alloc(CHUNK_BYTES),
  ])
  const received = receiveFile(body, 'a.bin', { file: 3 * CHUNK_BYTES, files: 1 }, sink)
  while (writes.length === 0) await new Promise(setImmediate)
  for (let turns = 0; turns < 10; turns++) await new Promise(setImmediate)
  mock.timers.tick(61_000)
  t.notOk(body.destroyed)
  first.resolve()
  t.match(await received, [{ name: 'a.bin', size: 3 * CHUNK_BYTES }])
  t.strictSame(writes, [0, 1, 2])
})
