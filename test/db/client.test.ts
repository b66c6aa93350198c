import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs, {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { databasePath, openDatabase, read } from '../../src/db/client.ts'
import { teams } from '../../src/db/schema.ts'
import { StartupError } from '../../src/errors.ts'
import { openTestDatabase } from '../database.ts'
import { watch } from '../executions.ts'
import { build, writeTo } from '../helper.ts'

const JOURNAL = '__drizzle_migrations'

/** Every file in a folder, with the hash of its bytes. */
const contents = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder)
      .sort()
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
      ]),
  )

/** Writes a file with foreign SQL. */
function writeFile(path: string, sql: string): void {
  const client = new SQLite(path)
  client.exec(sql)
  client.close()
}

function refusal(url: string): string {
  try {
    openDatabase(url).close()
  } catch (error) {
    if (error instanceof StartupError) return error.message
    throw error
  }
  return 'nothing'
}

// The first test of the process: from the third new database on, none is migrated.
t.test('a start that fails during migration leaves nothing behind', async (t) => {
  const folder = t.testdir()
  const { exec } = SQLite.prototype
  t.teardown(() => {
    SQLite.prototype.exec = exec
  })
  SQLite.prototype.exec = function (sql) {
    if (sql.includes('kanban_comments')) throw new SQLite.SqliteError('no room', 'SQLITE_FULL')
    return exec.call(this, sql)
  }
  const path = join(folder, 'a', 'board.db')
  t.equal(refusal(path), `cannot open the database ${path}: no room`)
  SQLite.prototype.exec = exec
  t.strictSame(readdirSync(folder), [])
})

t.test('a database handle waits for locks, enforces foreign keys and syncs every commit', async (t) => {
  const client = openTestDatabase(t, `file:${join(t.testdir(), 'board.db')}`).$client
  const pragma = (name: string) => client.pragma(name, { simple: true })
  t.equal(pragma('journal_mode'), 'wal')
  t.equal(pragma('foreign_keys'), 1)
  t.equal(pragma('busy_timeout'), 5000)
  const FULL = 2
  t.equal(pragma('synchronous'), FULL)
})

t.test('a database in memory has the tables and enforces foreign keys, too', async (t) => {
  for (const url of [':memory:', 'file::memory:']) {
    const client = openTestDatabase(t, url).$client
    t.equal(client.memory, true)
    t.equal(client.pragma('foreign_keys', { simple: true }), 1)
    t.equal(client.prepare('select count(*) from projects').pluck().get(), 0)
  }
})

t.test('a URL names a file, relative to the working directory or absolute', async (t) => {
  t.equal(databasePath('file:./data/board.db'), resolve('data/board.db'))
  t.equal(databasePath('file:data/board.db'), resolve('data/board.db'))
  t.equal(databasePath('file:../board.db'), resolve('../board.db'))
  t.equal(databasePath('file:/var/board.db'), '/var/board.db')
  t.equal(databasePath('file:///var/my%20board.db'), '/var/my board.db')
  t.equal(databasePath('file://localhost/var/board.db'), '/var/board.db')
  t.equal(databasePath('./board.db'), resolve('board.db'))
  t.equal(databasePath('/var/board.db'), '/var/board.db')
  t.equal(databasePath('/var/C#/board.db'), '/var/C#/board.db')
  t.equal(databasePath('file:///var/C%23/board.db'), '/var/C#/board.db')
  t.equal(
    databasePath('file:/var/50%25.db'),
    '/var/50%25.db',
    'without slashes of its own it is a path as it stands',
  )
  t.equal(databasePath(':memory:'), ':memory:')
})

