/** Locks whose files are removed when they are released. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTransientLock, lockOfWork } from '../../src/db/process-lock.ts'

t.test('one at a time holds a lock, and its file is gone when it is released', async (t) => {
  const folder = t.testdir({})
  const path = join(folder, 'work.lock')
  const [one, two, three] = [path, path, path].map(createTransientLock) as [
    ReturnType<typeof createTransientLock>,
    ReturnType<typeof createTransientLock>,
    ReturnType<typeof createTransientLock>,
  ]
  t.ok(one.take())
  t.ok(one.take(), 'again')
  t.equal(statSync(path).mode & 0o777, 0o600)
  t.notOk(two.take())
  one.release()
  t.notOk(existsSync(path), 'although another waits for it')
  t.ok(two.take(), 'who waited locks a file that others find')
  t.notOk(three.take())
  t.notOk(one.take())
  three.release()
  t.ok(existsSync(path), 'who does not hold it removes nothing')
  two.release()
  t.strictSame(readdirSync(folder), [])
  t.ok(one.take())
  one.release()
  t.throws(() => createTransientLock(join(folder, 'nowhere', 'work.lock')).take(), { code: 'ENOENT' })
})

t.test('an existing lock file is reused, unless it is something else', async (t) => {
  const folder = t.testdir({
    'a.db': '',
    'a.db.webhooks-lock': '',
    'b.db': '',
    'b.db.webhooks-lock': {},
    'c.db': '',
    'c.db.webhooks-lock': 'no database '.repeat(100),
  })
  const lock = lockOfWork(join(folder, 'a.db'), 'webhooks')
  t.ok(lock.take())
  t.ok(lock.take(), 'again')
  t.notOk(lockOfWork(join(folder, 'a.db'), 'webhooks').take())
  lock.release()
  t.ok(lock.take())
  lock.release()
  t.throws(() => lockOfWork(join(folder, 'b.db'), 'webhooks').take())
  const other = lockOfWork(join(folder, 'c.db'), 'webhooks')
  t.throws(() => other.take(), { code: 'SQLITE_NOTADB' })
  other.release()
})
