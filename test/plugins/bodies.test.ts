import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { Type } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { CreateBody, UpdateBody } from '../../src/schemas/common.ts'
import {
  type App,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  send,
  signInAs,
} from '../helper.ts'
import { shipped } from '../shipped.ts'

const json = { 'content-type': 'application/json' }
const tooLarge = { error: 'Payload Too Large' }

/** Sends bytes unchanged. */
async function sendBytes(app: App, method: string, url: string, payload: Buffer | string, headers: object) {
  const response = await app.inject({ method: method as 'GET', url, payload, headers: { ...headers } })
  return { status: response.statusCode, body: response.json() }
}

/** Sends an empty body with `transfer-encoding: chunked`. */
const sendNoParts = (app: App, method: string, url: string, type: string) =>
  app.inject({
    method: method as 'GET',
    url,
    headers: { 'content-type': type, 'transfer-encoding': 'chunked' },
    payload: Readable.from([]),
  })

/** Writes bytes, and on the same connection a request that closes it. @returns all received data */
const exchange = (address: string, requests: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1', () => {
      socket.write(`${requests}GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    })
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (text) => {
      answer += text
    })
    socket.on('end', () => resolve(answer))
    socket.on('error', reject)
  })

/** Every endpoint here that takes a body: method, URL, a valid body, its success, the error of its 500. */
async function endpoints(app: App): Promise<[string, string, object, number, string][]> {
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id)
  return [
    ['POST', '/api/projects', { name: 'x' }, 201, 'Failed to create project'],
    ['PATCH', `/api/projects/${project.id}`, { name: 'x' }, 200, 'Failed to update project'],
    ['POST', `/api/projects/${project.id}/kanban-items`, { title: 'x' }, 201, 'Failed to create kanban item'],
    ['PATCH', `/api/kanban-items/${item.id}`, { title: 'x' }, 200, 'Internal server error'],
    ['POST', `/api/kanban-items/${item.id}/subtasks`, { title: 'x' }, 201, 'Failed to create kanban subtask'],
    ['PATCH', `/api/kanban-subtasks/${subtask.id}`, { title: 'x' }, 200, 'Internal server error'],
    ['POST', '/api/personal-ideas', { title: 'x' }, 201, 'Failed to create personal idea'],
  ]
}

t.test('a body is JSON with any parameters and case of its type', async (t) => {
  const app = await build(t)
  for (const [method, url, body, success] of await endpoints(app)) {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json ; charset="utf-8"',
      'Application/JSON',
      'application/json; profile=x; q=1',
    ]) {
      const answer = await send(app, method, url, body, { 'content-type': type })
      t.equal(answer.status, success, `${method} ${url} ${type}`)
      t.equal(answer.headers['content-type'], 'application/json; charset=utf-8', 'and so is the answer')
    }
  }
})

const OTHER_TYPES = [
  'text/plain',
  'text/plain; charset=utf-8',
  'text/plain; charset=utf-16',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/jsonx',
  'application/json5',
  'application/vnd.api+json',
  'application/merge-patch+json',
  'application/octet-stream',
  'text/json',
  '*/*',
  'json',
  'no type at all; ;;=',
  '"',
  '',
]

t.test('a body is JSON also with any other type, or none', async (t) => {
  const app = await build(t)
  for (const [method, url, body, success, failure] of await endpoints(app)) {
    for (const headers of [{}, ...OTHER_TYPES.map((type) => ({ 'content-type': type }))]) {
      const what = `${method} ${url} ${JSON.stringify(headers)}`
      const good = await sendBytes(app, method, url, JSON.stringify(body), headers)
      t.equal(good.status, success, what)
      for (const payload of ['name=x&title=x', '{oops', Buffer.from([0xff, 0x00])]) {
        const { status, body: answer } = await sendBytes(app, method, url, payload, headers)
        t.strictSame([status, answer], [500, { error: failure }], what)
      }
      const list = await sendBytes(app, method, url, '[]', headers)
      t.strictSame([list.status, list.body], [400, invalid({}, ['must be object'])], what)
    }
  }
})

t.test("a compressed body is not JSON: the endpoint's 500", async (t) => {
  const app = await build(t)
  for (const [method, url, body, success, error] of await endpoints(app)) {
    const text = JSON.stringify(body)
    for (const [encoding, compressed] of [
      ['gzip', gzipSync(text)],
      ['deflate', deflateSync(text)],
      ['br', brotliCompressSync(text)],
    ] as const) {
      const headers = { ...json, 'content-encoding': encoding }
      const answer = await sendBytes(app, method, url, compressed, headers)
      t.strictSame([answer.status, answer.body], [500, { error }], `${method} ${url} ${encoding}`)
    }
    const claimed = await sendBytes(app, method, url, text, { ...json, 'content-encoding': 'gzip' })
    t.equal(claimed.status, success, 'what parses is JSON, whatever it is said to be')
  }
})

t.test('bodies of pages and scripts without a type are accepted', async (t) => {
  const address = await (await build(t)).listen({ port: 0 })
  const answer = await fetch(`${address}/api/projects`, { method: 'POST', body: '{"name":"from fetch"}' })
  t.strictSame([answer.status, ((await answer.json()) as { name: string }).name], [201, 'from fetch'])
})

t.test('a body above the limit is 413, one at the limit is read', async (t) => {
  const small = await build(t, { bodyLimit: 200 })
  for (const [method, url, body, success, failure] of await endpoints(small)) {
    const text = JSON.stringify(body)
    await holds(t, small, [
      [method, url, text.padEnd(200), success, {}],
      [method, url, text.padEnd(201), 413, tooLarge],
      [method, url, ''.padEnd(200), 500, { error: failure }],
      [method, url, ''.padEnd(201), 413, tooLarge],
    ])
  }
  const usual = await build(t)
  const text = '{"name":"x"}'
  await holds(t, usual, [
    ['POST', '/api/projects', text.padEnd(1_048_576), 201, { name: 'x' }],
    ['POST', '/api/projects', text.padEnd(1_048_577), 413, tooLarge],
  ])
})

t.test("an absent or empty body is not JSON: the endpoint's 500, with any type", async (t) => {
  const app = await build(t)
  for (const [method, url, , , error] of await endpoints(app)) {
    for (const headers of [undefined, json, { 'content-type': 'text/plain' }, { 'content-type': '' }]) {
      await holds(t, app, [[method, url, undefined, headers, 500, { error }]])
      if (headers) await holds(t, app, [[method, url, '', headers, 500, { error }]])
    }
  }
})

t.test("an empty chunked body is the endpoint's 500", async (t) => {
  const app = await build(t)
  for (const [method, url, , , error] of await endpoints(app)) {
    const { statusCode, body } = await sendNoParts(app, method, url, 'application/json')
    t.strictSame([statusCode, JSON.parse(body)], [500, { error }], `${method} ${url}`)
  }
})

t.test("a body that is not JSON in UTF-8 is the endpoint's 500", async (t) => {
  const app = await build(t)
  const latin1 = Buffer.from('{"name":"é","title":"é"}', 'latin1')
  const utf16 = Buffer.from('{"name":"x","title":"x"}', 'utf16le')
  const overlong = Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, ...Buffer.from('","title":"x"}')])
  const cut = Buffer.from('{"name":"é","title":"🚀"}').subarray(0, -4)
  const texts = [
    '{',
    'name',
    '{"name":}',
    "{'name':'x'}",
    '{"name":"x",}',
    '{"a":1}{"a":1}',
    'NaN',
    '\u0000',
    '"\n"',
  ]
  for (const [method, url, , , error] of await endpoints(app)) {
    for (const payload of [latin1, utf16, overlong, cut, ...texts]) {
      const { status, body } = await sendBytes(app, method, url, payload, json)
      t.strictSame([status, body], [500, { error }], `${method} ${url} ${payload.toString('latin1')}`)
    }
  }
})

t.test("an incomplete body is the endpoint's 500", async (t) => {
  const app = await build(t)
  for (const [method, url, body, , error] of await endpoints(app)) {
    for (const length of ['5', '500']) {
      const headers = { ...json, 'content-length': length }
      const { status, body: answer } = await sendBytes(app, method, url, JSON.stringify(body), headers)
      t.strictSame([status, answer], [500, { error }], `${method} ${url} ${length}`)
    }
  }
})

t.test('text is stored exactly as sent', async (t) => {
  const app = await build(t)
  const name = 'é無🚀\u0000\u2028"\\\n</script>'
  const { status, body } = await send(app, 'POST', '/api/projects', { name })
  t.strictSame([status, body.name], [201, name])
  t.equal((await send(app, 'GET', `/api/projects/${body.id}`)).body.name, name)
  const marked = await sendBytes(
    app,
    'POST',
    '/api/projects',
    '\ufeff{"name":"after a byte order mark"}',
    json,
  )
  t.strictSame([marked.status, marked.body.name], [201, 'after a byte order mark'])
  const twice = await send(app, 'POST', '/api/projects', '{"name":"first","name":"last"}')
  t.strictSame([twice.status, twice.body.name], [201, 'last'])
  const half = await send(app, 'POST', '/api/projects', '{"name":"\\ud800"}')
  t.strictSame([half.status, half.body.name], [201, '\ufffd'], 'half a character is no text')
})

t.test('JSON that is not an object fails validation, however deep', async (t) => {
  const app = await build(t)
  const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`
  for (const [method, url] of await endpoints(app)) {
    for (const body of ['null', '[]', '"x"', '0', 'false', deep]) {
      await holds(t, app, [[method, url, body, 400, invalid({}, ['must be object'])]])
    }
  }
})

