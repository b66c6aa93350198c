import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { whenIdleOrAtExit } from '../src/idle.ts'

t.test('what waits for idle time is done once, also at the end of the process', async (t) => {
  let count = 0
  const earlier = process.listeners('exit')
  const act = () => {
    count++
  }
  whenIdleOrAtExit(act)
  const [atExit, ...others] = process.listeners('exit').filter((one) => !earlier.includes(one))
  t.equal(atExit, act)
  t.strictSame(others, [])
  while (count === 0) await sleep(50)
  t.equal(count, 1)
  t.notOk(process.listeners('exit').includes(act), 'and not again')
})
