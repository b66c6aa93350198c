/** Locks whose files are removed when they are released. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createTransientLock } from '../../src/db/process-lock.ts'

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
