/** Files that agents attach and read. */
import t from 'tap'
import type { TransferSlots } from '../../src/requests/transfer-slots.ts'
import { bytesOf, png, sha256 } from '../attachments.ts'
import { type App, count, createItem, createProject, send, signInAs, tokenOf, writeIn } from '../helper.ts'
import { overHttp, serve } from './agents.ts'

const LIMIT = 1_048_576

const contentOf = async (app: App, id: string) =>
  (await app.inject(`/api/attachments/${id}/content`)).rawPayload

const upload = async (app: App, itemId: string, name: string, payload: string | Buffer) => {
  const response = await app.inject({
    method: 'POST',
    url: `/api/kanban-items/${itemId}/attachments?name=${name}`,
    payload,
    headers: { 'content-type': 'application/octet-stream' },
  })
  return response.json()[0].id as string
}

t.test('files are attached as text or base64, and read as resources', async (t) => {
  const { app, url } = await serve(t, { bodyLimit: 3_000_000 })
  const item = await createItem(app, (await createProject(app)).id)
  const { client, call } = await overHttp(t, url)
  const read = async (uri: string) => (await client.readResource({ uri })).contents

  const text = await call('attach_file', { itemId: item.id, name: 'a/Große.md', text: '# Grüße 🙂' })
  t.match(text, {
    attachment: {
      itemId: item.id,
      name: 'Große.md',
      mediaType: 'text/markdown',
      sha256: sha256('# Grüße 🙂'),
    },
    seq: Number,
  })
  t.equal((await contentOf(app, text.attachment.id)).toString(), '# Grüße 🙂')
  t.strictSame(await read(text.attachment.uri), [
    { uri: text.attachment.uri, mimeType: 'text/markdown', text: '# Grüße 🙂' },
  ])

  const image = png(3, 2)
  const base64 = image.toString('base64')
  const picture = await call('attach_file', { itemId: item.id, name: 'a.txt', base64 })
  t.equal(picture.attachment.mediaType, 'image/png', 'by its bytes')
  t.strictSame(await read(picture.attachment.uri), [
    { uri: picture.attachment.uri, mimeType: 'image/png', blob: base64 },
  ])

  const bytes = bytesOf(LIMIT)
  const large = await call('attach_file', {
    itemId: item.id,
    name: 'a.bin',
    base64: bytes.toString('base64'),
  })
  t.equal(large.attachment.sha256, sha256(bytes))
  const [content] = (await read(large.attachment.uri)) as { blob: string }[]
  t.ok(Buffer.from(content?.blob ?? '', 'base64').equals(bytes), 'in several chunks')

  const latin = await upload(app, item.id, 'latin.txt', Buffer.from('Gr\xfc\xdfe', 'latin1'))
  t.match(await read(`phaseboard://attachments/${latin}`), [{ blob: 'R3L832U=', text: undefined }])
  const link = `/api/kanban-items/${item.id}/attachments`
  const { body } = await send(app, 'POST', link, { url: 'https://example.org/plan' })
  t.match(await read(`phaseboard://attachments/${body.id}`), [
    { mimeType: 'text/uri-list', text: 'https://example.org/plan\r\n' },
  ])
  const { attachments } = await call('read_item', { itemId: item.id })
  t.match(attachments.at(-1), { kind: 'link', url: 'https://example.org/plan', mediaType: null, size: null })
  t.equal(attachments.length, 5)
})

t.test('an agent that attaches a file again repairs it', async (t) => {
  const { app, url } = await serve(t)
  const item = await createItem(app, (await createProject(app)).id)
  const { call } = await overHttp(t, url)
  const attach = () => call('attach_file', { itemId: item.id, name: 'a.txt', text: 'weld it' })
  const { attachment } = await attach()
  await writeIn(app, () => app.db.$client.exec('delete from file_chunks'))
  await attach()
  t.equal((await contentOf(app, attachment.id)).toString(), 'weld it')
  t.equal(count(app, 'file_contents'), 1)
})

