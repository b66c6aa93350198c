/** Reads projects with all their relations; creates, changes and deletes them. */
import { and, eq, gt, type SQL } from 'drizzle-orm'
import type { Board } from '../board/board.ts'
import { Children, childrenOfMany } from '../db/children.ts'
import { read, type SharedDatabase } from '../db/client.ts'
import { nameKey } from '../db/collation.ts'
import { currentWrite } from '../db/current-write.ts'
import { throwNotFound } from '../db/existence.ts'
import { anyContains } from '../db/folded-text.ts'
import { newId } from '../db/ids.ts'
import { inPieces } from '../db/json-pieces.ts'
import { childrenOf } from '../db/kinds.ts'
import { inOrder, type Place, reorderIn } from '../db/ordering.ts'
import { DEFAULT_SORT, type KeyPlace, type Page, type PageQuery, readPage } from '../db/pages.ts'
import { ensureWritableIn, scopeOf } from '../db/row-security.ts'
import { metrics, objectives, projects, teamAssignments, transcriptSummaries } from '../db/schema.ts'
import { BEGINNING, type Sort, sortsOf, textKey } from '../db/sorting.ts'
import {
  amongIds,
  amongValues,
  bindAny,
  byFields,
  deleteFrom,
  given,
  givenLimit,
  insertReturning,
  listPlaceholder,
  selectAll,
  selectById,
  selectOne,
  updateIn,
} from '../db/statements.ts'
import {
  among,
  bytesOf,
  isLimited,
  ROWS_SCANNED,
  readLimit,
  rowLimit,
  TooMuchWork,
  unlessTooMuch,
} from '../db/work-limits.ts'
import { invalidField } from '../errors.ts'
import { fold } from '../folding.ts'
import type { Actor, AuditLog } from '../members/audit-log.ts'
import { ensureMayShare, type Sharer, sharingIn } from '../members/sharing.ts'
import { once } from '../once.ts'
import { valuesOfAny } from '../schemas/common.ts'
import { type KanbanItem, ObjectiveSchema, type Project } from '../schemas/records.ts'
import { parseTimestamp, timestamp } from '../time.ts'
import { Assignments } from './assignments.ts'
import { Ideas } from './ideas.ts'
import { Imports } from './imports.ts'
import { Ingest } from './ingest.ts'
import { Metrics } from './metrics.ts'
import { defaultPhaseConfig, firstPhase, phaseNames } from './phases.ts'
import { ProjectKeys } from './project-keys.ts'
import { ShareLinks } from './share-links.ts'
import { Transcripts } from './transcripts.ts'

type ProjectRow = typeof projects.$inferSelect
type NewProject = typeof projects.$inferInsert

/** A project with all its relations except items. */
export type ProjectFrame = Omit<Project, 'kanbanItems'>

/** Fields a client may set. */
export type ProjectInput = Partial<Omit<NewProject, 'id' | 'createdAt' | 'updatedAt'>>

/** The filters of a list: any of the values matches, all filters must match. An empty or absent value does not filter. */
export interface ProjectFilter {
  status?: string | string[] | undefined
  teamId?: string | string[] | undefined
  leadId?: string | string[] | undefined
  type?: string | string[] | undefined
  health?: string | string[] | undefined
  /** A substring of the name or the description, case-insensitive. */
  q?: string | undefined
  /** Changed later. */
  updatedAfter?: string | undefined
}

/** The sorts of lists of projects. */
export const PROJECT_SORTS = sortsOf(projects, {
  updatedAt: textKey(projects.updatedAt),
  createdAt: textKey(projects.createdAt),
  name: nameKey(projects.name),
})

/** The sort of a validated name. */
const sortNamed = (name: string): Sort => PROJECT_SORTS[name] as Sort

/** The values that a filter binds. */
const valuesOf = ({ status, teamId, leadId, type, health, q, updatedAfter }: ProjectFilter) => ({
  ...bindAny('status', valuesOfAny(status)),
  ...bindAny('teamId', valuesOfAny(teamId)),
  ...bindAny('leadId', valuesOfAny(leadId)),
  ...bindAny('type', valuesOfAny(type)),
  ...bindAny('health', valuesOfAny(health)),
  q: q ? fold(q) : undefined,
  updatedAfter: updatedAfter && parseTimestamp(updatedAfter),
})

/** Filters with an index in the default order: all others scan the rows of all projects. */
const INDEXED = new Set(['status', 'teamId', listPlaceholder('status'), listPlaceholder('teamId')])

