/** Damaged contents: an upload of the same file repairs them, for all attachments with these bytes. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { CHUNK_BYTES } from '../src/db/file-contents.ts'
import { examine, isHealthy } from '../src/maintenance/doctor.ts'
import { FileStore } from '../src/worker/file-store.ts'
import { bytesOf, FORM_TYPE, filePart, formOf, png } from './attachments.ts'
import { type App, build, count, createItem, createProject, send, signInAs, writeIn } from './helper.ts'
import { until } from './receivers.ts'

const BYTES = bytesOf(2 * CHUNK_BYTES + 17)

async function setUp(t: Test, isInMemory = false) {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: isInMemory ? ':memory:' : `file:${file}` })
  const item = await createItem(app, (await createProject(app)).id)
  return { app, file, item, url: `/api/kanban-items/${item.id}/attachments` }
}

async function post(app: App, url: string, payload: Buffer, headers = {}) {
  const response = await app.inject({ method: 'POST', url, payload, headers })
  if (response.statusCode !== 201) throw new Error(response.body)
  return response.json()[0].id as string
}

const contentOf = (app: App, id: string) =>
  app.inject({ method: 'GET', url: `/api/attachments/${id}/content` })

const damage = (app: App, sql: string) => writeIn(app, () => app.db.$client.exec(sql))

/** The only content, after the removal of others, which follows the response. */
async function onlyContent(app: App): Promise<number> {
  await until(() => count(app, 'file_contents') === 1)
  return app.db.$client.prepare<[], number>('select id from file_contents').pluck().get() as number
}

/** Each damages a content of three chunks. */
const DAMAGES = {
  'the first chunk is missing': 'delete from file_chunks where place = (select min(place) from file_chunks)',
  'a chunk in the middle is missing': 'delete from file_chunks where place % 65536 = 1',
  'all chunks are missing': 'delete from file_chunks',
  'a chunk has other bytes': 'update file_chunks set bytes = zeroblob(length(bytes)) where place % 65536 = 1',
  'the last chunk is shorter': 'update file_chunks set bytes = substr(bytes, 1, 16) where place % 65536 = 2',
  'the bytes are in other chunks': `
    update file_chunks set bytes = substr(bytes, 1, 1000) where place % 65536 = 1;
    update file_chunks set bytes = (select bytes from file_chunks where place % 65536 = 0) where place % 65536 = 2`,
  'there is a chunk too many':
    "insert into file_chunks (place, bytes) select max(place) + 1, x'00' from file_chunks",
  'its size is another one': 'update file_contents set size = size + 1',
}

for (const isInMemory of [false, true]) {
  t.test(`an upload repairs an equal file${isInMemory ? ', in memory' : ''}`, async (t) => {
    const { app, file, url } = await setUp(t, isInMemory)
    const earlier = [await post(app, url, BYTES), await post(app, url, BYTES)]
    for (const [title, sql] of Object.entries(DAMAGES)) {
      const damaged = await onlyContent(app)
      await damage(app, sql)
      const latest = await post(app, url, BYTES)
      t.not(await onlyContent(app), damaged, title)
      for (const id of [...earlier, latest]) t.ok((await contentOf(app, id)).rawPayload.equals(BYTES), title)
      t.equal(count(app, 'file_chunks'), 3, `${title}: nothing is left of the damaged one`)
    }
    if (!isInMemory) t.ok(isHealthy(examine(file, { isDeep: true })), 'nor of any')
  })
}

t.test('a whole content stays as it is', async (t) => {
  const { app, url } = await setUp(t)
  for (const bytes of [BYTES, Buffer.alloc(0)]) {
    const form = formOf(filePart('file', bytes))
    const attach = () => post(app, url, form, { 'content-type': FORM_TYPE })
    await attach()
    const whole = count(app, 'file_contents')
    const ids = () => app.db.$client.prepare('select id from file_contents').pluck().all()
    const before = ids()
    await attach()
    await until(() => count(app, 'file_contents') === whole)
    t.strictSame(ids(), before)
  }
})

t.test('a damaged content without an attachment is repaired, and an undo finds it whole', async (t) => {
  const { app, url } = await setUp(t)
  const { headers } = signInAs(app, 'admin')
  const id = await post(app, url, BYTES)
  await send(app, 'DELETE', `/api/attachments/${id}`)
  const seq = app.rules.changes.sequence.last()
  await damage(app, DAMAGES['a chunk has other bytes'])
  await post(app, url, BYTES)
  await onlyContent(app)
  t.equal(count(app, 'file_contents', 'unnamed_since is null'), 1)
  t.equal((await send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)).status, 200)
  t.ok((await contentOf(app, id)).rawPayload.equals(BYTES))
})

t.test('equal files in one form, and uploads at once, repair it once', async (t) => {
  const { app, url } = await setUp(t)
  await post(app, url, BYTES)
  await damage(app, DAMAGES['the first chunk is missing'])
  const form = formOf(filePart('one', BYTES), filePart('other', BYTES))
  const ids = await Promise.all([
    post(app, url, form, { 'content-type': FORM_TYPE }),
    post(app, url, BYTES),
    post(app, url, BYTES),
  ])
  await onlyContent(app)
  for (const id of ids) t.ok((await contentOf(app, id)).rawPayload.equals(BYTES))
  t.equal(count(app, 'file_chunks'), 3)
})

t.test('an upload that fails leaves a damaged content as it is', async (t) => {
  const { app, item, url } = await setUp(t)
  await post(app, url, BYTES)
  const damaged = await onlyContent(app)
  await damage(app, DAMAGES['a chunk has other bytes'])
  const { store } = app.files
  store.damaged = async (hash) => {
    const found = await FileStore.prototype.damaged.call(store, hash)
    t.equal(found, damaged)
    await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
    return found
  }
  t.equal((await app.inject({ method: 'POST', url, payload: BYTES })).statusCode, 404)
  t.equal(await onlyContent(app), damaged)
  t.equal(count(app, 'file_contents', 'sha256 is not null'), 1)
})

t.test('a thumbnail repairs an equal one', async (t) => {
  const { app, url } = await setUp(t)
  const id = await post(app, url, png(40, 30))
  const thumbnail = `/api/attachments/${id}/thumbnail`
  const put = () => app.inject({ method: 'PUT', url: thumbnail, payload: png(4, 3) })
  await put()
  const chunks = 'select place from file_chunks order by place'
  const before = app.db.$client.prepare(chunks).pluck().all()
  await put()
  t.strictSame(app.db.$client.prepare(chunks).pluck().all(), before, 'a whole one stays')
  for (const sql of [
    'delete from file_chunks where place = (select max(place) from file_chunks)',
    'update file_chunks set bytes = zeroblob(length(bytes)) where place = (select max(place) from file_chunks)',
  ]) {
    await damage(app, sql)
    t.equal((await put()).statusCode, 200)
    const { rawPayload } = await app.inject({ method: 'GET', url: thumbnail })
    t.ok(rawPayload.equals(png(4, 3)))
    await app.files.store.tidy(Date.now())
    t.equal(count(app, 'file_contents'), 2)
  }
})