t.test('invalid uploads and reads are refused, and leave nothing', async (t) => {
  const { app, url } = await serve(t, { bodyLimit: 3_000_000, publicUrl: 'https://board.example.org' })
  const item = await createItem(app, (await createProject(app)).id)
  const { client, call, refused } = await overHttp(t, url)
  const attach = (args: object) => refused('attach_file', { itemId: item.id, name: 'a.txt', ...args })
  t.match(await attach({}), { status: 400, details: { formErrors: ['either text or base64 is required'] } })
  t.match(await attach({ text: 'a', base64: 'YQ==' }), { status: 400 })
  for (const base64 of ['YQ', 'Y Q=', '=YQ=', '!!!!']) {
    t.match(
      await attach({ base64 }),
      { status: 400, details: { fieldErrors: { base64: [/base64/] } } },
      base64,
    )
  }
  const over = bytesOf(LIMIT + 1)
  t.match(await attach({ base64: over.toString('base64') }), { status: 413, error: /1048576 bytes/ })
  t.match(await attach({ text: 'ü'.repeat(LIMIT / 2 + 1) }), { status: 413 })
  t.match(await refused('attach_file', { itemId: 'none', name: 'a', text: 'a' }), {
    status: 404,
    error: 'Kanban item not found',
  })
  t.equal(count(app, 'file_contents'), 0)

  const id = await upload(app, item.id, 'large.bin', over)
  await t.rejects(client.readResource({ uri: `phaseboard://attachments/${id}` }), {
    code: -32602,
    message: new RegExp(`1048577 bytes.*GET https://board.example.org/api/attachments/${id}/content$`),
  })

  const args = { itemId: item.id, name: 'a.txt', text: 'once', idempotencyKey: 'k' }
  const first = await call('attach_file', args)
  t.strictSame(await call('attach_file', args), { ...first, replayed: true })
  t.equal((await refused('attach_file', { ...args, text: 'other' })).status, 422)
  t.equal(count(app, 'attachments'), 2)
  await call('attach_file', { itemId: item.id, name: 'b.txt', text: 'once' })
  t.equal(count(app, 'file_contents'), 2, 'equal files are stored once')

  const { uploads } = app.files
  const full = new (uploads.constructor as typeof TransferSlots)(1, { ofShare: 1, longest: 1 })
  await full.wait('other')
  app.files.uploads.wait = (share) => full.wait(share)
  t.match(await attach({ text: 'a' }), { status: 503, retryAfterSeconds: 2 })
  Reflect.deleteProperty(uploads, 'wait')
  await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  t.strictSame(await call('attach_file', args), { ...first, replayed: true }, 'of a deleted item')
})

t.test('the limits of the service hold, too', async (t) => {
  const { app, url } = await serve(t, { attachmentLimit: 10, attachmentsTotal: 15 })
  const item = await createItem(app, (await createProject(app)).id)
  const { call, refused } = await overHttp(t, url)
  const args = { itemId: item.id, name: 'a.txt' }
  t.equal((await refused('attach_file', { ...args, text: 'x'.repeat(11) })).status, 413)
  await call('attach_file', { ...args, text: 'x'.repeat(10) })
  t.match(await refused('attach_file', { ...args, text: 'y'.repeat(10) }), { status: 507, next: /space/ })
})

t.test('an agent has the rights of its member', async (t) => {
  const { app, url } = await serve(t, { authMode: 'required' })
  const [admin, ada, bob, eve] = [
    signInAs(app, 'admin'),
    signInAs(app, 'member'),
    signInAs(app, 'member'),
    signInAs(app, 'member'),
  ]
  const project = await createProject(app, { access: 'assigned' }, admin.headers)
  for (const [memberId, role] of [
    [ada.id, 'member'],
    [bob.id, 'viewer'],
  ]) {
    const path = `/api/projects/${project.id}/team-assignments`
    t.equal((await send(app, 'POST', path, { memberId, role }, admin.headers)).status, 201)
  }
  const item = await createItem(app, project.id, {}, admin.headers)
  const as = (id: string) => overHttp(t, url, tokenOf(app, id))
  const args = { itemId: item.id, name: 'a.txt', text: 'secret' }
  const made = await (await as(ada.id)).call('attach_file', args)
  const { uri } = made.attachment
  const viewing = await as(bob.id)
  t.match((await viewing.client.readResource({ uri })).contents, [{ text: 'secret' }])
  t.equal((await viewing.refused('attach_file', args)).status, 403)
  const stranger = await as(eve.id)
  t.match(await stranger.refused('attach_file', args), { status: 404, error: 'Kanban item not found' })
  await t.rejects(stranger.client.readResource({ uri }), { code: -32002 })
  t.equal(count(app, 'attachments'), 1)
})