/** The condition of each filter, by the name of its placeholder. */
const CONDITIONS: Record<string, SQL | undefined> = {
  status: eq(projects.status, given('status')),
  teamId: eq(projects.teamId, given('teamId')),
  leadId: eq(projects.leadId, given('leadId')),
  type: eq(projects.type, given('type')),
  health: eq(projects.health, given('health')),
  q: anyContains(projects.name, projects.description),
  updatedAfter: gt(projects.updatedAt, given('updatedAfter')),
  [listPlaceholder('status')]: amongValues(projects.status, listPlaceholder('status')),
  [listPlaceholder('teamId')]: amongValues(projects.teamId, listPlaceholder('teamId')),
  [listPlaceholder('leadId')]: amongValues(projects.leadId, listPlaceholder('leadId')),
  [listPlaceholder('type')]: amongValues(projects.type, listPlaceholder('type')),
  [listPlaceholder('health')]: amongValues(projects.health, listPlaceholder('health')),
}

/** Condition: the project matches the filters of these names. */
const matching = (names: string[]) => and(...names.map((name) => CONDITIONS[name]))

/** The rows that a project's deletion cascades to, as SQL with the project's id as parameter. */
const rowsOfProject = (): string[] => [
  ...childrenOf('project').map(({ table }) => `${table} where project_id = +?`),
  ...childrenOf('kanban-item').map(
    ({ table }) => `${table} where item_id in (select id from kanban_items where project_id = +?)`,
  ),
]

const statementsOf = (db: SharedDatabase) => ({
  one: selectById(db, projects),
  among: selectAll(db, () => db.select().from(projects).where(amongIds(projects.id))),
  ids: byFields((names) =>
    selectAll<{ id: string }>(db, () =>
      db
        .select({ id: projects.id })
        .from(projects)
        .where(matching(names))
        .orderBy(...inOrder(projects)),
    ),
  ),
  places: byFields((names, sort) =>
    selectAll<KeyPlace>(db, () => {
      const { place, after, order } = sortNamed(sort)
      return db
        .select({ id: projects.id, ...place })
        .from(projects)
        .where(and(matching(names), names.includes('key') ? after : undefined))
        .orderBy(...order)
        .limit(givenLimit('count')) as never
    }),
  ),
  place: selectOne(db, () =>
    db
      .select({ id: projects.id, sortOrder: projects.sortOrder })
      .from(projects)
      .where(eq(projects.id, given('id'))),
  ),
  named: selectOne(db, () =>
    db
      .select({ name: projects.name })
      .from(projects)
      .where(eq(projects.id, given('id'))),
  ),
  transcriptsOf: childrenOfMany(db, transcriptSummaries),
  metricsOf: childrenOfMany(db, metrics),
  objectivesOf: childrenOfMany(db, objectives),
  assignmentsOf: childrenOfMany(db, teamAssignments),
  insert: insertReturning(db, projects),
  update: updateIn(db, projects),
  remove: deleteFrom(db, projects),
  reorder: reorderIn(db, projects, undefined),
  limitProjects: rowLimit(db, 'projects', ROWS_SCANNED),
  limitItems: readLimit(db, [
    { rows: among('kanban_items', 'project_id'), bytes: bytesOf('description', 'metadata') },
    {
      rows: among('kanban_items join kanban_subtasks on item_id = kanban_items.id', 'project_id'),
      bytes: '0',
    },
  ]),
  limitFrames: readLimit(db, [
    {
      rows: among('transcript_summaries', 'project_id'),
      bytes: bytesOf('summary', 'participants', 'action_items'),
    },
    { rows: among('metrics', 'project_id'), bytes: bytesOf('history') },
    { rows: among('objectives', 'project_id'), bytes: bytesOf('description') },
    { rows: among('team_assignments', 'project_id'), bytes: '0' },
    { rows: among('projects', 'id'), bytes: bytesOf('description', 'next_step', 'metadata', 'phase_config') },
  ]),
  limitsOfDeletion: once(() => rowsOfProject().map((rows) => rowLimit(db, rows))),
})

/**
 * Refuses a phase that is not in a project's sequence, for a strict request. Without a sequence, any phase is valid.
 * @throws ApiError 400 on `phase`
 */
function ensurePhase(phase: string, phaseConfig: readonly unknown[]): void {
  const names = phaseNames(phaseConfig)
  if (names.length === 0 || names.includes(phase)) return
  throw invalidField('phase', `must be one of ${names.map((name) => JSON.stringify(name)).join(', ')}`)
}

