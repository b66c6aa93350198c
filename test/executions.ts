/** Watching what a connection executes, and stepping in between. */
import { AsyncLocalStorage } from 'node:async_hooks'
import type SQLite from 'better-sqlite3'
import type { Test } from 'tap'

/** What a connection executes; the statements inside `exec` are not seen. */
export interface Executions {
  /** The SQL of each statement so far, in order. Empty it to begin anew. */
  log: string[]
  /** How many rows they have returned so far. */
  rows: number
  /** How many so far match. */
  count: (pattern: RegExp) => number
  /** Called with the SQL and the values of each statement before it runs; what it throws, the statement throws. */
  before: (source: string, values: unknown[]) => void
  /** Called with the SQL of each statement once it has run. */
  after: (source: string) => void
}

type Execute = (this: SQLite.Statement, ...values: unknown[]) => unknown

/**
 * Watches a connection until the test ends.
 * @param isOwn whether only what this test brings about counts, from here on: an application has timers that look after its
 * index of changes and its webhooks now and then
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

/** Resolves in the next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Resolves in the first turn in which the condition holds; the test's timeout is the limit. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn()
}