t.test('a URL of another scheme is refused in one line', async (t) => {
  const message = (url: string) => {
    try {
      return databasePath(url)
    } catch (error) {
      return error instanceof StartupError ? error.message : error
    }
  }
  t.equal(
    message('postgres://localhost/x'),
    'DATABASE_URL must be a file: URL, a path or :memory:, not postgres:',
  )
  t.equal(message('mysql:x'), 'DATABASE_URL must be a file: URL, a path or :memory:, not mysql:')
  t.equal(message('file://elsewhere/board.db'), 'DATABASE_URL is not a local file: file://elsewhere/board.db')
  const parameters = 'DATABASE_URL must not contain a question mark: it takes no parameters'
  for (const url of [
    'file:x.db?mode=ro',
    'file:///x.db?cache=shared',
    '/x?.db',
    'file:///x%3fy.db',
    ':memory:?',
  ]) {
    t.equal(message(url), parameters, url)
  }
  const fragment = 'DATABASE_URL must not contain a # in a file: URL: a path without file: may'
  for (const url of ['file:x.db#1', 'file:///x.db#1']) t.equal(message(url), fragment, url)
  for (const url of ['file:x.db ', '/x.db\t', ' /x.db', 'file:///x.db%20']) {
    t.equal(message(url), 'DATABASE_URL must not begin or end with a blank', url)
  }
  for (const url of ['"file:x.db"', "'/x.db'"]) {
    t.equal(message(url), 'DATABASE_URL must not begin with a quote', url)
  }
  t.equal(message('file:'), 'DATABASE_URL names no file')
  t.equal(message(''), 'DATABASE_URL names no file')
})

t.test('every form of URL opens its file, and creates missing folders', async (t) => {
  const folder = t.testdir()
  const absolute = join(folder, 'a', 'b', 'board.db')
  openDatabase(`file:${absolute}`).close()
  t.ok(existsSync(absolute))
  const inUrl = join(folder, 'in a url', 'board.db')
  openDatabase(pathToFileURL(inUrl).href).close()
  t.ok(existsSync(inUrl))
  const fromHere = join(folder, 'relative', 'board.db')
  openDatabase(`file:${relative('.', fromHere)}`).close()
  t.ok(existsSync(fromHere))
})

t.test('a closed database is one file, which can be opened again', async (t) => {
  const folder = t.testdir()
  const url = `file:${join(folder, 'board.db')}`
  const first = openDatabase(url)
  first.db.insert(teams).values({ id: 'a', name: 'Ops' }).run()
  first.close()
  t.strictSame(Object.keys(contents(folder)), ['board.db'])
  const again = openTestDatabase(t, url)
  t.match(again.select().from(teams).all(), [{ id: 'a', name: 'Ops' }])
  t.equal(again.$client.prepare(`select count(*) from ${JOURNAL}`).pluck().get(), migrationCount())
})

/** The number of shipped migrations. */
function migrationCount(): number {
  return JSON.parse(readFileSync('drizzle/meta/_journal.json', 'utf8')).entries.length
}

t.test('only the owner can read a new database and its log', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'board.db')
  openTestDatabase(t, `file:${path}`)
  for (const suffix of ['', '-wal', '-shm']) t.equal(statSync(path + suffix).mode & 0o777, 0o600, suffix)
})

t.test('an empty file becomes a database', async (t) => {
  const folder = t.testdir({ 'board.db': '' })
  t.equal(
    openTestDatabase(t, `file:${join(folder, 'board.db')}`)
      .$client.prepare('select count(*) from projects')
      .pluck()
      .get(),
    0,
  )
})

t.test('a file that cannot be opened is refused in one clear line', async (t) => {
  const folder = t.testdir({ 'notes.txt': 'These are notes and nothing but notes. '.repeat(50), short: 'hi' })
  const cannot = (path: string, why: string) => `cannot open the database ${path}: ${why}`
  t.equal(refusal(`file:${folder}`), cannot(folder, 'it is a directory'))
  for (const name of ['notes.txt', 'short']) {
    const path = join(folder, name)
    t.equal(refusal(`file:${path}`), cannot(path, 'it is not a database'))
  }
  const below = join(folder, 'notes.txt', 'board.db')
  t.match(refusal(`file:${below}`), cannot(below, 'E'))
  t.match(refusal('file:/sys/phaseboard.db'), cannot('/sys/phaseboard.db', ''))
  // With Node's own recursive mkdir it never ended.
  if (existsSync('/proc'))
    t.match(refusal('file:/proc/none/a/board.db'), cannot('/proc/none/a/board.db', 'E'))
  t.equal(refusal('file:/dev/null'), cannot('/dev/null', 'it is not a regular file'))
  t.strictSame(readdirSync(folder).sort(), ['notes.txt', 'short'], 'nothing was left behind')
})

