import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { createCheckpoints } from '../../src/db/checkpoints.ts'
import { openDatabase } from '../../src/db/client.ts'

const PAGE = 4096

/** Another connection, which writes many pages at once and runs no checkpoint: its readers have kept it from that. */
function otherOf(t: Test, path: string) {
  const client = new SQLite(path)
  t.teardown(() => client.close())
  client.pragma('wal_autocheckpoint = 0')
  client.exec('create table large (content blob)')
  const insert = client.prepare('insert into large values (zeroblob(?))')
  const log = client.prepare<[], { log: number }>('pragma wal_checkpoint(noop)')
  return {
    write: (pages: number) => void insert.run(pages * PAGE),
    /** The number of pages in the log. */
    log: () => log.get()?.log as number,
  }
}

t.test('a commit copies a log of the usual length, and a thread a longer one', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await buildApp({ databaseUrl: `file:${path}`, logLevel: 'silent' })
  t.teardown(() => app.close())
  const { write, log } = otherOf(t, path)
  const commit = async () => {
    const response = await app.inject({ method: 'POST', url: '/api/projects', payload: { name: 'A' } })
    t.equal(response.statusCode, 201)
  }

  // The service itself writes, too: into the same log, or into a new one once this is copied.
  write(4200)
  await commit()
  t.equal(app.writer.threads(), 0)
  await commit()
  t.ok(log() < 4000, 'all is copied, and the next write has begun a new log')

  write(9000)
  await commit()
  t.equal(app.writer.threads(), 1)
  while (app.writer.queued() > 0) await pause(5)
  await commit()
  await commit()
  t.ok(log() < 4000, 'the event loop has copied what has come meanwhile')
})

t.test('the thread is asked once at a time, and its failure changes nothing', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { db, close } = openDatabase(`file:${path}`)
  t.teardown(close)
  const asked: PromiseWithResolvers<void>[] = []
  const checkpoint = createCheckpoints(db, () => {
    const asking = Promise.withResolvers<void>()
    asked.push(asking)
    return asking.promise
  })
  checkpoint()
  t.equal(asked.length, 0)
  otherOf(t, path).write(9000)
  for (let commits = 0; commits < 3; commits += 1) checkpoint()
  t.equal(asked.length, 1)
  asked[0]?.reject(new Error('too many wait'))
  await pause(1)
  t.doesNotThrow(checkpoint)
})

t.test('a database in memory has no log', async (t) => {
  const { db, close } = openDatabase(':memory:')
  t.teardown(close)
  t.doesNotThrow(createCheckpoints(db, () => t.fail('nothing to copy') as never))
})
