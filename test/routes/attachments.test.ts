import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InjectOptions } from 'fastify'
import t, { type Test } from 'tap'
import { CHUNK_BYTES } from '../../src/db/file-contents.ts'
import { bytesOf, FORM_TYPE, filePart, formOf, part, png, sha256 } from '../attachments.ts'
import { type App, build, count, createItem, createProject, invalid, send, signInAs } from '../helper.ts'

const noAttachment = { error: 'Attachment not found' }
const noItem = { error: 'Kanban item not found' }
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** An application on a file, whose files are stored by a thread, or in memory. */
const kinds = [
  { name: 'a file', config: (t: Test) => ({ databaseUrl: `file:${join(t.testdir(), 'board.db')}` }) },
  { name: 'memory', config: () => ({}) },
]

async function setUp(t: Test, config: object = {}) {
  const app = await build(t, config)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  return { app, project, item, url: `/api/kanban-items/${item.id}/attachments` }
}

/** Sends a body as it is. */
async function raw(app: App, options: InjectOptions) {
  const response = await app.inject(options)
  const { statusCode: status, headers, rawPayload } = response
  const isJson = /json/.test(String(headers['content-type']))
  return { status, headers, bytes: rawPayload, body: isJson ? response.json() : undefined }
}

const postForm = (app: App, url: string, payload: Buffer, headers = {}) =>
  raw(app, { method: 'POST', url, payload, headers: { 'content-type': FORM_TYPE, ...headers } })

/** Uploads one file. */
async function upload(app: App, url: string, content: string | Uint8Array, name = 'notes.txt') {
  const { status, body } = await postForm(app, url, formOf(filePart(name, content)))
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body[0]
}

/** Waits until nothing is left of uploads that came to nothing: they are removed after the response. */
async function settled(app: App) {
  while (count(app, 'file_contents', 'sha256 is null') > 0) await sleep(10)
}

const get = (app: App, url: string, headers = {}) => raw(app, { method: 'GET', url, headers })

