/** Failures of the tasks that store the bytes of files. */
import t from 'tap'
import type { FileContents } from '../../src/db/file-contents.ts'
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
