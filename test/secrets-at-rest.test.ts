/**
 * Secrets in the database file, its log and its index of the log, byte by byte: there are only hashes. The secrets of webhooks
 * are the exception, because they sign messages, which a hash cannot do.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { watch } from './executions.ts'
import { type App, build, createProject, LONG_AGO, send, writeIn } from './helper.ts'

const PASSWORD = 'correct horse battery staple?'
const EMAIL = 'ada@example.test'

type Headers = Record<string, string>

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** The encodings in which a secret may be stored, including a fast hash of the password. */
function disguises(secret: string): [string, Buffer][] {
  const bytes = Buffer.from(secret)
  // The base64 of a text depends on its offset in the encoded bytes, and its ends on the neighbouring bytes.
  const base64 = [0, 1, 2].flatMap((shift) =>
    (['base64', 'base64url'] as const).map((encoding) =>
      Buffer.concat([Buffer.alloc(shift), bytes])
        .toString(encoding)
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  )
  return [
    ['plain', bytes],
    ['UTF-16', Buffer.from(secret, 'utf16le')],
    ['hex', Buffer.from(bytes.toString('hex'))],
    ...base64.map((text): [string, Buffer] => ['base64', Buffer.from(text)]),
    ['upper-case hex', Buffer.from(bytes.toString('hex').toUpperCase())],
    ['URL-encoded', Buffer.from(encodeURIComponent(secret))],
    ['form-encoded', Buffer.from(new URLSearchParams({ '': secret }).toString().slice(1))],
    ['reversed', Buffer.from(bytes.toReversed())],
  ]
}

/** All bytes of all files in a folder, e.g. the database with its -wal and -shm. */
const bytesIn = (folder: string) =>
  new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]))

/** Signs in. @returns the token from the cookie */
async function signIn(app: App, headers: Headers = {}): Promise<string> {
  const answer = await send(app, 'POST', '/api/session', { email: EMAIL, password: PASSWORD }, headers)
  const [, token = ''] = /^phaseboard_session=([^;]+)/.exec(String(answer.headers['set-cookie'])) ?? []
  return token
}

const cookieOf = (token: string): Headers => ({ cookie: `phaseboard_session=${token}` })

t.test('the database files contain no token, cookie or password, only hashes', async (t) => {
  const folder = t.testdir()
  const databaseUrl = `file:${join(folder, 'board.db')}`
  const app = await build(t, {
    authMode: 'required',
    databaseUrl,
    adminEmail: EMAIL,
    adminPassword: PASSWORD,
  })

  const ended = await signIn(app)
  const replaced = await signIn(app)
  const current = await signIn(app, cookieOf(replaced))
  const session = cookieOf(current)
  await send(app, 'DELETE', '/api/session', undefined, cookieOf(ended))
  const create = async (body: object) => (await send(app, 'POST', '/api/tokens', body, session)).body
  const kept = await create({ name: 'CI', scope: 'write' })
  const reading = await create({ name: 'Reports', expiresAt: '2999-12-31' })
  const revoked = await create({ name: 'Old' })
  await send(app, 'DELETE', `/api/tokens/${revoked.id}`, undefined, session)
  const guesses = ['a wrong guess/+?', 'pa55word&more', 'ünïcödé gueß']
  for (const guess of guesses) {
    await send(app, 'POST', '/api/session', { email: EMAIL, password: guess })
    // Users sometimes type a value into the wrong field.
    await send(app, 'POST', '/api/session', { email: guess, password: EMAIL })
    await send(app, 'GET', '/api/projects', undefined, {
      authorization: `Bearer ${encodeURIComponent(guess)}`,
    })
    await send(app, 'GET', '/api/projects', undefined, cookieOf(encodeURIComponent(guess)))
  }
  const bearer = { authorization: `Bearer ${kept.token}` }
  const invite = async () => (await send(app, 'POST', '/api/invitations', { role: 'viewer' }, session)).body
  const [link, usedLink] = [await invite(), await invite()]
  const guest = { token: usedLink.token, name: 'Guest', email: 'guest@example.test', password: PASSWORD }
  await send(app, 'POST', '/api/session/link', guest)
  const project = await createProject(app, {}, bearer)
  await send(app, 'PATCH', `/api/projects/${project.id}`, { name: 'Gemini' }, session)
  const shared = (await send(app, 'POST', `/api/projects/${project.id}/share-links`, {}, session)).body
  await send(app, 'GET', `/api/shared/${shared.secret}`)
  app.db.$client.exec(
    `update sessions set last_used_at = '${LONG_AGO}'; update api_tokens set last_used_at = null`,
  )
  for (const credential of [session, bearer]) await send(app, 'GET', '/api/projects', undefined, credential)
  await writeIn(app, () => undefined)

  const tokens = {
    ended,
    replaced,
    current,
    kept: kept.token,
    reading: reading.token,
    revoked: revoked.token,
    link: link.token,
    usedLink: usedLink.token,
    shared: shared.secret,
  }
  t.equal(new Set(Object.values(tokens)).size, 9)
  const secrets = { ...tokens, password: PASSWORD, ...guesses }
  const passwordHash = String(app.db.$client.prepare('select password_hash from members').pluck().get())

  const look = (when: string) => {
    const files = bytesIn(folder)
    const all = Buffer.concat([...files.values()])
    for (const [name, secret] of Object.entries(secrets)) {
      const found = [...files].flatMap(([file, bytes]) =>
        disguises(secret)
          .filter(([, disguise]) => bytes.includes(disguise))
          .map(([how]) => `${how} in ${file}`),
      )
      t.strictSame(found, [], `${name}, ${when}`)
    }
    for (const guessable of [PASSWORD, ...guesses]) {
      for (const algorithm of ['md5', 'sha1', 'sha256', 'sha512']) {
        const hash = createHash(algorithm).update(guessable).digest()
        t.notOk(
          all.includes(hash) || all.includes(hash.toString('hex')),
          `no ${algorithm} of a password, ${when}`,
        )
      }
    }
    for (const name of ['current', 'kept', 'reading', 'link', 'shared'] as const) {
      t.ok(all.includes(sha256(tokens[name])), `the SHA-256 of ${name}, ${when}`)
    }
    t.ok(all.includes(passwordHash), `the hash of the password, ${when}`)
    return files
  }

  t.match(passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/)
  t.strictSame([...look('while it runs').keys()].toSorted(), [
    'board.db',
    'board.db-shm',
    'board.db-wal',
    'board.db.attention-lock',
  ])
  app.db.$client.pragma('wal_checkpoint(truncate)')
  look('once everything is in the file itself')
  await app.close()
  look('once it has stopped')
  t.notOk(
    existsSync(join(folder, 'board.db.initial-admin-password')),
    'nor does a file beside it hold one that was given',
  )
})