for (const { name, config } of kinds) {
  t.test(`files are attached by a form, and read: ${name}`, async (t) => {
    const { app, item, url } = await setUp(t, config(t))
    const large = bytesOf(700_001)
    const made = await postForm(
      app,
      url,
      formOf(filePart('Große Pläne.txt', 'hello'), part('name="more"', 'ignored'), filePart('a.bin', large)),
    )
    t.equal(made.status, 201)
    t.equal(made.headers.location, `/api/attachments/${made.body[0].id}`, 'of the first')
    t.match(made.body, [
      {
        itemId: item.id,
        name: 'Große Pläne.txt',
        kind: 'file',
        mediaType: 'text/plain',
        size: 5,
        sha256: sha256('hello'),
        hasThumbnail: false,
        createdAt: TIME,
        updatedAt: TIME,
      },
      { name: 'a.bin', mediaType: 'application/octet-stream', size: large.length, sha256: sha256(large) },
    ])
    t.notOk('url' in made.body[0] || 'width' in made.body[0] || 'thumbnail' in made.body[0])
    t.strictSame((await send(app, 'GET', url)).body, made.body)
    const [first, second] = made.body
    t.strictSame((await send(app, 'GET', `/api/attachments/${first.id}`)).body, first)

    const small = await get(app, `/api/attachments/${first.id}/content`)
    t.equal(small.bytes.toString(), 'hello')
    t.equal(small.headers['content-length'], '5')
    const whole = await get(app, `/api/attachments/${second.id}/content`)
    t.ok(whole.bytes.equals(large))
    t.match(whole.headers, {
      etag: `"${sha256(large)}"`,
      'content-length': `${large.length}`,
      'accept-ranges': 'bytes',
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename=a.bin',
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    })
    t.equal(count(app, 'file_chunks'), 4)
    t.equal(count(app, 'file_contents'), 2)
  })

  t.test(`an equal file is stored once, and a repeated upload not at all: ${name}`, async (t) => {
    const { app, url } = await setUp(t, config(t))
    const content = bytesOf(300_000)
    const one = await upload(app, url, content, 'one.bin')
    const send = () =>
      raw(app, {
        method: 'POST',
        url: `${url}?name=two.bin`,
        payload: content,
        headers: { 'idempotency-key': 'once' },
      })
    const first = await send()
    t.match(first.body, [{ name: 'two.bin', sha256: one.sha256 }])
    const again = await send()
    t.equal(again.headers['idempotent-replayed'], 'true')
    t.strictSame(again.body, first.body)
    t.equal(count(app, 'attachments'), 2)
    const other = await raw(app, {
      method: 'POST',
      url: `${url}?name=two.bin`,
      payload: bytesOf(300_000, 2),
      headers: { 'idempotency-key': 'once' },
    })
    t.equal(other.status, 422)
    await settled(app)
    t.equal(count(app, 'file_contents'), 1)
    t.equal(count(app, 'file_chunks'), 2)
  })

  t.test(`parts of a file are read by ranges: ${name}`, async (t) => {
    const { app, url } = await setUp(t, config(t))
    const content = bytesOf(600_000)
    const { id, sha256: hash } = await upload(app, url, content)
    const at = `/api/attachments/${id}/content`
    const etag = `"${hash}"`
    const ranges: [range: string, start: number, end: number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=262143-262144', 262_143, 262_145],
      ['bytes=-1', 599_999, 600_000],
      ['bytes=-999999', 0, 600_000],
      ['BYTES=524288-', 524_288, 600_000],
      ['bytes=599999-700000', 599_999, 600_000],
    ]
    for (const [range, start, end] of ranges) {
      const { status, headers, bytes } = await get(app, at, { range })
      t.equal(status, 206, range)
      t.equal(headers['content-range'], `bytes ${start}-${end - 1}/600000`)
      t.equal(headers['content-length'], `${end - start}`)
      t.ok(bytes.equals(content.subarray(start, end)), range)
    }
    const ignored = [
      'lines=0-1',
      'bytes=a-b',
      'bytes=2-1',
      'bytes=0-1,4-5',
      'bytes 0-1',
      '',
      `bytes=${'0-,'.repeat(5000)}0-`,
    ]
    for (const range of ignored) {
      const { status, bytes } = await get(app, at, { range })
      t.equal(status, 200, range.slice(0, 20))
      t.equal(bytes.length, 600_000)
    }
    for (const range of ['bytes=600000-', 'bytes=-0', 'bytes=999999999999999999-']) {
      const { status, headers, body } = await get(app, at, { range })
      t.equal(status, 416, range)
      t.equal(headers['content-range'], 'bytes */600000')
      t.strictSame(body, { error: 'Range Not Satisfiable' })
    }
    const range = 'bytes=1-2'
    t.equal((await get(app, at, { range, 'if-range': etag })).status, 206)
    for (const ifRange of [`W/${etag}`, '"x"', 'Wed, 25 Nov 2026 10:00:00 GMT']) {
      t.equal((await get(app, at, { range, 'if-range': ifRange })).status, 200, ifRange)
    }
    t.equal((await get(app, at, { 'if-none-match': etag, range })).status, 304)
    t.equal((await get(app, at, { 'if-match': '"x"', range })).status, 412)
    const head = await raw(app, { method: 'HEAD', url: at, headers: { range } })
    t.equal(head.status, 200)
    t.equal(head.bytes.length, 0)
    t.match(head.headers, { 'content-length': '600000', etag, 'accept-ranges': 'bytes' })
  })
}

t.test('an error of a download is not named as the file', async (t) => {
  const { app, url } = await setUp(t)
  const { id } = await upload(app, url, 'hello')
  const at = `/api/attachments/${id}/content`
  const errorAt = async (range: string, status: number) => {
    const { headers, ...answer } = await get(app, at, { range })
    t.match(answer, { status, body: { error: /./ } })
    t.notOk('content-disposition' in headers)
    return headers
  }
  await errorAt('bytes=9-', 416)
  app.db.$client.exec('delete from file_chunks')
  t.notOk('content-range' in (await errorAt('bytes=1-2', 500)))
})

t.test('a download whose bytes are removed meanwhile is broken off', async (t) => {
  const { app, url } = await setUp(t)
  const { id } = await upload(app, url, 'x'.repeat(CHUNK_BYTES + 1))
  app.db.$client.exec('delete from file_chunks where place = (select max(place) from file_chunks)')
  await t.rejects(app.inject(`/api/attachments/${id}/content`))
})

