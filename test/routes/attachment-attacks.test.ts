/** Attacks by files, on those who look at them and on the service. */
import { connect } from 'node:net'
import t, { type Test } from 'tap'
import { fileTypeOf } from '../../src/requests/file-types.ts'
import { BOUNDARY, FORM_TYPE, filePart, formOf, part, png } from '../attachments.ts'
import { type App, build, count, createItem, createProject, crossOriginFrom, signInAs } from '../helper.ts'
import { seededRandom } from '../random.ts'

async function setUp(t: Test, config: object = {}) {
  const app = await build(t, config)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  return { app, item, url: `/api/kanban-items/${item.id}/attachments` }
}

const post = (app: App, url: string, payload: Buffer, headers: object = {}) =>
  app.inject({ method: 'POST', url, payload, headers: { 'content-type': FORM_TYPE, ...headers } })

const JPEG = Buffer.from(
  'ffd8ffe000104a46494600010100000100010000ffc0000b080002000301011100ffda0008010100003f00ffd9',
  'hex',
)
const WEBP = Buffer.from('524946461a000000574542505650384c0d0000002f02400010071011118888fe0700', 'hex')
const GIF = Buffer.from('GIF89a\u0003\u0000\u0002\u0000\u0000\u0000\u0000;', 'latin1')
const AVIF = Buffer.concat([
  Buffer.from('0000001c667479706176696600000000617669666d696631', 'hex'),
  Buffer.from('6d696166', 'hex'),
])
const SCRIPT = '<script>alert(document.cookie)</script>'

t.test('nothing that an upload holds runs, or is shown as a page', async (t) => {
  const { app, url } = await setUp(t)
  const files: [name: string, declared: string, bytes: string | Buffer][] = [
    ['page.html', 'text/html', `<!doctype html>${SCRIPT}`],
    ['page.png', 'image/png', `<!doctype html>${SCRIPT}`],
    ['page.pdf', 'application/pdf', SCRIPT],
    ['drawing.svg', 'image/svg+xml', `<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`],
    [
      'drawing.jpg',
      'image/jpeg',
      `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`,
    ],
    ['page.xhtml', 'application/xhtml+xml', `<html xmlns="http://www.w3.org/1999/xhtml">${SCRIPT}</html>`],
    ['page.mht', 'multipart/related', 'MIME-Version: 1.0'],
    ['script.js', 'text/javascript', 'alert(1)'],
    ['style.css', 'text/css', '*{}'],
    ['feed.xml', 'application/xml', '<?xml-stylesheet href="x.xsl"?><a/>'],
    ['run.exe', 'image/png', Buffer.from('4d5a90000300000004000000ffff0000', 'hex')],
    ['app.wasm', 'image/png', Buffer.from('0061736d01000000', 'hex')],
    ['nothing', 'image/png', ''],
  ]
  for (const [name, declared, bytes] of files) {
    const made = await post(app, url, formOf(filePart(name, bytes, declared)))
    t.equal(made.statusCode, 201)
    const [{ id, mediaType }] = made.json()
    t.notMatch(mediaType, /^image\/(png|jpeg|gif|webp|avif)$|^application\/pdf$/, name)
    const { headers } = await app.inject({ method: 'GET', url: `/api/attachments/${id}/content` })
    t.match(headers['content-disposition'], /^attachment;/, name)
    t.match(headers, {
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    })
  }
})

t.test('images and PDF are shown in place, whatever else they are, and sandboxed', async (t) => {
  const { app, url } = await setUp(t)
  const files: [type: string, bytes: Buffer][] = [
    ['image/png', Buffer.concat([png(), Buffer.from(SCRIPT)])],
    ['image/gif', Buffer.concat([GIF, Buffer.from(`/*${SCRIPT}*/=1`)])],
    ['image/jpeg', Buffer.concat([JPEG, Buffer.from(SCRIPT)])],
    ['image/webp', WEBP],
    ['image/avif', AVIF],
    ['application/pdf', Buffer.from(`%PDF-1.7\n${SCRIPT}`)],
  ]
  for (const [type, bytes] of files) {
    const made = await post(app, url, formOf(filePart('page.html', bytes, 'text/html')))
    const [{ id, mediaType }] = made.json()
    t.equal(mediaType, type)
    const { headers } = await app.inject({ method: 'GET', url: `/api/attachments/${id}/content` })
    t.equal(headers['content-type'], type)
    t.equal(headers['content-disposition'], 'inline; filename=page.html')
    t.match(headers, {
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
    })
  }
})

