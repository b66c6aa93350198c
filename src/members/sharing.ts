/** Who may share a project by links that need no sign-in: the field `shareLinks` of projects. */
import type { SharedDatabase } from '../db/client.ts'
import { connectionOf } from '../db/connection.ts'
import { forbidden } from '../errors.ts'
import { once } from '../once.ts'
import type { CurrentMember } from '../schemas/records.ts'

/** Members who may write the project, only admins, or nobody: then its links do not work. */
export const SHARERS = ['members', 'admins', 'off'] as const

/** The settings with which links work. Another tool may have stored another word. */
export const WORKING: readonly string[] = ['members', 'admins']

/** Whoever shares a project: a member, or the command line (null). */
export type Sharer = Pick<CurrentMember, 'role'> | null

/** Prepares reading the setting of a project that exists. @returns the query by its id */
export function sharingIn(db: SharedDatabase): (projectId: string) => string {
  const unusual = once(() =>
    connectionOf(db)
      .prepare<[string], string>(
        `select sharing from main.projects indexed by projects_sharing where id = +? and sharing <> 'members'`,
      )
      .pluck(),
  )
  return (projectId) => unusual().get(projectId) ?? 'members'
}

/** 403 for guests: a project that they see is not theirs to show to others. */
export const notForGuests = () => forbidden('guests cannot share projects', 'sharing_refused')

/**
 * Checks whether a member who may write a project may create its links, and change who may.
 * @param setting its current `shareLinks`
 * @throws ApiError 403
 */
export function ensureMayShare(setting: unknown, by: Sharer): void {
  if (by === null || by.role === 'admin') return
  if (by.role === 'guest') throw notForGuests()
  if (setting !== 'members') throw forbidden('only admins may share this project', 'sharing_refused')
}
