import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { NO_FILES } from '../../src/db/files.ts'
import { LargeOffload } from '../../src/worker/large-offload.ts'
import { openTestDatabase } from '../database.ts'

t.test('large writes fail if their thread cannot start, and their queue is limited', async (t) => {
  const folder = t.testdir()
  const db = openTestDatabase(t, `file:${join(folder, 'board.db')}`)
  writeFileSync(join(folder, 'other.db'), 'no database')
  const warned: string[] = []
  const create = () =>
    new LargeOffload({
      db,
      files: NO_FILES,
      databaseUrl: `file:${join(folder, 'other.db')}`,
      walCheckpoints: 'service',
      warn: (_error, message) => warned.push(message),
    })
  const full = create()
  const job = { call: { path: 'projects.delete', args: ['p'] }, context: { actorId: null } }
  const failing = [full.perform(job), full.perform(job)]
  const waiting = Array.from({ length: 18 }, () => full.perform(job))
  const ends = Promise.allSettled(waiting)
  await t.rejects(full.perform(job), { statusCode: 503, message: 'Service Unavailable' })
  for (const one of failing) await t.rejects(one, /cannot open the database/, 'it holds up no other')
  // Each of the others would start a thread that fails like these.
  await full.close()
  for (const { status } of await ends) t.equal(status, 'rejected')

  const large = create()
  db.$client.exec(`insert into large_writes (task) values ('{"kind":"restoration","id":"x"}')`)
  large.clear()
  while (warned.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.strictSame(warned, ['could not end a large write'])
  await large.close()
  await t.rejects(large.perform(job), { statusCode: 503, message: 'Service Unavailable' })
})
