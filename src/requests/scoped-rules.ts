/**
 * The rules for each caller. Callers with unlimited access use the connection's own rules. All others use the same rules with the
 * secure handle, which only reads records in their scope. If their write changes a record out of scope, it is rolled back.
 */
import { createHash } from 'node:crypto'
import type { Statement } from 'better-sqlite3'
import { getTableName } from 'drizzle-orm'
import { noNewProjects, Policy, type Principal } from '../access/policy.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { currentWrite } from '../db/current-write.ts'
import { KINDS, kindNamed } from '../db/kinds.ts'
import {
  ensureWritableIn,
  projectOfRecords,
  type Right,
  type Scope,
  secureHandle,
  withinScope,
} from '../db/row-security.ts'
import { ApiError, notFound, readOnlyProject } from '../errors.ts'
import { getOrMake, once } from '../once.ts'
import { alreadyDone, type RepeatableRequest, type Seen, type StoredResponse } from './idempotency-store.ts'
import { createRules, type Rules } from './rules.ts'

/** The fields of a change that access checks use. */
interface Made {
  seq: number
  kind: string
  action: 'created' | 'updated' | 'deleted'
  projectId: string | null
  fromProjectId: string | null
}

/** The kinds whose changes affect the access to a project. */
const DECIDING: readonly string[] = ['project', 'team-assignment']

const LOST = 'You would lose this project'
/** The 400 of a write after which its caller no longer sees a project that it changed. */
export const wouldLose = () =>
  new ApiError(400, LOST, { code: 'would_lose_project', details: { formErrors: [LOST], fieldErrors: {} } })

const rightIn = (scope: Scope | undefined, projectId: string): Right | undefined =>
  scope === undefined ? 'write' : scope.projects.get(projectId)

/** The projects of a change: two if it moved an item. */
const projectsOf = ({ projectId, fromProjectId }: Pick<Made, 'projectId' | 'fromProjectId'>): string[] =>
  [projectId, fromProjectId].filter((id) => id !== null)