t.test('a failed start deletes what it created, and nothing else', async (t) => {
  const folder = t.testdir({ kept: {} })
  const path = join(folder, 'a', 'b', 'board.db')
  const password = join(folder, 'kept', 'password')
  writeFileSync(password, 'secret')
  const alone = openDatabase(path)
  alone.db.insert(teams).values({ id: 'a', name: 'Ops' }).run()
  alone.discard(password)
  alone.close()
  t.strictSame(readdirSync(folder, { recursive: true }), ['kept'])

  writeFileSync(password, 'secret')
  const first = openDatabase(path)
  const second = openDatabase(path)
  first.discard(password)
  second.db.insert(teams).values({ id: 'b', name: 'Ops' }).run()
  second.close()
  t.match(openTestDatabase(t, path).select().from(teams).all(), [{ id: 'b' }], 'somebody else had it open')
  second.discard(password)
  t.ok(existsSync(path), 'whoever found it there does not take it away')

  const used = openDatabase(join(folder, 'used.db'))
  const user = openDatabase(join(folder, 'used.db'))
  user.db.insert(teams).values({ id: 'c', name: 'Ops' }).run()
  user.close()
  used.close()
  used.discard(password)
  t.match(
    openTestDatabase(t, join(folder, 'used.db')).select().from(teams).all(),
    [{ id: 'c' }],
    'somebody has used it',
  )
  t.ok(existsSync(password))
})

t.test('a new file stays if it cannot be deleted', async (t) => {
  const folder = t.testdir()
  const shared = openDatabase(join(folder, 'shared', 'board.db'))
  writeFileSync(join(folder, 'shared', 'notes.txt'), '')
  shared.discard()
  t.strictSame(readdirSync(join(folder, 'shared')), ['notes.txt'], 'a folder with files of others stays')

  const gone = openDatabase(join(folder, 'gone.db'))
  rmSync(join(folder, 'gone.db'))
  gone.discard()
  t.equal(gone.db.$client.open, false)

  const unsure = openDatabase(join(folder, 'unsure.db'))
  watch(t, unsure.db.$client).before = (source) => {
    if (source === 'pragma data_version') throw new SQLite.SqliteError('no', 'SQLITE_IOERR')
  }
  unsure.discard()
  t.ok(existsSync(join(folder, 'unsure.db')), 'nobody knows who has written to it')
})

t.test('files that cannot be checked count as lost', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { files, close } = openDatabase(path)
  t.teardown(close)
  t.equal(files.lost(), undefined)
  t.equal(files.hasRoom(), true)
  renameSync(path, `${path}.aside`)
  symlinkSync(path, path)
  t.match(files.lost(), {
    message: `the database ${path} was replaced or removed while it was open: restart the service`,
  })
  rmSync(path)
  renameSync(`${path}.aside`, path)
  t.equal(files.lost(), undefined)
})

t.test('a service does not start on a file that it may not write', async (t) => {
  const { accessSync } = fs
  t.teardown(() => {
    fs.accessSync = accessSync
    syncBuiltinESMExports()
  })
  const path = join(t.testdir(), 'board.db')
  openDatabase(path).close()
  // Root may write any file.
  fs.accessSync = (file) => {
    throw Object.assign(new Error(`permission denied, access '${file}'`), { code: 'EACCES' })
  }
  syncBuiltinESMExports()
  await t.rejects(build(t, { databaseUrl: path }), {
    name: 'StartupError',
    message: `cannot write to the database ${path}: permission denied, access '${path}'`,
  })
})

t.test('without hard links, a new file is migrated as the first one of a process is', async (t) => {
  const { linkSync } = fs
  t.teardown(() => {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  })
  const folder = t.testdir()
  for (const name of ['one.db', 'two.db', 'three.db']) openDatabase(join(folder, name)).close()
  let attempts = 0
  fs.linkSync = () => {
    attempts++
    throw Object.assign(new Error('operation not permitted'), { code: 'EPERM' })
  }
  syncBuiltinESMExports()
  const { db, discard } = openDatabase(join(folder, 'four.db'))
  t.equal(attempts, 1)
  t.strictSame(db.select().from(teams).all(), [])
  t.notOk(readdirSync(folder).some((name) => name.endsWith('-new')))
  discard()
  t.notOk(existsSync(join(folder, 'four.db')))
})

t.test('a log that grew during a long read is truncated again', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { $client: client } = openTestDatabase(t, path)
  const reader = new SQLite(path)
  t.teardown(() => reader.close())
  const fill = client.prepare(
    "insert or replace into teams (id, name) values ('a', hex(randomblob(5000000)))",
  )
  const size = () => statSync(`${path}-wal`).size
  const BOUND = 67_108_864

  reader.exec('begin')
  reader.prepare('select count(*) from teams').get()
  while (size() < 1.5 * BOUND) fill.run()
  reader.exec('commit')
  const write = client.prepare("insert or replace into teams (id, name) values ('b', 'Ops')")
  for (let writes = 1; writes <= 2; writes++) write.run()
  t.ok(size() <= BOUND, `${size()} bytes`)
})

