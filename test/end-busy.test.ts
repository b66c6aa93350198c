import t from 'tap'
import { endBusy, whenLate } from '../src/end-busy.ts'

t.test('a process with a busy thread is killed, and reports it; another is not', async (t) => {
  const said: string[] = []
  const kill = () => said.push('killed')
  const busy = (reading: number, writing = 0) => ({
    worker: { threads: () => reading },
    writer: { threads: () => writing },
    log: { fatal: (message: string) => said.push(message) },
  })
  endBusy(busy(0), kill)
  for (const end of Object.values(whenLate(busy(0), kill))) end()
  t.strictSame(said, [])
  const ended = ['a statement is running that nothing can interrupt: ending the process', 'killed']
  endBusy(busy(1), kill)
  t.strictSame(said, ended)
  for (const end of Object.values(whenLate(busy(0, 1), kill))) end()
  t.strictSame(said, [...ended, ...ended, ...ended, ...ended])
})
