/** Personal ideas: each member's private list. */
import { asc, eq } from 'drizzle-orm'
import type { SharedDatabase } from './db/client.ts'
import { personalIdeas } from './db/schema.ts'
import { given, prepareInsert, prepareRows } from './db/statements.ts'
import { noSuch } from './existence.ts'
import { newId } from './ids.ts'
import { timestamp } from './time.ts'

type NewIdea = typeof personalIdeas.$inferInsert
type PersonalIdea = typeof personalIdeas.$inferSelect

/** Fields a client may set. */
export type PersonalIdeaInput = Pick<NewIdea, 'title' | 'description' | 'priority' | 'status' | 'sortOrder'>

/**
 * Prepares the statements that read ideas.
 * @returns the readers
 */
export function preparePersonalIdeas(db: SharedDatabase) {
  const one = prepareRows(
    db,
    db
      .select()
      .from(personalIdeas)
      .where(eq(personalIdeas.id, given('id'))),
  )
  const ofOwner = prepareRows(
    db,
    db
      .select()
      .from(personalIdeas)
      .where(eq(personalIdeas.ownerId, given('ownerId')))
      .orderBy(asc(personalIdeas.sortOrder), asc(personalIdeas.id)),
  )
  return {
    /** One idea. @throws ApiError 404 */
    get: (id: string): PersonalIdea => one.get({ id }) ?? noSuch(personalIdeas),
    /** A member's ideas, by sortOrder. */
    ofOwner: (ownerId: string): PersonalIdea[] => ofOwner.all({ ownerId }),
  }
}

/**
 * Prepares the changes of ideas. Call them inside the write that they are part of.
 * @returns the changes
 */
export function preparePersonalIdeaChanges(db: SharedDatabase) {
  const insert = prepareInsert(db, personalIdeas)
  return {
    /** Creates an idea that belongs to the given member. @returns the new idea's id */
    create(ownerId: string, input: PersonalIdeaInput): string {
      const id = newId()
      const at = timestamp()
      insert({ ...input, id, ownerId, createdAt: at, updatedAt: at })
      return id
    },
  }
}