/** Projects and all their relations except boards; and ideas, which become projects. */
export class Projects {
  static readonly reads: readonly string[] = ['idsOf', 'page', 'getMany', 'inPieces', 'getFrames', 'get']
  readonly objectives: Children<typeof objectives>
  readonly metrics: Metrics
  readonly transcripts: Transcripts
  readonly assignments: Assignments
  readonly ingest: Ingest
  readonly ideas: Ideas
  readonly imports: Imports
  readonly keys: ProjectKeys
  readonly shareLinks: ShareLinks
  readonly #db: SharedDatabase
  readonly #sql: ReturnType<typeof statementsOf>
  readonly #board: Board
  readonly #sharingOf: (projectId: string) => string
  readonly #audit: AuditLog

  constructor(db: SharedDatabase, board: Board, audit: AuditLog) {
    this.objectives = new Children(db, objectives, ObjectiveSchema)
    this.metrics = new Metrics(db)
    this.transcripts = new Transcripts(db)
    this.assignments = new Assignments(db)
    this.ingest = new Ingest(db, this.transcripts, this.metrics, board)
    this.ideas = new Ideas(db, (input) => this.create(input))
    this.imports = new Imports(db)
    this.keys = new ProjectKeys(db)
    this.shareLinks = new ShareLinks(db, audit)
    this.#db = db
    this.#sql = statementsOf(db)
    this.#sharingOf = sharingIn(db)
    this.#board = board
    this.#audit = audit
  }

  /** The ids of the matching projects, by sortOrder. */
  idsOf(filter: ProjectFilter): string[] {
    const values = valuesOf(filter)
    return this.#sql
      .ids(values)(values)
      .map(({ id }) => id)
  }

