/** Teams: members under one name. Both may be known to other systems, so a team may hold ids that are nobody's here. */
import { asc, eq } from 'drizzle-orm'
import { read, type SharedDatabase } from '../db/client.ts'
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
import { inOrder } from '../db/ordering.ts'
import { teamMembers, teams } from '../db/schema.ts'
import { bytesOf, readLimit } from '../db/work-limits.ts'
import type { Team } from '../schemas/records.ts'
import { timestamp } from '../time.ts'
import { type Actor, prepareAuditLog } from './audit-log.ts'

/** Fields that an admin may set. */
export type TeamInput = Partial<Pick<Team, 'name' | 'description' | 'memberIds'>>

/**
 * Prepares the statements that read and change teams.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareTeams(db: SharedDatabase) {
  const one = prepareRows(
    db,
    db
      .select()
      .from(teams)
      .where(eq(teams.id, given('id'))),
  )
  const all = prepareRows(
    db,
    db
      .select()
      .from(teams)
      .orderBy(...inOrder(teams)),
  )
  const { teamId, memberId } = teamMembers
  const select = () => db.select({ teamId, memberId }).from(teamMembers)
  const membersOf = prepareRows(
    db,
    select()
      .where(eq(teamId, given('teamId')))
      .orderBy(asc(memberId)),
  )
  const membersOfAll = prepareRows(db, select().orderBy(asc(teamId), asc(memberId)))
  const limit = readLimit(db, [
    { rows: 'teams', bytes: bytesOf('description') },
    { rows: 'team_members', bytes: '0' },
  ])
  const insert = prepareInsert(db, teams)
  const update = prepareUpdate(db, teams)
  const remove = prepareDelete(db, teams)
  const addMember = prepareInsert(db, teamMembers)
  const removeMembers = prepareChange(db, db.delete(teamMembers).where(eq(teamId, given('teamId'))))
  const record = prepareAuditLog(db)

  const withMembers = (
    team: Omit<Team, 'memberIds'>,
    memberships: (typeof teamMembers.$inferSelect)[] = [],
  ): Team => ({ ...team, memberIds: memberships.map((membership) => membership.memberId) })

  function get(id: string): Team {
    return read(db, () => withMembers(one.get({ id }) ?? throwNotFound(teams), membersOf.all({ teamId: id })))
  }

  function recordChange(change: 'created' | 'changed' | 'deleted', { id, name }: Team, by: Actor): void {
    record({ action: 'team-changed', by, subjectId: id, metadata: { change, name } })
  }

  /** Different texts may become the same on disk: half characters have no UTF-8. */
  function addMembers(id: string, memberIds: readonly string[]): void {
    for (const one of new Set(memberIds.map((text) => text.toWellFormed()))) {
      addMember({ teamId: id, memberId: one })
    }
  }

  return {
    /** One team. @throws ApiError 404 */
    get,

    /** All teams, by id, in two statements however many there are. @throws TooMuchWork */
    list: (): Team[] =>
      read(db, () => {
        limit()
        const memberships = Map.groupBy(membersOfAll.all(), (membership) => membership.teamId)
        return all.all().map((team) => withMembers(team, memberships.get(team.id)))
      }),

    /** Creates a team. @returns its id */
    create({ memberIds = [], ...fields }: TeamInput & { name: string }, by: Actor): string {
      const id = newId()
      const at = timestamp()
      insert({ ...fields, id, createdAt: at, updatedAt: at })
      addMembers(id, memberIds)
      recordChange('created', get(id), by)
      return id
    },

    /** Changes a team; an empty change leaves it as it is, `updatedAt` included. @throws ApiError 404 */
    update(id: string, input: TeamInput, by: Actor): void {
      const { memberIds, ...fields } = input
      get(id)
      if (Object.keys(input).length === 0) return
      update(id, { ...fields, updatedAt: timestamp() })
      if (memberIds !== undefined) {
        removeMembers({ teamId: id })
        addMembers(id, memberIds)
      }
      recordChange('changed', get(id), by)
    },

    /** Deletes a team; what belongs to it elsewhere, a project say, keeps its id. @throws ApiError 404 */
    delete(id: string, by: Actor): void {
      const team = get(id)
      remove(id)
      recordChange('deleted', team, by)
    },
  }
}
