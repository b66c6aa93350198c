/** Work in turns of the event loop: other work runs in between, and concurrent requests share the result. */
import t, { type Test } from 'tap'
import { Attempts, type StepOfWork, Turns } from '../../src/requests/turns.ts'
import { nextTurn, until } from '../executions.ts'

/** A clock by hand. @returns a function that takes some time, as work does */
function holdClock(t: Test): (milliseconds: number) => void {
  let now = 0
  t.intercept(performance, 'now', { value: () => now })
  return (milliseconds) => {
    now += milliseconds
  }
}

t.test('members get equal shares, however much one waits for', async (t) => {
  const turns = new Turns(() => undefined)
  const log: string[] = []
  const steps = (name: string, count: number): StepOfWork => {
    let left = count
    return () => {
      log.push(name)
      return --left > 0
    }
  }
  for (const name of ['a1', 'a2', 'a3']) turns.add('ada', steps(name, 2))
  turns.add('bob', steps('b1', 3))
  await until(() => log.length === 9)
  t.equal(`${log}`, 'a1,b1,a2,b1,a3,b1,a1,a2,a3')
  await nextTurn()
  t.equal(log.length, 9)
})

t.test('other requests run in between, and new work waits for its turn', async (t) => {
  const spend = holdClock(t)
  const turns = new Turns(() => undefined)
  let [steps, others] = [0, 0]
  let isRunning = true
  const step: StepOfWork = () => {
    spend(6)
    steps++
    if (steps === 3) {
      turns.add('bob', () => {
        isRunning = false
        return false
      })
    }
    return steps < 10
  }
  turns.add('ada', step)
  turns.add('ada', step)
  while (isRunning || steps < 10) {
    await nextTurn()
    others++
  }
  t.equal(steps, 10, 'what waits already is not added again')
  t.ok(others >= 5, 'no more than two steps in one turn')
})

t.test('work beyond the time of a turn waits for the next, and gets its result', async (t) => {
  const spend = holdClock(t)
  const attempts = new Attempts()
  t.equal(
    attempts.do('ada', () => {
      spend(11)
      return 'at once'
    }),
    'at once',
  )
  let turns = 0
  const log: string[] = []
  const waiting = ['a', 'b', 'c'].map((name) =>
    attempts.do('ada', () => {
      spend(11)
      log.push(`${name} after ${turns > 0 ? 'a turn' : 'none'}`)
      return name
    }),
  )
  const failing = attempts.do('bob', () => {
    throw new Error('no such project')
  })
  t.strictSame(log, [])
  const failed = t.rejects(Promise.resolve(failing), { message: 'no such project' })
  const isDone = Promise.all([...waiting, failed])
  while (log.length < 3) {
    turns++
    await nextTurn()
  }
  t.ok(turns >= 3, 'each has a turn')
  t.strictSame((await isDone).slice(0, 3), ['a', 'b', 'c'])
  await nextTurn()
  t.equal(
    attempts.do('ada', () => 'at once'),
    'at once',
    'another turn has time again',
  )
  t.throws(() =>
    attempts.do('ada', () => {
      throw new Error('no such project')
    }),
  )
})

t.test('a step that throws ends, and others go on', async (t) => {
  const errors: unknown[] = []
  const turns = new Turns((error) => errors.push(error))
  const log: string[] = []
  const error = new Error('out of order')
  turns.add('ada', () => {
    log.push('failing')
    throw error
  })
  turns.add('ada', () => log.push('same member') > 3)
  turns.add('bob', () => log.push('other member') < 4)
  await until(() => log.length === 4)
  turns.add('ada', () => log.push('later') < 0)
  await until(() => log.length === 5)
  t.strictSame(errors, [error])
  t.strictSame(log, ['failing', 'other member', 'same member', 'other member', 'later'])
})
