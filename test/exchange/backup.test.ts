/** Backup and restore, by command and beside a running service. */
import { once } from 'node:events'
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { backUp, restore } from '../../src/exchange/copies/backup.ts'
import { holdsSequence, rowsOf } from '../changes/replay.ts'
import { databaseFor, end, run, start as startCommand } from '../command-line.ts'
import { openTestDatabase } from '../database.ts'
import { type Service, start } from '../process.ts'

const quiet = { onProgress: () => {} }

/** A closed database with teams of these ids. */
function fill(path: string, ...ids: string[]): void {
  const { db, close } = openDatabase(path)
  for (const id of ids) db.$client.prepare("insert into teams (id, name) values (?, 'Ops')").run(id)
  close()
}

/** The ids of the teams in a file, opened read-only. */
function teamsIn(path: string): unknown[] {
  const client = new SQLite(path, { readonly: true })
  try {
    return client.prepare('select id from teams order by id').pluck().all()
  } finally {
    client.close()
  }
}

/** A folder with a database, and the command line for it. */
function setUp(t: Test, ...ids: string[]) {
  const { file, DATABASE_URL } = databaseFor(t)
  const folder = t.testdirName
  fill(file, ...ids)
  return {
    file,
    folder,
    DATABASE_URL,
    copy: join(folder, 'copy.db'),
    command: (...args: string[]) => run(t, args, { DATABASE_URL }),
    // The lock of the notifications is left behind by a kill.
    names: () =>
      readdirSync(folder)
        .filter((name) => !name.endsWith('-lock'))
        .sort(),
  }
}

