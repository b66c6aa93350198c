/**
 * How emails are compared: without case, of whatever letters. SQLite's `lower`, and so the unique index, knows those of ASCII
 * alone, and other tools, which write the file too, have no function of ours that an index could use. So emails of ASCII are
 * found by that index, and all others are looked through: an index has these apart. That an email is taken is found out
 * inside the write, which no other one can overtake.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import { members } from '../db/schema.ts'

/** What is the same for emails that are equal. */
export const emailKey = (email: string): string => email.toLowerCase()

/** Condition: the email is of ASCII, or of lower case but for ASCII's letters, and equal to the one with this key. */
export const hasEmailKey = (key: string | SQL): SQL => eq(sql`lower(${members.email})`, key)

/** Condition: the email has other characters than those of ASCII; in the very words of the index. */
export const isBeyondAscii: SQL = sql`${members.email} glob '*[^ -~]*'`

/** Of members, the first one whose email has this key. */
export const withEmailKey = <Row extends { email: string }>(rows: Row[], key: string): Row | undefined =>
  rows.find(({ email }) => emailKey(email) === key)