/** A digest of what a scope includes: equal only for callers that see the same projects. */
function digestOf(scope: Scope | undefined): string {
  if (scope === undefined) return 'everything'
  const { projects, hasIdeas, isGuest } = scope
  const parts = [[...projects.keys()].sort(), hasIdeas, isGuest]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/** The rules of a connection, for any caller. */
export class ScopedRules {
  /** The rules with unlimited access, also for the service itself. */
  readonly all: Rules
  readonly policy: Policy
  readonly #db: SharedDatabase
  readonly #limited: () => Rules
  /** Finds the projects of records, by collection. */
  readonly #projectsOfRecords = new Map<string, ReturnType<typeof projectOfRecords>>()
  readonly #made
  readonly #projectsIn
  readonly #projectsAmong
  readonly #ideasAmong

  constructor(db: SharedDatabase, rules: Rules, policy: Policy) {
    this.#db = db
    this.all = rules
    this.policy = policy
    const handle = secureHandle(db)
    this.#limited = once(() => createRules(handle))
    this.#made = once(() =>
      db.$client.prepare<[number], Made>(
        `select seq, kind, action, project_id as projectId, from_project_id as fromProjectId from changes
        where seq > +? order by seq`,
      ),
    )
    this.#projectsIn = once(() =>
      db.$client.prepare<[number, number], Pick<Made, 'projectId' | 'fromProjectId'> & { isIdea: number }>(
        `select distinct project_id as projectId, from_project_id as fromProjectId, kind = 'personal-idea' as isIdea from changes
        where seq between (select ifnull("group", seq) from changes where seq = +?) and +?`,
      ),
    )
    this.#ideasAmong = once(() =>
      db.$client
        .prepare<[string], string>(
          `select id from personal_ideas where id in (select value from json_each(?)) limit 1`,
        )
        .pluck(),
    )
    this.#projectsAmong = once(() =>
      db.$client
        .prepare<[string], string>(
          `with named(id) as (select value from json_each(?))
          select id from projects where id in (select id from named)
          union select project_id from kanban_items where id in (select id from named)`,
        )
        .pluck(),
    )
  }

  /** The scope of a caller; undefined: everything. */
  scopeOf(principal: Principal | undefined): Scope | undefined {
    return this.policy.scopeOf(principal)
  }

  /** Runs work that reads, with the rules of a caller. @param principal undefined: the service itself */
  read<T>(principal: Principal | undefined, work: (rules: Rules) => T): T {
    if (principal === undefined || this.policy.scopeOf(principal) === undefined) return work(this.all)
    return read(this.#db, () => {
      const scope = this.policy.scopeNow(principal)
      return scope === undefined ? work(this.all) : withinScope(this.#db, scope, () => work(this.#limited()))
    })
  }

  /** Refuses a write early that the check at its end would refuse. @param projectId one that the caller sees @throws ApiError 403 */
  ensureWritable(principal: Principal | undefined, projectId: string): void {
    ensureWritableIn(this.scopeOf(principal), projectId)
  }

  /**
   * The same for the record in the path of a request, before its body is validated, and also if the write would change nothing.
   * @param collection the path's first part, e.g. `kanban-items`
   * @throws ApiError 403; nothing for a record that does not exist or that the caller does not see
   */
  ensureRecordWritable(principal: Principal, collection: string, id: string): void {
    const scope = this.scopeOf(principal)
    if (scope === undefined) return
    const projectOf = getOrMake(this.#projectsOfRecords, collection, () => {
      const kind = kindOfCollection(collection)
      return kind && projectOfRecords(this.#db, kind.table)
    })
    ensureWritableIn(scope, projectOf?.(id))
  }

  /**
   * Runs work that writes, inside a write, with the rules of a limited caller.
   * @param work receives the rules, and the check of its changes, for work in steps
   * @throws ApiError 404 if it changed a record that the caller does not see, 403 for one that the caller may only read, 400 if the caller would
   * no longer see a project that it changed
   */
  write<T>(principal: Principal, work: (rules: Rules, check: ChangeCheck) => T): T {
    const { policy } = this
    const { generation } = policy
    const scope = policy.scopeOf(principal) && policy.scopeNow(principal)
    const { since } = currentWrite(this.#db)
    const check = new ChangeCheck(policy, principal, { scope, generation, since }, this.#made)
    const checked = (rules: Rules) => {
      const result = work(rules, check)
      check.ended()
      if (check.losing() !== undefined) throw wouldLose()
      return result
    }
    if (scope === undefined) return checked(this.all)
    return withinScope(this.#db, scope, () => checked(this.#limited()))
  }

  /** A digest of what a caller sees now, to store with a response that contains reads. */
  seenBy(principal: Principal | undefined): string {
    return digestOf(principal && this.policy.scopeNow(principal))
  }

  /**
   * The stored response to a retry. A batch that changed nothing runs again for a caller who is limited, or was then, with its current scope,
   * because the stored response may contain any record. A request for ideas runs again for a caller without ideas, and is refused.
   * @throws ApiError 404 if the caller no longer sees a project or an idea that the write changed, or that is in its path or the response; 403 if
   * the caller may now only read a project that it changed; 409 if it contains reads, and the caller has seen other projects then; 422
   */
  repetition(principal: Principal | undefined, request: RepeatableRequest): StoredResponse | undefined {
    const { idempotencyStore } = this.all
    const scope = this.scopeOf(principal)
    if (principal === undefined) return idempotencyStore.find(request)
    const { path, paths = [] } = request
    if (scope?.hasIdeas === false && /\/api\/personal-ideas(?:\/|$)/.test(path)) return undefined
    const isBatch = /\/(?:batch|mcp)$/.test(path)
    let isAgain = false
    const stored = idempotencyStore.find(request, (kept) => {
      const sawOthers = kept.seen !== null && kept.seen !== digestOf(scope)
      isAgain = isBatch && kept.seq === null && (scope !== undefined || sawOthers)
      if (isAgain) return
      if (!this.#seesAll(kept, [path, ...paths], principal, scope)) throw notFound(thingOfPath(path))
      for (const id of this.#changesOf(kept).flatMap(projectsOf)) ensureWritableIn(scope, id)
      // Not all reads contain the ids of what they show: columns, counts, people.
      if (sawOthers) throw alreadyDone(kept)
    })
    return isAgain ? undefined : stored
  }

  #changesOf({ seq }: Pick<StoredResponse, 'seq'>) {
    return seq === null ? [] : this.#projectsIn().all(seq, seq)
  }

  /** Whether a caller still sees all records in a request and its stored response. */
  #seesAll(
    kept: Seen,
    paths: readonly string[],
    { memberId: id, role }: Principal,
    scope: Scope | undefined,
  ): boolean {
    const view = this.all.changes.visibility.of({ id, role, scope: () => scope })
    if (!view.isLimited) return true
    const changed = this.#changesOf(kept)
    // A batch may have read other projects than it changed; and some writes record no changes, such as those of share links.
    const named = JSON.stringify([...paths.flatMap(idsInPath), ...idsNamedIn(kept.body)])
    const seesIdeas =
      (scope?.hasIdeas ?? true) ||
      (changed.every(({ isIdea }) => isIdea === 0) && this.#ideasAmong().get(named) === undefined)
    return (
      seesIdeas &&
      changed.flatMap(projectsOf).every((project) => view.seesProject(project, kept.seq ?? 0)) &&
      this.#projectsAmong()
        .all(named)
        .every((project) => scope?.projects.has(project) ?? true)
    )
  }
}

/** The check of a write's changes, after each of its steps, against the rights that its caller had before the step and has after it. */
export class ChangeCheck {
  readonly #policy: Policy
  readonly #principal: Principal
  readonly #made: () => Statement<[number], Made>
  #scope: Scope | undefined
  #generation: number
  /** The last checked change. */
  #since: number
  /** The projects that the caller no longer sees, and the step since which that is so. */
  readonly #lost = new Map<string, number>()

  /** @param start the caller's scope before the write, the generation of the policy then, and the last change */
  constructor(
    policy: Policy,
    principal: Principal,
    start: { scope: Scope | undefined; generation: number; since: number },
    made: () => Statement<[number], Made>,
  ) {
    this.#policy = policy
    this.#principal = principal
    this.#scope = start.scope
    this.#generation = start.generation
    this.#since = start.since
    this.#made = made
  }

  /** Checks the changes of a step. @throws ApiError 404 or 403: see `ScopedRules.write` */
  ended(step = 0): void {
    const { generation } = this.#policy
    const before = this.#scope
    const after = generation === this.#generation ? before : this.#policy.scopeOf(this.#principal)
    this.#scope = after
    this.#generation = generation
    if (before === undefined && after === undefined) return
    for (const made of this.#made().iterate(this.#since)) {
      this.#since = made.seq
      for (const id of projectsOf(made)) this.#check(made, step, rightIn(before, id), rightIn(after, id), id)
    }
    for (const id of this.#lost.keys()) if (rightIn(after, id) !== undefined) this.#lost.delete(id)
  }

  /** The first step that took a project from the caller which no later step has given back. */
  losing(): number | undefined {
    const [first] = this.#lost.values()
    return first
  }

  #check(
    { kind, action }: Made,
    step: number,
    before: Right | undefined,
    after: Right | undefined,
    id: string,
  ): void {
    const isNew = kind === 'project' && action === 'created'
    const isRefused = after === undefined || this.#principal.role === 'guest'
    if (isNew && before === undefined && isRefused) throw noNewProjects()
    if (before === undefined && after === undefined) throw notFound(kindNamed(kind)?.thing ?? 'Record')
    if (before === 'read') throw readOnlyProject()
    const isDeletion = kind === 'project' && action === 'deleted'
    const isLost = after === undefined && !isDeletion
    if (isLost && DECIDING.includes(kind) && !this.#lost.has(id)) this.#lost.set(id, step)
  }
}

/** Creates the rules of a connection for all callers. @param version and `versionNow`: see `Policy`; by default SQLite is queried each time */
export function createScopedRules(
  db: SharedDatabase,
  version = versionOf(db),
  versionNow = version,
): ScopedRules {
  return new ScopedRules(db, createRules(db), new Policy(db, version, versionNow))
}

function versionOf({ $client }: SharedDatabase): () => number | undefined {
  const version = $client.prepare<[], number>('pragma data_version').pluck()
  return () => version.get()
}

/** The ids in a stored body: of records and their parents. */
function idsNamedIn(body: string | null): string[] {
  const ids = new Set<string>()
  JSON.parse(body || 'null', (name, value) => {
    if (typeof value === 'string' && /^id$|Id$/.test(name)) ids.add(value)
  })
  return [...ids]
}

/** The ids in a path and its query, and their other parts. A part that cannot be decoded is no id. */
const idsInPath = (path: string): string[] =>
  path.split(/[/?&=]/).flatMap((part) => {
    try {
      return [decodeURIComponent(part)]
    } catch {
      return []
    }
  })

/** The kind of the records in a collection, e.g. `kanban-items`. */
const kindOfCollection = (collection: string) =>
  KINDS.find(({ table }) => getTableName(table) === collection.replaceAll('-', '_'))

/** The name of the record in the path of a request, for a 404. */
function thingOfPath(path: string): string {
  const [, collection = ''] = /\/api\/([\w-]+)\/[^/]+/.exec(path) ?? []
  return collection === 'changes' ? 'Change' : (kindOfCollection(collection)?.thing ?? 'Project')
}
