/**
 * Tasks that are too large for one transaction, done in slices: the deletion of a large project, and the undo of a write that created or
 * deleted whole projects. For all readers it is one write (see `src/db/large-writes.ts`).
 *
 * After a kill, a deletion continues, since it was requested; a restoration is removed, since it was not published.
 */
import { realpathSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import type { LargeUndoPlan, RestoredRow } from '../changes/large-undo.ts'
import type { Chunk, ChunkedWriter } from '../db/chunked-writer.ts'
import { clearProject } from '../db/clear-project.ts'
import { read, type SharedDatabase, writeAs } from '../db/client.ts'
import { isConstraint } from '../db/constraints.ts'
import { throwNotFound } from '../db/existence.ts'
import type { DatabaseFiles } from '../db/files.ts'
import { newId } from '../db/ids.ts'
import { foldAll, LargeWrite, type LargeWriteSummary } from '../db/large-writes.ts'
import { createTransientLock, type ProcessLock } from '../db/process-lock.ts'
import { projects } from '../db/schema.ts'
import { takeAway } from '../db/take-away.ts'
import { ApiError, changedSince } from '../errors.ts'
import type { Actor } from '../members/audit-log.ts'
import type { Call } from '../requests/calls.ts'
import type { RepeatableRequest, StoredResponse } from '../requests/idempotency-store.ts'
import type { LargeJob } from '../requests/perform.ts'
import { comparePreconditions } from '../requests/preconditions.ts'
import { toText } from '../requests/responses.ts'
import type { ScopedRules } from '../requests/scoped-rules.ts'
import { runWrite, type WriteContext, type WriteOutcome } from '../requests/write.ts'
import type { CurrentMember } from '../schemas/records.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

/** Its connection, with no other writes. */
interface LargePlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The path of the database. */
  database: string
  scoped: ScopedRules
  writes: ChunkedWriter
}

/** A project to delete: its row as JSON, as recorded in the sequence. */
interface DeletedProject {
  id: string
  record: string
}

/** A task that continues after a kill. */
interface Deletion {
  kind: 'deletion'
  /** The name of its process's lock. */
  id: string
  projects: DeletedProject[]
  actorId: string | null
  by: Actor
  /** Whether it is an undo: then the response has the changes. */
  isUndo: boolean
  /** How to store the response for retries. */
  kept?: { request: RepeatableRequest; status: number } | undefined
}

/** A task whose records are removed after a kill. */
interface Restoration {
  kind: 'restoration'
  id: string
}

/** Number of optimistic attempts while others keep writing, before it takes the lock first. */
const ATTEMPTS = 5

/** Thrown if data changed between the read and the write lock. */
class Outdated extends Error {}

/** Rows read at a time before they are written. */
const PAGE = 500