t.test('a file of another application is refused and left unchanged', async (t) => {
  const folder = t.testdir()
  const journal = `create table ${JOURNAL} (id integer primary key, hash text, created_at numeric);`
  const foreign: Record<string, string> = {
    'table.db': 'create table things (id text); insert into things values (1)',
    'view.db': 'create view things as select 1',
    'wal.db': 'pragma journal_mode = wal; create table things (id text)',
    // Other applications use Drizzle as well.
    'older-journal.db': `${journal} insert into ${JOURNAL} values (1, 'x', 1); create table things (id text)`,
    'later-journal.db': `${journal} insert into ${JOURNAL} values (1, 'x', 9e15); create table things (id text)`,
    'empty-journal.db': `${journal} create table projects (id text)`,
  }
  for (const [name, sql] of Object.entries(foreign)) writeFile(join(folder, name), sql)
  const before = contents(folder)
  for (const name of Object.keys(foreign)) {
    const path = join(folder, name)
    t.equal(
      refusal(`file:${path}`),
      `the database ${path} belongs to another application: it has no Phaseboard tables`,
    )
  }
  t.strictSame(contents(folder), before)
})

t.test('a file of a newer version is refused and left unchanged', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'board.db')
  openDatabase(`file:${path}`).close()
  writeFile(
    path,
    `insert into ${JOURNAL} (hash, created_at) values ('later', 9e15); create table later (id text)`,
  )
  const before = contents(folder)
  const message = `the database ${path} was written by a newer version of Phaseboard: start that version, or restore a backup`
  t.equal(refusal(`file:${path}`), message)
  t.strictSame(contents(folder), before)
})

t.test('a file of a newer version that was killed keeps its log, too', async (t) => {
  const folder = t.testdir({ running: {}, killed: {} })
  const running = join(folder, 'running', 'board.db')
  const killed = join(folder, 'killed', 'board.db')
  const { $client: client } = openTestDatabase(t, `file:${running}`)
  client.exec(`insert into ${JOURNAL} (hash, created_at) values ('later', 9e15)`)
  for (const suffix of ['', '-wal']) copyFileSync(running + suffix, killed + suffix)
  const before = contents(join(folder, 'killed'))
  t.match(refusal(`file:${killed}`), 'was written by a newer version')
  const { 'board.db-shm': _index, ...after } = contents(join(folder, 'killed'))
  t.strictSame(after, before)
})

t.test('committed writes survive a crash', async (t) => {
  const folder = t.testdir({ running: {}, killed: {} })
  const running = join(folder, 'running', 'board.db')
  const killed = join(folder, 'killed', 'board.db')
  openTestDatabase(t, `file:${running}`).insert(teams).values({ id: 'a', name: 'Ops' }).run()
  for (const suffix of ['', '-wal']) copyFileSync(running + suffix, killed + suffix)
  t.match(openTestDatabase(t, `file:${killed}`).select().from(teams).all(), [{ id: 'a' }])
})

t.test('a switch to WAL that a power cut interrupted is rolled back', async (t) => {
  const folder = t.testdir({ running: {}, cut: {} })
  /** A file within a transaction whose changes are partly on disk. */
  function cut(name: string, sql: string): string {
    const running = join(folder, 'running', name)
    const left = join(folder, 'cut', name)
    const client = new SQLite(running)
    client.exec(sql)
    client.pragma('cache_size = 2')
    client.exec('begin; create table halves (text)')
    for (let row = 0; row < 100; row += 1) client.exec('insert into halves values (zeroblob(4000))')
    for (const suffix of ['', '-journal']) copyFileSync(running + suffix, left + suffix)
    client.close()
    return left
  }
  const { db, close } = openDatabase(`file:${cut('new.db', '')}`)
  t.strictSame(db.select().from(teams).all(), [], 'a new file is made anew')
  t.notOk(db.$client.prepare(`select 1 from sqlite_schema where name = 'halves'`).get())
  close()

  const foreign = cut('foreign.db', 'create table things (id text)')
  t.match(refusal(`file:${foreign}`), 'belongs to another application')
  const client = new SQLite(foreign)
  t.strictSame(client.prepare('select name from sqlite_schema').pluck().all(), ['things'])
  client.close()
})