t.test('GET and DELETE ignore any body', async (t) => {
  const app = await build(t, { bodyLimit: 100 })
  const { headers: admin } = signInAs(app, 'admin')
  const bodies: [string | undefined, Record<string, string>][] = [
    [undefined, json],
    ['', json],
    ['{oops', json],
    ['x', { 'content-type': 'text/plain' }],
    ['x', { 'content-type': '' }],
    ['x'.repeat(1000), json],
    ['x'.repeat(1000), { 'content-type': 'application/xml' }],
    ['\ufeff', { ...json, 'content-length': '50' }],
  ]
  for (const [body, type] of bodies) {
    const project = await createProject(app)
    const item = await createItem(app, project.id)
    const subtask = await createSubtask(app, item.id)
    const headers = { ...admin, ...type }
    const success = { success: true }
    await holds(t, app, [
      ['GET', '/api/projects', body, headers, 200, [{ id: project.id }]],
      ['GET', `/api/projects/${project.id}`, body, headers, 200, { id: project.id }],
      ['HEAD', `/api/projects/${project.id}`, body, headers, 200, ''],
      ['GET', '/api/personal-ideas', body, headers, 200, []],
      ['DELETE', `/api/kanban-subtasks/${subtask.id}`, body, headers, 200, success],
      ['DELETE', `/api/kanban-items/${item.id}`, body, headers, 200, success],
      ['DELETE', `/api/projects/${project.id}`, body, headers, 200, success],
    ])
    const bare = await app.inject({
      method: 'DELETE',
      url: '/api/kanban-items/none',
      ...(body === undefined ? {} : { payload: body }),
    })
    t.equal(bare.statusCode, 404, 'without a type')
  }
  t.equal(count(app, 'projects'), 0)
})

