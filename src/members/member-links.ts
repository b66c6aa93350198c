/**
 * One-time links: an admin creates one, and its user sets a password or becomes a member. Only the SHA-256
 * of a link's token is stored.
 */
import { Type } from '@sinclair/typebox'
import { and, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { memberLinks, members } from '../db/schema.ts'
import { change, deleteFrom, given, insertReturning, selectAll, selectOne } from '../db/statements.ts'
import { ApiError, conflict, invalidField } from '../errors.ts'
import { ref } from '../schemas/common.ts'
import {
  type CurrentMember,
  type LinkDetails,
  type Member,
  type MemberLink,
  MemberLinkSchema,
  type NewMemberLink,
} from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import type { Actor, AuditEntry, AuditLog } from './audit-log.ts'
import { isEnabled } from './columns.ts'
import type { Members } from './members.ts'
import { hashToken, newToken } from './secrets.ts'
import type { NewSession } from './sessions.ts'

/** The lifetime of a link, in milliseconds. */
export const LINK_LIFETIME = 24 * 60 * 60 * 1000

/** A prefix that makes leaked links recognisable, e.g. for secret scanners. */
const PREFIX = 'pbl_'

/** The admin's fields of an invitation. The invited person provides absent ones. */
type InvitationInput = Partial<Pick<Member, 'name' | 'email'>> & Pick<Member, 'role'>

/** The input for using a link: the hash of the new password; for an invitation also a name and an email. */
interface LinkUse {
  passwordHash: string
  name?: string
  email?: string
}

/** The member who used a link, and the new session. */
interface LinkUsed {
  member: CurrentMember
  session: NewSession
}

/** The 401 of an invalid link. The same text for all reasons. */
const invalidLink = () =>
  new ApiError(401, 'Link was used, has expired or was revoked', { code: 'invalid_link' })

type AuditAction = AuditEntry['action']

/** The audit log's actions for each kind of link. */
const ACTIONS = {
  password: {
    created: 'password-link-created',
    used: 'password-link-used',
    revoked: 'password-link-revoked',
  },
  invitation: {
    created: 'invitation-created',
    used: 'invitation-accepted',
    revoked: 'invitation-revoked',
  },
} as const satisfies Record<MemberLink['kind'], Record<string, AuditAction>>

function statementsOf(db: SharedDatabase) {
  const { id, kind, memberId, tokenHash, createdBy, createdAt, expiresAt } = memberLinks
  // For a password link, the name, email and role of its member.
  const either = (name: 'name' | 'email') =>
    sql<string | null>`coalesce(${members[name]}, ${memberLinks[name]})`
  const shown = {
    id,
    kind,
    memberId,
    name: either('name'),
    email: either('email'),
    role: sql<Member['role']>`coalesce(${members.role}, ${memberLinks.role})`,
    createdBy,
    createdAt,
    expiresAt,
  }
  const select = () => db.select(shown).from(memberLinks).leftJoin(members, eq(members.id, memberId))
  const isAlive = sql`${expiresAt} > ${given('now')}`
  const isOlder = lt(createdAt, given('before'))
  return {
    /** The link of a token, by index. */
    presented: selectOne<MemberLink>(db, () =>
      select().where(and(eq(tokenHash, given('tokenHash')), isAlive, or(isNull(memberId), isEnabled))),
    ),
    one: selectOne<MemberLink>(db, () => select().where(and(eq(id, given('id')), isAlive))),
    all: selectAll<MemberLink>(db, () =>
      select()
        .where(isAlive)
        .orderBy(...inOrder(memberLinks)),
    ),
    ofMember: selectAll<MemberLink>(db, () => select().where(and(eq(memberId, given('memberId')), isAlive))),
    madeBy: selectAll<MemberLink>(db, () => select().where(and(eq(createdBy, given('createdBy')), isAlive))),
    insert: insertReturning(db, memberLinks),
    remove: deleteFrom(db, memberLinks),
    older: selectOne(db, () => db.select({ id }).from(memberLinks).where(isOlder).limit(1)),
    prune: change(() => db.delete(memberLinks).where(isOlder)),
  }
}

/** The URL of a link. The token is in its fragment, which browsers never send, so no log contains it. */
const urlOf = (base: string, token: string) => `${base}/link#${token}`

/** One-time links. Expired ones count as absent. */
export class MemberLinks {
  static readonly reads: readonly string[] = ['find', 'get', 'list', 'hasOlder']
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(MemberLinkSchema)))
  readonly #members: Members
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, members: Members, audit: AuditLog) {
    this.#sql = statementsOf(db)
    this.#members = members
    this.#audit = audit
  }

  /** The fields of a link that its user may see. @throws ApiError 401 for an invalid one */
  find(token: string): LinkDetails & Pick<MemberLink, 'memberId'> {
    const { kind, memberId, name, email, role, expiresAt } = this.#presented(token)
    return { kind, memberId, name, email, role, expiresAt }
  }

  /** One link, without its token. @throws ApiError 404 */
  get(id: string): MemberLink {
    return this.#sql.one({ id, now: timestamp() }) ?? throwNotFound(memberLinks)
  }

  /** All valid links, without their tokens, by id, or a page of them. */
  list(query: PageQuery): JsonPage {
    return pageOfRows(this.#sql.all({ now: timestamp() }), query, this.#toJson)
  }

  /**
   * Creates a link to set a member's password, and revokes an earlier one of the same member.
   * @param base the address of the service, as browsers reach it
   * @returns it with its token, which is not stored
   * @throws ApiError 404 for an unknown member, 409 for a disabled one
   */
  createForPassword(memberId: string, base: string, by: Actor): NewMemberLink {
    const { name, email, role, disabled } = this.#members.get(memberId)
    if (disabled) throw conflict('Member is disabled', 'member_disabled')
    this.endOfMember(memberId, by)
    return this.#create({ kind: 'password', memberId, name, email, role }, base, by)
  }

  /**
   * Creates a link to become a member.
   * @param base the address of the service, as browsers reach it
   * @returns it with its token, which is not stored
   * @throws ApiError 409 when the email is taken
   */
  invite({ name, email, role }: InvitationInput, base: string, by: Actor): NewMemberLink {
    if (email !== undefined) this.#members.refuseTaken(email)
    const invited = { name: name ?? null, email: email ?? null, role }
    return this.#create({ kind: 'invitation', memberId: null, ...invited }, base, by)
  }

  /** Ends a link. @throws ApiError 404 */
  revoke(id: string, by: Actor): void {
    this.#end([this.get(id)], by)
  }

  /** Ends the links to a member's password. */
  endOfMember(memberId: string, by: Actor): void {
    this.#end(this.#sql.ofMember({ memberId, now: timestamp() }), by)
  }

  /** Ends the links of a former admin. */
  endMadeBy(createdBy: string, by: Actor): void {
    this.#end(this.#sql.madeBy({ createdBy, now: timestamp() }), by)
  }

  /**
   * Uses a link, once: sets the password of its member and ends the member's sessions, or creates a member; then signs in.
   * @param replaced the token of the client's current session, of any member, which ends
   * @throws ApiError 401 for an invalid link; for an invitation, which stays valid: 400 without a name or an
   * email, 409 if the email is taken
   */
  use(token: string, use: LinkUse, replaced: string | undefined, address: string): LinkUsed {
    const link = this.#presented(token)
    // Before the new password ends all remaining links of the member.
    this.#sql.remove(link.id)
    const { id, name, email, role } =
      link.memberId === null
        ? this.#admit(link, use, address)
        : this.#setPassword(link.memberId, use, address)
    const by = { id, name, address }
    this.#record('used', link, by, name)
    const session = this.#members.sessions.signIn({ id, passwordHash: use.passwordHash }, replaced, address)
    return { member: { id, name, email, role }, session }
  }

  /** Whether there are links from before a time. @param time milliseconds since 1970 */
  hasOlder(time: number): boolean {
    return this.#sql.older({ before: timestamp(time) }) !== undefined
  }

  /** Deletes the links from before a time, few enough for one write. @returns false: there are no more */
  prune(time: number): boolean {
    this.#sql.prune({ before: timestamp(time) })
    return false
  }

  #presented(token: string): MemberLink {
    const link = this.#sql.presented({ tokenHash: hashToken(token), now: timestamp() })
    if (link === undefined) throw invalidLink()
    return link
  }

  #setPassword(memberId: string, { passwordHash }: LinkUse, address: string): Member {
    return this.#members.update(memberId, {}, { id: memberId, address }, { hash: passwordHash })
  }

  #admit(link: MemberLink, { passwordHash, ...given }: LinkUse, address: string): Member {
    const name = given.name ?? link.name
    const email = link.email ?? given.email
    if (name === null) throw invalidField('name', 'is required')
    if (email === undefined) throw invalidField('email', 'is required')
    const id = newId()
    const by = { id, name, address }
    return this.#members.create({ name, email, role: link.role }, passwordHash, by, id)
  }

  #create(
    link: Pick<MemberLink, 'kind' | 'memberId' | 'name' | 'email' | 'role'>,
    base: string,
    by: Actor,
  ): NewMemberLink {
    const now = Date.now()
    const token = `${PREFIX}${newToken()}`
    const { kind, memberId, role } = link
    // A member's name may change meanwhile, an invited person's does not.
    const invited = memberId === null ? link : { kind, memberId, role }
    const { tokenHash: _, ...row } = this.#sql.insert({
      ...invited,
      id: newId(),
      tokenHash: hashToken(token),
      createdBy: by.id,
      createdAt: timestamp(now),
      expiresAt: timestamp(now + LINK_LIFETIME),
    })
    this.#record('created', { ...row, ...link }, by)
    return { ...row, ...link, token, url: urlOf(base, token) }
  }

  #end(links: readonly MemberLink[], by: Actor): void {
    for (const link of links) {
      this.#sql.remove(link.id)
      this.#record('revoked', link, by)
    }
  }

  #record(
    what: keyof (typeof ACTIONS)[MemberLink['kind']],
    { id, kind, memberId, name, email, role }: MemberLink,
    by: Actor,
    subject = name ?? email,
  ): void {
    const metadata = memberId === null ? { role, ...(email !== null && { email }) } : {}
    this.#audit.record({ action: ACTIONS[kind][what], by, subjectId: memberId ?? id, subject, metadata })
  }
}
