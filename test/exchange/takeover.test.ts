/** Takeovers with a fake Litestream, whose output and files each test sets. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { type TakeoverArguments, takeOverFrom } from '../../src/cli/takeover-command.ts'
import { openDatabase } from '../../src/db/client.ts'
import { takeOver } from '../../src/exchange/copies/takeover.ts'
import { end, run, start } from '../command-line.ts'
import { openTestDatabase } from '../database.ts'
import { until } from '../receivers.ts'

const HEAD = 'replica  generation  index  offset  size  created'
const WAL = 'file     311d17ae3a191151  12     4152      732670   2026-11-22T10:32:04Z'
const URL = 'file:///replica'
const GONE = { first: undefined, watch: 0 }

/** The behaviour of the fake program, by command. */
interface Fake {
  version?: string
  wal?: string
  restore?: string
}

/**
 * A machine without a database, and another one's replica, which the fake program restores.
 * @param damage damages the other machine's database
 * @param content additional contents of that database
 */
function setUp(t: Test, fake: Fake = {}, damage = '', content = '') {
  const folder = t.testdir()
  const replica = join(folder, 'replica.db')
  const { db, close } = openDatabase(replica)
  for (const id of ['ops', 'dev', 'art'])
    db.$client.prepare("insert into teams (id, name) values (?, 'Ops')").run(id)
  db.$client.exec(content)
  db.$client.unsafeMode(true).exec(damage)
  close()
  const program = join(folder, 'litestream')
  const restore = `out=$3; echo '2026/11/22 10:32:04 INFO restoring wal files index_min=1 index_max=2' >&2
    echo 'INFO applied wal index=1' >&2; cp ${replica} "$out"; touch "$out.tmp-wal"`
  writeFileSync(
    program,
    `#!/bin/sh
    echo "$@" >> ${folder}/calls
    case $1 in
      version) ${fake.version ?? 'echo v0.3.13'} ;;
      wal) echo '${HEAD}'; echo '${WAL}'; ${fake.wal ?? ''} ;;
      restore) ${fake.restore ?? restore} ;;
    esac`,
  )
  chmodSync(program, 0o755)
  const home = join(folder, 'home')
  const path = join(home, 'board.db')
  const signal = new AbortController().signal
  const options = { replica: { program, from: { url: URL } }, onProgress: () => {}, signal, ...GONE }
  return {
    folder,
    home,
    path,
    program,
    take: (more: Partial<Parameters<typeof takeOver>[1]> = {}) => takeOver(path, { ...options, ...more }),
    command: (...args: string[]) => run(t, ['takeover', ...args], settings(path, program)),
    begin: (...args: string[]) => start(t, ['takeover', ...args], settings(path, program)),
    isUntouched: () => !existsSync(home),
  }
}

const settings = (path: string, program: string) => ({ DATABASE_URL: `file:${path}`, LITESTREAM: program })

/** A server that answers all requests with this status. @returns its URL */
async function answering(t: Test, status: number): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status, { location: '/' }).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

t.test(
  'a takeover reports the time of the last change, and the sequence continues above all known numbers',
  async (t) => {
    const { command, path, home } = setUp(t)
    const { code, stdout, stderr } = await command(URL, '--first-is-gone', '--watch', '0')
    t.equal(stderr, '')
    t.equal(code, 0)
    const lines = stdout.split('\n')
    t.match(lines, [
      'restoring 2 parts of the log',
      /^took over .*board\.db \(\d+ bytes\)$/,
      /^it is up to change 3, made at 20\S+Z, \d seconds? ago$/,
      /^the first machine last replicated at 2026-11-22T10:32:04Z, \d+ (second|minute|hour|day)s? ago$/,
      /^the sequence of changes continues with \d{16}: clients that saw changes after 3 must reload$/,
      'next: start the service here, and make sure that none starts on the first machine',
    ])
    t.strictSame(readdirSync(home), ['board.db'], 'nothing else is left')
    t.equal(statSync(path).mode & 0o777, 0o600)
    const db = openTestDatabase(t, path)
    const place = Number(/continues with (\d+)/.exec(stdout)?.[1])
    t.strictSame(db.$client.prepare('select seq from changes order by seq').pluck().all(), [1, 2, 3, place])
  },
)

