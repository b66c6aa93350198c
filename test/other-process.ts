/** A separate process that writes to the same database file, like other tools. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'

/** The process executes SQL with values for its placeholders. */
export type Statement = readonly [sql: string, ...values: unknown[]]

const SCRIPT = `
  import SQLite from 'better-sqlite3'
  const client = new SQLite(process.argv[1], { timeout: 10_000 })
  client.pragma('foreign_keys = on')
  const run = ([sql, ...values]) => client.prepare(sql).run(...values).changes
  const all = client.transaction((statements) => statements.map(run))
  process.on('message', ({ number, statements }) => {
    try {
      process.send({ number, changes: all.immediate(statements) })
    } catch (error) {
      process.send({ number, error: error.message })
    }
  })
  process.send('ready')`

/**
 * Starts the process, which is killed with the test.
 * @returns a function that executes statements in one transaction. It resolves with the numbers of changed rows once that is
 * committed.
 */
export async function startOtherProcess(t: Test, path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT, path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child, 'message')
  interface Answer {
    number: number
    changes: number[]
    error?: string
  }
  const waiting = new Map<number, (answer: Answer) => void>()
  child.on('message', (answer: Answer) => waiting.get(answer.number)?.(answer))
  let last = 0
  return async (...statements: Statement[]): Promise<number[]> => {
    const number = ++last
    const answered = new Promise<Answer>((resolve) => {
      waiting.set(number, resolve)
    })
    child.send({ number, statements })
    const { changes, error } = await answered
    waiting.delete(number)
    if (error !== undefined) throw new Error(`the other process failed: ${error}`)
    return changes
  }
}