t.test('contents are sent as they are to clients that accept compression, also in ranges', async (t) => {
  const { app, url } = await setUp(t)
  const text = Array.from({ length: 20_000 }, (_, nth) => nth).join(',')
  for (const name of ['a.csv', 'a.html', 'a.txt']) {
    const content = `${name},${text}`
    const { id, mediaType } = await upload(app, url, content, name)
    t.match(mediaType, /^text\//)
    const etag = `"${sha256(content)}"`
    for (const coding of ['gzip', 'br', 'zstd']) {
      const download = async (more = {}) => {
        const headers = { 'accept-encoding': coding, ...more }
        const answer = await app.inject({ url: `/api/attachments/${id}/content`, headers })
        return [answer.statusCode, answer.headers.etag, answer.headers['content-encoding'], answer.payload]
      }
      const part = await download({ range: 'bytes=10-50009' })
      t.strictSame(part, [206, etag, undefined, content.slice(10, 50_010)], `${name}, ${coding}: a part`)
      t.strictSame(await download(), [200, etag, undefined, content], `${name}, ${coding}: all of it`)
    }
  }
})

t.test('links', async (t) => {
  const { app, item, url } = await setUp(t)
  const made = await send(app, 'POST', url, { url: 'https://example.org/plan?a=1#b', name: ' The\nplan ' })
  t.equal(made.status, 201)
  t.match(made.body, {
    itemId: item.id,
    kind: 'link',
    name: 'The plan',
    url: 'https://example.org/plan?a=1#b',
    mediaType: null,
    size: null,
    sha256: null,
  })
  t.equal(made.headers.location, `/api/attachments/${made.body.id}`)
  const read = await send(app, 'GET', `/api/attachments/${made.body.id}`)
  t.equal(read.headers.etag, made.headers.etag)
  t.equal(
    (await send(app, 'POST', url, { url: 'mailto:ada@example.org' })).body.name,
    'mailto:ada@example.org',
  )
  for (const path of ['content', 'thumbnail']) {
    t.strictSame((await send(app, 'GET', `/api/attachments/${made.body.id}/${path}`)).body, noAttachment)
  }
  t.strictSame(
    (await send(app, 'POST', url, { url: 'ftp://example.org', name: '/' })).body,
    invalid({
      url: ['must be an http, https or mailto URL'],
      name: ['must have visible characters, and not only a folder'],
    }),
  )
  const badUrls: [unknown, string][] = [
    ['javascript:alert(1)', 'must be an http, https or mailto URL'],
    ['data:text/html,x', 'must be an http, https or mailto URL'],
    ['file:///etc/passwd', 'must be an http, https or mailto URL'],
    ['https://ada:secret@example.org/', 'must not contain credentials'],
    ['/plan', 'must be a URL'],
    [' java\nscript:alert(1)', 'must be a URL'],
    ['', 'must NOT have fewer than 1 characters'],
    [5, 'must be string'],
    [`https://example.org/${'x'.repeat(2000)}`, 'must NOT have more than 2000 characters'],
  ]
  for (const [link, problem] of badUrls) {
    t.strictSame(
      (await send(app, 'POST', url, { url: link })).body,
      invalid({ url: [problem] }),
      String(link),
    )
  }
  const nameless = await send(app, 'POST', url, { url: 'https://example.org', name: '\u202e\n' })
  t.match(nameless.body, invalid({ name: ['must have visible characters, and not only a folder'] }))
  t.strictSame((await send(app, 'POST', url, { name: 'x' })).body, invalid({ url: ['is required'] }))
  t.strictSame((await send(app, 'POST', url, '{oops')).body, { error: 'Failed to create attachment' })
  const strict = { prefer: 'handling=strict' }
  const unknown = await send(app, 'POST', url, { url: 'https://example.org', size: 5 }, strict)
  t.strictSame(unknown.body, invalid({ size: ['is unknown'] }))
  const nowhere = await send(app, 'POST', '/api/kanban-items/x/attachments', { url: 'https://example.org' })
  t.strictSame([nowhere.status, nowhere.body], [404, noItem])
  const invalidNowhere = await send(app, 'POST', '/api/kanban-items/x/attachments', { url: 'x' })
  t.equal(invalidNowhere.status, 400, 'validation comes first')
})

t.test('links in a batch, but no files', async (t) => {
  const { app, item, url } = await setUp(t)
  const requests = [
    { method: 'POST', path: url, body: { url: 'https://example.org/' }, as: 'link' },
    { method: 'PATCH', path: '/api/attachments/{{link.id}}', body: { name: 'Renamed' } },
    { method: 'GET', path: url },
  ]
  const { status, body } = await send(app, 'POST', '/api/batch', { requests })
  t.equal(status, 200)
  t.match(body.results[2].body, [{ itemId: item.id, name: 'Renamed' }])
  for (const path of [`/api/attachments/${body.results[0].body.id}/content`]) {
    t.equal((await send(app, 'POST', '/api/batch', { requests: [{ method: 'GET', path }] })).status, 400)
  }
  const wrong = await send(app, 'POST', '/api/batch', {
    requests: [{ method: 'POST', path: url, body: 'hello' }],
  })
  t.equal(wrong.status, 400)
})

t.test('names', async (t) => {
  const { app, url } = await setUp(t)
  const names: [given: string, kept: string][] = [
    ['plan.pdf', 'plan.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\\\secret\\\\plan.doc', 'plan.doc'],
    ['Größe 大 🍎.txt', 'Größe 大 🍎.txt'],
    ['a\u202egnp.exe', 'a gnp.exe'],
    ['..', 'file'],
    ['   ', 'file'],
    ['/', 'file'],
    [`${'ä'.repeat(300)}.tar.gz`, `${'ä'.repeat(124)}.tar.gz`],
    [`${'x'.repeat(300)}`, 'x'.repeat(255)],
  ]
  for (const [given, kept] of names) {
    t.equal((await upload(app, url, 'x', given)).name, kept, given)
    const query = new URLSearchParams({ name: given.replaceAll('\\\\', '\\') })
    const { body } = await raw(app, { method: 'POST', url: `${url}?${query}`, payload: 'x' })
    t.equal(body[0].name, kept, `${given} in the query`)
  }
  const nameless = await raw(app, { method: 'POST', url, payload: 'x' })
  t.equal(nameless.body[0].name, 'file')
  const { id } = nameless.body[0]
  const at = `/api/attachments/${id}`
  t.equal((await send(app, 'PATCH', at, { name: 'x/y\u0000z ' })).body.name, 'y z')
  t.equal((await send(app, 'PATCH', at, {})).body.name, 'y z')
  for (const [name, problem] of [
    ['', 'must NOT have fewer than 1 characters'],
    ['..', 'must have visible characters, and not only a folder'],
    ['ä'.repeat(128), 'must not be longer than 255 bytes in UTF-8'],
    ['x'.repeat(256), 'must NOT have more than 255 characters'],
    [null, 'must be string'],
  ] as const) {
    t.strictSame((await send(app, 'PATCH', at, { name })).body, invalid({ name: [problem] }))
  }
  await send(app, 'PATCH', at, { name: 'Größe "1" 🍎.txt' })
  const saved = await get(app, `${at}/content`)
  t.equal(
    saved.headers['content-disposition'],
    `attachment; filename="Gr??e \\"1\\" ??.txt"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22%20%F0%9F%8D%8E.txt`,
  )
})

t.test('a link can be sent back with the name that its URL gave it', async (t) => {
  const { app, url } = await setUp(t)
  for (const link of ['https://example.org/', 'https://example.org/plan']) {
    const { id, name } = (await send(app, 'POST', url, { url: link })).body
    t.equal(name, link)
    t.match(await send(app, 'PATCH', `/api/attachments/${id}`, { name }), {
      status: 200,
      body: { name: link },
    })
    t.match(await send(app, 'PATCH', `/api/attachments/${id}`, { name: 'a/b' }), { body: { name: 'b' } })
  }
})

t.test('covers', async (t) => {
  const { app, project, item, url } = await setUp(t)
  const other = await createItem(app, project.id)
  const image = await upload(app, url, png(40, 30), 'logo.bin')
  t.match(image, { mediaType: 'image/png', width: 40, height: 30 })
  const text = await upload(app, url, 'x', 'logo.png')
  t.equal(text.mediaType, 'application/octet-stream', 'a name makes no image')
  const at = `/api/kanban-items/${item.id}`
  const covered = await send(app, 'PATCH', at, { coverId: image.id })
  t.equal(covered.body.coverId, image.id)
  const wrong = invalid({ coverId: ['must be that of an image attached to the item'] })
  const both = { coverId: 'x', column: 'Nowhere' }
  t.strictSame(
    Object.keys(
      (await send(app, 'PATCH', at, both, { prefer: 'handling=strict' })).body.details.fieldErrors,
    ).toSorted(),
    ['column', 'coverId'],
    'all violations are reported',
  )
  for (const coverId of [text.id, 'x', '']) {
    t.strictSame((await send(app, 'PATCH', at, { coverId })).body, wrong)
  }
  t.strictSame((await send(app, 'PATCH', `/api/kanban-items/${other.id}`, { coverId: image.id })).body, wrong)
  const created = await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, {
    title: 'x',
    coverId: image.id,
  })
  t.equal(created.status, 400)
  const board = await send(app, 'GET', `/api/projects/${project.id}`)
  t.equal(board.body.kanbanItems.find(({ id }: { id: string }) => id === item.id).coverId, image.id)

  const deleted = await send(app, 'DELETE', `/api/attachments/${image.id}`)
  t.equal((await send(app, 'GET', at)).body.coverId, null)
  const undo = await send(app, 'POST', `/api/changes/${deleted.headers['phaseboard-seq']}/undo`)
  t.equal(undo.status, 200)
  t.equal((await send(app, 'GET', at)).body.coverId, image.id)
  t.ok((await get(app, `/api/attachments/${image.id}/content`)).bytes.equals(png(40, 30)))
})

