/** Bodies that arrive slowly, or not at all. */
import { Readable } from 'node:stream'
import { mock } from 'node:test'
import t from 'tap'
import { CHUNK_BYTES } from '../../src/db/file-contents.ts'
import { type ChunkSink, receiveFile, receiveSmall } from '../../src/requests/attachment-uploads.ts'

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

t.test('the time that the database takes is not the sender’s', async (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
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
