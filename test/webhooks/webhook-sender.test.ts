/** Sends one message, to all kinds of receivers. */
import type { LookupAddress } from 'node:dns'
import { Webhook } from 'standardwebhooks'
import t, { type Test } from 'tap'
import { systemClock } from '../../src/clock.ts'
import { version } from '../../src/package-files.ts'
import { createSender, type InTurn, type SenderOptions } from '../../src/webhooks/webhook-sender.ts'
import { accept, answer, atOnce, hang, listen, manualClock, receive, until } from '../receivers.ts'

const SECRET = `whsec_${Buffer.from('thirty-two bytes of randomness!!').toString('base64')}`
const REFUSED = 'the address is private, or reserved, or of this machine'
const TOO_LATE = 'no complete answer within 10 seconds'

/** A sender that may connect to this machine, which is closed with the test. Sends one body to a URL. */
function sending(t: Test, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ clock: systemClock, inTurn: atOnce, allowsPrivate: true, ...options })
  t.teardown(() => sender.close())
  const stopping = new AbortController()
  const send = (url: string, body = '{"a":1}') =>
    sender.send({ id: 'hook.1', url, secrets: [SECRET], body: Buffer.from(body) }, stopping.signal)
  return { send, stop: () => stopping.abort() }
}

t.test('a message is a signed POST that the standard library verifies', async (t) => {
  const receiver = await receive(t, answer(201, {}, 'thanks'))
  const { send } = sending(t)
  const body = JSON.stringify({ type: 'kanban-item.updated', text: 'Ünïcödé 🚀' })
  const attempt = await send(`${receiver.url}?key=1`, body)
  t.match(attempt, { status: 201, error: null, response: 'thanks' })
  t.ok(Number.isInteger(attempt.duration) && attempt.duration >= 0)
  const [{ headers, text } = { headers: {}, text: '' }] = receiver.received
  t.equal(text, body)
  t.match(headers, {
    'content-type': 'application/json',
    'user-agent': `Phaseboard/${version}`,
    'webhook-id': 'hook.1',
    'webhook-timestamp': /^\d{10}$/,
    'webhook-signature': /^v1,[\w+/]{43}=$/,
  })
  t.strictSame(new Webhook(SECRET).verify(text, headers), JSON.parse(body))
  const other = `whsec_${Buffer.from('another secret of enough bytes').toString('base64')}`
  t.throws(() => new Webhook(other).verify(text, headers), /No matching signature/)
  t.throws(() => new Webhook(SECRET).verify(`${text} `, headers), /No matching signature/)
})

t.test('a message is signed and sent in its turn', async (t) => {
  const receiver = await receive(t)
  const waiting: (() => void)[] = []
  const inTurn: InTurn = (who, work) => {
    t.equal(who, 'hook.1')
    return new Promise((resolve) => waiting.push(() => resolve(work())))
  }
  const attempt = sending(t, { inTurn }).send(receiver.url)
  await until(() => waiting.length === 1)
  await sending(t).send(receiver.url, '"later"')
  t.strictSame(
    receiver.received.map(({ body }) => body),
    ['later'],
    'it has no turn yet',
  )
  waiting.pop()?.()
  t.match(await attempt, { status: 204, error: null })
  t.equal(receiver.received.length, 2)
})

t.test('the timestamp is that of the attempt', async (t) => {
  const receiver = await receive(t)
  const clock = manualClock(Date.parse('2030-01-31T00:00:00.999Z'))
  await sending(t, { clock }).send(receiver.url)
  t.equal(receiver.received[0]?.headers['webhook-timestamp'], String(Date.parse('2030-01-31') / 1000))
})

t.test('every status but 2xx is a failure, and redirects are not followed', async (t) => {
  const elsewhere = await receive(t)
  const { send } = sending(t)
  for (const status of [200, 202, 204, 299]) {
    const { url } = await receive(t, answer(status))
    t.match(await send(url), { status, error: null })
  }
  for (const status of [301, 302, 303, 307, 308]) {
    const { url } = await receive(t, answer(status, { location: elsewhere.url }))
    t.match(await send(url), { status, error: `${status}: redirects are not followed` })
  }
  for (const status of [304, 400, 401, 404, 410, 429, 500, 503]) {
    const { url } = await receive(t, answer(status))
    t.match(await send(url), { status, error: new RegExp(`${status}`) })
  }
  t.equal(elsewhere.received.length, 0)
})