t.test('an undo of an upload takes the cover that it became', async (t) => {
  const { app, item, url } = await setUp(t)
  const made = await postForm(app, url, formOf(filePart('logo.png', png())))
  const [image] = made.body
  const small = await raw(app, {
    method: 'PUT',
    url: `/api/attachments/${image.id}/thumbnail`,
    payload: png(1, 1),
  })
  t.equal(small.status, 200)
  const at = `/api/kanban-items/${item.id}`
  const covered = await send(app, 'PATCH', at, { coverId: image.id })
  const undo = await send(app, 'POST', `/api/changes/${made.headers['phaseboard-seq']}/undo`)
  t.equal(undo.status, 200, JSON.stringify(undo.body))
  t.equal((await send(app, 'GET', at)).body.coverId, null)
  await send(app, 'PATCH', at, { title: 'Other' })
  const again = await send(app, 'POST', `/api/changes/${covered.headers['phaseboard-seq']}/undo`)
  t.equal(again.status, 409, 'the cover has changed since')
  const redo = await send(app, 'POST', `/api/changes/${undo.headers['phaseboard-seq']}/undo`)
  t.equal(redo.status, 200)
  t.equal((await send(app, 'GET', at)).body.coverId, image.id)
  t.ok((await get(app, `/api/attachments/${image.id}/thumbnail`)).bytes.equals(png(1, 1)))
})