t.test('a name cannot add headers, or folders', async (t) => {
  const { app, url } = await setUp(t)
  const made = await app.inject({
    method: 'POST',
    url: `${url}?name=${encodeURIComponent('..\\../a\r\nSet-Cookie: x=1;"\u2028\u202etxt')}`,
    payload: 'x',
  })
  const [{ id, name }] = made.json()
  t.equal(name, 'a Set-Cookie: x=1;" txt')
  const { headers } = await app.inject({ method: 'GET', url: `/api/attachments/${id}/content` })
  t.notOk('set-cookie' in headers)
  t.equal(headers['content-disposition'], 'attachment; filename="a Set-Cookie: x=1;\\" txt"')
})

t.test("another site's page cannot upload", async (t) => {
  const { app, url } = await setUp(t)
  const image = (await post(app, url, formOf(filePart('a.png', png())))).json()[0]
  const crossOrigin = crossOriginFrom()
  const foreign = [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, { origin: 'null' }]
  for (const headers of foreign) {
    for (const type of [FORM_TYPE, 'text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      const answer = await post(app, url, formOf(filePart('a', 'x')), { ...headers, 'content-type': type })
      t.strictSame(
        [answer.statusCode, answer.json()],
        [403, crossOrigin],
        `${JSON.stringify(headers)} ${type}`,
      )
    }
    const thumbnail = {
      method: 'PUT',
      url: `/api/attachments/${image.id}/thumbnail`,
      payload: png(),
      headers,
    } as const
    t.equal((await app.inject(thumbnail)).statusCode, 403)
  }
  for (const path of [url, `/api/attachments/${image.id}/content`]) {
    const rebound = await app.inject({ method: 'GET', url: path, headers: { host: 'evil.example' } })
    t.equal(rebound.statusCode, 403, 'another host name')
  }
  t.equal(count(app, 'attachments'), 1)
  t.equal(count(app, 'file_contents'), 1)
})

t.test('forms that are bombs', async (t) => {
  const { app, url } = await setUp(t, { attachmentLimit: 100_000 })
  const many = (number: number, one: (nth: number) => Buffer) =>
    formOf(...Array.from({ length: number }, (_, nth) => one(nth)))
  // Of too long headers the rest is ignored.
  const bombs: [what: string, form: Buffer, status: number][] = [
    ['files', many(20_000, (nth) => filePart(`${nth}`, 'x')), 409],
    ['fields', many(20_000, (nth) => part(`name="${nth}"`, 'x')), 400],
    ['a long header', formOf(part(`name="file"; filename="${'x'.repeat(5_000_000)}"`, 'x')), 201],
    ['many headers', formOf(part('name="file"; filename="x"', 'x', 'X-A: b\r\n'.repeat(100_000))), 201],
    ['a long field', formOf(part('name="x"', Buffer.alloc(20_000_000))), 413],
    ['a preamble', Buffer.concat([Buffer.alloc(20_000_000, 'x'), formOf(filePart('x', 'x'))]), 413],
    ['an epilogue', Buffer.concat([formOf(filePart('x', 'x')), Buffer.alloc(20_000_000, 'x')]), 413],
    ['boundaries', Buffer.from(`--${BOUNDARY}\r\n`.repeat(200_000)), 400],
    [
      'half boundaries',
      Buffer.concat([filePart('x', `\r\n--${BOUNDARY.slice(0, -1)}`.repeat(1000)), Buffer.from('--')]),
      400,
    ],
  ]
  for (const [what, form, status] of bombs) {
    const answer = await post(app, url, form)
    t.equal(answer.statusCode, status, `${what}: ${answer.body.slice(0, 200)}`)
  }
  const types = [
    'multipart/form-data; boundary="',
    `multipart/form-data; boundary=${'x'.repeat(5000)}`,
    'multipart/form-data;boundary=\u0000',
  ]
  for (const type of types) {
    const answer = await post(app, url, formOf(filePart('x', 'x')), { 'content-type': type })
    t.equal(answer.statusCode, 400, type.slice(0, 60))
  }
  while (count(app, 'file_contents', 'sha256 is null') > 0)
    await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(count(app, 'attachments'), 2)
  t.equal(count(app, 'file_contents'), 1)
  t.equal((await post(app, url, formOf(filePart('x', 'x')))).statusCode, 201)
})

t.test('callers without the right to write are refused before the bytes are read', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const [member, viewer] = [signInAs(app, 'member'), signInAs(app, 'viewer')]
  const project = await createProject(app, {}, member.headers)
  const item = await createItem(app, project.id, {}, member.headers)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const url = `/api/kanban-items/${item.id}/attachments`
  const requests: [path: string, headers: object, status: number][] = [
    [url, {}, 401],
    [url, viewer.headers, 403],
    ['/api/kanban-items/none/attachments', member.headers, 404],
  ]
  for (const [path, headers, status] of requests) {
    // It promises a megabyte, and sends nothing of it.
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/octet-stream',
      'Content-Length: 1000000',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    const socket = connect(port, '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const text = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())),
    )
    socket.destroy()
    t.match(text, new RegExp(`^HTTP/1.1 ${status} `), path)
  }
})

