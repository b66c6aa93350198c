/**
 * The one policy: which projects a caller may read, and write. Everything else follows from it: {@link Scope} limits what SQL reads
 * (`src/db/row-security.ts`), what a write may change (`src/requests/scoped-rules.ts`), and which changes are shown (`src/changes`).
 */
import { LRUCache } from 'lru-cache'
import type { SharedDatabase } from '../db/client.ts'
import type { Right, Scope } from '../db/row-security.ts'
import type { Identity } from '../members/identity.ts'
import { once } from '../once.ts'

/** Whom a request acts for, as far as the policy asks; structured-cloneable. */
export interface Principal {
  memberId: string
  role: Identity['member']['role']
  /** Whether it is the default member of open mode. */
  isDefault: boolean
  projectIds: Identity['projectIds']
  projects: Identity['projects']
}

/** The principal of an identity. */
export const principalOf = ({ member: { id, role }, via, projectIds, projects }: Identity): Principal => ({
  memberId: id,
  role,
  isDefault: via === 'default',
  projectIds: projectIds ?? null,
  projects,
})

/** Members whose scope a connection remembers. */
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
  ids: once(() => client.prepare<[], string>('select id from projects').pluck()),
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

/** Makes the numbers of scopes, of all connections of this thread. */
let latest = 0

/** The policy of a connection. */
export class Policy {
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #version: () => number | undefined
  readonly #ofMembers = new LRUCache<string, { scope: Scope | null }>({ max: REMEMBERED })
  readonly #limited = new LRUCache<string, { of: Scope | null; scope: Scope }>({ max: REMEMBERED })
  readonly #client: SharedDatabase['$client']
  #seenVersion: number | undefined
  #generation = 0
  /** Whether this connection has changed who reaches what since the caches were filled: the change may still be rolled back. */
  #isUnsettled = false

  /**
   * @param version a number that commits of other connections change, as of the current request
   */
  constructor(db: SharedDatabase, version: () => number | undefined) {
    this.#client = db.$client
    this.#sql = statementsOf(db)
    this.#version = version
    this.#seenVersion = version()
    watchAccess(db, () => {
      this.#generation++
      this.#isUnsettled = true
    })
  }

  /** A number that changes with every change of who may reach what. */
  get generation(): number {
    const version = this.#version()
    if (version !== this.#seenVersion) {
      this.#seenVersion = version
      this.#forget()
    }
    return this.#generation
  }

  /** What a principal may reach; undefined: everything. */
  scopeOf(principal: Principal): Scope | undefined {
    // Forgets what is no longer so.
    this.generation
    if (this.#isUnsettled && !this.#client.inTransaction) {
      this.#isUnsettled = false
      this.#forget()
    }
    return this.#scopeOf(principal) ?? undefined
  }

  /** The projects that come and go with a change of scope; deleted ones excepted. */
  difference(before: Scope | undefined, after: Scope | undefined): { projectId: string; visible: boolean }[] {
    const sees = (scope: Scope | undefined, id: string) => scope === undefined || scope.projects.has(id)
    return this.#sql
      .ids()
      .all()
      .filter((id) => sees(before, id) !== sees(after, id))
      .map((projectId) => ({ projectId, visible: sees(after, projectId) }))
  }

  #forget(): void {
    this.#generation++
    this.#ofMembers.clear()
    this.#limited.clear()
  }

  #scopeOf(principal: Principal): Scope | null {
    const { memberId, role, isDefault, projectIds = null, projects } = principal
    const isAll = isDefault || role === 'admin'
    if (projects === undefined && projectIds === null) return isAll ? null : this.#ofMember(memberId, role)
    const of = projects === undefined && !isAll ? this.#ofMember(memberId, role) : null
    const key = JSON.stringify([memberId, role, projectIds, projects])
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
    const isGuest = role === 'guest'
    const scope = {
      number: ++latest,
      projects: new Map(rights),
      hasIdeas,
      isGuest,
      memberId,
      isByAssignment: false,
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
    const all = this.#sql.projects().all({ memberId })
    const projects = new Map(
      all.flatMap((seen): [string, Right][] => {
        const right = rightTo(seen, isGuest)
        return right === undefined ? [] : [[seen.id, right]]
      }),
    )
    return { number: ++latest, projects, hasIdeas: true, isGuest, memberId, isByAssignment: true }
  }
}

/** The columns that decide access, by table; a change of any other costs nothing. */
const DECIDING: Readonly<Record<string, string>> = {
  projects: '"access", team_id',
  team_assignments: 'project_id, member_id, role',
  team_members: 'team_id, member_id',
}

/** Calls `changed` with every write of this connection that may change who reaches what, even if it is rolled back. */
function watchAccess({ $client: client }: SharedDatabase, changed: () => void): void {
  client.function('access_changed', () => {
    changed()
    return null
  })
  for (const [table, columns] of Object.entries(DECIDING)) {
    for (const event of ['insert', `update of ${columns}`, 'delete']) {
      const [name] = event.split(' ')
      client.exec(
        `create temp trigger access_${name}_${table} after ${event} on main.${table} begin select access_changed(); end`,
      )
    }
  }
}