t.test('thumbnails', async (t) => {
  const { app, url } = await setUp(t)
  const image = await upload(app, url, png(40, 30), 'logo.png')
  const at = `/api/attachments/${image.id}/thumbnail`
  const put = (payload: Buffer, headers = {}) => raw(app, { method: 'PUT', url: at, payload, headers })
  t.strictSame((await get(app, at)).body, noAttachment)
  const last = (await send(app, 'GET', '/api/changes?limit=1000')).body.last
  const small = png(4, 3)
  const stored = await put(small, { 'content-type': 'text/html' })
  t.equal(stored.status, 200)
  t.match(stored.body, { id: image.id, hasThumbnail: true })
  t.equal((await send(app, 'GET', '/api/changes?limit=1000')).body.last, last, 'it is no change')
  const read = await get(app, at)
  t.ok(read.bytes.equals(small))
  t.match(read.headers, {
    etag: `"${sha256(small)}"`,
    'content-type': 'image/png',
    'content-disposition': 'inline; filename=logo.png',
    'content-security-policy': "sandbox; default-src 'none'",
  })
  t.equal((await get(app, at, { 'if-none-match': `"${sha256(small)}"` })).status, 304)
  const start = await get(app, at, { range: 'bytes=0-3' })
  t.strictSame([start.status, start.headers['content-range']], [206, `bytes 0-3/${small.length}`])
  t.ok(start.bytes.equals(small.subarray(0, 4)))
  t.equal((await get(app, at, { range: 'bytes=65536-' })).status, 416)
  const notAnImage = invalid({}, ['must be a PNG, JPEG, GIF, WebP or AVIF image'])
  for (const bytes of [
    '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '<script>alert(1)</script>',
    '%PDF-1.7\n',
  ]) {
    t.strictSame((await put(Buffer.from(bytes))).body, notAnImage)
  }
  t.strictSame((await put(Buffer.alloc(0))).body, notAnImage)
  t.equal((await put(Buffer.concat([small, Buffer.alloc(65_536)]))).status, 413)
  t.equal((await put(png(5, 5), { 'if-match': '"x"' })).status, 412)
  t.equal((await put(png(5, 5), { 'if-match': stored.headers.etag })).status, 200)
  const unknown = await raw(app, { method: 'PUT', url: '/api/attachments/x/thumbnail', payload: small })
  t.strictSame([unknown.status, unknown.body], [404, noAttachment])
  await settled(app)
  t.equal(count(app, 'file_contents', 'sha256 is null'), 0)
})

