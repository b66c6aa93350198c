/** The commands that export and import: their output, their errors, and what is left if they are killed. */
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { holdsSequence } from '../changes/replay.ts'
import { databaseFor, end, run, start } from '../command-line.ts'
import { locked, openTestDatabase } from '../database.ts'
import { dumpOf, filesOf, packed, quiet } from './archives.ts'

/** A folder with a database of some teams, and the command line for it. */
function setUp(t: Test, teams = 3, columns = "id, name) select 'team ' || i, 'Crew'") {
  const { file, DATABASE_URL } = databaseFor(t)
  const folder = t.testdirName
  const { db, close } = openDatabase(file)
  db.$client
    .prepare(
      `insert into teams (${columns} from (with recursive n(i) as (select 1 union all select i + 1 from n where i < ?) select i from n)`,
    )
    .run(teams)
  db.$client.exec(
    "insert into members (id, name, email, role) values ('ada', 'Ada', 'ada@example.test', 'admin')",
  )
  close()
  return {
    file,
    folder,
    DATABASE_URL,
    path: (name: string) => join(folder, name),
    command: (...args: string[]) => run(t, args, { DATABASE_URL }),
    other: (name: string, ...args: string[]) => run(t, args, { DATABASE_URL: `file:${join(folder, name)}` }),
    names: () => readdirSync(folder).sort(),
  }
}

t.test('export and import of an archive report what they did', async (t) => {
  const { path, command, other, names } = setUp(t)
  t.strictSame(await command('export', path('archive')), {
    code: 0,
    stdout: `exporting 8 records\nexported 8 records to ${path('archive')}, up to change 4\n`,
    stderr: '',
  })
  t.match(await command('export', path('archive.zip')), { code: 0, stderr: '' })
  t.equal(statSync(path('archive')).mode & 0o777, 0o700, 'for its owner alone')
  for (const name of readdirSync(path('archive')))
    t.equal(statSync(join(path('archive'), name)).mode & 0o777, 0o600)
  t.equal(statSync(path('archive.zip')).mode & 0o777, 0o600)
  t.strictSame(names(), ['archive', 'archive.zip', 'board.db'])

  const summary = [
    'members 1',
    'teams 3',
    'history 4 changes, numbered as they were',
    'members have no password here: set one with phaseboard member reset-password <email>',
  ]
  const linesOf = (...lines: string[]) => `${lines.join('\n')}\n`
  t.strictSame(await other('other.db', 'import', 'phaseboard', path('archive.zip'), '--dry-run'), {
    code: 0,
    stdout: linesOf(
      'checking 8 records',
      `would import ${path('archive.zip')}`,
      ...summary,
      'nothing was written: this was a dry run',
    ),
    stderr: '',
  })
  t.notOk(existsSync(path('other.db')), 'a dry run makes no database')
  t.strictSame(await other('other.db', 'import', 'phaseboard', path('archive.zip')), {
    code: 0,
    stdout: linesOf('importing 8 records', `imported ${path('archive.zip')}`, ...summary),
    stderr: '',
  })
  t.match(await other('other.db', 'export', path('again')), { code: 0 })
  t.strictSame(filesOf(path('again')), filesOf(path('archive')))
  t.match(await other('other.db', 'import', 'phaseboard', path('archive'), '--dry-run'), {
    code: 1,
    stderr: `phaseboard: cannot import ${path('archive')}: 3 of its records already exist here: 3 in teams.jsonl\n`,
  })
  t.match(await other('none.db', 'export', path('none')), { code: 2, stderr: /there is no database/ })
  t.match(await other('none.db', 'import', 'phaseboard', path('none')), {
    code: 1,
    stderr: `phaseboard: cannot import ${path('none')}: there is no such file or folder\n`,
  })
  t.strictSame(names(), ['again', 'archive', 'archive.zip', 'board.db', 'other.db'])
})