const create = async ({ url }: Service, name: string) => {
  const response = await fetch(`${url}/api/projects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  const { id } = (await response.json()) as { id: string }
  return { status: response.status, id }
}

t.test('a backup is one valid file that only its owner can read, and reports what it is', async (t) => {
  const { file, copy, command, names } = setUp(t, 'a', 'b')
  const { code, stdout, stderr } = await command('backup', copy)
  t.equal(stderr, '')
  t.equal(code, 0)
  const { size, mode } = statSync(copy)
  t.match(stdout, /^backing up \d+ pages\nbacked up \/.*\n$/)
  t.ok(stdout.endsWith(`\nbacked up ${file} to ${copy} (${size} bytes)\n`), stdout)
  t.equal(mode & 0o777, 0o600)
  t.strictSame(names(), ['board.db', 'copy.db'])
  chmodSync(copy, 0o400)
  t.strictSame(teamsIn(copy), ['a', 'b'])
  t.strictSame(names(), ['board.db', 'copy.db'], 'it needs no log to be read')
})

t.test('a backup during the writes of 24 clients is one state', async (t) => {
  const { file, copy, command, DATABASE_URL } = setUp(t)
  const tool = new SQLite(file)
  tool.exec("insert into teams (id, name) values ('big', hex(randomblob(20000000)))")
  tool.close()
  const service = await start(t, { DATABASE_URL, ADMIN_PASSWORD: 'correct horse' })
  const acknowledged: string[] = []
  let isOver = false
  const writing = Array.from({ length: 24 }, async () => {
    while (!isOver) {
      const { status, id } = await create(service, 'Apollo')
      t.equal(status, 201)
      acknowledged.push(id)
    }
  })
  while (acknowledged.length < 20) await new Promise(setImmediate)
  const before = [...acknowledged]
  t.match(await command('backup', copy), { code: 0, stderr: '' })
  const during = acknowledged.length - before.length
  isOver = true
  await Promise.all(writing)
  t.ok(during > 0, `${during} writes were acknowledged meanwhile`)

  const client = new SQLite(copy, { readonly: true })
  t.teardown(() => client.close())
  t.equal(client.pragma('integrity_check', { simple: true }), 'ok')
  t.strictSame(client.pragma('foreign_key_check'), [])
  const stored = client.prepare<[], string>('select id from projects order by id').pluck().all()
  const copied = new Set(stored)
  t.ok(
    before.every((id) => copied.has(id)),
    'what was acknowledged before is in it',
  )
  const incomplete =
    'select count(*) from projects where (select count(*) from kanban_columns where project_id = projects.id) < 4'
  t.equal(client.prepare(incomplete).pluck().get(), 0)
  const backedUp = holdsSequence(client)
  t.ok(backedUp.length > before.length)
  const all = new SQLite(file, { readonly: true })
  t.teardown(() => all.close())
  t.strictSame(backedUp, rowsOf(all).slice(0, backedUp.length), 'a prefix of the sequence')
})

t.test('a commit during a backup is not in it, and does not restart it', async (t) => {
  const { file, copy } = setUp(t, 'a')
  const tool = new SQLite(file)
  t.teardown(() => tool.close())
  tool.exec("insert into teams (id, name) values ('big', hex(randomblob(10000000)))")
  const steps: number[] = []
  await backUp(file, copy, {
    onProgress: (done) => {
      steps.push(done)
      if (steps.length <= 20)
        tool.exec(`insert into teams (id, name) values ('later-${steps.length}', 'Ops')`)
    },
  })
  t.ok(steps.length > 2 && steps.length < 20, `${steps.length} steps`)
  t.strictSame(
    steps,
    steps.toSorted((one, other) => one - other),
  )
  t.strictSame(teamsIn(copy), ['a', 'big'])
})

t.test('a backup overwrites a file only when asked, and never the database', async (t) => {
  const { file, folder, copy, command, names } = setUp(t, 'a')
  writeFileSync(copy, 'precious')
  const there = `phaseboard: ${copy} already exists: use --force to replace it\n`
  t.strictSame(await command('backup', copy), { code: 1, stdout: '', stderr: there })
  t.equal(readFileSync(copy, 'utf8'), 'precious')
  t.match(await command('backup', copy, '--force'), { code: 0, stderr: '' })
  t.strictSame(teamsIn(copy), ['a'])

  symlinkSync(file, join(folder, 'link.db'))
  linkSync(file, join(folder, 'hard.db'))
  for (const name of ['board.db', 'link.db', 'hard.db']) {
    const itself = `${join(folder, name)} is the database itself`
    await t.rejects(backUp(file, join(folder, name), { ...quiet, force: true }), { message: itself })
  }
  const elsewhere = join(folder, 'none', 'copy.db')
  await t.rejects(backUp(file, elsewhere, quiet), { message: `there is no folder ${join(folder, 'none')}` })
  mkdirSync(join(folder, 'folder'))
  for (const [name, reason] of [
    [join(folder, 'folder'), 'it is a directory'],
    // As root, a rename would replace the device.
    ['/dev/null', 'it is not a regular file'],
  ] as const) {
    const message = `cannot back up to ${name}: ${reason}`
    for (const force of [true, undefined])
      await t.rejects(backUp(file, name, { ...quiet, force }), { message })
  }

  const other = openDatabase(join(folder, 'other.db'))
  const inUse = `${join(folder, 'other.db-wal')} exists: a database of that name is or was in use`
  await t.rejects(backUp(file, join(folder, 'other.db'), { ...quiet, force: true }), { message: inUse })
  other.close()
  t.strictSame(names(), ['board.db', 'copy.db', 'folder', 'hard.db', 'link.db', 'other.db'])
})

/** Damages an index in such a way that the file still opens. */
function damage(path: string): void {
  const client = new SQLite(path)
  client.unsafeMode()
  client.pragma('writable_schema = on')
  client.exec(
    "update sqlite_schema set rootpage = (select rootpage from sqlite_schema where name = 'teams') where name = 'members'",
  )
  client.close()
}

t.test('a damaged database is neither backed up nor restored', async (t) => {
  const folder = t.testdir({
    'notes.txt': 'These are notes and nothing but notes. '.repeat(50),
    empty: '',
    folder: {},
  })
  const path = (name: string) => join(folder, name)
  fill(path('board.db'), 'a')
  fill(path('newer.db'))
  const newer = new SQLite(path('newer.db'))
  newer.exec("insert into __drizzle_migrations (hash, created_at) values ('later', 9e15)")
  newer.close()
  const foreign = new SQLite(path('foreign.db'))
  foreign.exec('create table things (id text)')
  foreign.close()
  fill(path('damaged.db'))
  damage(path('damaged.db'))
  copyFileSync(path('board.db'), path('short.db'))
  truncateSync(path('short.db'), statSync(path('board.db')).size / 2)
  const files = readdirSync(folder).sort()

  const refusals: [string, RegExp][] = [
    ['notes.txt', /: it is not a database$/],
    ['empty', /(?:^the database \S+|: it) is empty$/],
    ['foreign.db', /(?:^the database \S+|: it) belongs to another application/],
    ['newer.db', /(?:^the database \S+|: it) was written by a newer version/],
    ['damaged.db', /: it is damaged: .|: database disk image is malformed$/],
    ['short.db', /: it is damaged: .|: database disk image is malformed$/],
  ]
  for (const [name, message] of refusals) {
    await t.rejects(backUp(path(name), path('copy.db'), quiet), { message }, `backup of ${name}`)
    await t.rejects(restore(path('board.db'), path(name), quiet), { message }, `restore of ${name}`)
    t.strictSame(readdirSync(folder).sort(), files, name)
  }
  await t.rejects(restore(path('board.db'), path('empty'), quiet), {
    name: 'Error',
    message: `cannot restore ${path('empty')}: cannot read the backup ${path('empty')}: it is empty`,
  })
  await t.rejects(backUp(path('folder'), path('copy.db'), quiet), {
    message: `cannot back up to ${path('copy.db')}: cannot read the database ${path('folder')}: unable to open database file`,
  })
  for (const [file, reason] of [
    [path('none.db'), 'there is no such file'],
    [path('folder'), 'it is a directory'],
    ['/dev/null', 'it is not a regular file'],
  ] as const) {
    const message = `cannot read ${file}: ${reason}`
    await t.rejects(restore(path('board.db'), file, quiet), { message })
  }
  await t.rejects(restore(path('board.db'), path('board.db'), quiet), { message: / is the database itself$/ })
  t.strictSame(readdirSync(folder).sort(), files)
  t.strictSame(teamsIn(path('board.db')), ['a'])
})

t.test('orphans are reported, and copied', async (t) => {
  const { file, copy, command } = setUp(t)
  const tool = new SQLite(file)
  tool.pragma('foreign_keys = off')
  tool.exec("insert into kanban_items (id, project_id, title) values ('i', 'none', 'Card')")
  tool.close()
  const stderr = 'phaseboard: warning: 1 records refer to records that do not exist\n'
  t.match(await command('backup', copy), { code: 0, stderr })
  t.match(await command('restore', copy), { code: 0, stderr })
})

t.test('an interrupted backup leaves nothing behind', async (t) => {
  const { file, folder, copy, DATABASE_URL } = setUp(t)
  const tool = new SQLite(file)
  tool.exec("insert into teams (id, name) values ('big', hex(randomblob(100000000)))")
  tool.close()
  const child = startCommand(t, ['backup', copy], { DATABASE_URL })
  const ended = end(child)
  await once(child.stdout, 'data')
  child.kill('SIGINT')
  t.match(await ended, { code: 1, stderr: `phaseboard: cannot back up to ${copy}: interrupted\n` })
  t.strictSame(readdirSync(folder), ['board.db'])
})

t.test('a killed backup leaves no partial file in place', async (t) => {
  const { file, copy, DATABASE_URL, names } = setUp(t)
  const tool = new SQLite(file)
  tool.exec("insert into teams (id, name) values ('big', hex(randomblob(50000000)))")
  tool.close()
  for (const options of [[], ['--force']]) {
    if (options.length > 0) writeFileSync(copy, 'the backup before')
    const child = startCommand(t, ['backup', copy, ...options], { DATABASE_URL })
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'close')
    if (options.length > 0) t.equal(readFileSync(copy, 'utf8'), 'the backup before')
    else t.notOk(existsSync(copy))
    t.ok(
      names().some((name) => name.startsWith('copy.db.')),
      'it was in the midst of it',
    )
    for (const name of names().filter((one) => one.startsWith('copy.db.'))) rmSync(join(t.testdirName, name))
  }
})

t.test('a backup is restored, and the previous database is kept', async (t) => {
  const { file, folder, copy, command, names } = setUp(t, 'a')
  await command('backup', copy)
  fill(file, 'b')
  chmodSync(file, 0o640)
  const { code, stdout, stderr } = await command('restore', copy)
  t.equal(stderr, '')
  t.equal(code, 0)
  const [, kept = ''] = /^the previous database is now (.*)$/m.exec(stdout) ?? []
  t.match(kept, /board\.db\.before-restore-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/)
  t.ok(stdout.includes(`restored ${file} from ${copy} (`), stdout)
  t.equal(statSync(file).mode & 0o777, 0o640, 'whoever could read it still can')
  t.strictSame(names(), ['board.db', kept.slice(folder.length + 1), 'copy.db'])
  t.strictSame([teamsIn(file), teamsIn(kept), teamsIn(copy)], [['a'], ['a', 'b'], ['a']])
})

t.test('numbers of changes after the backup are not used again', async (t) => {
  const { file, folder, copy } = setUp(t, 'a')
  await backUp(file, copy, quiet)
  const changes = (path: string) => {
    const client = new SQLite(path, { readonly: true })
    const rows = client
      .prepare<[], { seq: number; kind: string; after: string }>(
        'select seq, kind, after from changes order by seq',
      )
      .all()
    client.close()
    return rows
  }
  const backedUp = changes(copy)
  const end = backedUp.at(-1)?.seq
  fill(file, 'b', 'c')
  const places = new Set<number | undefined>()
  for (const path of [file, file, join(folder, 'elsewhere.db')]) {
    const known = path === file ? changes(file).at(-1)?.seq : undefined
    const { jumpedTo } = await restore(path, copy, quiet)
    const rows = changes(path)
    t.strictSame(rows.slice(0, -1), backedUp)
    t.match(rows.at(-1), { seq: jumpedTo, kind: 'leap' })
    t.match(JSON.parse(rows.at(-1)?.after ?? ''), { last: end })
    t.ok((jumpedTo ?? 0) > (known ?? 0), 'also beyond the database that is replaced')
    places.add(jumpedTo)
    fill(path, 'd')
    t.equal(changes(path).at(-1)?.seq, (jumpedTo ?? 0) + 1)
  }
  t.equal(places.size, 3, 'no two restores of a backup go on alike')
})

t.test('a restored database can be served, and nobody opens it during the restore', async (t) => {
  const { DATABASE_URL, copy, command } = setUp(t)
  const environment = { DATABASE_URL, ADMIN_PASSWORD: 'correct horse' }
  const first = await start(t, environment)
  const { id } = await create(first, 'Apollo')
  t.match(await command('backup', copy), { code: 0 })
  const { id: later } = await create(first, 'Gemini')

  const refused = await command('restore', copy)
  t.match(refused, { code: 1, stdout: '' })
  t.match(
    refused.stderr,
    /^phaseboard: the database \S+ is in use: first stop the service and all .* that have it open\n$/,
  )
  t.equal((await fetch(`${first.url}/readyz`)).status, 200)
  t.equal((await create(first, 'Mercury')).status, 201)

  first.kill('SIGTERM')
  await first.exited
  t.match(await command('restore', copy), { code: 0, stderr: '' })
  const second = await start(t, environment)
  t.equal((await fetch(`${second.url}/api/projects/${id}`)).status, 200)
  t.equal((await fetch(`${second.url}/api/projects/${later}`)).status, 404)
  t.equal((await create(second, 'Vostok')).status, 201)
})

t.test('a killed service does not prevent a restore, and its log is kept', async (t) => {
  const { file, folder, DATABASE_URL, copy, command, names } = setUp(t)
  await command('backup', copy)
  const service = await start(t, { DATABASE_URL, ADMIN_PASSWORD: 'correct horse' })
  const { id } = await create(service, 'Apollo')
  service.kill('SIGKILL')
  await service.exited
  t.ok(statSync(`${file}-wal`).size > 0)
  t.match(await command('restore', copy), { code: 0, stderr: '' })
  const [, kept = ''] = names()
  t.strictSame(names(), ['board.db', kept, 'copy.db'])
  const client = new SQLite(join(folder, kept), { readonly: true })
  t.strictSame(client.prepare('select id from projects').pluck().all(), [id])
  client.close()
  const restored = new SQLite(file, { readonly: true })
  t.strictSame(restored.prepare('select id from projects').pluck().all(), [])
  restored.close()
})

t.test('an unreadable database is replaced, too', async (t) => {
  const { file, folder, copy, command, names } = setUp(t, 'a')
  await command('backup', copy)
  writeFileSync(file, 'no database any more '.repeat(1000))
  t.match(await command('restore', copy), { code: 0, stderr: '' })
  t.strictSame(teamsIn(file), ['a'])
  const [, kept = ''] = names()
  t.strictSame(names(), ['board.db', kept, 'copy.db'])
  t.match(readFileSync(join(folder, kept), 'utf8'), /^no database any more/)
})

t.test('a restore without an existing database needs an option', async (t) => {
  const { copy, command, folder } = setUp(t, 'a')
  await command('backup', copy)
  const file = join(folder, 'new', 'deep', 'board.db')
  const DATABASE_URL = `file:${file}`
  t.match(await run(t, ['restore', copy], { DATABASE_URL }), { code: 2, stdout: '' })
  t.notOk(existsSync(join(folder, 'new')))
  const notes = join(folder, 'notes.txt')
  writeFileSync(notes, 'notes')
  const foreign = join(folder, 'foreign.db')
  new SQLite(foreign).exec('create table things (id text)').close()
  for (const file of [notes, foreign]) {
    t.match(await run(t, ['restore', file, '--create'], { DATABASE_URL }), { code: 1, stdout: '' }, file)
    t.notOk(existsSync(join(folder, 'new')))
  }
  const { code, stdout } = await run(t, ['restore', copy, '--create'], { DATABASE_URL })
  t.equal(code, 0)
  t.notMatch(stdout, /that was there/)
  t.strictSame(teamsIn(file), ['a'])
  t.equal(statSync(file).mode & 0o777, 0o600)
  t.strictSame(readdirSync(join(folder, 'new', 'deep')), ['board.db'])
})

t.test('the log of a missing database is not used with the restored one', async (t) => {
  const { file, copy, command, names } = setUp(t, 'a')
  await command('backup', copy)
  const { db, close } = openDatabase(file)
  db.$client.exec("insert into teams (id, name) values ('b', 'Ops')")
  for (const suffix of ['-wal', '-shm']) copyFileSync(file + suffix, copy + suffix)
  close()
  rmSync(file)
  for (const suffix of ['-wal', '-shm']) renameSync(copy + suffix, file + suffix)
  await restore(file, copy, quiet)
  t.strictSame(names().length, 3)
  t.match(names()[1], /^board\.db\.before-restore-.*-wal$/)
  t.strictSame(teamsIn(file), ['a'])
})

/** Makes better-sqlite3 fail at a statement or pragma until the test ends. */
function breakAt(t: Test, statement: string): void {
  for (const name of ['exec', 'pragma'] as const) {
    const original = SQLite.prototype[name] as (
      this: SQLite.Database,
      source: string,
      options?: object,
    ) => never
    t.teardown(() => Object.assign(SQLite.prototype, { [name]: original }))
    Object.assign(SQLite.prototype, {
      [name](this: SQLite.Database, source: string, options?: object) {
        if (source === statement) throw new SQLite.SqliteError('disk I/O error', 'SQLITE_IOERR')
        return original.call(this, source, options)
      },
    })
  }
}

t.test('nothing is replaced if it is unknown whether the database is open', async (t) => {
  const { file, copy, names } = setUp(t, 'a')
  await backUp(file, copy, quiet)
  const { close } = openDatabase(file)
  await t.rejects(restore(file, copy, quiet), { message: /is in use: first stop the service/ })
  close()
  breakAt(t, 'begin exclusive; commit')
  const message = `cannot open the database ${file}: disk I/O error`
  await t.rejects(restore(file, copy, quiet), { message })
  t.strictSame(names(), ['board.db', 'copy.db'])
})

t.test('a log that cannot be checkpointed is kept beside its database', async (t) => {
  const { file, folder, copy, names } = setUp(t, 'a')
  await backUp(file, copy, quiet)
  const { db, close } = openDatabase(file)
  db.$client.exec("insert into teams (id, name) values ('b', 'Ops')")
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, join(folder, `killed.db${suffix}`))
  close()
  breakAt(t, 'wal_checkpoint(truncate)')
  await restore(join(folder, 'killed.db'), copy, quiet)
  const [kept = '', log = ''] = names().filter((name) => name.startsWith('killed.db.'))
  t.equal(log, `${kept}-wal`)
  t.strictSame(teamsIn(join(folder, 'killed.db')), ['a'])
  t.strictSame(teamsIn(join(folder, kept)), ['a', 'b'])
})

t.test('a restore works on a file system without hard links', async (t) => {
  const { file, copy, names } = setUp(t, 'a')
  const original = fs.linkSync
  t.teardown(() => {
    fs.linkSync = original
    syncBuiltinESMExports()
  })
  let code = 'EPERM'
  fs.linkSync = () => {
    throw Object.assign(new Error(code), { code })
  }
  syncBuiltinESMExports()
  await backUp(file, copy, quiet)
  await restore(file, copy, quiet)
  t.equal(names().length, 3)
  t.strictSame([teamsIn(file), teamsIn(copy)], [['a'], ['a']])
  code = 'EIO'
  const message = `cannot back up to ${copy}2: EIO`
  await t.rejects(backUp(file, `${copy}2`, quiet), { message })
  code = 'EEXIST'
  await t.rejects(backUp(file, `${copy}2`, quiet), {
    message: /already exists: use --force to replace it$/,
  })
})

t.test('a database behind a symbolic link is replaced in its folder', async (t) => {
  const { file, folder, copy, command } = setUp(t, 'a')
  await command('backup', copy)
  const link = join(folder, 'link.db')
  symlinkSync(file, link)
  fill(link, 'b')
  await restore(link, copy, quiet)
  t.strictSame(teamsIn(file), ['a'])
  t.strictSame(teamsIn(link), ['a'])
})

t.test('a backup can replace a file of any version', async (t) => {
  const [old, backup] = ['old.db', 'backup.db'].map((name) => join(t.testdir(), name)) as [string, string]
  openDatabase(backup).close()
  const client = new SQLite(old)
  // The position of its last change is unknown.
  client.exec('create table projects (id); create table changes (other)')
  client.close()
  t.match(await restore(old, backup, { onProgress: () => undefined }), { orphans: 0 })
  const db = openTestDatabase(t, old)
  t.equal(db.$client.prepare('select count(*) from projects').pluck().get(), 0)
})