t.test('the first KiB of a response body is kept, and a longer one is cut off', async (t) => {
  const { send } = sending(t)
  const exact = await receive(t, answer(200, {}, 'x'.repeat(1024)))
  t.match(await send(exact.url), { error: null, response: 'x'.repeat(1024) })
  let written = 0
  let closed: Promise<void> | undefined
  const endless = await receive(t, (response) => {
    const chunk = Buffer.alloc(65_536, 'y')
    const more = () => {
      while (!response.destroyed && response.write(chunk)) written += chunk.length
    }
    closed = new Promise((resolve) => response.on('close', resolve))
    response.writeHead(500).on('drain', more)
    more()
  })
  t.match(await send(endless.url), { status: 500, response: 'y'.repeat(1024) })
  await closed
  t.ok(written < 50_000_000, `${written} bytes were read at most`)
  const broken = await receive(t, answer(200, {}, `${'é'.repeat(511)}xé`))
  const { response } = await send(broken.url)
  t.ok(response.startsWith('ééé') && response.length <= 1024)
})

t.test('a delivery times out after ten seconds, despite a slow response', async (t) => {
  const byteByByte = (start: string) => (socket: import('node:net').Socket) => {
    socket.once('data', () => {
      socket.write(start)
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(timer))
    })
  }
  const slow = {
    hangs: (await receive(t, hang)).url,
    'headers byte by byte': await listen(t, byteByByte('HTTP/1.1 200 OK\r\nX-Slow: ')),
    'body byte by byte': await listen(t, byteByByte('HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')),
    'never accepts the request': await listen(t, (socket) => socket.pause()),
  }
  const healthy = await receive(t)
  for (const [what, url] of Object.entries(slow)) {
    const clock = manualClock()
    let isOver = false
    const attempt = sending(t, { clock })
      .send(url)
      .finally(() => {
        isOver = true
      })
    // While another message gets there and back, some bytes of this one's response come, too.
    const other = () => sending(t).send(healthy.url)
    await other()
    clock.pass(9999)
    await other()
    t.equal(isOver, false, what)
    clock.pass(1)
    t.strictSame(await attempt, { status: null, error: TOO_LATE, response: '', duration: 10_000 }, what)
    t.strictSame(clock.pending(), [])
  }
})

t.test('a name that is not resolved in time is a failure, too', async (t) => {
  const clock = manualClock()
  const attempt = sending(t, { clock, lookup: () => undefined }).send('http://slow.test/')
  clock.pass(10_000)
  t.match(await attempt, { error: TOO_LATE })
})

t.test('a broken connection is a failure with its error code', async (t) => {
  const { send } = sending(t)
  const reset = await listen(t, (socket) => socket.once('data', () => socket.resetAndDestroy()))
  t.match(await send(reset), { status: null, error: 'ECONNRESET' })
  const closing = await listen(t, (socket) => socket.once('data', () => socket.end()))
  t.match(await send(closing), { status: null, error: 'ECONNRESET' })
  const half = await listen(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf')),
  )
  t.match(await send(half), { status: null, error: 'ECONNRESET' })
  const nonsense = await listen(t, (socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH\r\n')))
  t.match(await send(nonsense), { status: null, error: /^HPE_/ })
  const switching = await listen(t, (socket) =>
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    ),
  )
  t.match(await send(switching), { status: null, error: String })
  const hints = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3)
  const early = await listen(t, (socket) =>
    socket.once('data', () => socket.write(`${hints}HTTP/1.1 204 No Content\r\n\r\n`)),
  )
  t.match(await send(early), { status: 204, error: null })
  const old = await listen(t, (socket) =>
    socket.once('data', () => socket.end('HTTP/1.0 200 OK\r\n\r\nfine')),
  )
  t.match(await send(old), { status: 200, error: null, response: 'fine' })
  t.match(await send('http://127.0.0.1:1/'), { status: null, error: 'ECONNREFUSED' })
  t.match(await send('https://127.0.0.1:1/'), { status: null, error: 'ECONNREFUSED' })
  t.match(await send('nonsense'), { status: null, error: 'ERR_INVALID_URL' })
  const plain = await receive(t)
  t.match(await send(plain.url.replace('http:', 'https:')), { status: null, error: /SSL|EPROTO/ })
})

