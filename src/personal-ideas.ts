/** Personal ideas: each member's private list. */
import { asc, eq, sql } from 'drizzle-orm'
import { type Database, write } from './db/client.ts'
import { personalIdeas } from './db/schema.ts'
import { newId } from './ids.ts'
import { timestamp } from './time.ts'

type NewIdea = typeof personalIdeas.$inferInsert
type PersonalIdea = typeof personalIdeas.$inferSelect

/** Fields a client may set. */
export type PersonalIdeaInput = Pick<NewIdea, 'title' | 'description' | 'priority' | 'status' | 'sortOrder'>

/**
 * Prepares the statement that lists the ideas of a member.
 * @returns the reader: ideas by sortOrder
 */
export function preparePersonalIdeas(db: Database) {
  const ofOwner = db
    .select()
    .from(personalIdeas)
    .where(eq(personalIdeas.ownerId, sql.placeholder('ownerId')))
    .orderBy(asc(personalIdeas.sortOrder), asc(personalIdeas.id))
    .prepare()
  return { ofOwner: (ownerId: string): PersonalIdea[] => ofOwner.all({ ownerId }) }
}

/** Creates an idea that belongs to the given member. */
export function createPersonalIdea(db: Database, ownerId: string, input: PersonalIdeaInput): PersonalIdea {
  const at = timestamp()
  return write(db, (tx) =>
    tx
      .insert(personalIdeas)
      .values({ ...input, id: newId(), ownerId, createdAt: at, updatedAt: at })
      .returning()
      .get(),
  )
}
