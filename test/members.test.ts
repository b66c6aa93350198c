import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { members } from '../src/db/schema.ts'
import { ensureFirstAdmin } from '../src/members/first-admin.ts'
import { initialPasswordFile } from '../src/members/initial-password.ts'
import { Members } from '../src/members/members.ts'
import { verifyPassword } from '../src/members/passwords.ts'
import { openTestDatabase } from './database.ts'
import { watch } from './executions.ts'
import { build, keepLog, send } from './helper.ts'
import { planOf } from './query-plans.ts'

const PASSWORD = 'correct horse'

/** A new database file, and the settings for the first start. */
function onFile(t: Test) {
  const folder = t.testdir()
  const databaseUrl = `file:${join(folder, 'board.db')}`
  const db = openTestDatabase(t, databaseUrl)
  const rules = new Members(db)
  const ensure = (given: { adminEmail?: string; adminPassword?: string } = {}) =>
    ensureFirstAdmin(db, rules, {
      databaseUrl,
      adminEmail: undefined,
      adminPassword: undefined,
      ...given,
    })
  return { db, rules, ensure, folder, file: join(folder, 'board.db.initial-admin-password') }
}

t.test('ADMIN_EMAIL and ADMIN_PASSWORD create the first admin', async (t) => {
  const { db, ensure, file } = onFile(t)
  t.strictSame(await ensure({ adminEmail: 'root@example.test', adminPassword: PASSWORD }), {
    email: 'root@example.test',
    passwordFile: undefined,
  })
  const [admin, ...others] = db.select().from(members).all()
  t.strictSame(others, [])
  t.match(admin, { name: 'Admin', email: 'root@example.test', role: 'admin', disabled: false })
  t.ok(await verifyPassword(admin?.passwordHash ?? null, PASSWORD))
  t.notOk(existsSync(file), 'nothing is written down')
})

t.test('without a password, a random one is stored beside the database, for its owner alone', async (t) => {
  const { rules, ensure, file } = onFile(t)
  t.strictSame(await ensure(), { email: 'admin@localhost', passwordFile: file })
  t.equal(statSync(file).mode & 0o777, 0o600)
  const password = readFileSync(file, 'utf8')
  t.match(password, /^[\w-]{43}\n$/)
  const admin = rules.findByEmail('admin@localhost')
  t.ok(await verifyPassword(admin?.passwordHash ?? null, password.trim()))
})

t.test('an existing password file does not keep its mode or content', async (t) => {
  const { ensure, file } = onFile(t)
  writeFileSync(file, 'old and much longer than any password that is generated now, by far\n', {
    mode: 0o644,
  })
  await ensure()
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.match(readFileSync(file, 'utf8'), /^[\w-]{43}\n$/)
})

t.test('a password file is deleted if its admin cannot be stored', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const db = openTestDatabase(t, databaseUrl)
  const file = initialPasswordFile(databaseUrl) ?? ''
  let wasThere = false
  const failing = Object.assign(Object.create(db), {
    transaction: (work: (tx: typeof db) => unknown) => {
      work(db)
      wasThere = existsSync(file)
      throw new Error('no room')
    },
  })
  const made = ensureFirstAdmin(failing, new Members(db), {
    databaseUrl,
    adminEmail: undefined,
    adminPassword: undefined,
  })
  await t.rejects(made, { message: 'no room' })
  t.equal(wasThere, true)
  t.notOk(existsSync(file))
})

t.test('two databases in one folder have a password file each', async (t) => {
  const { folder, ensure, file } = onFile(t)
  const other = `file:${join(folder, 'other.db')}`
  const db = openTestDatabase(t, other)
  await ensure()
  await ensureFirstAdmin(db, new Members(db), {
    databaseUrl: other,
    adminEmail: undefined,
    adminPassword: undefined,
  })
  t.not(readFileSync(file, 'utf8'), readFileSync(join(folder, 'other.db.initial-admin-password'), 'utf8'))
})