t.test('one connection sends many messages, and a closed one is replaced', async (t) => {
  const receiver = await receive(t)
  const { send } = sending(t)
  for (let index = 0; index < 5; index++) t.match(await send(receiver.url), { status: 204 })
  t.equal(receiver.connections(), 1)
  // It responds once on each connection, and resets at a second request.
  let connections = 0
  const stale = await listen(t, (socket) => {
    connections += 1
    socket.once('data', () => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      socket.once('data', () => socket.resetAndDestroy())
    })
  })
  for (let index = 0; index < 3; index++) t.match(await send(stale), { status: 204, error: null })
  t.equal(connections, 3)
})

t.test('stopping aborts messages in flight, and sends nothing more', async (t) => {
  const receiver = await receive(t, hang)
  const { send, stop } = sending(t)
  const attempt = send(receiver.url)
  await receiver.got(1)
  stop()
  t.match(await attempt, { status: null, error: 'the service stopped' })
  t.match(await send(receiver.url), { status: null, error: 'the service stopped' })
  t.equal(receiver.received.length, 1)
})

t.test('private addresses are refused when connecting, whatever the name resolved to before', async (t) => {
  const receiver = await receive(t)
  const { port } = new URL(receiver.url)
  const resolving = (answers: LookupAddress[][]) => {
    const lookup = (_host: string, _options: object, done: (error: null, all: LookupAddress[]) => void) =>
      done(null, answers.shift() ?? [])
    return sending(t, { allowsPrivate: false, lookup: lookup as never })
  }
  const [inner, outer] = [
    { address: '127.0.0.1', family: 4 },
    // A public address that is unreachable from this machine: connecting fails or hangs.
    { address: '2606:4700:4700::1111', family: 6 },
  ]
  for (const answers of [[inner], [outer, inner], [inner, outer]]) {
    t.match(await resolving([answers]).send(`http://name.test:${port}/`), { status: null, error: REFUSED })
    t.match(await resolving([answers]).send(`https://name.test:${port}/`), { status: null, error: REFUSED })
  }
  const left = [[outer], [inner]]
  const rebinding = resolving(left)
  const first = rebinding.send(`http://name.test:${port}/`)
  await until(() => left.length === 1)
  t.match(
    await rebinding.send(`http://name.test:${port}/`),
    { status: null, error: REFUSED },
    'the second time',
  )
  rebinding.stop()
  t.not((await first).error, REFUSED)

  const { send } = sending(t, { allowsPrivate: false })
  const names = [
    '127.0.0.1',
    'localhost',
    'localhost.',
    '2130706433',
    '0x7f.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
  ]
  for (const name of [...names, '[::10.0.0.9]', '169.254.169.254']) {
    for (const scheme of ['http', 'https']) {
      const { status, error } = await send(`${scheme}://${name}:${port}/`)
      // Not every resolver knows it with a trailing dot.
      const expected = name === 'localhost.' && error === 'ENOTFOUND' ? error : REFUSED
      t.strictSame([status, error], [null, expected], `${scheme}://${name}`)
    }
  }
  t.equal(receiver.connections(), 0)
})

t.test('proxies of the environment are not used', async (t) => {
  const proxy = await receive(t)
  const receiver = await receive(t, accept)
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'NODE_USE_ENV_PROXY']
  for (const name of names) process.env[name] = name.startsWith('NODE') ? '1' : new URL(proxy.url).origin
  t.teardown(() => {
    for (const name of names) delete process.env[name]
  })
  t.match(await sending(t).send(receiver.url), { status: 204 })
  t.strictSame([proxy.connections(), receiver.received.length], [0, 1])
})

t.test('no output contains the secret', async (t) => {
  const { send } = sending(t)
  const sender = createSender({ clock: systemClock, inTurn: atOnce, allowsPrivate: true })
  const { signal } = new AbortController()
  const bad = await sender.send(
    { id: 'x', url: 'http://127.0.0.1:1/', secrets: ['whsec_%%%'], body: Buffer.from('') },
    signal,
  )
  t.notMatch(JSON.stringify([bad, await send('http://127.0.0.1:1/')]), /whsec_|%%%/)
  t.type(bad.error, 'string')
})
