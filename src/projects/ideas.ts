/** Personal ideas: each member's private list, and their promotion to projects. */
import { Type } from '@sinclair/typebox'
import { and, eq, type SQL } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder, type Place, reorderIn } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { scopeOf } from '../db/row-security.ts'
import { personalIdeas } from '../db/schema.ts'
import {
  amongValues,
  bindAny,
  byFields,
  deleteFrom,
  given,
  insertReturning,
  listPlaceholder,
  selectAll,
  selectById,
  updateIn,
} from '../db/statements.ts'
import { among, bytesOf, readLimit } from '../db/work-limits.ts'
import { conflict, forbidden } from '../errors.ts'
import { etagOf } from '../etags.ts'
import { once } from '../once.ts'
import { LIMITS, ref } from '../schemas/common.ts'
import { type CurrentMember, PersonalIdeaSchema, type Project } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { ProjectInput } from './projects.ts'

type NewIdea = typeof personalIdeas.$inferInsert
type PersonalIdea = typeof personalIdeas.$inferSelect

/** Fields a client may set. */
type PersonalIdeaInput = Partial<Pick<NewIdea, 'title' | 'description' | 'priority' | 'status' | 'sortOrder'>>

const isAdmin = ({ role }: CurrentMember) => role === 'admin'

/** The first characters of a text, in code points, as limits count them. */
const firstCharacters = (text: string, count: number) => [...text].slice(0, count).join('')

/** The condition of each filter, by the name of its placeholder. */
const CONDITIONS: Record<string, SQL> = {
  ownerId: eq(personalIdeas.ownerId, given('ownerId')),
  [listPlaceholder('ownerId')]: amongValues(personalIdeas.ownerId, listPlaceholder('ownerId')),
  status: eq(personalIdeas.status, given('status')),
  [listPlaceholder('status')]: amongValues(personalIdeas.status, listPlaceholder('status')),
}

const statementsOf = (db: SharedDatabase) => ({
  one: selectById(db, personalIdeas),
  list: byFields((names) =>
    selectAll(db, () =>
      db
        .select()
        .from(personalIdeas)
        .where(and(...names.map((name) => CONDITIONS[name])))
        .orderBy(...inOrder(personalIdeas)),
    ),
  ),
  limit: readLimit(db, [{ rows: among('personal_ideas', 'owner_id'), bytes: bytesOf('description') }]),
  /** Also while the caller does not see the project. */
  isPromoted: once(() =>
    db.$client
      .prepare<[string], number>(
        'select promoted_project_id is not null from main.personal_ideas where id = +?',
      )
      .pluck(),
  ),
  insert: insertReturning(db, personalIdeas),
  update: updateIn(db, personalIdeas),
  remove: deleteFrom(db, personalIdeas),
  reorderOwn: reorderIn(db, personalIdeas, personalIdeas.ownerId),
  reorderAny: reorderIn(db, personalIdeas, undefined),
})

/** The ideas of members. For non-admins, ideas of others are absent. */
export class Ideas {
  static readonly reads: readonly string[] = ['get', 'list', 'etagAround']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #createProject: (input: ProjectInput & { name: string }) => Project
  readonly #toJson = createJsonWriter(Type.Array(ref(PersonalIdeaSchema)))

  constructor(db: SharedDatabase, createProject: (input: ProjectInput & { name: string }) => Project) {
    this.#db = db
    this.#sql = statementsOf(db)
    this.#createProject = createProject
  }

  /** One idea. @throws ApiError 404 */
  get(id: string, member: CurrentMember): PersonalIdea {
    const idea = this.#sql.one(id)
    return idea && (idea.ownerId === member.id || isAdmin(member)) ? idea : throwNotFound(personalIdeas)
  }

  /**
   * The ideas of one member or of several, by sortOrder, or a page of them.
   * @param statuses any of these; empty: all
   * @throws TooMuchWork
   */
  list(owners: string[], statuses: string[] = [], query: PageQuery = {}): JsonPage {
    const values = { ...bindAny('ownerId', owners), ...bindAny('status', statuses) }
    const ideas = read(this.#db, () => {
      this.#sql.limit(JSON.stringify(owners))
      return this.#sql.list(values)(values)
    })
    return pageOfRows(ideas, query, this.#toJson)
  }

  /**
   * The ETag of the unfiltered list of an idea's owner; without an idea, of the member's own.
   * @throws ApiError 404; TooMuchWork
   */
  etagAround(id: string | undefined, member: CurrentMember): string {
    const { ownerId } = id === undefined ? { ownerId: member.id } : this.get(id, member)
    return etagOf(this.list([ownerId]).body)
  }

  /** Creates an idea that belongs to the given member. */
  create(ownerId: string, input: PersonalIdeaInput & { title: string }): PersonalIdea {
    if (scopeOf(this.#db)?.hasIdeas === false) throw forbidden('a token limited to projects sees no ideas')
    const at = timestamp()
    return this.#sql.insert({ ...input, id: newId(), ownerId, createdAt: at, updatedAt: at })
  }

  /** Changes an idea; an empty change does not even change `updatedAt`. @throws ApiError 404 */
  update(id: string, input: PersonalIdeaInput, member: CurrentMember): PersonalIdea {
    const idea = this.get(id, member)
    return Object.keys(input).length === 0 ? idea : this.#change(id, input)
  }

  /** Deletes an idea; its project stays. @throws ApiError 404 */
  delete(id: string, member: CurrentMember): void {
    this.get(id, member)
    this.#sql.remove(id)
  }

  /**
   * Creates a project from an idea; the title is truncated to the length of a project's name.
   * @returns the project
   * @throws ApiError 404; 409 while the idea's project exists
   */
  promote(id: string, input: Pick<ProjectInput, 'teamId'>, member: CurrentMember): Project {
    const { title, description } = this.get(id, member)
    if (this.#sql.isPromoted().get(id) === 1)
      throw conflict('Personal idea is already promoted', 'already_promoted')
    const name = firstCharacters(title, LIMITS.name)
    const project = this.#createProject({ ...input, name, description })
    this.#change(id, { status: 'promoted', promotedProjectId: project.id })
    return project
  }

  /**
   * Reorders ideas, all or nothing.
   * @returns them, in the order of the places
   * @throws ApiError 404 with the unknown ids; TooMuchWork
   */
  reorder(places: readonly Place[], member: CurrentMember): PersonalIdea[] {
    if (isAdmin(member)) this.#sql.reorderAny(places)
    else this.#sql.reorderOwn(places, member.id)
    return places.map(({ id }) => this.get(id, member))
  }

  #change(id: string, changes: Partial<NewIdea>): PersonalIdea {
    const changed = this.#sql.update(id, { ...changes, updatedAt: timestamp() }) as PersonalIdea
    // The written idea may refer to a project out of scope.
    return scopeOf(this.#db) === undefined ? changed : (this.#sql.one(id) as PersonalIdea)
  }
}
