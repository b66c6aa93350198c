/**
 * Emails compare case-insensitively, in all of Unicode. SQLite's `lower`, and so the unique index, only folds ASCII, and an
 * index on a function of ours would break other tools that write the file. So ASCII emails are found by that index, and all
 * others, few, are scanned by a partial index. Uniqueness is checked inside the write.
 */
import { eq, type SQL, sql } from 'drizzle-orm'
import { members } from '../db/schema.ts'
import { EMAIL_PATTERN, LIMITS } from '../schemas/common.ts'

/** Whether a text may be a member's email, by the rules for requests. */
export const isEmail = (text: string): boolean => EMAIL_PATTERN.test(text) && [...text].length <= LIMITS.email

/** The key of an email: equal for equal emails. */
export const emailKey = (email: string): string => email.toLowerCase()

/**
 * The key of an email that somebody else vouches for, a provider or a proxy. Only the case of ASCII letters is ignored: mailboxes
 * that differ beyond it, such as `kate` with a Kelvin sign, may belong to two people.
 */
export const vouchedKey = (email: string): string =>
  email.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** Condition: the email has this key, once its ASCII letters are lower-cased. */
export const hasEmailKey = (key: string | SQL): SQL => eq(sql`lower(${members.email})`, key)

/** Condition: the email has characters beyond printable ASCII; exactly as in the partial index, which SQLite requires to use it. */
export const isBeyondAscii: SQL = sql`${members.email} glob '*[^ -~]*'`

/** The first member whose email has this key. */
export const withEmailKey = <Row extends { email: string }>(rows: Row[], key: string): Row | undefined =>
  rows.find(({ email }) => emailKey(email) === key)