/** A box of an ISO media file. */
function box(type: string, ...contents: Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + content.length)
  head.write(type, 4)
  return Buffer.concat([head, content])
}

t.test('the size of an image is looked for in its first bytes only', async (t) => {
  const size = box('ispe', Buffer.from([0, 0, 0, 0, 0, 0, 0, 40, 0, 0, 0, 30]))
  const avif = (before: number) =>
    Buffer.concat([
      box('ftyp', Buffer.from('avif\0\0\0\0avifmif1')),
      box('free', Buffer.alloc(before)),
      box('meta', Buffer.alloc(4), box('iprp', box('ipco', size))),
    ])
  // Each segment of a JPEG begins with its type and its size; that of the image's size comes last.
  const jpeg = (before: number) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      ...Array.from({ length: before / 1024 }, () =>
        Buffer.concat([Buffer.from([0xff, 0xe2, 0x03, 0xfe]), Buffer.alloc(1020)]),
      ),
      Buffer.from([0xff, 0xc0, 0, 17, 8, 0, 30, 0, 40, 3, ...Array(9).fill(0)]),
    ])
  // The library takes quadratic time for the boxes of an AVIF, and a step for each byte of a damaged JPEG.
  for (const [mediaType, image, most] of [
    ['image/avif', avif, 16 * 1024],
    ['image/jpeg', jpeg, 128 * 1024],
  ] as const) {
    t.match(await fileTypeOf(image(most / 2), 'x'), { mediaType, width: 40, height: 30 })
    t.strictSame(await fileTypeOf(image(most), 'x'), { mediaType })
  }
})

t.test('headers of images that are damaged, or made to harm', async (t) => {
  const random = seededRandom(20_261_125)
  const samples = [
    png(40, 30),
    JPEG,
    GIF,
    WEBP,
    AVIF,
    Buffer.from('%PDF-1.7'),
    Buffer.from('504b0304140000000800', 'hex'),
  ]
  t.match(await fileTypeOf(png(40, 30), 'x'), { mediaType: 'image/png', width: 40, height: 30 })
  t.match(await fileTypeOf(JPEG, 'x'), { mediaType: 'image/jpeg', width: 3, height: 2 })
  t.match(await fileTypeOf(GIF, 'x'), { mediaType: 'image/gif', width: 3, height: 2 })
  t.match(await fileTypeOf(WEBP, 'x'), { mediaType: 'image/webp', width: 3, height: 2 })
  const huge = png(3, 2)
  huge.writeUInt32BE(0xffffffff, 16)
  t.strictSame(await fileTypeOf(huge, 'x'), { mediaType: 'image/png' }, 'a width that nobody can have')
  let seen = 0
  for (let round = 0; round < 3000; round++) {
    const sample = samples[round % samples.length] as Buffer
    const padding =
      random() < 0.5
        ? Buffer.alloc(Math.floor(random() * 100_000), Math.floor(random() * 256))
        : Buffer.alloc(0)
    const bytes = Buffer.concat([sample, padding])
    for (let flips = 0; flips < 1 + random() * 6; flips++) {
      bytes[Math.floor(random() * Math.min(bytes.length, sample.length + 20))] = Math.floor(random() * 256)
    }
    const { mediaType, width } = await fileTypeOf(bytes.subarray(0, Math.ceil(random() * bytes.length)), 'x')
    if (!/^[\w.+-]+\/[\w.+-]+/.test(mediaType)) t.fail(mediaType)
    if (width !== undefined && !(width > 0 && width <= 1_000_000)) t.fail(`${width}`)
    seen++
  }
  t.equal(seen, 3000)
})
