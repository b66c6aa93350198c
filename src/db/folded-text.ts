/** Whether a text has a part, whatever the case: what filters by `q` ask. */
import { or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { SharedDatabase } from './client.ts'
import { ensureInTime } from './deadline.ts'
import { given } from './statements.ts'

/**
 * Folds a text for case-insensitive comparison, each letter whatever its context, so that a substring of the text folds to
 * a substring of the result: hence one small sigma for the two.
 */
export const fold = (text: string) => text.toLowerCase().replaceAll('ς', 'σ')

/** Lets the statements of a connection ask it. */
export function defineContains(db: SharedDatabase): void {
  db.$client.function('contains_folded', { deterministic: true }, (text: unknown, folded: string) => {
    ensureInTime(db)
    // Another tool may have stored bytes.
    return Number(fold(String(text)).includes(folded))
  })
}

/** Condition: the text of one of the columns contains that of the placeholder `q`, which is folded. */
export const anyContains = (...columns: SQLiteColumn[]): SQL | undefined =>
  or(...columns.map((column) => sql`contains_folded(${column}, ${given('q')})`))
