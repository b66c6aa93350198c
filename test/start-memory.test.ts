import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { releaseStartMemory } from '../src/start-memory.ts'

const garbage = () => new WeakRef({})

t.test('garbage of the start is collected once the event loop is idle, and not before', async (t) => {
  const left = garbage()
  releaseStartMemory()
  const busyUntil = performance.now() + 1500
  while (performance.now() < busyUntil) {
    const pause = performance.now() + 20
    while (performance.now() < pause);
    await sleep(1)
  }
  t.not(left.deref(), undefined, 'while there is something to do, it stays')
  while (left.deref() !== undefined) await sleep(50)
  t.pass('then it is gone')
})
