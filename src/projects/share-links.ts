/**
 * Share links: anyone with the address can read the project without signing in. Only the SHA-256 of a link's secret is stored.
 * All who may write the project manage them, except guests; the project's `shareLinks` says who creates them. They are not records of the project: they have no changes, and no undo restores them.
 */
import { Type } from '@sinclair/typebox'
import { and, eq, lte, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { ensureWritableIn, scopeOf } from '../db/row-security.ts'
import { projects, shareLinks } from '../db/schema.ts'
import { change, deleteFrom, given, insertReturning, selectAll, selectOne } from '../db/statements.ts'
import { conflict, forbidden } from '../errors.ts'
import type { Actor, AuditEntry, AuditLog } from '../members/audit-log.ts'
import { expiryOf } from '../members/expiry.ts'
import { hashToken, newToken } from '../members/secrets.ts'
import { ensureMayShare, notForGuests, type Sharer, sharingIn, WORKING } from '../members/sharing.ts'
import { ref } from '../schemas/common.ts'
import { type NewShareLink, type ShareLink, ShareLinkSchema } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'

/** Share links of a project, at most. */
export const SHARE_LINKS_LIMIT = 100

/** A new share link. */
interface ShareLinkInput {
  name?: string
  /** A date or date-time from a client; null or absent: never. */
  expiresAt?: string | null
}

/** A link with the name of its project, for the command line. */
type ListedShareLink = ShareLink & { project: string }

/** The path of a link's page, below the root of the service. */
const pathOf = (secret: string) => `/shared/${secret}`

function statementsOf(db: SharedDatabase) {
  const { id, projectId, name, secretHash, createdBy, createdAt, expiresAt } = shareLinks
  // All but the hash.
  const shown = { id, projectId, name, createdBy, createdAt, expiresAt }
  const isOfProject = eq(projectId, given('projectId'))
  const isAlive = sql`coalesce(${expiresAt} > ${given('now')}, true)`
  const withProject = () =>
    db
      .select({ ...shown, project: projects.name })
      .from(shareLinks)
      .innerJoin(projects, eq(projects.id, projectId))
  return {
    presented: selectOne(db, () =>
      db
        .select({ id, projectId })
        .from(shareLinks)
        .where(and(eq(secretHash, given('secretHash')), isAlive)),
    ),
    one: selectOne<ShareLink>(db, () =>
      db
        .select(shown)
        .from(shareLinks)
        .where(and(eq(id, given('id')), isAlive)),
    ),
    ofProject: selectAll<ShareLink>(db, () =>
      db
        .select(shown)
        .from(shareLinks)
        .where(and(isOfProject, isAlive))
        .orderBy(...inOrder(shareLinks)),
    ),
    all: selectAll<ListedShareLink>(db, () =>
      withProject()
        .where(isAlive)
        .orderBy(...inOrder(shareLinks)),
    ),
    project: selectOne(db, () =>
      db
        .select({ name: projects.name })
        .from(projects)
        .where(eq(projects.id, given('id'))),
    ),
    insert: insertReturning(db, shareLinks),
    remove: deleteFrom(db, shareLinks),
    removeExpired: change(() => db.delete(shareLinks).where(and(isOfProject, lte(expiresAt, given('now'))))),
  }
}

/** The share links of projects. Expired ones count as absent. */
export class ShareLinks {
  static readonly reads: readonly string[] = ['find', 'get', 'list', 'all']
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(ShareLinkSchema)))
  readonly #audit: AuditLog
  readonly #sharingOf: (projectId: string) => string

  constructor(db: SharedDatabase, audit: AuditLog) {
    this.#db = db
    this.#sharingOf = sharingIn(db)
    this.#sql = statementsOf(db)
    this.#audit = audit
  }

  /**
   * The link of a secret, and its project. The secret is looked up by its hash, so the duration reveals nothing about it.
   * @throws ApiError 404 for an unknown, revoked or expired one, and if the links of its project are off
   */
  find(secret: string): Pick<ShareLink, 'id' | 'projectId'> {
    const secretHash = hashToken(secret)
    const link = this.#sql.presented({ secretHash, now: timestamp() })
    const works = link !== undefined && WORKING.includes(this.#sharingOf(link.projectId))
    return works ? link : throwNotFound(shareLinks)
  }

  /** One link, without its secret. @throws ApiError 404; 403 for callers who may only read its project, and guests */
  get(id: string): ShareLink {
    const link = this.#sql.one({ id, now: timestamp() }) ?? throwNotFound(shareLinks)
    this.#ensureWritable(link.projectId)
    return link
  }

  /** The links of a project, without their secrets, by id, or a page of them. @throws ApiError 404, 403 */
  list(projectId: string, query: PageQuery): JsonPage {
    this.#projectNamed(projectId)
    return pageOfRows(this.#sql.ofProject({ projectId, now: timestamp() }), query, this.#toJson)
  }

  /** The links of one project, or of all. @throws ApiError 404 */
  all(projectId?: string): ListedShareLink[] {
    const now = timestamp()
    if (projectId === undefined) return this.#sql.all({ now })
    const project = this.#projectNamed(projectId)
    return this.#sql.ofProject({ projectId, now }).map((link) => ({ ...link, project }))
  }

  /**
   * Creates a link.
   * @param base the address of the service, as browsers reach it
   * @param member who creates it; null: the command line
   * @returns it with its secret, which is not stored
   * @throws ApiError 404; 403; 400 on `expiresAt` for a time that is not in the future; 409 if the project has too many
   */
  create(
    projectId: string,
    { name = '', expiresAt }: ShareLinkInput,
    base: string,
    by: Actor,
    member: Sharer = null,
  ): NewShareLink {
    const project = this.#projectNamed(projectId)
    const sharing = this.#sharingOf(projectId)
    ensureMayShare(sharing, member)
    if (!WORKING.includes(sharing)) throw forbidden('share links of this project are off', 'sharing_refused')
    const now = timestamp()
    const expiry = expiryOf(expiresAt, now)
    this.#sql.removeExpired({ projectId, now })
    if (this.#sql.ofProject({ projectId, now }).length >= SHARE_LINKS_LIMIT)
      throw conflict(`There are ${SHARE_LINKS_LIMIT} share links of this project already`, 'limit_reached')
    const secret = newToken()
    const { secretHash: _, ...link } = this.#sql.insert({
      id: newId(),
      projectId,
      name,
      secretHash: hashToken(secret),
      createdBy: by.id,
      createdAt: now,
      expiresAt: expiry,
    })
    this.#record('share-link-created', link, project, by)
    return { ...link, secret, url: base + pathOf(secret) }
  }

  /** Ends a link. @throws ApiError 404; 403 for callers who may only read its project, and guests */
  revoke(id: string, by: Actor): void {
    const link = this.get(id)
    this.#sql.remove(id)
    this.#record('share-link-revoked', link, this.#projectNamed(link.projectId), by)
  }

  /** The name of a project that the caller may write. @throws ApiError 404, 403 */
  #projectNamed(id: string): string {
    const { name } = this.#sql.project({ id }) ?? throwNotFound(projects)
    this.#ensureWritable(id)
    return name
  }

  /**
   * A share link has no changes, whose check would find that the caller may not write the project.
   * @throws ApiError 403 for callers who may only read the project, and for guests
   */
  #ensureWritable(projectId: string): void {
    const scope = scopeOf(this.#db)
    ensureWritableIn(scope, projectId)
    if (scope?.isGuest) throw notForGuests()
  }

  #record(
    action: AuditEntry['action'],
    { id, projectId, name, expiresAt }: ShareLink,
    project: string,
    by: Actor,
  ): void {
    const metadata = { projectId, name, expiresAt }
    this.#audit.record({ action, by, subjectId: id, subject: project, metadata })
  }
}
