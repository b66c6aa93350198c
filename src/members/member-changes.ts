/** What admins do to members, and members to themselves. */
import { and, eq, ne } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { newId } from '../db/ids.ts'
import {
  given,
  prepareChange,
  prepareDelete,
  prepareInsert,
  prepareRows,
  prepareUpdate,
} from '../db/old-statements.ts'
import { members, sessions, teamMembers } from '../db/schema.ts'
import { conflict, invalidField } from '../errors.ts'
import type { Member } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { type Actor, type AuditEntry, prepareAuditLog } from './audit-log.ts'
import { findMemberByEmail, type MemberRow } from './members.ts'

/** Fields that can be set. Whose they are to set is for the caller to know. */
export type MemberInput = Partial<Pick<Member, 'name' | 'email' | 'role' | 'disabled'>>

/** A password to be set: its hash, since hashing takes longer than a write may. */
export interface NewPassword {
  hash: string
  /** Present when it is the member's own doing. */
  own?: {
    /** The hash that the current password was held against. */
    confirmed: string
    /** The session that the change was made in, if it was one: it goes on. */
    sessionId: string | undefined
  }
}

/** The 400 of whoever does not know the password. */
export const wrongPassword = () => invalidField('currentPassword', 'must be the current password')

const isAdmin = ({ role, disabled }: Pick<MemberRow, 'role' | 'disabled'>) => role === 'admin' && !disabled

/** What of a change belongs in the audit trail. */
function notesOf(before: MemberRow, after: MemberRow, password: NewPassword | undefined) {
  const notes: Pick<AuditEntry, 'action' | 'metadata'>[] = []
  const changed = <Field extends 'role' | 'email'>(field: Field) => ({
    action: `member-${field}-changed` as const,
    metadata: { from: before[field], to: after[field] },
  })
  if (after.role !== before.role) notes.push(changed('role'))
  if (after.email !== before.email) notes.push(changed('email'))
  if (after.disabled !== before.disabled) {
    notes.push({ action: after.disabled ? 'member-disabled' : 'member-enabled' })
  }
  if (password) notes.push({ action: password.own ? 'password-changed' : 'password-reset' })
  return notes
}

/**
 * Prepares the changes of members, each with its entries in the audit trail. Call them inside the write that they are
 * part of.
 * @returns the changes
 */
export function prepareMemberChanges(db: SharedDatabase) {
  const one = prepareRows(
    db,
    db
      .select()
      .from(members)
      .where(eq(members.id, given('id'))),
  )
  const otherAdmin = prepareRows(
    db,
    db
      .select({ id: members.id })
      .from(members)
      .where(and(eq(members.role, 'admin'), eq(members.disabled, false), ne(members.id, given('id'))))
      .limit(1),
  )
  const insert = prepareInsert(db, members)
  const update = prepareUpdate(db, members)
  const remove = prepareDelete(db, members)
  const endSessions = prepareChange(
    db,
    db
      .delete(sessions)
      .where(and(eq(sessions.memberId, given('memberId')), ne(sessions.id, given('exceptId')))),
  )
  const leaveTeams = prepareChange(
    db,
    db.delete(teamMembers).where(eq(teamMembers.memberId, given('memberId'))),
  )
  const record = prepareAuditLog(db)

  function refuseTaken(email: string, memberId?: string): void {
    const holder = findMemberByEmail(db, email)
    if (holder && holder.id !== memberId) throw conflict('Member email is taken')
  }

  /** There must be somebody who can undo what is done. */
  function keepAnAdmin(before: MemberRow, after?: MemberRow): void {
    const isAdminLost = isAdmin(before) && !(after && isAdmin(after))
    if (isAdminLost && !otherAdmin.get({ id: before.id })) throw conflict('Member is the last admin')
  }

  return {
    /**
     * Creates a member.
     * @param passwordHash null for a member who is not to sign in with a password
     * @returns its id
     * @throws ApiError 409 when the email is taken
     */
    create(
      input: Pick<Member, 'name' | 'email'> & Partial<Pick<Member, 'role'>>,
      passwordHash: string | null,
      by: Actor,
    ): string {
      refuseTaken(input.email)
      const id = newId()
      const at = timestamp()
      insert({ ...input, id, passwordHash, createdAt: at, updatedAt: at })
      const { email, role } = one.get({ id }) as MemberRow
      record({ action: 'member-created', by, subjectId: id, metadata: { email, role } })
      return id
    },

    /**
     * Changes a member; an empty change leaves it as it is, `updatedAt` included. Disabling and enabling, and a new
     * password, end the member's sessions. A new role needs no end of sessions: they never hold it.
     * @throws ApiError 404; 409 when the email is taken or the service would be without an admin; 400 on
     * `currentPassword` when the password is not the one any more that was confirmed
     */
    update(id: string, fields: MemberInput, by: Actor, password?: NewPassword): void {
      const before = one.get({ id }) ?? throwNotFound(members)
      const changes = { ...fields, ...(password && { passwordHash: password.hash }) }
      const after = { ...before, ...changes }
      if (password?.own && password.own.confirmed !== before.passwordHash) throw wrongPassword()
      if (fields.email !== undefined) refuseTaken(fields.email, id)
      keepAnAdmin(before, after)
      if (Object.keys(changes).length === 0) return
      update(id, { ...changes, updatedAt: timestamp() })
      if (after.disabled !== before.disabled) endSessions({ memberId: id, exceptId: '' })
      else if (password) endSessions({ memberId: id, exceptId: password.own?.sessionId ?? '' })
      for (const note of notesOf(before, after, password)) record({ ...note, by, subjectId: id })
    },

    /**
     * Deletes a member, with its sessions, tokens and places in teams; what it made stays, under its id.
     * @throws ApiError 404, or 409 when it is the last admin
     */
    delete(id: string, by: Actor): void {
      const before = one.get({ id }) ?? throwNotFound(members)
      keepAnAdmin(before)
      remove(id)
      leaveTeams({ memberId: id })
      const { email, role } = before
      record({ action: 'member-deleted', by, subjectId: id, metadata: { email, role } })
    },
  }
}
