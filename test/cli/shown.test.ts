import t from 'tap'
import { shown } from '../../src/cli/shown.ts'

t.test('any signal that ends a command aborts its work, and no later one', async (t) => {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const listeners = process.listenerCount(name)
    const work = shown('waiting', 'turns', async ({ signal }) => {
      process.emit(name, name)
      signal.throwIfAborted()
    })
    await t.rejects(work, { message: 'interrupted' }, name)
    t.equal(process.listenerCount(name), listeners)
  }
})
