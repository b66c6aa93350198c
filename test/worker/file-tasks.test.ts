/** Failures of the tasks that store the bytes of files. */
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { FileContents } from '../../src/db/file-contents.ts'
import { performFileTask } from '../../src/worker/file-tasks.ts'

t.test('a full disk is 507, and other failures stay what they are', async (t) => {
  const contents = { hasRoomFor: () => true } as unknown as FileContents
  const bytes = Buffer.from('x')
  const task = { kind: 'write', upload: 1, content: null, chunk: 0, bytes, most: 1000 } as const
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

/** Contents with room for some bytes. */
function contentsOf(t: Test) {
  const { db, close } = openDatabase(':memory:')
  t.teardown(close)
  const contents = new FileContents(db.$client)
  const perform = (task: Parameters<typeof performFileTask>[1]) =>
    performFileTask({ contents, write: async (work) => work() }, task)
  return { contents, perform }
}

const CHUNK = Buffer.alloc(1024)
const MOST = 20 * CHUNK.length
const LARGEST = 25 * CHUNK.length
const NO_SPACE = { message: 'No space left for attachments' }

t.test('of uploads that do not all fit, the first ones do', async (t) => {
  const { perform } = contentsOf(t)
  const begin = () => perform({ kind: 'begin', bytes: 4 * CHUNK.length, largest: LARGEST, most: MOST })
  const uploads = (await Promise.allSettled(Array.from({ length: 8 }, begin))).flatMap((one) =>
    one.status === 'fulfilled' ? [Number(one.value)] : [],
  )
  t.equal(uploads.length, 5, 'as many as fit')
  const ids = new Map<number, number>()
  // Their chunks arrive in turns.
  for (let chunk = 0; chunk < 4; chunk++) {
    for (const upload of uploads) {
      const content = ids.get(upload) ?? null
      const written = await perform({ kind: 'write', upload, content, chunk, bytes: CHUNK, most: MOST })
      ids.set(upload, Number(Object(written).content))
    }
  }
  const [first = 0] = uploads
  await t.rejects(
    perform({
      kind: 'write',
      upload: first,
      content: ids.get(first) ?? 0,
      chunk: 4,
      bytes: CHUNK,
      most: MOST,
    }),
    NO_SPACE,
    'more than it has announced',
  )
  for (const upload of uploads) await perform({ kind: 'end', upload })
  await t.rejects(begin(), NO_SPACE)
  await perform({ kind: 'discard', content: ids.get(first) ?? 0 })
  t.ok(await begin())
})

t.test('an upload of unknown size has all the room that is left, and gives back the rest', async (t) => {
  const { perform } = contentsOf(t)
  const begin = (bytes: number | null) => perform({ kind: 'begin', bytes, largest: LARGEST, most: MOST })
  const upload = Number(await begin(null))
  await t.rejects(begin(1), NO_SPACE)
  await t.rejects(begin(null), NO_SPACE)
  t.ok(await begin(0), 'a repetition stores nothing')
  await perform({ kind: 'write', upload, content: null, chunk: 0, bytes: CHUNK, most: MOST })
  await perform({ kind: 'end', upload })
  t.ok(await begin(MOST - CHUNK.length))
})

t.test('a file of a form is no leftover while the others arrive', async (t) => {
  const { contents } = contentsOf(t)
  const upload = contents.begin(3, LARGEST, MOST)
  const first = contents.write(null, 0, Buffer.from('a'), 1000, upload)
  const second = contents.write(null, 0, Buffer.from('b'), 2000, upload)
  contents.write(second, 1, Buffer.from('c'), 900_000, upload)
  t.strictSame(contents.leftovers(900_000), [])
  t.strictSame(contents.leftovers(900_001), [first, second])
})
