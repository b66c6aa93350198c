/**
 * The access policy: which projects a caller may read and write. All other code uses its result: {@link Scope} limits the rows that SQL reads
 * (`src/db/row-security.ts`), the records that a write may change (`src/requests/scoped-rules.ts`), and the visible changes (`src/changes`).
 */
import { createCache } from '../cache.ts'
import type { SharedDatabase } from '../db/client.ts'
import type { Right, Scope } from '../db/row-security.ts'
import { forbidden } from '../errors.ts'
import type { Identity } from '../members/identity.ts'
import { once } from '../once.ts'

/** The principal of a request, for the policy; structured-cloneable. Callers with unlimited access have none. */
export interface Principal {
  memberId: string
  role: Identity['member']['role']
  /** Whether it sees every project in `projectIds`: an admin's token, or the default member of open mode. */
  seesAll: boolean
  projectIds: Identity['projectIds']
  projects: Identity['projects']
}

/** Whether a principal sees the projects that it creates. */
export const makesProjects = ({ member, projectIds = null, projects }: Identity): boolean =>
  member.role !== 'guest' && projectIds === null && projects === undefined

/** The 403 for all others who create one. */
export const noNewProjects = () => forbidden('you would not see the new project', 'no_new_projects')

/** Cached scopes of members, per connection. */
const REMEMBERED = 1000

/** A project as the policy sees it, for one member. */
interface Seen {
  id: string
  isForEveryone: number
  /** The role of the member's own assignment; NULL for none. */
  role: string | null
  isOfTeam: number
}

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  hasAssigned: once(() =>
    client.prepare<[], number>(`select 1 from projects where "access" <> 'everyone' limit 1`).pluck(),
  ),
  isViewer: once(() =>
    client
      .prepare<[string], number>(
        `select 1 from team_assignments where member_id = ? and role = 'viewer' limit 1`,
      )
      .pluck(),
  ),
  ids: once(() =>
    client
      .prepare<[number], string>(
        `select id from projects where id not in (
          select id from changes where seq > +? and kind = 'project' and action = 'created')`,
      )
      .pluck(),
  ),
  projects: once(() =>
    client.prepare<[object], Seen>(`
      select project.id, project."access" = 'everyone' as isForEveryone, assigned.role,
        exists (select 1 from team_members as its
          where its.team_id = project.team_id and its.member_id = :memberId) as isOfTeam
      from projects as project
      left join team_assignments as assigned on assigned.project_id = project.id and assigned.member_id = :memberId`),
  ),
})

/** A member's right to a project; undefined for none. */
function rightTo({ isForEveryone, role, isOfTeam }: Seen, isGuest: boolean): Right | undefined {
  if (role === null && isOfTeam === 0 && (isGuest || isForEveryone === 0)) return undefined
  return role === 'viewer' ? 'read' : 'write'
}

/** The counter of scope numbers, for all connections of this thread. */
let latest = 0

/** The policy of a connection. */
export class Policy {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #version: () => number | undefined
  readonly #versionNow: () => number | undefined
  readonly #ofMembers = createCache<string, { scope: Scope | null }>(REMEMBERED)
  readonly #limited = createCache<string, { of: Scope | null; scope: Scope }>(REMEMBERED)
  readonly #client: SharedDatabase['$client']
  #seenVersion: number | undefined
  /** Whether it has created a scope: as long as no caller is limited, most writes do not affect the policy. */
  #hasLimited = false
  #generation = 0
  /** Whether this connection has changed access since the caches were filled: the change may still be rolled back. */
  #isUnsettled = false

  /**
   * @param version a number that commits of other connections change, as of the current request
   * @param versionNow the same as of now
   */
  constructor(db: SharedDatabase, version: () => number | undefined, versionNow: () => number | undefined) {
    this.#versionNow = versionNow
    this.#client = db.$client
    this.#sql = statementsOf(db)
    this.#version = version
    this.#seenVersion = version()
    watchAccess(db, (limits) => {
      if (!limits && !this.#hasLimited) return
      this.#generation++
      this.#isUnsettled = true
    })
  }

  /** A number that changes with every change of access. */
  get generation(): number {
    this.#compare(this.#version())
    return this.#generation
  }

  /** The current scope of a principal: in a transaction, that of its snapshot, also after a commit of another process meanwhile. */
  scopeNow(principal: Principal): Scope | undefined {
    this.#compare(this.#versionNow())
    return this.scopeOf(principal)
  }

  #compare(version: number | undefined): void {
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    this.#forget()
  }

  /** The scope of a principal; undefined: everything. */
  scopeOf(principal: Principal | undefined): Scope | undefined {
    if (principal === undefined) return undefined
    this.#compare(this.#version())
    if (this.#isUnsettled && !this.#client.inTransaction) {
      this.#isUnsettled = false
      this.#forget()
    }
    return this.#scopeOf(principal) ?? undefined
  }

