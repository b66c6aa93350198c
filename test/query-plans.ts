/** The statements that connections prepare, and the plans of statements. */
import SQLite from 'better-sqlite3'
import type { Test } from 'tap'

const { prepare } = SQLite.prototype

/** Observes what is prepared until the test ends. @returns the statements of a connection so far, each once */
export function watchPrepared(t: Test): (client: SQLite.Database) => string[] {
  const prepared = new Map<SQLite.Database, Set<string>>()
  t.teardown(() => {
    SQLite.prototype.prepare = prepare
  })
  SQLite.prototype.prepare = function (source: string) {
    prepared.set(this, (prepared.get(this) ?? new Set()).add(source))
    return prepare.call(this, source) as never
  }
  return (client) => [...(prepared.get(client) ?? [])]
}

/** The steps of a statement's plan. */
export function planOf(client: SQLite.Database, source: string): string[] {
  const statement = prepare.call(client, `explain query plan ${source}`) as SQLite.Statement<
    unknown[],
    { detail: string }
  >
  const positional = Array.from(source.matchAll(/\?/g), () => null)
  const named = Object.fromEntries(Array.from(source.matchAll(/:(\w+)/g), ([, name]) => [name, null]))
  return statement.all(positional, named).map(({ detail }) => detail)
}
