/** Deliveries of services that are killed without warning: none is missing, and none is out of order. */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { ask } from '../clients.ts'
import { type Service, start } from '../process.ts'
import { type Receiver, receive, until } from '../receivers.ts'

const ADMIN = { email: 'ada@example.test', password: 'correct horse' }

/** A database file, a function that starts services on it, and a webhook for all of their writes. */
async function seeded(t: Test) {
  const file = join(t.testdir(), 'board.db')
  const environment = {
    DATABASE_URL: `file:${file}`,
    HOST: '127.0.0.1',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'debug',
  }
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const run = () => start(t, environment)
  const receiver = await receive(t, async (response) => {
    await wait(Math.random() * 4)
    response.writeHead(204).end()
  })
  const service = await run()
  const { cookie } = await ask(service.port, agent, 'POST', '/api/session', ADMIN)
  const session = cookie.replace(/;.*/, '')
  const { status, body } = await ask(
    service.port,
    agent,
    'POST',
    '/api/webhooks',
    { url: receiver.url, kinds: ['project'] },
    session,
  )
  t.equal(status, 201)
  const { secret, id } = body as { secret: string; id: string }
  return { file, run, service, receiver, agent, secret, id }
}

/** Writes until the service is killed: projects, and ideas, which are not delivered. */
async function writeUntilKilled({ port }: Service, agent: Agent): Promise<void> {
  try {
    for (;;) {
      await ask(port, agent, 'POST', '/api/projects', { name: 'Apollo' })
      await ask(port, agent, 'POST', '/api/personal-ideas', { title: 'Fly' })
    }
  } catch {
    // The service was killed.
  }
}

/** The changes of projects in the file, in order. */
function sequenceOf(file: string): number[] {
  const client = new SQLite(file, { readonly: true })
  try {
    return client
      .prepare<[], number>("select seq from changes where kind = 'project' order by seq")
      .pluck()
      .all()
  } finally {
    client.close()
  }
}

/** The received changes without repeats, in the order of the first delivery. At most this many were repeated at once. */
function inOrder(t: Test, receiver: Receiver, mostRepeated: number): number[] {
  const seqs = receiver.seqs()
  const first = seqs.filter((seq, index) => seqs.indexOf(seq) === index)
  t.strictSame(
    seqs,
    seqs.toSorted((one, other) => one - other),
    'what comes again comes at once',
  )
  t.ok(seqs.length - first.length <= mostRepeated, `${seqs.length - first.length} came again`)
  return first
}

t.test('kill -9 during deliveries loses none, and keeps their order', async (t) => {
  const { file, run, service: first, receiver, agent, secret } = await seeded(t)
  let service = first
  const KILLS = 3
  for (let round = 0; round < KILLS; round++) {
    const writing = writeUntilKilled(service, agent)
    await receiver.got(receiver.received.length + 20)
    service.kill('SIGKILL')
    await writing
    await service.exited
    t.notOk(service.log().includes(secret.slice(6)))
    service = await run()
  }
  const expected = sequenceOf(file)
  await until(() => receiver.seqs().at(-1) === expected.at(-1))
  t.strictSame(inOrder(t, receiver, KILLS), expected)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0, stderr: '' })
})

t.test('after one of two services is killed, the other continues at its position', async (t) => {
  const { file, run, service: one, receiver, agent } = await seeded(t)
  await ask(one.port, agent, 'POST', '/api/projects', { name: 'The first to deliver is the first' })
  await receiver.got(1)
  const two = await run()
  const writing = [writeUntilKilled(one, agent), writeUntilKilled(two, agent)]
  await receiver.got(30)
  one.kill('SIGKILL')
  await one.exited
  await receiver.got(receiver.received.length + 30)
  two.kill('SIGTERM')
  await Promise.all([...writing, two.exited])
  const three = await run()
  const expected = sequenceOf(file)
  await until(() => receiver.seqs().at(-1) === expected.at(-1))
  t.strictSame(inOrder(t, receiver, 2), expected)
  three.kill('SIGTERM')
  t.match(await three.exited, { code: 0, stderr: '' })
})