t.test('an existing database is kept under another name, if asked', async (t) => {
  const { take, command, home, path } = setUp(t)
  openDatabase(path).close()
  await t.rejects(take(), {
    message: `the database ${path} exists already: --force keeps it under another name`,
  })
  const { code, stdout } = await command(URL, '--first-is-gone', '--watch', '0', '--force')
  t.equal(code, 0)
  t.match(stdout, /^the previous database is now .*board\.db\.before-takeover-/m)
  t.match(readdirSync(home), ['board.db', /^board\.db\.before-takeover-/])
  const { close } = openDatabase(path)
  t.teardown(close)
  await t.rejects(take({ force: true }), /is in use/, 'but not one that is open')
})

t.test('a takeover is refused while the first machine responds, or if this is unknown', async (t) => {
  const { take, isUntouched } = setUp(t)
  for (const status of [200, 302, 401, 503]) {
    const first = await answering(t, status)
    await t.rejects(take({ first }), {
      message: `the first machine still responds at ${first} (${status}): stop its service first`,
    })
  }
  await t.rejects(
    take({ first: 'http://no-such-machine.invalid' }),
    /cannot check the first machine .*--first-is-gone/,
  )
  // A port that fetch blocks.
  await t.rejects(take({ first: 'http://127.0.0.1:6000/' }), /cannot check the first machine/)
  t.ok(isUntouched())
  t.match(await take({ first: `http://127.0.0.1:${await freePort()}/` }), {
    last: { seq: 3 },
    jumpedTo: Number,
  })
})

t.test('a takeover is refused if the first machine responds again meanwhile', async (t) => {
  const port = await freePort()
  const machine = createServer((_, response) => response.end())
  t.teardown(() => machine.close())
  const { take, isUntouched } = setUp(t)
  const first = `http://127.0.0.1:${port}`
  // It was silent before the replica was read.
  const onProgress = () => {
    if (!machine.listening) machine.listen(port, '127.0.0.1')
  }
  await t.rejects(take({ first, onProgress }), /still responds/)
  t.ok(isUntouched())
})

t.test('a takeover is refused while the replica is written to', async (t) => {
  const { take, isUntouched } = setUp(t, {
    wal: `date '+s3 0 0 %N 1 2026-11-22T10:32:05Z'`,
  })
  await t.rejects(take(), {
    message: `cannot take over from ${URL}: the first machine still replicates: stop it, or revoke its access to the replica`,
  })
  t.ok(isUntouched())
})

t.test('a damaged database is not put in place', async (t) => {
  const cases: [string, Fake, string, RegExp][] = [
    [
      'changes are missing',
      {},
      "insert into change_subjects values ('x', 2); delete from changes where seq = 2",
      /: it is damaged: change 2 is missing$/,
    ],
    [
      'a newer version',
      {},
      "insert into __drizzle_migrations (hash, created_at) values ('x', 9e15)",
      /newer version/,
    ],
    [
      'no tables of ours',
      {},
      'drop table __drizzle_migrations',
      /^cannot take over from .*: it belongs to another application/,
    ],
    [
      'Litestream fails',
      { restore: `echo 'ERROR failed to run error="no matching backups found"' >&2; exit 1` },
      '',
      /: litestream restore: no matching backups found$/,
    ],
    ['it dies', { restore: 'kill -9 $$' }, '', /: litestream restore: it ended with null$/],
    [
      'it fails and does not say so',
      { wal: `echo 'time=1 level=ERROR msg="x" error="s3://me:secret@bucket: no route"' >&2` },
      '',
      /: litestream wal: s3:\/\/bucket: no route$/,
    ],
    ['it restores nothing', { restore: 'true' }, '', /: litestream restore: it wrote no file$/],
    [
      'another version',
      { version: 'echo v0.5.2' },
      '',
      /is Litestream v0\.5\.2: takeovers support only version 0\.3$/,
    ],
  ]
  for (const [name, fake, damage, message] of cases) {
    await t.test(name, async (t) => {
      const { take, isUntouched } = setUp(t, fake, damage)
      await t.rejects(take(), { message })
      t.ok(isUntouched())
    })
  }
})

t.test('a partial segment is omitted, with everything of its second', async (t) => {
  const { command, folder } = setUp(t, {
    restore: `case "$4" in -timestamp) cp ${'$'}{0%/*}/replica.db "$3" ;; *) touch "$3.tmp"; echo ' ERROR x error="context canceled"' >&2 ;; esac`,
  })
  const { code, stdout, stderr } = await command(URL, '--first-is-gone', '--watch', '0')
  t.equal(code, 0)
  t.match(stdout, /^it is up to change 3,/m)
  t.match(stderr, /warning: its last replication is incomplete: the takeover omits it/)
  t.match(readFileSync(join(folder, 'calls'), 'utf8'), / -timestamp 2026-11-22T10:32:03\.000Z /)
})