t.test('an export overwrites only an archive, and only when asked', async (t) => {
  const { file, path, names } = setUp(t)
  const db = openTestDatabase(t, file)
  const { $client: client } = db
  mkdirSync(path('empty'))
  await exportArchive(client, path('empty'), quiet)
  await exportArchive(client, path('a.zip'), quiet)
  const before = [filesOf(path('empty')), readFileSync(path('a.zip'))]
  db.$client.exec("insert into teams (id, name) values ('more', 'Crew')")
  mkdirSync(path('notes'))
  writeFileSync(join(path('notes'), 'notes.txt'), 'precious')
  mkdirSync(path('b.zip'))
  const message = (name: string, reason: string) => ({ message: `${path(name)} ${reason}` })
  for (const force of [false, true]) {
    await t.rejects(
      exportArchive(client, path('notes'), { ...quiet, force }),
      message('notes', 'holds other files'),
    )
    await t.rejects(
      exportArchive(client, path('b.zip'), { ...quiet, force }),
      message('b.zip', 'is not a file'),
    )
    await t.rejects(
      exportArchive(client, file, { ...quiet, force }),
      message('board.db', 'is a file: name a folder, or a file that ends in .zip'),
    )
    await t.rejects(exportArchive(client, join(path('none'), 'a'), { ...quiet, force }), {
      message: `there is no folder ${path('none')}`,
    })
  }
  await t.rejects(
    exportArchive(client, path('empty'), quiet),
    message('empty', 'is not empty: use --force to replace it'),
  )
  await t.rejects(
    exportArchive(client, path('a.zip'), quiet),
    message('a.zip', 'already exists: use --force to replace it'),
  )
  t.strictSame([filesOf(path('empty')), readFileSync(path('a.zip'))], before)
  const there = names()
  for (const name of ['empty', 'a.zip']) await exportArchive(client, path(name), { ...quiet, force: true })
  t.match(filesOf(path('empty'))['teams.jsonl'], '"more"')
  t.notOk(readFileSync(path('a.zip')).equals(before[1] as Buffer))
  t.strictSame(names(), there)
})

t.test('an export replaces no zip file but an archive, complete or not', async (t) => {
  const { file, path } = setUp(t)
  const { $client: client } = openTestDatabase(t, file)
  await exportArchive(client, path('whole.zip'), quiet)
  const whole = readFileSync(path('whole.zip'))
  const content: [string, Buffer] = [`files/${'0'.repeat(64)}`, Buffer.alloc(0)]
  const manifest: [string, Buffer] = ['manifest.json', Buffer.from('{}')]
  const notes: [string, Buffer] = ['notes.txt', Buffer.from('precious')]
  const replaceable = async (bytes: Buffer, title: string) => {
    const target = path('target.zip')
    writeFileSync(target, bytes)
    const message = `${target} already exists: use --force to replace it`
    await t.rejects(exportArchive(client, target, quiet), { message }, title)
    t.ok(readFileSync(target).equals(bytes))
    await exportArchive(client, target, { ...quiet, force: true })
    t.ok(readFileSync(target).equals(whole), title)
  }
  const kept = async (bytes: Buffer, title: string) => {
    const target = path('target.zip')
    writeFileSync(target, bytes)
    for (const force of [false, true]) {
      const message = `${target} is not an archive: name another file`
      await t.rejects(exportArchive(client, target, { ...quiet, force }), { message }, title)
      t.ok(readFileSync(target).equals(bytes), title)
    }
  }
  const zipped = async (...files: [string, Buffer][]) => {
    await packed(path('packed.zip'), files)
    return readFileSync(path('packed.zip'))
  }
  await replaceable(whole, 'an archive')
  await replaceable(Buffer.alloc(0), 'an empty file')
  await replaceable(whole.subarray(0, whole.length / 2), 'the beginning of an archive')
  await replaceable(
    await zipped(['files/', Buffer.alloc(0)], content, manifest),
    'a folder zipped by another program',
  )
  await kept(await zipped(manifest, notes), 'other files, too')
  await kept((await zipped(notes, manifest)).subarray(0, 100), 'the beginning of other files')
  await kept((await zipped(manifest, notes)).subarray(0, 60), 'the beginning of a file of another program')
  await kept(Buffer.from('precious'), 'no zip file')
  const damaged = await zipped(manifest, notes)
  damaged[damaged.indexOf('PK\x01\x02')] = 0
  await kept(damaged, 'a damaged directory')
})

