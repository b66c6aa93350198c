/** Personal ideas: each member's private list, and how an idea becomes a project. */
import { eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { thingOf, throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import {
  amongValues,
  given,
  prepareDelete,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from '../db/old-statements.ts'
import { inOrder, type Place, prepareReorder } from '../db/ordering.ts'
import { personalIdeas } from '../db/schema.ts'
import { among, bytesOf, readLimit } from '../db/work-limits.ts'
import { conflict, notFound } from '../errors.ts'
import { LIMITS } from '../schemas/common.ts'
import type { CurrentMember } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { type ProjectInput, prepareProjectChanges } from './projects.ts'

type NewIdea = typeof personalIdeas.$inferInsert
type PersonalIdea = typeof personalIdeas.$inferSelect

/** Fields a client may set. */
export type PersonalIdeaInput = Partial<
  Pick<NewIdea, 'title' | 'description' | 'priority' | 'status' | 'sortOrder'>
>

const isAdmin = ({ role }: CurrentMember) => role === 'admin'

/** The first characters of a text, counted as limits count them: none is ever cut in two. */
const firstCharacters = (text: string, count: number) => [...text].slice(0, count).join('')

/**
 * Prepares the statements that read and change ideas. To a member who is no admin, those of others do not exist.
 * @returns readers; and changes, to be called inside the write that they are part of
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
      .orderBy(...inOrder(personalIdeas)),
  )
  const ofAny = prepareRows(
    db,
    db
      .select()
      .from(personalIdeas)
      .where(amongValues(personalIdeas.ownerId, 'owners'))
      .orderBy(...inOrder(personalIdeas)),
  )
  const limit = readLimit(db, [{ rows: among('personal_ideas', 'owner_id'), bytes: bytesOf('description') }])
  const insert = prepareInsert(db, personalIdeas)
  const update = prepareUpdate(db, personalIdeas)
  const remove = prepareDelete(db, personalIdeas)
  const refuse = () => notFound(thingOf(personalIdeas))
  const reorderOwn = prepareReorder(db, personalIdeas, personalIdeas.ownerId, refuse)
  const reorderAny = prepareReorder(db, personalIdeas, undefined, refuse)
  const createProject = prepareProjectChanges(db).create

  function get(id: string, member: CurrentMember): PersonalIdea {
    const idea = one.get({ id })
    return idea && (idea.ownerId === member.id || isAdmin(member)) ? idea : throwNotFound(personalIdeas)
  }

  return {
    /** One idea. @throws ApiError 404 */
    get,

    /** The ideas of one member or of several, by sortOrder. @throws TooMuchWork */
    ofOwners: (owners: string[]): PersonalIdea[] =>
      read(db, () => {
        const named = JSON.stringify(owners)
        limit(named)
        return owners.length > 1 ? ofAny.all({ owners: named }) : ofOwner.all({ ownerId: owners[0] })
      }),

    /** Creates an idea that belongs to the given member. @returns the new idea's id */
    create(ownerId: string, input: PersonalIdeaInput & { title: string }): string {
      const id = newId()
      const at = timestamp()
      insert({ ...input, id, ownerId, createdAt: at, updatedAt: at })
      return id
    },

    /** Changes an idea; an empty change leaves it as it is, `updatedAt` included. @throws ApiError 404 */
    update(id: string, input: PersonalIdeaInput, member: CurrentMember): void {
      get(id, member)
      if (Object.keys(input).length > 0) update(id, { ...input, updatedAt: timestamp() })
    },

    /** Deletes an idea; the project that it became stays. @throws ApiError 404 */
    delete(id: string, member: CurrentMember): void {
      get(id, member)
      remove(id)
    },

    /**
     * Makes a project of an idea, which keeps as much of the title as a project's name takes.
     * @returns the new project's id
     * @throws ApiError 404; 409 while the project that it became is there
     */
    promote(id: string, input: Pick<ProjectInput, 'teamId'>, member: CurrentMember): string {
      const { title, description, promotedProjectId } = get(id, member)
      if (promotedProjectId !== null) throw conflict('Personal idea is already promoted')
      const projectId = createProject({ ...input, name: firstCharacters(title, LIMITS.name), description })
      update(id, { status: 'promoted', promotedProjectId: projectId, updatedAt: timestamp() })
      return projectId
    },

    /** Gives ideas other places in their lists, all or nothing. @throws ApiError 404 when one of them does not exist */
    reorder(places: readonly Place[], _parentId: string, member: CurrentMember): void {
      if (isAdmin(member)) reorderAny(places)
      else reorderOwn(places, member.id)
    },
  }
}