t.test('on a persistent connection, an unread body does not get into the next request', async (t) => {
  const app = await build(t, { bodyLimit: 1000 }, shipped.buildApp)
  const address = await app.listen({ port: 0 })
  const body = 'x'.repeat(100_000)
  const sized = `Host: localhost\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const chunked = `Host: localhost\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
  const ends = /\{"status":"ok",[^{}]*\}$/
  for (const rest of [sized, chunked]) {
    for (const [line, answer] of [
      [
        'DELETE /api/kanban-items/none',
        /^HTTP\/1.1 404 .*\{"error":"Kanban item not found"\}HTTP\/1.1 200 /s,
      ],
      ['PATCH /api/kanban-items/none', /^HTTP\/1.1 404 .*\{"error":"Kanban item not found"\}HTTP\/1.1 200 /s],
      ['GET /api/projects', /^HTTP\/1.1 200 .*\[\]HTTP\/1.1 200 /s],
    ] as const) {
      const text = await exchange(address, `${line} HTTP/1.1\r\n${rest}`)
      t.match(text, answer, line)
      t.match(text, ends)
    }
  }
})

t.test('a large body of a request without a member is refused like any other', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const body = { email: 'ada@example.test', password: 'x'.repeat(50_000) }
  const { status, body: answer } = await send(app, 'POST', '/api/session', body)
  t.strictSame([status, answer], [413, tooLarge])
})

