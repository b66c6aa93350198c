/** Work in turns of the event loop: others run in between, and everybody gets the same. */
import t from 'tap'
import { type StepOfWork, Turns } from '../../src/http/turns.ts'
import { nextTurn, until } from '../executions.ts'

/** Lets time pass, as work does. */
function spend(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

t.test('members get the same, however much one of them waits for, and all of one member, too', async (t) => {
  const turns = new Turns()
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

t.test('requests run in between, and what is added meanwhile waits for its turn', async (t) => {
  const turns = new Turns()
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