  /** A page of the matching projects, in the order of its sort. @throws TooMuchWork */
  page(filter: ProjectFilter, query: PageQuery): Page {
    const { sort = DEFAULT_SORT } = query
    const values: Record<string, unknown> = valuesOf(filter)
    // A substring search reads all texts.
    if (values.q !== undefined && isLimited(this.#db)) throw new TooMuchWork()
    const isIndexed = Object.keys(values).every((name) => values[name] === undefined || INDEXED.has(name))
    if (sort !== DEFAULT_SORT || !isIndexed) this.#sql.limitProjects()
    return readPage((place, count) => {
      const from = { ...values, ...(place ?? (sort === DEFAULT_SORT ? BEGINNING : {})), count }
      return this.#sql.places(from, sort)(from)
    }, query)
  }

  /**
   * The existing projects of these ids, in no particular order: one statement for the projects and seven for their
   * relations, for any number of projects.
   * @throws TooMuchWork
   */
  getMany(wanted: readonly string[]): Project[] {
    return read(this.#db, () => this.#withItems(this.getFrames(wanted)))
  }

  /**
   * The existing projects of these ids, in that order, each with its items in pieces, to limit memory. Call it
   * inside a transaction.
   * @throws TooMuchWork
   */
  *inPieces(wanted: readonly string[]): Generator<{ frame: ProjectFrame; items: Iterable<KanbanItem[]> }> {
    this.#sql.limitFrames(JSON.stringify(wanted))
    this.#sql.limitItems(JSON.stringify(wanted))
    for (const ids of inPieces(this.#db, wanted)) {
      const frames = new Map(this.getFrames(ids).map((frame) => [frame.id, frame]))
      for (const id of ids) {
        const frame = frames.get(id)
        if (frame) yield { frame, items: this.#board.records.inPieces(id) }
      }
    }
  }

  /** The same without their items. @throws TooMuchWork */
  getFrames(wanted: readonly string[]): ProjectFrame[] {
    return read(this.#db, () => {
      const ids = JSON.stringify(wanted)
      this.#sql.limitFrames(ids)
      return this.#framesOf(this.#sql.among({ ids }))
    })
  }

  /** One project. @throws ApiError 404; TooMuchWork */
  get(id: string): Project {
    return this.getMany([id])[0] ?? throwNotFound(projects)
  }

  /**
   * Creates a project with its default columns. Without a `phaseConfig` it gets its type's default sequence;
   * without a `phase` it starts in the first of its sequence.
   * The creator of a project that only members assigned to it see is assigned to it.
   * @param options `isStrict`: the phase must be one of the sequence
   * @throws ApiError 400; 409 for a `key` that another project has
   */
  create(input: ProjectInput & { name: string }, { isStrict = false }: { isStrict?: boolean } = {}): Project {
    const phaseConfig = input.phaseConfig ?? defaultPhaseConfig(input.type ?? 'technical')
    const phase = input.phase || firstPhase(phaseConfig)
    if (isStrict) ensurePhase(phase, phaseConfig)
    if (input.key) this.keys.refuseTaken(input.key)
    const key = input.key ?? this.keys.free(input.name)
    const id = newId()
    const at = timestamp()
    const row = this.#sql.insert({ ...input, key, phaseConfig, phase, id, createdAt: at, updatedAt: at })
    this.#board.columnNames.createDefaults(id, at)
    if (row.access !== 'everyone') this.#assignCreator(id)
    return this.#whole(row)
  }

  #assignCreator(projectId: string): void {
    const { actorId } = currentWrite(this.#db)
    if (actorId !== null) this.assignments.create(projectId, { memberId: actorId, role: 'lead' })
  }

  /**
   * Changes a project; an empty change does not even change `updatedAt`.
   * @param options as for {@link create}
   * @returns the project; undefined if reading it is too much work for the event loop
   * @throws ApiError 404, 400; 403 for `shareLinks`; 409 for a `key` that another project has
   */
  update(
    id: string,
    { key, ...others }: ProjectInput,
    { isStrict = false, by = null }: { isStrict?: boolean; by?: Sharer } = {},
  ): Project | undefined {
    const changes: ProjectInput = { ...others, ...(key && { key }) }
    if (changes.shareLinks !== undefined) this.#ensureMaySet(changes.shareLinks, id, by)
    if (key) this.keys.refuseTaken(key, id)
    const isEmpty = Object.keys(changes).length === 0
    const row = isEmpty ? this.#sql.one(id) : this.#sql.update(id, { ...changes, updatedAt: timestamp() })
    if (row === undefined) throwNotFound(projects)
    // An error inside a write rolls it back.
    if (isStrict && changes.phase !== undefined) ensurePhase(row.phase, row.phaseConfig)
    return unlessTooMuch(() => {
      this.#sql.limitFrames(JSON.stringify([id]))
      return this.#whole(row)
    })
  }

  /** @throws ApiError 404; 403 for members who may not create share links */
  #ensureMaySet(shareLinks: string, id: string, by: Sharer): void {
    if (this.#sql.named({ id }) === undefined) throwNotFound(projects)
    const current = this.#sharingOf(id)
    if (shareLinks !== current) ensureMayShare(current, by)
  }

  /**
   * Deletes a project with all its records, and adds an entry to the audit log.
   * @throws ApiError 404; TooMuchWork
   */
  delete(id: string, by: Actor): void {
    const { name } = this.#sql.named({ id }) ?? throwNotFound(projects)
    for (const limit of this.#sql.limitsOfDeletion()) limit(id)
    this.#sql.remove(id)
    this.#audit.record({ action: 'project-deleted', by, subjectId: id, subject: name, metadata: { name } })
  }

  /**
   * Reorders projects, all or nothing.
   * @returns their new places, in the order of the request
   * @throws ApiError 404 with the unknown ids; 403 for a project that the caller may only read; TooMuchWork
   */
  reorder(places: readonly Place[]): Place[] {
    this.#sql.reorder(places)
    // Those that are already in place are not written.
    const scope = scopeOf(this.#db)
    for (const { id } of places) ensureWritableIn(scope, id)
    return places.map(({ id }) => this.#sql.place({ id }) as Place)
  }

  #whole(row: ProjectRow): Project {
    return this.#withItems(this.#framesOf([row]))[0] as Project
  }

  #framesOf(rows: ProjectRow[]): ProjectFrame[] {
    if (rows.length === 0) return []
    const ids = JSON.stringify(rows.map(({ id }) => id))
    const transcriptSummaries = this.#sql.transcriptsOf(ids)
    const metrics = this.#sql.metricsOf(ids)
    const objectives = this.#sql.objectivesOf(ids)
    const teamAssignments = this.#sql.assignmentsOf(ids)
    return rows.map((project) => ({
      ...project,
      transcriptSummaries: transcriptSummaries.get(project.id) ?? [],
      metrics: metrics.get(project.id) ?? [],
      objectives: objectives.get(project.id) ?? [],
      teamAssignments: teamAssignments.get(project.id) ?? [],
    }))
  }

  #withItems(frames: ProjectFrame[]): Project[] {
    if (frames.length === 0) return []
    const ids = JSON.stringify(frames.map(({ id }) => id))
    this.#sql.limitItems(ids)
    const items = Map.groupBy(this.#board.records.ofProjects(ids), ({ projectId }) => projectId)
    return frames.map((frame) => ({ ...frame, kanbanItems: items.get(frame.id) ?? [] }))
  }
}
