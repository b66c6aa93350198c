/** How long contents are kept: as long as an attachment, or a change that is kept, names them, whatever happened in between. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { bytesOf, png, sha256 } from './attachments.ts'
import { type App, build, count, createItem, createProject, hourly, send, signInAs } from './helper.ts'
import { rounds } from './rounds.ts'

const HOUR = 3_600_000

/** Files of which several are equal, of no chunk, one, and several. */
const FILES = [Buffer.from('one'), bytesOf(300_000, 2), bytesOf(600_000, 3), png(4, 3), png(5, 4)]
const IMAGES = [3, 4]

async function setUp(t: Test, options: object = {}) {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${file}`, ...options })
  const project = await createProject(app)
  const { headers: admin } = signInAs(app, 'admin')
  return { app, file, project, admin }
}

async function upload(app: App, itemId: string, bytes: Buffer): Promise<string> {
  const url = `/api/kanban-items/${itemId}/attachments?name=file`
  const response = await app.inject({ method: 'POST', url, payload: bytes })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json()[0].id
}

/** The hashes that attachments, or kept changes, name. */
function named(app: App): Set<string> {
  const { $client: client } = app.db
  const rows = client.prepare<[], string>(
    'select sha256 from attachments union select thumbnail from attachments',
  )
  const texts = client.prepare<[], string>(
    `select before from changes where kind = 'attachment' union all select after from changes where kind = 'attachment'`,
  )
  const inChanges = texts
    .pluck()
    .all()
    .flatMap((text) => {
      const { sha256: hash, thumbnail } = JSON.parse(text ?? '{}')
      return [hash, thumbnail]
    })
  return new Set([...rows.pluck().all(), ...inChanges].filter(Boolean))
}

/** The problems with the contents: each that is named must be there, with its bytes. */
function problemsIn(app: App): string[] {
  const { $client: client } = app.db
  const chunks = client.prepare<[string], Buffer>(
    `select bytes from file_contents join file_chunks on place between id * 65536 and id * 65536 + 65535
    where sha256 = ? order by place`,
  )
  return [...named(app)].flatMap((hash) => {
    const bytes = Buffer.concat(chunks.pluck().all(hash))
    return sha256(bytes) === hash ? [] : [`${hash}: ${bytes.length} bytes`]
  })
}

/** Prunes all changes but the newest. */
async function prune(app: App) {
  const later = Date.now() + HOUR
  while ((await app.perform(app.changes.retention.prune(later), { actorId: null })).value);
}

const tidy = (app: App) => app.files.store.tidy(Date.now() + HOUR)

type Step =
  | { kind: 'upload'; item: number; file: number }
  | { kind: 'thumbnail'; attachment: number; file: number }
  | { kind: 'delete' | 'cover'; attachment: number }
  | { kind: 'delete item'; item: number }
  | { kind: 'undo'; back: number }
  | { kind: 'prune' | 'tidy' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('upload' as const), item: fc.nat(2), file: fc.nat(4) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('thumbnail' as const),
      attachment: fc.nat(9),
      file: fc.constantFrom(...IMAGES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete' as const, 'cover' as const),
      attachment: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete item' as const), item: fc.nat(2) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('undo' as const), back: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('prune' as const, 'tidy' as const) }) },
)

t.test('contents are there as long as anything names them, and go then', async (t) => {
  const { app, project, admin } = await setUp(t)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const items = await Promise.all([0, 1, 2].map(() => createItem(app, project.id)))
      const made: string[] = []
      for (const one of steps) {
        const attachment = 'attachment' in one ? made[one.attachment % Math.max(1, made.length)] : undefined
        const { id: itemId } = ('item' in one && items[one.item]) || { id: '' }
        if (one.kind === 'upload') {
          const exists = (await send(app, 'GET', `/api/kanban-items/${itemId}`)).status === 200
          if (exists) made.push(await upload(app, itemId, FILES[one.file] as Buffer))
        } else if (one.kind === 'thumbnail') {
          await app.inject({
            method: 'PUT',
            url: `/api/attachments/${attachment}/thumbnail`,
            payload: FILES[one.file] as Buffer,
          })
        } else if (one.kind === 'delete') await send(app, 'DELETE', `/api/attachments/${attachment}`)
        else if (one.kind === 'cover') {
          const { body } = await send(app, 'GET', `/api/attachments/${attachment}`)
          await send(app, 'PATCH', `/api/kanban-items/${body.itemId}`, { coverId: attachment })
        } else if (one.kind === 'delete item') await send(app, 'DELETE', `/api/kanban-items/${itemId}`)
        else if (one.kind === 'undo') {
          const seq = app.rules.changes.sequence.last() - one.back
          await send(app, 'POST', `/api/changes/${seq}/undo`, undefined, admin)
        } else if (one.kind === 'prune') await prune(app)
        else await tidy(app)
        const problems = problemsIn(app)
        if (problems.length > 0) throw new Error(problems.join())
        const dangling = count(
          app,
          'kanban_items',
          'cover_id is not null and not exists (select 1 from attachments as its where its.id = cover_id and its.item_id = kanban_items.id)',
        )
        if (dangling > 0) throw new Error('a cover is no attachment')
      }
      for (const { id } of items) await send(app, 'DELETE', `/api/kanban-items/${id}`)
      await tidy(app)
      await createItem(app, project.id)
      await prune(app)
      await tidy(app)
      const left = [count(app, 'attachments'), count(app, 'file_contents'), count(app, 'file_chunks')]
      if (left.some((number) => number > 0)) throw new Error(`left: ${left}`)
    }),
    { numRuns: rounds(6), endOnFailure: true },
  )
})

t.test('pages of removed files are used again', async (t) => {
  const { app, file, project } = await setUp(t)
  const sizes: number[] = []
  for (let round = 1; round <= 4; round++) {
    const item = await createItem(app, project.id)
    for (const seed of [1, 2, 3]) await upload(app, item.id, bytesOf(1_000_000, round * 10 + seed))
    app.db.$client.pragma('wal_checkpoint(truncate)')
    sizes.push(statSync(file).size)
    await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
    await tidy(app)
    await createItem(app, project.id)
    await prune(app)
    await tidy(app)
    t.equal(count(app, 'file_contents'), 0)
  }
  const [first = 0, ...others] = sizes
  for (const size of others) t.ok(size < first * 1.1, `${size} bytes after ${first}`)
})

t.test(
  'files that nothing names are removed once an hour; a failure is logged, and tried again',
  async (t) => {
    const clean = hourly(t)
    const logStream = new PassThrough()
    const { app, project } = await setUp(t, { logLevel: 'warn', logStream })
    const { id } = await createItem(app, project.id)
    await upload(app, id, Buffer.from('one'))
    const { store } = app.files
    const { tidy } = store
    store.tidy = () => Promise.reject(new Error('no'))
    clean()
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    t.match(String(logStream.read()), /could not remove files without references/)
    let tidied = 0
    store.tidy = (before) => {
      tidied++
      return tidy.call(store, before)
    }
    clean()
    for (let turn = 0; turn < 20; turn++) await setImmediate()
    t.equal(tidied, 1)
    t.equal(count(app, 'file_contents'), 1, 'what is named stays')
  },
)