/**
 * A token is never compared: the service looks up its SHA-256 in an index. The time of that depends on how many characters the
 * hash shares with stored ones, but measuring it only reveals the start of a stored hash. To get closer, an attacker must find
 * texts whose hashes start with more given characters, each of which needs sixteen times as many attempts. In the end that
 * reveals nothing about a token, which is 256 random bits, of which parts of its hash say nothing. So an index is constant-time
 * enough. Passwords can be guessed: argon2 itself compares them in constant time, and they are never looked up.
 */
t.test('tokens are found by hash through an index, and passwords never', async (t) => {
  const app = await build(t, { authMode: 'required', adminEmail: EMAIL, adminPassword: PASSWORD })
  const session = cookieOf(await signIn(app))
  const { token } = (await send(app, 'POST', '/api/tokens', { name: 'CI' }, session)).body
  const executions = watch(t, app.db.$client)
  const bound: unknown[] = []
  executions.before = (_source, values) => bound.push(...values)
  await send(app, 'GET', '/api/session', undefined, session)
  await send(app, 'GET', '/api/session', undefined, { authorization: `Bearer ${token}` })
  await signIn(app)
  const text = JSON.stringify(bound)
  t.ok(text.includes(sha256(token)))
  for (const secret of [token, PASSWORD, session.cookie?.split('=')[1] ?? '']) {
    t.notOk(text.includes(secret), 'what the database is asked for is no secret')
  }
  for (const source of executions.log) t.notMatch(source, /where.*password_hash/i)
})

t.test("a webhook's secret is stored only in its column, in files for their owner alone", async (t) => {
  const folder = t.testdir()
  const databaseUrl = `file:${join(folder, 'board.db')}`
  const app = await build(t, { databaseUrl, adminEmail: EMAIL, adminPassword: PASSWORD })
  const session = cookieOf(await signIn(app))
  const create = { url: 'https://example.org/hook', kinds: ['team'] }
  const { body } = await send(app, 'POST', '/api/webhooks', create, session)
  await send(app, 'PATCH', `/api/webhooks/${body.id}`, { description: 'Chat' }, session)
  await createProject(app)
  const tables = app.db.$client
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all()
  const holding = tables.filter((table) =>
    JSON.stringify(app.db.$client.prepare(`select * from "${table}"`).all()).includes(body.secret),
  )
  t.strictSame(holding, ['webhooks'])
  for (const name of readdirSync(folder)) t.equal(statSync(join(folder, name)).mode & 0o077, 0, name)
})
