/** Search for a part of a folded text, for filters by `q`. */
import { or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { fold } from '../folding.ts'
import type { SharedDatabase } from './client.ts'
import { ensureInTime } from './deadline.ts'
import { given } from './statements.ts'

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