function* pagesOf<Row>(rows: Iterable<Row>): Generator<Row[], void, void> {
  let page: Row[] = []
  for (const row of rows) {
    page.push(row)
    if (page.length < PAGE) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

const busy = () => new ApiError(503, 'It is being changed by others', { headers: { 'retry-after': '1' } })

const beside = (database: string, id: string) => `${realpathSync(database)}.write-${id}.lock`

/** The lock that a process holds during a large write. */
const lockOf = (database: string, id: string): ProcessLock => createTransientLock(beside(database, id))

const statementsOf = ({ $client: client }: SharedDatabase) => ({
  newest: client.prepare<[], number>('select ifnull(max(seq), 0) from changes').pluck(),
  record: client.prepare<[string], string>('select record from changes_of_projects where id = ?').pluck(),
  rename: client.prepare('update projects set id = :aside where id = :id'),
  remove: client.prepare('delete from projects where id = ?'),
  touched: client
    .prepare<[object], number>(
      'select 1 from changes where seq > +:since and (project_id = :id or from_project_id = :id) limit 1',
    )
    .pluck(),
  detach: client.prepare(
    'update personal_ideas set promoted_project_id = null where promoted_project_id = ?',
  ),
  attach: client.prepare(
    'update personal_ideas set promoted_project_id = :before where id = :id and promoted_project_id is :after',
  ),
  recordDeletion: client.prepare(
    `insert into changes (kind, id, action, project_id, before) values ('project', :id, 'deleted', :id, :record)`,
  ),
  open: client.prepare<[], { number: number; task: string }>(
    "select number, task from large_writes where first_seq is null and task <> '' order by number",
  ),
})

/** Performs large tasks, one after another. */
export class LargeTasks {
  readonly #place: LargePlace
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(place: LargePlace) {
    this.#place = place
    this.#sql = statementsOf(place.db)
  }

  /**
   * Performs a call of a rule.
   * @returns the outcome of its write
   * @throws ApiError of the rule; 503 if others keep changing its data
   */
  async perform({ call, context }: LargeJob): Promise<WriteOutcome> {
    const kept = this.#keptFor(context)
    if (kept) return kept
    // Slices have unlimited access, so a limited caller can only make writes of one transaction.
    const scope = this.#place.scoped.scopeOf(context.principal)
    if (call.path === 'projects.delete') {
      if (scope !== undefined) return this.#atOnce(call, context)
      return await this.#delete(context, ...(call.args as [string, Actor]))
    }
    await foldAll(this.#place.db, this.#place.writes)
    const [seq, member, by] = call.args as [string, CurrentMember, Actor]
    if (scope === undefined) return await this.#undo(call, context, seq, member, by)
    this.#place.scoped.read(context.principal, ({ changes }) => changes.largeUndo.ensureFew(seq, member))
    return this.#atOnce(call, context)
  }

  /** Finishes tasks of dead processes: continues deletions, removes restorations. */
  async goOn(): Promise<void> {
    const { db, database, writes } = this.#place
    for (const { number, task } of this.#sql.open.all()) {
      const work = JSON.parse(task) as Deletion | Restoration
      const lock = lockOf(database, work.id)
      if (!lock.take()) continue
      try {
        // Its process may just have finished it.
        if (!this.#sql.open.all().some((one) => one.number === number && one.task === task)) continue
        const write = new LargeWrite(db, writes, number)
        if (work.kind === 'deletion') await this.#finishDeletion(write, work)
        else await takeAway(db, writes, write)
      } finally {
        lock.release()
      }
    }
    await foldAll(db, writes)
  }

  #keptFor({ repeatable, principal }: WriteContext): WriteOutcome | undefined {
    const response = repeatable && this.#place.scoped.repetition(principal, repeatable.request)
    return response && { value: undefined, seq: undefined, response, isReplay: true }
  }

  /** Reads data, and begins a write with it, retrying while others change it in between. */
  async #begin<Seen>(look: () => Seen, begin: (seen: Seen) => Promise<LargeWrite>): Promise<LargeWrite> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        return await begin(look())
      } catch (error) {
        if (!(error instanceof Outdated)) throw error
      }
      await pause(attempt * 10)
    }
    throw busy()
  }

  async #locked<T>(id: string, work: () => Promise<T>): Promise<T> {
    const lock = lockOf(this.#place.database, id)
    lock.take()
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  async #delete(context: WriteContext, id: string, by: Actor): Promise<WriteOutcome> {
    const { db, scoped, writes } = this.#place
    const rules = scoped.all
    const { repeatable, actorId } = context
    const kept = repeatable && { request: repeatable.request, status: repeatable.shape.status }
    const task: Deletion = { kind: 'deletion', id: newId(), projects: [], actorId, by, isUndo: false, kept }
    return await this.#locked(task.id, async () => {
      const look = () =>
        read(db, () => {
          const since = this.#sql.newest.get() ?? 0
          comparePreconditions(rules, context)
          if (this.#sql.record.get(id) === undefined) throwNotFound(projects)
          return since
        })
      const write = await this.#begin(look, (since) =>
        LargeWrite.begin(db, writes, { projectIds: [id] }, () => {
          if (this.#sql.touched.get({ since, id }) === 1) throw new Outdated()
          task.projects = [this.#takeOut(id)]
          return JSON.stringify(task)
        }),
      )
      return await this.#finishDeletion(write, task)
    })
  }

  /** Deletes only a project's own row, which hides its records. */
  #takeOut(id: string): DeletedProject {
    const record = this.#sql.record.get(id)
    if (record === undefined) throw new Outdated()
    // A deletion cascades to rows that reference it.
    const aside = newId()
    this.#sql.rename.run({ id, aside })
    this.#sql.remove.run(aside)
    return { id, record }
  }

  async #finishDeletion(write: LargeWrite, task: Deletion): Promise<WriteOutcome> {
    const { db, scoped } = this.#place
    const rules = scoped.all
    for (const { id } of task.projects) {
      const clearSome = clearProject(db, id)
      while (await write.slice(clearSome));
    }
    const detach = () => {
      for (const { id } of task.projects) this.#sql.detach.run(id)
    }
    // An undo first resets the projects of ideas; a deletion clears them.
    const work = (publish: () => void) => {
      if (task.isUndo) detach()
      publish()
      if (!task.isUndo) detach()
      for (const { id, record } of task.projects) {
        this.#sql.recordDeletion.run({ id, record })
        const name = String(JSON.parse(record).name)
        const metadata = { name }
        rules.members.audit.record({
          action: 'project-deleted',
          by: task.by,
          subjectId: id,
          subject: name,
          metadata,
        })
      }
    }
    return await this.#last(write, task, work)
  }

  /** The last write, which also stores the response. */
  async #last(
    write: LargeWrite,
    { actorId, isUndo, kept }: Pick<Deletion, 'actorId' | 'isUndo' | 'kept'>,
    work: (publish: () => void) => void,
  ): Promise<WriteOutcome> {
    const { files, scoped } = this.#place
    const rules = scoped.all
    const end = (summary: LargeWriteSummary): Pick<WriteOutcome, 'value' | 'response'> => {
      const lost = files.lost()
      if (lost) throw lost
      const value = isUndo ? this.#answer(summary, actorId) : undefined
      if (kept === undefined) return { value }
      const body = value === undefined ? '{"success":true}' : toText(value)
      const response: StoredResponse = { status: kept.status, body, etag: null, seq: summary.seq ?? null }
      rules.idempotencyStore.keep(kept.request, response)
      return { value, response }
    }
    const { value, seq } = await write.last(actorId, work, end)
    return { ...value, seq }
  }

  #answer({ group }: LargeWriteSummary, actorId: string | null): JsonBytes {
    const since = (group ?? 0) - 1
    return this.#place.scoped.all.changes.undo.answer(since, { since, actorId })
  }

  async #undo(
    call: Call,
    context: WriteContext,
    seq: string,
    member: CurrentMember,
    by: Actor,
  ): Promise<WriteOutcome> {
    const { db, scoped, writes } = this.#place
    const rules = scoped.all
    const { largeUndo } = rules.changes
    const first = largeUndo.plan(seq, member)
    if (first === undefined) return this.#atOnce(call, context)
    const { repeatable, actorId } = context
    const kept = repeatable && { request: repeatable.request, status: repeatable.shape.status }
    const own = { id: newId(), actorId, by, isUndo: true, kept }
    let plan: LargeUndoPlan = first
    let isFresh = true
    const look = () => {
      if (!isFresh) plan = largeUndo.plan(seq, member) ?? plan
      isFresh = false
    }
    const task: Deletion = { kind: 'deletion', projects: [], ...own }
    return await this.#locked(own.id, async () => {
      const isGoing = plan.going.length > 0
      const projectIds = isGoing ? plan.going : plan.coming.map(({ id }) => String(id))
      const write = await this.#begin(look, () =>
        LargeWrite.begin(db, writes, { projectIds }, () => {
          if (largeUndo.isOutdated(plan)) throw new Outdated()
          task.projects = plan.going.map((id) => this.#takeOut(id))
          return JSON.stringify(isGoing ? task : ({ kind: 'restoration', id: own.id } satisfies Restoration))
        }),
      )
      return isGoing ? await this.#finishDeletion(write, task) : await this.#restore(write, plan, own)
    })
  }

  async #restore(
    write: LargeWrite,
    plan: LargeUndoPlan,
    own: Pick<Deletion, 'actorId' | 'by' | 'isUndo' | 'kept'>,
  ): Promise<WriteOutcome> {
    const { db, scoped, writes } = this.#place
    const rules = scoped.all
    const { largeUndo } = rules.changes
    try {
      const insertSome = (rows: RestoredRow[]) => (slice: Chunk) => {
        let count = 0
        for (const row of rows) {
          largeUndo.bringBack(row)
          count++
          if (slice.isLong()) break
        }
        return count
      }
      // Searched outside the lock: for a kind without rows, the search scans the whole write.
      for (const page of pagesOf(largeUndo.rowsOf(plan))) {
        for (let rows = page; rows.length > 0; ) rows = rows.slice(await write.slice(insertSome(rows)))
      }
      const work = (publish: () => void) => {
        for (const fields of plan.coming) {
          largeUndo.bringBack({ kind: 'project', fields })
          const name = String(fields.name)
          const metadata = { name }
          const subjectId = String(fields.id)
          rules.members.audit.record({
            action: 'project-restored',
            by: own.by,
            subjectId,
            subject: name,
            metadata,
          })
        }
        publish()
        for (const { id, before, after } of plan.ideas) this.#sql.attach.run({ id, before, after })
      }
      return await this.#last(write, own, work)
    } catch (error) {
      await takeAway(db, writes, write)
      // A record with the same id was created meanwhile.
      if (isConstraint(error)) {
        throw changedSince(plan.coming.map(({ id }) => ({ kind: 'project', id: String(id) })))
      }
      throw error
    }
  }

  /** Records that cannot be hidden; this is fast. */
  #atOnce(call: Call, context: WriteContext): WriteOutcome {
    const { db, files, scoped, writes } = this.#place
    writes.leave()
    const { value, seq } = writeAs(db, context.actorId, () => {
      const done = runWrite(db, scoped, call, context)
      const lost = files.lost()
      if (lost) throw lost
      return done
    })
    return { ...value, seq }
  }
}

/** Whether there are leftovers for {@link LargeTasks.goOn}: cheap, for startup. */
export const hasOpenTasks = ({ $client: client }: SharedDatabase): boolean =>
  client.prepare("select 1 from large_writes where task <> '' limit 1").get() !== undefined