t.test('a damaged file is refused', async (t) => {
  const { take, isUntouched } = setUp(
    t,
    {},
    `pragma writable_schema = on; create temp table roots as select name, rootpage from sqlite_schema
    where name in ('kanban_items_due', 'kanban_items_source');
    update main.sqlite_schema set rootpage = (select rootpage from roots where roots.name <> sqlite_schema.name)
    where name in (select name from roots)`,
    "insert into projects (id, name, status) values ('apollo', 'Apollo', 'active'); insert into kanban_items (id, project_id, title, due_date, source) values ('x', 'apollo', 'X', '2027-01-01', 'y')",
  )
  await t.rejects(take(), { message: /: it is damaged: / })
  t.ok(isUntouched())
})

t.test('numbers without a change and without a trace are a warning', async (t) => {
  const { command } = setUp(t, {}, 'delete from changes where seq = 2')
  const { code, stderr } = await command(URL, '--first-is-gone', '--watch', '0')
  t.equal(code, 0)
  t.match(stderr, /warning: no changes have the numbers from 2 to 2: changes are missing/)
})

t.test('orphans are a warning', async (t) => {
  const { command } = setUp(
    t,
    {},
    `pragma foreign_keys = off;
    insert into kanban_columns (id, project_id, name) values ('x', 'nowhere', 'To Do')`,
  )
  const { code, stderr } = await command(URL, '--first-is-gone', '--watch', '0')
  t.equal(code, 0)
  t.match(stderr, /warning: 1 records refer to records that do not exist/)
})

t.test('a takeover works without changes, with a configuration and at a point in time', async (t) => {
  const { command, folder, path } = setUp(t, {}, 'delete from changes')
  const args = [
    '--config',
    'l.yml',
    '--first-is-gone',
    '--watch',
    '0',
    '--until',
    '2027-01-31T12:00:00+01:00',
  ]
  const { code, stdout } = await command(...args)
  t.equal(code, 0)
  t.match(stdout, /^it has no changes$/m)
  const calls = readFileSync(join(folder, 'calls'), 'utf8').split('\n')
  t.equal(calls[1], `wal -config l.yml ${path}`)
  t.match(calls[2], /^restore -o \S+ -timestamp 2027-01-31T11:00:00\.000Z -config l\.yml \S+board\.db$/)
})

t.test('incompatible options are a usage error', async (t) => {
  const { command, path, program, isUntouched } = setUp(t)
  const misuses: [string | undefined, Partial<TakeoverArguments>, RegExp][] = [
    [URL, {}, /--first <url>, or --first-is-gone/],
    [URL, { firstIsGone: true, first: 'http://a' }, /--first <url>, or --first-is-gone/],
    [URL, { first: 'a:3000' }, /--first must be an http: or https: URL/],
    [undefined, { firstIsGone: true }, /name the replica by its URL/],
    [URL, { firstIsGone: true, config: 'l.yml' }, /name the replica by its URL/],
    ['replica', { firstIsGone: true }, /the replica must be a URL/],
    [URL, { firstIsGone: true, watch: 'long' }, /--watch must be/],
    [URL, { firstIsGone: true, until: 'noon' }, /--until must be/],
    [URL, { firstIsGone: true, litestream: './nothing' }, /there is no \.\/nothing: install Litestream 0\.3/],
  ]
  for (const [url, options, message] of misuses) {
    const all = { watch: '0', litestream: program, ...options }
    await t.rejects(takeOverFrom(path, url, all), { name: 'StartupError', message })
  }
  const { code, stderr } = await command(URL)
  t.equal(code, 2)
  t.match(stderr, /^phaseboard: pass the URL of the first machine/)
  t.ok(isUntouched())
})

t.test('a signal ends a takeover, and it leaves nothing', async (t) => {
  const { begin, folder, isUntouched } = setUp(t, {
    restore: 'touch "$3.tmp"; touch ../begun 2>/dev/null; exec sleep 60',
  })
  const child = begin(URL, '--first-is-gone', '--watch', '0')
  const ended = end(child)
  const home = join(folder, 'home')
  await until(
    () => existsSync(home) && readdirSync(home).some((name) => readdirSync(join(home, name)).length > 0),
  )
  child.kill('SIGINT')
  const { code, stderr } = await ended
  t.equal(code, 1)
  t.match(stderr, /interrupted/)
  t.ok(isUntouched())
})
