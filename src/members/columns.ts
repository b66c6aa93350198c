/** Columns and conditions that several selects of members share. */
import { sql } from 'drizzle-orm'
import { members } from '../db/schema.ts'

const { id, name, email, role, disabled, createdAt, updatedAt } = members

/** The columns of the member a request acts for. */
export const currentMember = { id, name, email, role }

/** The columns that other members may see: all but the password hash. */
export const shownMember = { ...currentMember, disabled, createdAt, updatedAt }

/** Condition: the member is not disabled. No bound value, for which SQLite would compile the statement again each time. */
export const isEnabled = sql`not ${disabled}`
