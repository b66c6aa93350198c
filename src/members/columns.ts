/** What several selects of members have in common. */
import { sql } from 'drizzle-orm'
import { members } from '../db/schema.ts'

const { id, name, email, role, disabled, createdAt, updatedAt } = members

/** Of a member: what requests act for. */
export const currentMember = { id, name, email, role }

/** Of a member: what others may see. Nothing of the password is among it. */
export const shownMember = { ...currentMember, disabled, createdAt, updatedAt }

/** Condition: the member is not disabled. Written out, since SQLite plans anew for a bare parameter, a constant one too. */
export const isEnabled = sql`not ${disabled}`
