import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { openDatabase } from '../../src/db/client.ts'
import { watchLog } from '../../src/db/log-size.ts'
import { keepLog } from '../helper.ts'

const PAGE = 4096

t.test('a log without checkpoints grows, and is warned about once an hour', async (t) => {
  const { db, close } = openDatabase(join(t.testdir(), 'board.db'), 'litestream')
  t.teardown(close)
  const warnings: number[] = []
  db.$client.pragma('wal_checkpoint(truncate)')
  const { look, stop } = watchLog(db, { warn: ({ bytes }) => warnings.push(bytes) }, 100 * PAGE)
  t.teardown(stop)
  const grow = (pages: number) =>
    db.$client.exec(
      `create table if not exists large (content blob); insert into large values (zeroblob(${pages * PAGE}))`,
    )
  grow(50)
  look()
  t.strictSame(warnings, [])
  grow(60)
  look()
  t.equal(warnings.length, 1)
  t.ok((warnings[0] ?? 0) > 110 * PAGE)
  for (let minute = 0; minute < 59; minute += 1) look()
  t.equal(warnings.length, 1, 'not each time')
  look()
  t.equal(warnings.length, 2)

  db.$client.pragma('wal_checkpoint(restart)')
  db.$client.exec('insert into large values (1)')
  look()
  t.equal(warnings.length, 2, 'the file is as large as it was, the log is not')
  grow(110)
  look()
  t.equal(warnings.length, 3, 'at once, when it grows again')
  close()
  t.doesNotThrow(look)
})

t.test('the service restarts the log after some 16 MB, and truncates it above 64 MB', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const settings = (checkpoints: 'service' | 'litestream') => {
    const { db, close } = openDatabase(path, checkpoints)
    const found = ['wal_autocheckpoint', 'journal_size_limit', 'synchronous'].map((name) =>
      db.$client.pragma(name, { simple: true }),
    )
    close()
    return found
  }
  const FULL = 2
  t.strictSame(settings('service'), [4000, 67_108_864, FULL])
  t.strictSame(settings('litestream'), [0, -1, FULL])
})

t.test('a service that runs checkpoints beside Litestream logs the consequences', async (t) => {
  const folder = t.testdir({ '.board.db-litestream': {} })
  const databaseUrl = join(folder, 'board.db')
  for (const [walCheckpoints, warnings] of [
    ['service', 1],
    ['litestream', 0],
  ] as const) {
    const { logStream, lines } = keepLog()
    const app = await buildApp({ databaseUrl, walCheckpoints, logStream })
    await app.close()
    const found = lines.filter((line) => line.includes('damages its replica'))
    t.equal(found.length, warnings, walCheckpoints)
  }
})

t.test('a file that Litestream opened first becomes a database of the service', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const litestream = new SQLite(path)
  litestream.exec(`pragma journal_mode = wal; create table _litestream_seq (id integer primary key, seq integer);
    create table _litestream_lock (id integer)`)
  const { db, close } = openDatabase(path)
  t.ok(db.$client.prepare('select 1 from projects').columns())
  close()
  litestream.close()
})