t.test('an export names damaged files, and its archive can be imported', async (t) => {
  const { file, path, command, other } = setUp(t)
  const { $client: client } = openTestDatabase(t, file)
  const hash = (number: number) => String(number).repeat(64)
  client.exec(`
    insert into projects (id, name) values ('p', 'Apollo');
    insert into kanban_items (id, project_id, title) values ('card', 'p', 'Card');
    insert into file_contents (id, size, sha256) values (1, 1, '${hash(1)}'), (2, 1, '${hash(2)}');
    insert into attachments (id, item_id, name, kind, size, sha256) values
      ('one', 'card', 'one', 'file', 1, '${hash(1)}'), ('two', 'card', 'two', 'file', 1, '${hash(1)}')`)
  const named = `${hash(1)} (attachments: one, two), ${hash(2)} (attachments: none any more)`
  t.match(await command('export', path('archive.zip')), {
    code: 0,
    stdout: /exported \d+ records/,
    stderr: `phaseboard: the archive lacks the bytes of 2 damaged files: ${named}\n`,
  })
  t.match(await other('other.db', 'import', 'phaseboard', path('archive.zip')), {
    code: 0,
    stdout: /attachments 2/,
  })
  t.match(await other('other.db', 'export', path('again')), { code: 0, stderr: '' })
  const insert = client.prepare('insert into file_contents (size, sha256) values (1, ?)')
  for (const number of [3, 4, 5, 6]) insert.run(hash(number))
  t.match(await command('export', path('more')), {
    code: 0,
    stderr: /of 6 damaged files: 1.*5+ \([^)]*\), \.\.\.\n$/,
  })
})

/** Large rows, so that there is time to kill the process that reads or writes them. */
const LARGE = `id, name, description) select 'team ' || i, 'Crew', hex(randomblob(50000))`

t.test('an interrupted export leaves nothing in place', async (t) => {
  const { path, DATABASE_URL, names } = setUp(t, 150, LARGE)
  for (const name of ['archive', 'archive.zip']) {
    const child = start(t, ['export', path(name)], { DATABASE_URL })
    const over = end(child)
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    t.match(await over, { code: 1, stderr: 'phaseboard: interrupted\n' })
    t.strictSame(
      names().filter((one) => !one.endsWith('-wal') && !one.endsWith('-shm')),
      ['board.db'],
    )

    const killed = start(t, ['export', path(name)], { DATABASE_URL })
    await once(killed.stdout, 'data')
    killed.kill('SIGKILL')
    await once(killed, 'close')
    t.notOk(existsSync(path(name)))
    for (const rest of names().filter((one) => one.endsWith('.tmp'))) t.ok(rest.startsWith(`${name}.`))
    for (const rest of names().filter((one) => one.endsWith('.tmp'))) rmSync(path(rest), { recursive: true })
  }
})

t.test('an interrupted import leaves nothing behind', async (t) => {
  const { file, path, DATABASE_URL } = setUp(t, 150, LARGE)
  const { db, close } = openDatabase(file)
  await exportArchive(db.$client, path('archive.zip'), quiet)
  db.$client.exec("delete from teams; insert into teams (id, name) values ('other', 'Crew')")
  const before = dumpOf(db.$client)
  t.teardown(close)
  for (const signal of ['SIGINT', 'SIGKILL'] as const) {
    const child = start(t, ['import', 'phaseboard', path('archive.zip')], { DATABASE_URL })
    const over = end(child)
    await locked(file)
    t.equal(child.exitCode, null, 'it was still writing')
    child.kill(signal)
    t.match(
      await over,
      signal === 'SIGINT' ? { code: 1, stderr: /cannot import .*: interrupted/ } : { code: null },
    )
    t.strictSame(dumpOf(db.$client), before, signal)
    holdsSequence(db.$client)
  }
  t.match(await run(t, ['import', 'phaseboard', path('archive.zip')], { DATABASE_URL }), { code: 0 })
  t.equal(db.$client.prepare('select count(*) from teams').pluck().get(), 151)
})
