/** Members: the people who can sign in. */
import { Type } from '@sinclair/typebox'
import { and, eq, gte, isNull, lt, ne, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import { inOrder } from '../db/ordering.ts'
import { type JsonPage, type PageQuery, pageOfRows } from '../db/pages.ts'
import { members, teamMembers } from '../db/schema.ts'
import {
  change,
  deleteFrom,
  given,
  insertReturning,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from '../db/statements.ts'
import { conflict, invalidField } from '../errors.ts'
import { once } from '../once.ts'
import { ref } from '../schemas/common.ts'
import { type CurrentMember, type Member, MemberSchema, type SeenMember } from '../schemas/records.ts'
import { createJsonWriter } from '../schemas/serialization.ts'
import { timestamp } from '../time.ts'
import { type Actor, type AuditEntry, AuditLog } from './audit-log.ts'
import { currentMember, hiddenTimes, isEnabled, shownMember } from './columns.ts'
import { emailKey, hasEmailKey, isBeyondAscii, vouchedKey, withEmailKey } from './emails.ts'
import { freeHandle } from './handles.ts'
import { KnownPeople } from './known-people.ts'
import { MemberLinks } from './member-links.ts'
import { People } from './people.ts'
import { ProviderAccounts } from './provider-accounts.ts'
import { Sessions } from './sessions.ts'
import { Teams } from './teams.ts'
import { Tokens } from './tokens.ts'

/** A stored member, password hash included: never for responses. */
export type MemberRow = typeof members.$inferSelect

/** Settable fields. The caller checks permissions. */
export type MemberInput = Partial<Pick<Member, 'name' | 'email' | 'role' | 'disabled'> & { handle: string }>

/** The hash of a new password, since hashing takes longer than a write may. */
export interface NewPassword {
  /** Null: the member has no password from now on. */
  hash: string | null
  /** Present if members change their own passwords. */
  own?: {
    /** The hash against which the current password was verified. */
    confirmed: string
    /** The session of the change, if any; it does not end. */
    sessionId: string | undefined
  }
}

/** The 400 for a wrong current password. */
export const wrongPassword = () => invalidField('currentPassword', 'must be the current password')

/** Members that get a handle in one write. */
const HANDLES_AT_ONCE = 50

const isAdmin = and(eq(members.role, 'admin'), eq(members.disabled, false))

const statementsOf = (db: SharedDatabase) => ({
  one: selectOne(db, () =>
    db
      .select(shownMember)
      .from(members)
      .where(eq(members.id, given('id'))),
  ),
  all: selectAll<Member>(db, () =>
    db
      .select(shownMember)
      .from(members)
      .orderBy(...inOrder(members)),
  ),
  stored: selectById(db, members),
  byEmailKey: selectOne<MemberRow>(db, () =>
    db
      .select()
      .from(members)
      .where(hasEmailKey(given('key'))),
  ),
  beyondAscii: selectAll<MemberRow>(db, () => db.select().from(members).where(isBeyondAscii)),
  enabledByEmailKey: selectOne(db, () =>
    db
      .select(currentMember)
      .from(members)
      .where(and(hasEmailKey(given('key')), isEnabled)),
  ),
  admin: selectOne(db, () => db.select({ id: members.id }).from(members).where(isAdmin).limit(1)),
  otherAdmin: selectOne(db, () =>
    db
      .select({ id: members.id })
      .from(members)
      .where(and(isAdmin, ne(members.id, given('id'))))
      .limit(1),
  ),
  handles: selectAll<{ handle: string }>(db, () =>
    db
      .select({ handle: sql<string>`${members.handle}` })
      .from(members)
      .where(and(gte(members.handle, given('start')), lt(members.handle, given('end')))),
  ),
  /** Also of a member whom the caller does not see. */
  ofHandle: once(() =>
    db.$client.prepare<[string], string>('select id from main.members where handle = +?').pluck(),
  ),
  withoutHandle: selectAll(db, () =>
    db
      .select({ id: members.id, name: members.name })
      .from(members)
      .where(isNull(members.handle))
      .orderBy(...inOrder(members))
      .limit(HANDLES_AT_ONCE),
  ),
  insert: insertReturning(db, members),
  update: updateIn(db, members),
  remove: deleteFrom(db, members),
  leaveTeams: change(() => db.delete(teamMembers).where(eq(teamMembers.memberId, given('memberId')))),
})

const shown = ({ passwordHash: _, ...member }: MemberRow): Member => member

/** The fields of other members that guests do not see, with the values that they get instead: the same for every member. */
const HIDDEN_FROM_GUESTS = { email: null, role: 'member', disabled: false, ...hiddenTimes } as const

/** A member as shown to another one: only admins and the member itself see the email. Guests see the names of others. */
function seenBy(viewer: CurrentMember, member: Member): SeenMember {
  if (viewer.role === 'admin' || viewer.id === member.id) return member
  return { ...member, ...(viewer.role === 'guest' ? HIDDEN_FROM_GUESTS : { email: null }) }
}

/** The audit log entries of a change. */
function entriesOf(before: MemberRow, after: MemberRow, password: NewPassword | undefined) {
  const entries: Pick<AuditEntry, 'action' | 'metadata'>[] = []
  const changed = <Field extends 'role' | 'email'>(field: Field) => ({
    action: `member-${field}-changed` as const,
    metadata: { from: before[field], to: after[field] },
  })
  if (after.role !== before.role) entries.push(changed('role'))
  if (after.email !== before.email) entries.push(changed('email'))
  if (after.disabled !== before.disabled) {
    entries.push({ action: after.disabled ? 'member-disabled' : 'member-enabled' })
  }
  if (after.passwordHash !== before.passwordHash)
    entries.push({ action: password?.own ? 'password-changed' : 'password-reset' })
  return entries
}

/** The members, with their sessions, tokens, one-time links and teams, and all other people. Each change is recorded in the audit log. */
export class Members {
  static readonly reads: readonly string[] = [
    'page',
    'get',
    'seen',
    'list',
    'stored',
    'find',
    'findByEmail',
    'findVouched',
    'hasAdmin',
    'hasWithoutHandle',
  ]
  readonly audit: AuditLog
  readonly people: People
  readonly known: KnownPeople
  readonly teams: Teams
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly links: MemberLinks
  readonly accounts: ProviderAccounts
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #toJson = createJsonWriter(Type.Array(ref(MemberSchema)))

  constructor(db: SharedDatabase) {
    this.#sql = statementsOf(db)
    this.audit = new AuditLog(db)
    this.people = new People(db)
    this.known = new KnownPeople(db)
    this.teams = new Teams(db, this.audit)
    this.sessions = new Sessions(db, this.audit)
    this.tokens = new Tokens(db, this.audit)
    this.links = new MemberLinks(db, this, this.audit)
    this.accounts = new ProviderAccounts(db, this, this.audit)
  }

  /** One member. @throws ApiError 404 */
  get(id: string): Member {
    return this.#sql.one({ id }) ?? throwNotFound(members)
  }

  /** One member, as shown to another one. @throws ApiError 404 */
  seen(id: string, viewer: CurrentMember): SeenMember {
    return seenBy(viewer, this.get(id))
  }

  /** All members, by id. */
  list(): Member[] {
    return this.#sql.all()
  }

  /** A page of all members, by id, as shown to one of them. */
  page(query: PageQuery, viewer: CurrentMember): JsonPage {
    return pageOfRows(
      this.list().map((member) => seenBy(viewer, member)),
      query,
      this.#toJson,
    )
  }

  /** The member with this id, password hash included: for verifying passwords. @throws ApiError 404 */
  stored(id: string): MemberRow {
    return this.#sql.stored(id) ?? throwNotFound(members)
  }

  /** The member with this id or email, password hash included. */
  find(idOrEmail: string): MemberRow | undefined {
    return this.#sql.stored(idOrEmail) ?? this.findByEmail(idOrEmail)
  }

  /** The member with this email, ignoring case, password hash included. */
  findByEmail(email: string): MemberRow | undefined {
    const key = emailKey(email)
    // Always run both: no timing side channel for user enumeration.
    const found = this.#sql.byEmailKey({ key })
    const others = this.#sql.beyondAscii()
    return found ?? withEmailKey(others, key)
  }

  /** The member whom a proxy names by email, ignoring the case of ASCII letters; undefined for a disabled one. */
  findVouched(email: string): CurrentMember | undefined {
    return this.#sql.enabledByEmailKey({ key: vouchedKey(email) })
  }

  /** Whether there is an enabled admin. */
  hasAdmin(): boolean {
    return this.#sql.admin() !== undefined
  }

  /** Makes the member with this email an admin with this password; creates it if there is none. */
  makeAdmin(email: string, passwordHash: string): void {
    const admin = { role: 'admin', disabled: false, passwordHash } as const
    const existing = this.findByEmail(email)
    if (existing) this.#sql.update(existing.id, admin)
    else this.#sql.insert({ id: newId(), name: 'Admin', email, handle: this.#freeHandle('Admin'), ...admin })
  }

  /**
   * Creates a member.
   * @param passwordHash null for a member without a password
   * @param id for a member who is its own actor
   * @param input without a `handle`, the member gets one from its name
   * @throws ApiError 409 when the email or the handle is taken
   */
  create(
    input: Pick<Member, 'name' | 'email'> & Pick<MemberInput, 'role' | 'handle'>,
    passwordHash: string | null,
    by: Actor,
    id = newId(),
  ): Member {
    this.refuseTaken(input.email)
    if (input.handle !== undefined) this.#refuseTakenHandle(input.handle)
    const handle = input.handle ?? this.#freeHandle(input.name)
    const at = timestamp()
    const row = this.#sql.insert({ ...input, handle, id, passwordHash, createdAt: at, updatedAt: at })
    const { email, role } = row
    this.audit.record({
      action: 'member-created',
      by,
      subjectId: id,
      subject: row.name,
      metadata: { email, role },
    })
    return shown(row)
  }

  /**
   * Changes a member; an empty change does not even change `updatedAt`. Disabling, enabling and a new password
   * end the member's sessions and one-time links. A new role does not: sessions do not store it. Links created by the member
   * end if it is no longer an admin.
   * @throws ApiError 404; 409 if the email or handle is taken or no admin would be left; 400 on `currentPassword` if the
   * password was changed since it was verified
   */
  update(id: string, fields: MemberInput, by: Actor, password?: NewPassword): Member {
    const before = this.stored(id)
    const changes = { ...fields, ...(password && { passwordHash: password.hash }) }
    if (password?.own && password.own.confirmed !== before.passwordHash) throw wrongPassword()
    if (fields.email !== undefined) this.refuseTaken(fields.email, id)
    if (fields.handle !== undefined) this.#refuseTakenHandle(fields.handle, id)
    this.#keepAnAdmin(before, { ...before, ...changes })
    if (Object.keys(changes).length === 0) return shown(before)
    const after = this.#sql.update(id, { ...changes, updatedAt: timestamp() }) as MemberRow
    if (after.disabled !== before.disabled) this.sessions.revokeAll(id)
    else if (password) this.sessions.revokeAll(id, password.own?.sessionId)
    if (after.disabled !== before.disabled || password) this.links.endOfMember(id, by)
    if (isEnabledAdmin(before) && !isEnabledAdmin(after)) this.links.endMadeBy(id, by)
    for (const entry of entriesOf(before, after, password)) {
      this.audit.record({ ...entry, by, subjectId: id, subject: after.name })
    }
    return shown(after)
  }

  /**
   * Deletes a member, with its sessions, tokens, one-time links and team memberships. The id in records and the name
   * in `people` stay.
   * @throws ApiError 404, or 409 if it is the last admin
   */
  delete(id: string, by: Actor): void {
    const before = this.stored(id)
    this.#keepAnAdmin(before)
    this.links.endOfMember(id, by)
    this.links.endMadeBy(id, by)
    this.#sql.remove(id)
    this.people.keepFormer(before)
    this.#sql.leaveTeams({ memberId: id })
    const { name, email, role } = before
    this.audit.record({
      action: 'member-deleted',
      by,
      subjectId: id,
      subject: name,
      metadata: { email, role },
    })
  }

  /** @throws ApiError 409 if another member has the email */
  refuseTaken(email: string, memberId?: string): void {
    const holder = this.findByEmail(email)
    if (holder && holder.id !== memberId) throw conflict('Member email is taken', 'email_taken')
  }

  /** Whether there are members without a handle: of an earlier version, an archive or another tool. */
  hasWithoutHandle(): boolean {
    return this.#sql.withoutHandle().length > 0
  }

  /** Creates handles for some members without one. @returns whether there are more */
  giveHandles(): boolean {
    const some = this.#sql.withoutHandle()
    for (const { id, name } of some) this.#sql.update(id, { handle: this.#freeHandle(name) })
    return some.length === HANDLES_AT_ONCE
  }

  #freeHandle(name: string): string {
    return freeHandle(name, (start) =>
      this.#sql.handles({ start, end: `${start}\u{10ffff}` }).map(({ handle }) => handle),
    )
  }

  /** @throws ApiError 409 if another member has the handle */
  #refuseTakenHandle(handle: string, memberId?: string): void {
    const holder = this.#sql.ofHandle().get(handle)
    if (holder !== undefined && holder !== memberId) throw conflict('Member handle is taken', 'handle_taken')
  }

  /** Ensures that an enabled admin is left. @throws ApiError 409 */
  #keepAnAdmin(before: MemberRow, after?: MemberRow): void {
    const isLost = isEnabledAdmin(before) && !(after && isEnabledAdmin(after))
    if (isLost && !this.#sql.otherAdmin({ id: before.id }))
      throw conflict('Member is the last admin', 'last_admin')
  }
}

const isEnabledAdmin = ({ role, disabled }: MemberRow) => role === 'admin' && !disabled
