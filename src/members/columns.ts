/** Columns and conditions that several selects of members share. */
import { sql } from 'drizzle-orm'
import { members } from '../db/schema.ts'
import { timestamp } from '../time.ts'

const { id, name, email, role, disabled, handle, createdAt, updatedAt } = members

/** The columns of a request's member. */
export const currentMember = { id, name, email, role }

/** The columns that other members may see: all but the password hash. */
export const shownMember = { ...currentMember, disabled, handle, createdAt, updatedAt }

/** The times of other people as shown to guests: fixed, because the true ones tell when a member was added, or got another role. */
export const hiddenTimes = { createdAt: timestamp(0), updatedAt: timestamp(0) }

/** Condition: the member is not disabled. Not a bound value, for which SQLite would recompile the statement each time. */
export const isEnabled = sql`not ${disabled}`
