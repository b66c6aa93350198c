/** Lookups of host names, of which none may delay another. */
import type { LookupAddress } from 'node:dns'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { createHostLookup, type Seeker, WAITED } from '../../src/webhooks/host-lookup.ts'
import { createSender } from '../../src/webhooks/webhook-sender.ts'
import { serveDns } from '../dns-server.ts'
import { atOnce, manualClock, until } from '../receivers.ts'

const HOME: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]

/** The addresses of a name in DNS: none, no response, or this machine. */
function inDns(name: string): string | undefined {
  if (name.startsWith('unknown')) return undefined
  return name.startsWith('dead') ? 'silent' : '127.0.0.1'
}

/** A host lookup whose lookups by the system never end, until `answer` answers that of a name. */
async function looking(t: Test) {
  const { server, asked } = await serveDns(t, inDns)
  const hostsFile = join(t.testdir({}), 'hosts')
  writeFileSync(hostsFile, '127.0.0.1 localhost\n10.0.0.9\tdead.home Dead.Box # dead.comment\n')
  const running = new Map<string, (addresses: LookupAddress[]) => void>()
  const started: string[] = []
  const lookup = createHostLookup({
    hostsFile,
    servers: [server],
    lookup: (host) => {
      started.push(host)
      return new Promise((resolve) => running.set(host, resolve))
    },
  })
  const attempt = () => {
    const ending = new AbortController()
    const seeker: Seeker = { signal: ending.signal, isWaiting: () => false }
    const find = (host: string) =>
      new Promise<LookupAddress[]>((resolve, reject) =>
        lookup(host, {}, (error, addresses) => (error ? reject(error) : resolve(addresses)), seeker),
      )
    return { seeker, find, end: () => ending.abort() }
  }
  const find = (host: string) => attempt().find(host)
  const answer = (host: string) => running.get(host)?.(HOME)
  return { lookup, asked, started, attempt, find, answer }
}

t.test('the system is not asked for a name of which DNS does not answer', async (t) => {
  const { asked, started, attempt, find, answer } = await looking(t)
  const dead = Array.from({ length: 20 }, (_, index) => ({ ...attempt(), host: `dead${index}.test` }))
  const failures = dead.map(({ find, host }) => find(host).catch((error) => error.code))
  await until(() => dead.every(({ host }) => asked.includes(host)))
  const healthy = ['one.test', 'two.test', 'three.test'].map(find)
  await until(() => started.length === 3)
  t.strictSame([...started].sort(), ['one.test', 'three.test', 'two.test'], 'all at once')
  for (const host of started) answer(host)
  t.strictSame(await Promise.all(healthy), [HOME, HOME, HOME])
  for (const { seeker, end } of dead) {
    t.notOk(seeker.isWaiting())
    end()
  }
  t.strictSame(new Set(await Promise.all(failures)), new Set(['ECANCELLED']), 'it ends with the attempt')
  const late = attempt()
  late.end()
  await t.rejects(late.find('late.test'), { name: 'AbortError' })
  t.equal(started.length, 3)
})

t.test('names in the hosts file do not need DNS', async (t) => {
  const { asked, started, attempt, find, answer } = await looking(t)
  const found = ['localhost', 'dead.home', 'dead.box', 'dead.home.'].map(find)
  await until(() => started.length === 4)
  for (const host of started) answer(host)
  t.strictSame(await Promise.all(found), [HOME, HOME, HOME, HOME])
  t.strictSame(asked, [])
  const comment = attempt()
  const failure = comment.find('dead.comment').catch((error) => error.code)
  await until(() => asked.length > 0)
  comment.end()
  t.equal(await failure, 'ECANCELLED')
})

t.test('names that DNS does not know are looked up one at a time, each once for all who wait', async (t) => {
  const { started, attempt, find, answer } = await looking(t)
  const first = find('unknown1.test')
  await until(() => started.length === 1)
  const [second, third, fourth] = [attempt(), attempt(), attempt()]
  const found = [second.find('unknown2.test'), third.find('unknown2.test')]
  await until(() => second.seeker.isWaiting() && third.seeker.isWaiting())
  const given = fourth.find('unknown3.test').catch((error) => error.message)
  await until(() => fourth.seeker.isWaiting())
  const fifth = find('unknown4.test')
  const known = find('known.test')
  await until(() => started.includes('known.test'))
  answer('known.test')
  t.strictSame(await known, HOME, 'a name in DNS does not wait for them')
  second.end()
  fourth.end()
  answer('unknown1.test')
  t.strictSame(await first, HOME)
  await until(() => started.includes('unknown2.test'))
  t.notOk(third.seeker.isWaiting())
  answer('unknown2.test')
  t.strictSame(await Promise.all(found), [HOME, HOME])
  await until(() => started.includes('unknown4.test'))
  t.equal(await given, WAITED, 'nobody waits for it any more')
  answer('unknown4.test')
  t.strictSame(await fifth, HOME)
  t.strictSame(started, ['unknown1.test', 'known.test', 'unknown2.test', 'unknown4.test'])
})

t.test('an attempt whose name was never looked up is told apart', async (t) => {
  const { lookup, started } = await looking(t)
  const clock = manualClock()
  const sender = createSender({ clock, inTurn: atOnce, allowsPrivate: true, lookup })
  t.teardown(() => sender.close())
  const send = (host: string) =>
    sender.send(
      { id: 'hook.1', url: `http://${host}/`, secrets: [], body: Buffer.from('{}') },
      new AbortController().signal,
    )
  const first = send('unknown1.test')
  await until(() => started.length === 1)
  const second = send('unknown2.test')
  // Its query of DNS, which nothing announces.
  await wait(200)
  clock.pass(10_000)
  t.match(await first, { error: 'no complete answer within 10 seconds' })
  t.match(await second, { error: WAITED })
})

t.test('the system is asked by default', async (t) => {
  const seeker: Seeker = { signal: new AbortController().signal, isWaiting: () => false }
  const hostsFile = join(t.testdir({ hosts: '127.0.0.1 localhost' }), 'hosts')
  const found = await new Promise((resolve) =>
    createHostLookup({ hostsFile })('localhost', {}, (...result) => resolve(result), seeker),
  )
  t.match(found, [null, [{ address: /^(127\.0\.0\.1|::1)$/ }]])
})