t.test('limits', async (t) => {
  const limits = { attachmentLimit: 1000, attachmentsTotal: 2500 }
  const { app, url } = await setUp(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}`, ...limits })
  await upload(app, url, bytesOf(1000))
  const tooLarge = { error: 'Payload Too Large' }
  const form = await postForm(app, url, formOf(filePart('a', 'x'), filePart('b', bytesOf(1001))))
  t.strictSame([form.status, form.body], [413, tooLarge])
  const alone = await raw(app, { method: 'POST', url, payload: bytesOf(1001) })
  t.strictSame([alone.status, alone.body], [413, tooLarge])
  await upload(app, url, bytesOf(1000, 2))
  const full = await postForm(
    app,
    url,
    formOf(filePart('a', bytesOf(400, 3)), filePart('b', bytesOf(400, 4))),
  )
  t.strictSame([full.status, full.body], [507, { error: 'No space left for attachments' }])
  await settled(app)
  t.equal(count(app, 'attachments'), 2)
  t.equal(count(app, 'file_contents'), 2)
  t.equal(count(app, 'file_chunks'), 2)
  t.equal((await postForm(app, url, formOf(filePart('a', bytesOf(400, 3))))).status, 201)
})

t.test('of files that do not all fit, as many are stored as fit', async (t) => {
  const size = 2 * CHUNK_BYTES
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const { app, url } = await setUp(t, { databaseUrl, attachmentsTotal: 5 * size })
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, nth) => {
      // Each caller may send two at once.
      const remoteAddress = `192.0.2.${nth % 4}`
      return raw(app, { method: 'POST', url, payload: bytesOf(size, nth + 1), remoteAddress })
    }),
  )
  const statuses = answers.map(({ status }) => status).sort()
  t.strictSame(statuses, [...Array(5).fill(201), ...Array(3).fill(507)])
  t.equal(count(app, 'file_chunks'), 10)
})

t.test('a form that arrives in pieces is refused like one that arrives at once', async (t) => {
  const limits = { attachmentLimit: 1_000_000, attachmentsTotal: 1_500_000 }
  const { app, url } = await setUp(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}`, ...limits })
  const inPieces = async (...files: Buffer[]) => {
    const form = formOf(...files.map((file, nth) => filePart(`${nth}`, file)))
    const pieces = Array.from({ length: Math.ceil(form.length / 16_384) }, (_, nth) =>
      form.subarray(nth * 16_384, (nth + 1) * 16_384),
    )
    const headers = { 'content-type': FORM_TYPE }
    const { status, body } = await raw(app, { method: 'POST', url, payload: Readable.from(pieces), headers })
    return [status, body.error ?? body.length]
  }
  const [tooLarge, full] = [bytesOf(1_200_000), bytesOf(900_000, 2)]
  t.strictSame(await inPieces(tooLarge), [413, 'Payload Too Large'])
  t.strictSame(await inPieces(bytesOf(10), tooLarge), [413, 'Payload Too Large'])
  t.strictSame(await inPieces(bytesOf(900_000, 3)), [201, 1])
  t.strictSame(await inPieces(full), [507, 'No space left for attachments'])
  t.strictSame(await inPieces(bytesOf(10), full), [507, 'No space left for attachments'])
  await settled(app)
  t.equal(count(app, 'file_contents'), 1)
  t.equal(count(app, 'attachments'), 1)
})

