/** Observes the statements that a connection executes, and hooks into them. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type SQLite from 'better-sqlite3'
import type { Test } from 'tap'

/** The statements that a connection executes. Those inside `exec` are not seen. */
interface Executions {
  /** The SQL of each statement so far, in order. Clear it to start again. */
  log: string[]
  /** The number of returned rows so far. */
  rows: number
  /** The number of statements so far that match. */
  count: (pattern: RegExp) => number
  /** Called with the SQL and values of each statement before it runs. An error it throws is thrown by the statement. */
  before: (source: string, values: unknown[]) => void
  /** Called with the SQL of each statement after it has run. */
  after: (source: string) => void
}

type Execute = (this: SQLite.Statement, ...values: unknown[]) => unknown

/**
 * Observes a connection until the test ends.
 * @param isOwn whether to count only what this test causes, starting now: an application has timers for its index of changes
 * and its webhooks
 */
export function watch(t: Test, client: SQLite.Database, { isOwn = false } = {}): Executions {
  const ofTest = new AsyncLocalStorage<true>()
  if (isOwn) ofTest.enterWith(true)
  const log: string[] = []
  const executions: Executions = {
    log,
    rows: 0,
    count: (pattern) => log.filter((source) => pattern.test(source)).length,
    before: () => {},
    after: () => {},
  }
  const prototype: Record<string, Execute> = Object.getPrototypeOf(client.prepare('select 1'))
  for (const name of ['run', 'get', 'all']) {
    const original = prototype[name] as Execute
    t.teardown(() => {
      prototype[name] = original
    })
    prototype[name] = function (...values) {
      if (this.database !== client || (isOwn && !ofTest.getStore())) return original.apply(this, values)
      log.push(this.source)
      executions.before(this.source, values)
      const result = original.apply(this, values)
      if (name !== 'run') executions.rows += Array.isArray(result) && name === 'all' ? result.length : 1
      executions.after(this.source)
      return result
    }
  }
  return executions
}

/** The statements without repeated attempts to begin while another connection writes: their number depends on the machine. */
export const withoutWaiting = (log: readonly string[]): string[] =>
  log.filter((source, index) => source !== 'begin immediate' || log[index - 1] !== source)

/** Resolves in the next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Resolves in the first turn in which the condition holds. The test's timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn()
}