t.test('the password file is deleted when its password is changed or reset, and not earlier', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const file = initialPasswordFile(databaseUrl) ?? ''
  const app = await build(t, { databaseUrl })
  const password = readFileSync(file, 'utf8').trim()
  const signIn = (secret: string) =>
    send(app, 'POST', '/api/session', { email: 'admin@localhost', password: secret })
  const { body, headers } = await signIn(password)
  const cookie = { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' }
  const url = `/api/members/${body.member.id}`
  const patch = async (target: string, change: object) =>
    (await send(app, 'PATCH', target, change, cookie)).status
  const { body: bob } = await send(
    app,
    'POST',
    '/api/members',
    { name: 'Bob', email: 'b@c.d', password: PASSWORD },
    cookie,
  )
  t.equal(await patch(`/api/members/${bob.id}`, { password: 'another password' }), 200)
  t.equal(await patch(url, { name: 'Root', email: 'root@example.test' }), 200)
  t.equal(await patch(url, { password: PASSWORD, currentPassword: 'wrong' }), 400)
  t.ok(existsSync(file), 'it still is the password')
  t.equal(await patch(url, { password: PASSWORD, currentPassword: password }), 200)
  t.notOk(existsSync(file))
  writeFileSync(file, 'somebody else has left this')
  t.equal(await patch(url, { password: `${PASSWORD}!`, currentPassword: PASSWORD }), 200)
  t.ok(existsSync(file), 'what is not the password is not ours to remove')
})