  /**
   * The projects that a change of scope adds and removes, without deleted ones.
   * @param since the last change when `before` was the scope: a caller who saw everything did not see projects created later
   */
  difference(
    before: Scope | undefined,
    after: Scope | undefined,
    since: number,
  ): { projectId: string; visible: boolean }[] {
    const sees = (scope: Scope | undefined, id: string) => scope === undefined || scope.projects.has(id)
    return this.#sql
      .ids()
      .all(before === undefined ? since : Number.MAX_SAFE_INTEGER)
      .filter((id) => sees(before, id) !== sees(after, id))
      .map((projectId) => ({ projectId, visible: sees(after, projectId) }))
  }

  #forget(): void {
    this.#generation++
    this.#hasLimited = false
    this.#ofMembers.clear()
    this.#limited.clear()
  }

  #scopeOf(principal: Principal): Scope | null {
    const { memberId, role, seesAll, projectIds = null, projects } = principal
    if (projects === undefined && projectIds === null) return this.#ofMember(memberId, role)
    const of = projects === undefined && !seesAll ? this.#ofMember(memberId, role) : null
    const key = JSON.stringify([memberId, role, seesAll, projectIds, projects])
    const known = this.#isUnsettled ? undefined : this.#limited.get(key)
    if (known?.of === of) return known.scope
    const rights: [string, Right][] =
      projects !== undefined
        ? Object.entries(projects)
        : (projectIds ?? []).flatMap((id): [string, Right][] => {
            const right = of === null ? 'write' : of.projects.get(id)
            return right === undefined ? [] : [[id, right]]
          })
    const hasIdeas = projectIds === null
    this.#hasLimited = true
    const isGuest = role === 'guest'
    const scope = {
      number: ++latest,
      projects: new Map(rights),
      hasIdeas,
      isGuest,
      memberId,
      isByAssignment: false,
      followsAccess: projects === undefined && !seesAll,
    }
    if (!this.#isUnsettled) this.#limited.set(key, { of, scope })
    return scope
  }

  /** The scope of a member without further limits; null: everything. */
  #ofMember(memberId: string, role: Principal['role']): Scope | null {
    const key = `${role} ${memberId}`
    const known = this.#isUnsettled ? undefined : this.#ofMembers.get(key)
    if (known) return known.scope
    const scope = this.#read(memberId, role)
    if (!this.#isUnsettled) this.#ofMembers.set(key, { scope })
    return scope
  }

  #read(memberId: string, role: Principal['role']): Scope | null {
    const isGuest = role === 'guest'
    const mayBeLimited =
      isGuest || this.#sql.hasAssigned().get() === 1 || this.#sql.isViewer().get(memberId) === 1
    if (!mayBeLimited) return null
    this.#hasLimited = true
    const all = this.#sql.projects().all({ memberId })
    const projects = new Map(
      all.flatMap((seen): [string, Right][] => {
        const right = rightTo(seen, isGuest)
        return right === undefined ? [] : [[seen.id, right]]
      }),
    )
    return {
      number: ++latest,
      projects,
      hasIdeas: true,
      isGuest,
      memberId,
      isByAssignment: true,
      followsAccess: true,
    }
  }
}

/** Condition, as SQL: a written row may limit a caller who was not limited so far. */
const LIMITS = {
  project: `new."access" <> 'everyone'`,
  assignment: `new.role = 'viewer'`,
} as const

/** The writes that affect access, by table: each event, and whether it may limit a caller. Other writes cost nothing. */
const DECIDING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  projects: { insert: LIMITS.project, 'update of "access", team_id': LIMITS.project, delete: 'false' },
  team_assignments: {
    insert: LIMITS.assignment,
    'update of project_id, member_id, role': LIMITS.assignment,
    delete: 'false',
  },
  team_members: { insert: 'false', 'update of team_id, member_id': 'false', delete: 'false' },
}

/**
 * Calls `changed` with every write of this connection that affects access, even if it is rolled back.
 * @param changed its argument is whether the write may limit a caller who was not limited so far
 */
function watchAccess({ $client: client }: SharedDatabase, changed: (limits: boolean) => void): void {
  client.function('access_changed', (limits: number) => {
    changed(limits === 1)
    return null
  })
  for (const [table, events] of Object.entries(DECIDING)) {
    for (const [event, limits] of Object.entries(events)) {
      const [name] = event.split(' ')
      client.exec(
        `create temp trigger access_${name}_${table} after ${event} on main.${table} begin select access_changed(${limits}); end`,
      )
    }
  }
}
