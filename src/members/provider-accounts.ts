/** Accounts of an OpenID provider, linked to members. */
import { and, eq } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { memberIdentities } from '../db/schema.ts'
import { given, insertInto, selectOne } from '../db/statements.ts'
import { nameIn } from '../email-addresses.ts'
import { ApiError, forbidden } from '../errors.ts'
import { LIMITS } from '../schemas/common.ts'
import type { Member } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { type Actor, type AuditLog, SERVICE } from './audit-log.ts'
import { isEmail, vouchedKey } from './emails.ts'
import type { MemberRow, Members } from './members.ts'
import type { NewSession } from './sessions.ts'

/** An account, as its provider describes it. */
export interface ProviderAccount {
  issuer: string
  /** The provider's permanent id of the account. */
  subject: string
  /** Undefined unless verified by the provider, or trusted. One that the service does not accept counts as none. */
  email: string | undefined
  /** Why there is no email; undefined if there is one. */
  problem: string | undefined
  name: string | undefined
  /** The member's role at the provider: null for none, undefined if not configured. */
  role: Member['role'] | null | undefined
}

const statementsOf = (db: SharedDatabase) => ({
  memberOf: selectOne(db, () =>
    db
      .select({ memberId: memberIdentities.memberId })
      .from(memberIdentities)
      .where(
        and(eq(memberIdentities.issuer, given('issuer')), eq(memberIdentities.subject, given('subject'))),
      ),
  ),
  ofMember: selectOne(db, () =>
    db
      .select({ subject: memberIdentities.subject })
      .from(memberIdentities)
      .where(
        and(eq(memberIdentities.memberId, given('memberId')), eq(memberIdentities.issuer, given('issuer'))),
      ),
  ),
  insert: insertInto(db, memberIdentities),
})

/** The same text for an unknown account and a disabled member, so that none can be probed. */
const noMember = () => forbidden('no member has this account', 'no_account')

/** For an account that no member has signed in with: without an email it has none. It depends on the provider only, so it tells nothing of members. */
const noEmail = (problem: string) =>
  forbidden(`${problem}, so no member has this account: see OIDC_EMAIL_VERIFIED`, 'email_not_verified')

/** What a name cannot show in one line: control characters, line ends, halves of characters. */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** The name of an account by the rules for members, without an address; if it has none that can be shown, the part before the `@` of its email. */
const nameOf = (name: string, email: string): string =>
  [...nameIn(name.replaceAll(UNSHOWN, ' ').trim() || email)].slice(0, LIMITS.name).join('')

/** Sign-in with accounts of a provider. */
export class ProviderAccounts {
  static readonly reads: readonly string[] = []
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #members: Members
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, members: Members, audit: AuditLog) {
    this.#sql = statementsOf(db)
    this.#members = members
    this.#audit = audit
  }

  /**
   * Signs in the member of an account. A new account is linked to the member with its email, whose other credentials end; if
   * there is none, `signsUp` creates one. The provider's role applies at each sign-in, but the last admin stays one.
   * @param replaced the token of the client's current session, of any member, which ends
   * @throws ApiError 403 without an email, without a member, for a disabled one, and for one that is linked to another account of the provider
   */
  signIn(
    account: ProviderAccount,
    signsUp: boolean,
    replaced: string | undefined,
    address: string,
  ): NewSession {
    const linked = this.#memberOf(account)
    if (linked === undefined && account.problem !== undefined) throw noEmail(account.problem)
    const member = linked ?? this.#adopt(account, signsUp, address)
    if (member === undefined || member.disabled) throw noMember()
    const { sessions } = this.#members
    if (replaced !== undefined) sessions.signOut(replaced, address)
    this.#followRole(member, account, address)
    const session = sessions.start(member.id)
    this.#audit.record({
      action: 'sign-in',
      by: { id: member.id, address },
      subjectId: session.id,
      subject: member.name,
      metadata: { issuer: account.issuer },
    })
    return session
  }

  #memberOf({ issuer, subject }: ProviderAccount): MemberRow | undefined {
    const found = this.#sql.memberOf({ issuer, subject })
    return found && this.#members.find(found.memberId)
  }

  /** Links the account to the member with its email, or to a new one. */
  #adopt(account: ProviderAccount, signsUp: boolean, address: string): MemberRow | undefined {
    const { issuer, subject, email, name = '', role } = account
    if (email === undefined || !isEmail(email)) return undefined
    const existing = this.#members.findByEmail(email)
    if (existing && vouchedKey(existing.email) !== vouchedKey(email)) return undefined
    if (existing?.disabled || (!existing && !signsUp)) return undefined
    // The provider may have reassigned the address.
    if (existing && this.#sql.ofMember({ issuer, memberId: existing.id })) return undefined
    const by = existing ? { id: existing.id, address } : { ...SERVICE, address }
    const { id } =
      existing ?? this.#members.create({ name: nameOf(name, email), email, ...(role && { role }) }, null, by)
    if (existing) this.#endCredentials(id, by)
    this.#sql.insert({ issuer, subject, memberId: id, createdAt: timestamp() })
    this.#audit.record({
      action: 'account-linked',
      by,
      subjectId: id,
      subject: { memberId: id },
      metadata: { issuer, subject },
    })
    return this.#members.find(id)
  }

  /** An invited person may have claimed the email of somebody else, who must not share the member with that person. */
  #endCredentials(id: string, by: Actor): void {
    this.#members.update(id, {}, by, { hash: null })
    this.#members.tokens.revokeAll(id, by)
  }

  #followRole({ id, role: before }: MemberRow, account: ProviderAccount, address: string): void {
    // A member who is admin by the provider's claim loses the role with it.
    const role = account.role === null && before === 'admin' ? 'member' : account.role
    if (role === undefined || role === null || role === before) return
    try {
      this.#members.update(id, { role }, { ...SERVICE, address })
    } catch (error) {
      const isLastAdmin = error instanceof ApiError && error.statusCode === 409
      if (!isLastAdmin) throw error
    }
  }
}