t.test('a password file that cannot be deleted does not fail the change', async (t) => {
  const databaseUrl = `file:${join(t.testdir(), 'board.db')}`
  const file = initialPasswordFile(databaseUrl) ?? ''
  const { logStream, log } = keepLog()
  const app = await build(t, { databaseUrl, logLevel: 'warn', logStream })
  const password = readFileSync(file, 'utf8').trim()
  const { body, headers } = await send(app, 'POST', '/api/session', { email: 'admin@localhost', password })
  const cookie = { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' }
  app.db.$client.function('swap', () => {
    // Between the check for the file and its removal.
    rmSync(file)
    mkdirSync(file)
    return null
  })
  app.db.$client.exec('create temp trigger swaps after update on members begin select swap(); end')
  const change = { password: PASSWORD, currentPassword: password }
  t.equal((await send(app, 'PATCH', `/api/members/${body.member.id}`, change, cookie)).status, 200)
  t.match(log(), /could not remove the file with the initial password/)
  t.notMatch(log(), password)
})

t.test('the first admin is created only once', async (t) => {
  const { db, ensure, folder, file } = onFile(t)
  await ensure()
  const before = { rows: db.select().from(members).all(), password: readFileSync(file, 'utf8') }
  t.equal(await ensure(), undefined)
  t.equal(await ensure({ adminEmail: 'other@example.test', adminPassword: 'another password' }), undefined)
  t.strictSame({ rows: db.select().from(members).all(), password: readFileSync(file, 'utf8') }, before)
  t.ok(readdirSync(folder).includes('board.db.initial-admin-password'))
})

t.test('two simultaneous starts create one admin', async (t) => {
  const { db, ensure, file } = onFile(t)
  const made = await Promise.all([ensure(), ensure(), ensure()])
  t.equal(made.filter(Boolean).length, 1)
  const [admin, ...others] = db.select().from(members).all()
  t.strictSame(others, [])
  t.ok(await verifyPassword(admin?.passwordHash ?? null, readFileSync(file, 'utf8').trim()))
})

t.test('members without an admin among them get one', async (t) => {
  const { db, ensure } = onFile(t)
  db.insert(members)
    .values([
      { id: 'ada', name: 'Ada', email: 'ada@example.test' },
      { id: 'bob', name: 'Bob', email: 'bob@example.test', role: 'admin', disabled: true },
    ])
    .run()
  t.match(await ensure(), { email: 'admin@localhost' }, 'a disabled admin is none')
  t.equal(db.select().from(members).all().length, 3)
})

t.test('a member with that email becomes the admin', async (t) => {
  const { db, ensure } = onFile(t)
  db.insert(members)
    .values({ id: 'ada', name: 'Ada', email: 'Ada@Example.test', role: 'viewer', disabled: true })
    .run()
  await ensure({ adminEmail: 'ada@example.test', adminPassword: PASSWORD })
  const [ada, ...others] = db.select().from(members).all()
  t.strictSame(others, [])
  t.match(ada, { id: 'ada', name: 'Ada', email: 'Ada@Example.test', role: 'admin', disabled: false })
  t.ok(await verifyPassword(ada?.passwordHash ?? null, PASSWORD))
})

t.test('a database in memory has no password file', async (t) => {
  const db = openTestDatabase(t)
  const rules = new Members(db)
  const given = { databaseUrl: ':memory:', adminEmail: undefined }
  t.equal(initialPasswordFile(':memory:'), undefined)
  t.equal(await ensureFirstAdmin(db, rules, { ...given, adminPassword: undefined }), undefined)
  t.match(await ensureFirstAdmin(db, rules, { ...given, adminPassword: PASSWORD }), {
    email: 'admin@localhost',
  })
})

t.test('the first admin can sign in; the log names the password file and never the password', async (t) => {
  const { logStream, log } = keepLog()
  const folder = t.testdir()
  const databaseUrl = `file:${join(folder, 'board.db')}`
  const app = await build(t, { databaseUrl, authMode: 'required', logLevel: 'trace', logStream })
  const file = initialPasswordFile(databaseUrl) ?? ''
  const password = readFileSync(file, 'utf8').trim()
  t.match(await send(app, 'POST', '/api/session', { email: 'admin@localhost', password }), {
    status: 201,
    body: { member: { name: 'Admin', email: 'admin@localhost', role: 'admin' } },
  })
  t.match(log(), JSON.stringify(file))
  t.notMatch(log(), password)
})

t.test('a member is found by email in any case, beyond ASCII too, and by id', async (t) => {
  const { db, rules } = onFile(t)
  db.insert(members)
    .values([
      { id: 'ada', name: 'Ada', email: 'Ada@Example.test' },
      { id: 'asa', name: 'Åsa', email: 'Åsa@Example.test' },
      { id: 'mix', name: 'Ärger', email: 'ärGeR-ÜbEr@x.org' },
      { id: 'kelvin', name: 'Kelvin', email: '\u212aelvin@x.org' },
      { id: 'bob', name: 'Bob', email: 'ada' },
    ])
    .run()
  const idOf = (email: string) => rules.findByEmail(email)?.id
  t.equal(idOf('ada@EXAMPLE.test'), 'ada')
  t.equal(idOf('Åsa@Example.test'), 'asa')
  t.equal(idOf('åsa@example.TEST'), 'asa')
  for (const email of ['ÄRGER-ÜBER@X.ORG', 'ärger-über@x.org', 'Ärger-Über@x.org'])
    t.equal(idOf(email), 'mix', email)
  t.equal(idOf('kelvin@x.org'), 'kelvin', 'whose lower case is of ASCII')
  for (const email of ['', 'asa@example.test', '%', 'ada@example.tes_', 'äda@example.test', '__proto__']) {
    t.equal(idOf(email), undefined, email)
  }
  t.equal(rules.find('ada')?.id, 'ada', 'an id comes first')
  t.equal(rules.find('ada@example.test')?.id, 'ada')
  t.equal(rules.find('ADA')?.id, 'bob')
  t.equal(rules.find('nobody'), undefined)
})

t.test('finding a member by email reads no other rows, however many there are', async (t) => {
  const { db, rules } = onFile(t)
  const executions = watch(t, db.$client)
  rules.findByEmail('ärger@x.org')
  const plans = [...executions.log].flatMap((source) => planOf(db.$client, source))
  t.match(plans, [
    /^SEARCH members USING INDEX members_email \(<expr>=\?\)$/,
    /^SCAN members USING INDEX members_email_beyond_ascii$/,
  ])
})
