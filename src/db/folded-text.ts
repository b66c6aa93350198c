/** Case-insensitive substring search, for filters by `q`. */
import { or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from './client.ts'
import { ensureInTime } from './deadline.ts'
import { given } from './statements.ts'

/**
 * Folds a text for case-insensitive comparison, each letter independently of its context, so that a substring of the text folds to
 * a substring of the result: hence both small sigmas become one.
 */
export const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')

/** Makes it available to the statements of a connection. */
export function defineContains(db: SharedDatabase): void {
  db.$client.function('contains_folded', { deterministic: true }, (text: unknown, folded: string) => {
    ensureInTime(db)
    // Another tool may have stored bytes.
    return Number(fold(String(text)).includes(folded))
  })
}

/** Condition: the text of one of the columns contains the folded placeholder `q`. */
export const anyContains = (...columns: SQLiteColumn[]): SQL | undefined =>
  or(...columns.map((column) => sql`contains_folded(${column}, ${given('q')})`))
