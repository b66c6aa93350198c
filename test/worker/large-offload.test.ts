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
  const large = new LargeOffload({
    db,
    files: NO_FILES,
    databaseUrl: `file:${join(folder, 'other.db')}`,
    walCheckpoints: 'service',
    warn: (_error, message) => warned.push(message),
  })
  const job = { call: { path: 'projects.delete', args: ['p'] }, context: { actorId: null } }
  const waiting = Array.from({ length: 20 }, () => large.perform(job))
  await t.rejects(large.perform(job), { statusCode: 503, message: 'Service Unavailable' })
  for (const one of waiting) await t.rejects(one, /cannot open the database/)

  db.$client.exec(`insert into large_writes (task) values ('{"kind":"restoration","id":"x"}')`)
  large.clear()
  while (warned.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.strictSame(warned, ['could not end a large write'])
  await large.close()
  await t.rejects(large.perform(job), { statusCode: 503, message: 'Service Unavailable' })
})