t.test('several processes can create the same new file at once', async (t) => {
  const script = `
    import { createInterface } from 'node:readline'
    import { openDatabase } from ${JSON.stringify(pathToFileURL(resolve('src/db/client.ts')).href)}
    console.log('ready')
    for await (const line of createInterface({ input: process.stdin })) {
      const [at, url] = line.split(' ')
      while (Date.now() < at);
      try {
        openDatabase(url).close()
        console.log('opened')
      } catch (error) {
        console.log(error.message)
      }
    }`
  const processes = Array.from({ length: 4 }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    t.teardown(() => child.kill())
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
  })
  const said = () => Promise.all(processes.map(async ({ lines }) => (await lines.next()).value))
  t.strictSame(await said(), ['ready', 'ready', 'ready', 'ready'])

  const folder = t.testdir()
  for (let round = 1; round <= 30; round++) {
    const url = `file:${join(folder, `${round}.db`)}`
    const soon = Date.now() + 10
    for (const { child } of processes) child.stdin.write(`${soon} ${url}\n`)
    t.strictSame(await said(), ['opened', 'opened', 'opened', 'opened'])
    t.equal(
      openTestDatabase(t, url).$client.prepare(`select count(*) from ${JOURNAL}`).pluck().get(),
      migrationCount(),
      'each migration was applied once',
    )
  }
})

t.test('a start waits for another process to change the journal mode, for a limited time', async (t) => {
  const busy = () => new SQLite.SqliteError('database is locked', 'SQLITE_BUSY')
  const { pragma } = SQLite.prototype
  t.teardown(() => {
    SQLite.prototype.pragma = pragma
  })
  let refusals = 3
  SQLite.prototype.pragma = function (source, options) {
    if (source === 'journal_mode = WAL' && refusals-- > 0) throw busy()
    return pragma.call(this, source, options)
  }
  const folder = t.testdir()
  t.equal(refusal(`file:${join(folder, 'a.db')}`), 'nothing')
  t.ok(refusals < 0, 'it was refused before')

  refusals = Number.POSITIVE_INFINITY
  const path = join(folder, 'b.db')
  const now = Date.now
  t.teardown(() => {
    Date.now = now
  })
  let asked = 0
  Date.now = () => now() + 3000 * asked++
  t.equal(refusal(`file:${path}`), `cannot open the database ${path}: database is locked`)
})

t.test('a write transaction takes the lock at once and rolls back as a whole', async (t) => {
  const url = `file:${join(t.testdir(), 'board.db')}`
  const db = openTestDatabase(t, url)
  const other = openTestDatabase(t, url)
  other.$client.pragma('busy_timeout = 0')
  writeTo(db, () => {
    t.throws(() => writeTo(other, () => undefined), { code: 'SQLITE_BUSY' })
  })
  t.throws(
    () =>
      writeTo(db, () => {
        db.insert(teams).values({ id: 'a', name: 'Ops' }).run()
        throw new Error('no')
      }),
    { message: 'no' },
  )
  t.strictSame(db.select().from(teams).all(), [])
})

t.test('a read transaction sees one state of the file, despite other writers', async (t) => {
  const url = `file:${join(t.testdir(), 'board.db')}`
  const db = openTestDatabase(t, url)
  const other = openTestDatabase(t, url)
  read(db, () => {
    t.equal(db.select().from(teams).all().length, 0)
    other.insert(teams).values({ id: 'a', name: 'Ops' }).run()
    t.equal(db.select().from(teams).all().length, 0)
  })
  t.equal(db.select().from(teams).all().length, 1)
})

t.test('a folder with the name of a file beside the database is no problem', async (t) => {
  const folder = t.testdir()
  mkdirSync(join(folder, 'data'))
  writeFileSync(join(folder, 'data', 'other.txt'), '')
  t.equal(refusal(`file:${join(folder, 'data', 'board.db')}`), 'nothing')
})

t.test('a symbolic link to a missing file creates the database there', async (t) => {
  const folder = t.testdir({ link: t.fixture('symlink', 'there.db') })
  const db = openTestDatabase(t, `file:${join(folder, 'link')}`)
  t.equal(db.$client.prepare('select count(*) from projects').pluck().get(), 0)
  t.ok(existsSync(join(folder, 'there.db')))
})
