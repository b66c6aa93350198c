import { readdirSync, readFileSync } from 'node:fs'
import { type ClientRequest, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { type App, build, count, invalid, send } from '../helper.ts'
import { ended } from '../imports.ts'

const BOUNDARY = 'a--boundary'
const TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** A part of a multipart form. */
const part = (disposition: string, content: string | Buffer, headers = '') =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])

const file = (name: string, content: string | Buffer) => part(`name="file"; filename="${name}"`, content)
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)])

/** Sends a body with the media type of a form. */
async function sendForm(app: App, query: string, payload: Buffer, type = TYPE, headers = {}) {
  const response = await app.inject({
    method: 'POST',
    url: `/api/imports?${query}`,
    headers: { 'content-type': type, ...headers },
    payload,
  })
  return { status: response.statusCode, body: response.json(), headers: response.headers }
}

const importsIn = (folder: string) => readdirSync(folder).filter((name) => name.includes('import-'))

t.test('a file in a form has the format of its name', async (t) => {
  const app = await build(t)
  const { status, body } = await sendForm(app, 'format=csv', form(file('Große Pläne.csv', 'Title\nOne\n')))
  t.equal(status, 202)
  const { projectId } = await ended(app, body.id)
  t.equal((await send(app, 'GET', `/api/projects/${projectId}`)).body.name, 'Große Pläne')

  const named = await sendForm(app, 'format=csv&name=Ours', form(file('C:\\x\\tasks.csv', 'Title\nTwo\n')))
  const { projectId: other } = await ended(app, named.body.id)
  t.equal((await send(app, 'GET', `/api/projects/${other}`)).body.name, 'Ours')

  const wrong = await sendForm(app, 'format=trello', form(file('../notes\u0007.txt', 'no JSON')))
  t.equal(
    (await ended(app, wrong.body.id)).error,
    'notes.txt is not a Trello board export: expected a board exported as JSON, but it is a table or text of another kind',
  )
  const nameless = await sendForm(
    app,
    'format=trello',
    form(part('name="file"', 'no JSON', 'Content-Type: application/octet-stream\r\n')),
  )
  t.match(await ended(app, nameless.body.id), { error: /^the file is not a Trello board export/ })
})

t.test('forms of FormData are accepted, and bytes stay unchanged', async (t) => {
  const app = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const board = readFileSync('test/fixtures/trello-board.json')
  const body = new FormData()
  body.append('file', new Blob([board]), 'board.json')
  const response = await fetch(`http://127.0.0.1:${port}/api/imports?format=trello`, { method: 'POST', body })
  t.equal(response.status, 202)
  const { id } = (await response.json()) as { id: string }
  t.match(await ended(app, id), { status: 'done', counts: { items: 8 } })
})

t.test('a form with anything but one file is refused, and leaves nothing', async (t) => {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${join(folder, 'board.db')}`, importLimit: 1000 })
  const one = file('a.csv', 'Title\nOne\n')
  const notOneFile = invalid({}, ['must be a form of one part, which is the file'])
  const refused: [string, Buffer, string?][] = [
    ['a field', form(part('name="format"', 'csv'))],
    ['a field before the file', form(part('name="format"', 'csv'), one)],
    ['a field behind it', form(one, part('name="format"', 'csv'))],
    ['two files', form(one, one)],
    ['no part', form()],
    ['a part that is neither', form(Buffer.from(`--${BOUNDARY}\r\nX-Odd: yes\r\n\r\nTitle\r\n`))],
    ['no form', Buffer.from('Title\nOne\n')],
    ['no boundary', form(one), 'multipart/form-data'],
    ['another boundary', form(one), 'multipart/form-data; boundary=other'],
    ['a file that is cut off', form(one).subarray(0, -20)],
    ['a header that is cut off', form(one).subarray(0, 40)],
  ]
  for (const [what, payload, type] of refused) {
    t.match(await sendForm(app, 'format=csv', payload, type), { status: 400, body: notOneFile }, what)
  }
  t.match(await sendForm(app, 'format=csv', form(file('a.csv', ''))), {
    status: 400,
    body: invalid({}, ['must be the file to import']),
  })
  const tooLarge = { status: 413, body: { error: 'Payload Too Large' }, headers: { connection: 'close' } }
  t.match(await sendForm(app, 'format=csv', form(file('a.csv', 'x'.repeat(1001)))), tooLarge)
  t.match(await sendForm(app, 'format=csv', Buffer.alloc(100_000)), tooLarge, 'whatever else is in it')
  t.match(await sendForm(app, 'format=csv', form(file('a.csv', 'Title\n'.padEnd(1000, 'x')))), {
    status: 202,
  })
  t.equal(count(app, 'imports'), 1)
  while (importsIn(folder).length > 0) await sleep(5)
})

t.test('a form may arrive in any chunks', async (t) => {
  const app = await build(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const whole = form(file('tasks.csv', 'Title\r\n--a--bound\r\n'))
  for (const size of [1, 7, 50]) {
    const outgoing = request({
      ...{ port, host: '127.0.0.1', method: 'POST', path: '/api/imports?format=csv&again=true' },
      headers: { 'content-type': TYPE },
    })
    for (let at = 0; at < whole.length; at += size) {
      outgoing.write(whole.subarray(at, at + size))
      await sleep(0)
    }
    const { projectId } = await ended(app, (await answerTo(outgoing)).id)
    const { body } = await send(app, 'GET', `/api/projects/${projectId}`)
    t.match(body, { name: 'tasks', kanbanItems: [{ title: '--a--bound' }] })
  }
})

const answerTo = (outgoing: ClientRequest) =>
  new Promise<{ id: string }>((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', async (response) => {
      const chunks = await response.toArray()
      resolve(JSON.parse(Buffer.concat(chunks).toString()))
    })
    outgoing.end()
  })

t.test('an aborted form leaves nothing', async (t) => {
  const folder = t.testdir()
  const app = await build(t, { databaseUrl: `file:${join(folder, 'board.db')}` })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const outgoing = request({
    ...{ port, host: '127.0.0.1', method: 'POST', path: '/api/imports?format=csv' },
    headers: { 'content-type': TYPE, 'content-length': 10_000 },
  })
  outgoing.on('error', () => undefined)
  outgoing.write(file('tasks.csv', 'Title\n'))
  while (importsIn(folder).length === 0) await sleep(5)
  outgoing.destroy()
  while (importsIn(folder).length > 0) await sleep(5)
  t.equal(count(app, 'imports'), 0)
})

t.test('the same file in a form is the same request for its key', async (t) => {
  const app = await build(t)
  const key = { 'idempotency-key': 'once' }
  const payload = form(file('tasks.csv', 'Title\nOne\n'))
  const first = await sendForm(app, 'format=csv', payload, TYPE, key)
  await ended(app, first.body.id)
  const again = form(file('tasks.csv', 'Title\nOne\n'))
  t.match(await sendForm(app, 'format=csv', again, TYPE, key), {
    status: 202,
    body: first.body,
    headers: { 'idempotent-replayed': 'true' },
  })
  const renamed = form(file('other.csv', 'Title\nOne\n'))
  t.equal((await sendForm(app, 'format=csv', renamed, TYPE, key)).status, 422)
  t.equal(count(app, 'imports'), 1)
})
