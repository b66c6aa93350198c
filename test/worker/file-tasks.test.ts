/** Failures of the tasks that store the bytes of files. */
import t from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { FileContents } from '../../src/db/file-contents.ts'
import { performFileTask } from '../../src/worker/file-tasks.ts'

t.test('a full disk is 507, and other failures stay what they are', async (t) => {
  const contents = { takeRoomFor: () => true } as unknown as FileContents
  const task = { kind: 'write', content: null, chunk: 0, bytes: Buffer.from('x'), most: 1000 } as const
  for (const [error, expected] of [
    [Object.assign(new Error('full'), { code: 'SQLITE_FULL' }), { message: 'No space left for attachments' }],
    [Object.assign(new Error('broken'), { code: 'SQLITE_IOERR' }), { message: 'broken' }],
    [new Error('else'), { message: 'else' }],
  ] as const) {
    await t.rejects(performFileTask({ contents, write: () => Promise.reject(error) }, task), expected)
  }
})

t.test('a chunk of a content that was removed meanwhile is refused', async (t) => {
  const { db, close } = openDatabase(':memory:')
  t.teardown(close)
  const contents = new FileContents(db.$client)
  const id = contents.write(null, 0, Buffer.from('first'), 0)
  t.equal(contents.write(id, 1, Buffer.from('second'), 0), id)
  while (contents.removeSome(id));
  t.throws(() => contents.write(id, 2, Buffer.from('third'), 0), {
    message: /Service Unavailable|Try again/i,
  })
  t.equal(contents.read(id, 2), undefined)
})