t.test('an action treats an absent body as an empty one', async (t) => {
  /** An action that needs no body, and its success: attaching a label to an item. */
  async function action(t: Test, options: Parameters<typeof build>[1] = {}, make = buildApp) {
    const app = await build(t, options, make)
    const project = await createProject(app)
    const item = await createItem(app, project.id)
    const labels = `/api/projects/${project.id}/kanban-labels`
    const { body: label } = await send(app, 'POST', labels, { name: 'Bug' })
    return { app, url: `/api/kanban-items/${item.id}/labels/${label.id}`, success: { labels: [label] } }
  }
  const failure = { error: 'Failed to attach kanban label' }

  t.test('with any content type', async (t) => {
    const { app, url, success } = await action(t)
    const types = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'json', '*/*', '']
    for (const headers of [undefined, ...types.map((type) => ({ 'content-type': type }))]) {
      await holds(t, app, [['PUT', url, undefined, headers, 200, success]])
      const sized = { ...headers, 'content-length': '0' }
      await holds(t, app, [['PUT', url, undefined, sized, 200, success]])
    }
  })

  t.test('also if the body is chunked and empty', async (t) => {
    const { app, url, success } = await action(t)
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'text/plain', 'json', '']) {
      const response = await sendNoParts(app, 'PUT', url, type)
      t.equal(response.statusCode, 200, type)
      t.match(response.json(), success)
    }
  })

  t.test('but a non-empty body must be JSON within the limit', async (t) => {
    const { app, url, success } = await action(t, { bodyLimit: 100 })
    await holds(t, app, [
      ['PUT', url, '{}', 200, success],
      ['PUT', url, '{}'.padEnd(100), 200, success],
      ['PUT', url, '{}'.padEnd(101), 413, tooLarge],
      ['PUT', url, ' ', 500, failure],
      ['PUT', url, '{oops', 500, failure],
      ['PUT', url, '{}', { 'content-type': 'text/plain' }, 200, success],
      ['PUT', url, ' ', { 'content-type': 'text/plain' }, 500, failure],
    ])
    const untyped = await sendBytes(app, 'PUT', url, '{}', {})
    t.match([untyped.status, untyped.body], [200, success])
    const cut = await sendBytes(app, 'PUT', url, '', { ...json, 'content-length': '5' })
    t.strictSame([cut.status, cut.body], [500, failure], 'announced, and did not arrive')
  })

  t.test('and is validated against its schema', async (t) => {
    const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
    t.teardown(() => app.close())
    const config = { isBodyOptional: true, failure: 'Failed to promote' }
    const handler = async ({ body }: { body: unknown }) => ({ body })
    const optional = { body: UpdateBody({ teamId: Type.String() }) }
    app.post('/optional', { config, schema: optional, handler })
    app.post('/needed', { config, schema: { body: CreateBody({ teamId: Type.String() }) }, handler })
    const needed = invalid({ teamId: ['is required'] }, ['must NOT have fewer than 1 properties'])
    await holds(t, app, [
      ['POST', '/optional', 200, { body: {} }],
      ['POST', '/optional', undefined, json, 200, { body: {} }],
      ['POST', '/optional', { teamId: 'ops', more: 1 }, 200, { body: { teamId: 'ops' } }],
      ['POST', '/optional', { teamId: 5 }, 400, invalid({ teamId: ['must be string'] })],
      ['POST', '/optional', 'null', 400, invalid({}, ['must be object'])],
      ['POST', '/optional', '{oops', 500, { error: 'Failed to promote' }],
      ['POST', '/needed', 400, needed],
      ['POST', '/needed', undefined, json, 400, needed],
    ])
    t.strictSame((await sendNoParts(app, 'POST', '/optional', 'application/json')).json(), { body: {} })
  })

  t.test('from real clients, on a persistent connection', async (t) => {
    const { app, url } = await action(t, {}, shipped.buildApp)
    const address = await app.listen({ port: 0 })
    const line = `PUT ${url} HTTP/1.1\r\nHost: localhost\r\n`
    const requests = [
      `${line}\r\n`,
      `${line}Content-Length: 0\r\n\r\n`,
      `${line}Content-Type: application/json\r\n\r\n`,
      `${line}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      `${line}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`,
    ]
    const answer = await exchange(address, requests.join(''))
    t.equal(answer.match(/HTTP\/1.1 200 /g)?.length, requests.length + 1)
    t.match(answer, /\{"status":"ok",[^{}]*\}$/)
  })
})