t.test('an item has at most 100 attachments', async (t) => {
  const { app, url } = await setUp(t)
  const files = (number: number) =>
    formOf(...Array.from({ length: number }, (_, nth) => filePart(`${nth}`, `${nth}`)))
  const tooMany = { error: 'An item has at most 100 attachments' }
  t.strictSame((await postForm(app, url, files(101))).body, tooMany)
  t.equal((await postForm(app, url, files(99))).status, 201)
  const two = await postForm(app, url, files(2))
  t.strictSame([two.status, two.body], [409, tooMany])
  t.equal((await send(app, 'POST', url, { url: 'https://example.org' })).status, 201)
  t.strictSame((await send(app, 'POST', url, { url: 'https://example.org' })).body, tooMany)
  t.strictSame((await raw(app, { method: 'POST', url, payload: 'x' })).body, tooMany)
  t.equal((await send(app, 'GET', `${url}?limit=30`)).body.length, 30)
  await settled(app)
  t.equal(count(app, 'file_contents'), 99)
})

t.test('bodies without a file', async (t) => {
  const { app, url } = await setUp(t)
  const noFile = invalid({}, ['must be a file'])
  t.strictSame((await postForm(app, url, formOf())).body, noFile)
  t.strictSame((await postForm(app, url, formOf(filePart('', '')))).body, noFile, 'no file was chosen')
  t.strictSame((await postForm(app, url, formOf(part('name="file"', 'a text')))).body, noFile)
  t.equal((await raw(app, { method: 'POST', url })).status, 500, 'as everywhere')
  t.equal((await postForm(app, url, formOf(filePart('empty', '')))).body[0].size, 0)
  const { id } = (await send(app, 'GET', url)).body[0]
  const empty = await get(app, `/api/attachments/${id}/content`)
  t.strictSame([empty.status, empty.bytes.length], [200, 0])
  const other = await postForm(app, url, formOf(part('name="logo"; filename="x"', 'x')))
  t.strictSame(other.body, invalid({}, ['must have no files but those of the parts `file`']))
  for (const type of [
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=b',
  ]) {
    const { status } = await postForm(app, url, formOf(filePart('x', 'x')), { 'content-type': type })
    t.equal(status, 400, type)
  }
  t.equal((await postForm(app, url, Buffer.from('hello'))).status, 400)
  t.equal((await postForm(app, url, formOf(filePart('x', 'x')).subarray(0, -20))).status, 400, 'broken off')
  await settled(app)
  t.equal(count(app, 'attachments'), 1)
  t.equal(count(app, 'file_contents'), 1)
})

t.test('attachments go with their item to another project, and with both', async (t) => {
  const { app, item, url } = await setUp(t)
  const image = await upload(app, url, png(), 'logo.png')
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { coverId: image.id })
  const other = await createProject(app)
  const { headers: admin } = signInAs(app, 'admin')
  const moved = await send(app, 'POST', `/api/kanban-items/${item.id}/move`, { projectId: other.id })
  t.equal(moved.body.coverId, image.id)
  t.strictSame((await send(app, 'GET', url)).body, [image])
  for (const path of [`/api/kanban-items/${item.id}`, `/api/projects/${other.id}`]) {
    const deleted = await send(app, 'DELETE', path, undefined, admin)
    t.strictSame((await send(app, 'GET', `/api/attachments/${image.id}/content`)).body, noAttachment)
    const undo = await send(
      app,
      'POST',
      `/api/changes/${deleted.headers['phaseboard-seq']}/undo`,
      undefined,
      admin,
    )
    t.equal(undo.status, 200)
    t.strictSame((await send(app, 'GET', url)).body, [image])
    t.equal((await send(app, 'GET', `/api/kanban-items/${item.id}`)).body.coverId, image.id)
    t.ok((await get(app, `/api/attachments/${image.id}/content`)).bytes.equals(png()))
  }
})
