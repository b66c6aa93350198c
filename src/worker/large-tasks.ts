/**
 * What is too large for one transaction, done in slices: the deletion of a large project, and undoing a write that made or
 * deleted whole projects. To everybody else it is one write (see `src/db/large-writes.ts`).
 *
 * What deletes goes on after a kill, since it was asked for; what brings back is taken away again, since nobody was told.
 */
import { realpathSync, rmSync } from 'node:fs'
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
import { createProcessLock, type ProcessLock } from '../db/process-lock.ts'
import { projects } from '../db/schema.ts'
import { takeAway } from '../db/take-away.ts'
import { ApiError, changedSince } from '../errors.ts'
import type { Actor } from '../members/audit-log.ts'
import type { Call } from '../requests/calls.ts'
import type { RepeatableRequest, StoredResponse } from '../requests/idempotency-store.ts'
import type { LargeJob } from '../requests/perform.ts'
import { comparePreconditions } from '../requests/preconditions.ts'
import { toText } from '../requests/responses.ts'
import type { Rules } from '../requests/rules.ts'
import { runWrite, type WriteContext, type WriteOutcome } from '../requests/write.ts'
import type { CurrentMember } from '../schemas/records.ts'
import type { JsonBytes } from '../schemas/serialization.ts'

/** Where it is done: on a connection on which nothing else is written. */
export interface LargePlace {
  db: SharedDatabase
  files: DatabaseFiles
  /** The path of the database. */
  database: string
  rules: Rules
  writes: ChunkedWriter
}

/** A project that is being deleted: its row as JSON, as the sequence tells of it. */
interface DeletedProject {
  id: string
  record: string
}

/** What goes on after a kill. */
interface Deletion {
  kind: 'deletion'
  /** Names the lock of whoever is at it. */
  id: string
  projects: DeletedProject[]
  actorId: string | null
  by: Actor
  /** Whether it is an undo: then the answer tells of the changes. */
  isUndo: boolean
  /** How the response is kept for repetitions of the request. */
  kept?: { request: RepeatableRequest; status: number } | undefined
}

/** What is taken away after a kill. */
interface Restoration {
  kind: 'restoration'
  id: string
}

/** How often it is looked again at what others keep changing, before nothing else is let in. */
const ATTEMPTS = 5

/** What somebody has changed between a look and the write lock. */
class Outdated extends Error {}

/** Rows that are read before they are written. */
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

/** The lock that whoever is at a large write holds from its beginning to its end. */
function lockOf(database: string, id: string): ProcessLock {
  const path = beside(database, id)
  const lock = createProcessLock(() => path)
  return {
    take: lock.take,
    release: () => {
      rmSync(path, { force: true })
      lock.release()
    },
  }
}

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
  tell: client.prepare(
    `insert into changes (kind, id, action, project_id, before) values ('project', :id, 'deleted', :id, :record)`,
  ),
  open: client.prepare<[], { number: number; task: string }>(
    "select number, task from large_writes where first_seq is null and task <> '' order by number",
  ),
})

/** Does large work, one after the other. */
export class LargeTasks {
  readonly #place: LargePlace
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(place: LargePlace) {
    this.#place = place
    this.#sql = statementsOf(place.db)
  }

  /**
   * Does what a call of a rule stands for.
   * @returns what its write resulted in
   * @throws ApiError as the rule does; 503 where others keep changing what it is about
   */
  async perform({ call, context }: LargeJob): Promise<WriteOutcome> {
    const kept = this.#keptFor(context)
    if (kept) return kept
    if (call.path === 'projects.delete') return await this.#delete(context, ...(call.args as [string, Actor]))
    await foldAll(this.#place.db, this.#place.writes)
    return await this.#undo(call, context, ...(call.args as [string, CurrentMember, Actor]))
  }

  /** Ends what processes that are gone have left: deletions by going on, what was being restored by taking it away. */
  async goOn(): Promise<void> {
    const { db, database, writes } = this.#place
    for (const { number, task } of this.#sql.open.all()) {
      const work = JSON.parse(task) as Deletion | Restoration
      const lock = lockOf(database, work.id)
      if (!lock.take()) continue
      try {
        // Whoever was at it may have ended it a moment ago.
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

  #keptFor({ repeatable }: WriteContext): WriteOutcome | undefined {
    const response = repeatable && this.#place.rules.idempotencyStore.find(repeatable.request)
    return response && { value: undefined, seq: undefined, response, isReplay: true }
  }

  /** Looks at something, and begins a write with what was seen, as soon as nobody has changed that in between. */
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
    const { db, rules, writes } = this.#place
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

  /** Takes a project's own row out, and nothing that belongs to it: from then on nobody sees that. */
  #takeOut(id: string): DeletedProject {
    const record = this.#sql.record.get(id)
    if (record === undefined) throw new Outdated()
    // A deletion takes along what names the row.
    const aside = newId()
    this.#sql.rename.run({ id, aside })
    this.#sql.remove.run(aside)
    return { id, record }
  }

  async #finishDeletion(write: LargeWrite, task: Deletion): Promise<WriteOutcome> {
    const { db, rules } = this.#place
    for (const { id } of task.projects) {
      const clearSome = clearProject(db, id)
      while (await write.slice(clearSome));
    }
    const detach = () => {
      for (const { id } of task.projects) this.#sql.detach.run(id)
    }
    // An undo has ideas name again what they did before anything goes; a deletion takes their projects from them.
    const work = (tell: () => void) => {
      if (task.isUndo) detach()
      tell()
      if (!task.isUndo) detach()
      for (const { id, record } of task.projects) {
        this.#sql.tell.run({ id, record })
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

  /** The last write: the answer is kept with it. */
  async #last(
    write: LargeWrite,
    { actorId, isUndo, kept }: Pick<Deletion, 'actorId' | 'isUndo' | 'kept'>,
    work: (tell: () => void) => void,
  ): Promise<WriteOutcome> {
    const { files, rules } = this.#place
    const end = (told: LargeWriteSummary): Pick<WriteOutcome, 'value' | 'response'> => {
      const lost = files.lost()
      if (lost) throw lost
      const value = isUndo ? this.#answer(told, actorId) : undefined
      if (kept === undefined) return { value }
      const body = value === undefined ? '{"success":true}' : toText(value)
      const response: StoredResponse = { status: kept.status, body, etag: null, seq: told.seq ?? null }
      rules.idempotencyStore.keep(kept.request, response)
      return { value, response }
    }
    const { value, seq } = await write.last(actorId, work, end)
    return { ...value, seq }
  }

  #answer({ group }: LargeWriteSummary, actorId: string | null): JsonBytes {
    const since = (group ?? 0) - 1
    return this.#place.rules.changes.undo.answer(since, { since, actorId })
  }

  async #undo(
    call: Call,
    context: WriteContext,
    seq: string,
    member: CurrentMember,
    by: Actor,
  ): Promise<WriteOutcome> {
    const { db, rules, writes } = this.#place
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
    const { db, rules, writes } = this.#place
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
      // They are looked for while nobody waits: of a kind that there is none of, it takes all of the write to know.
      for (const page of pagesOf(largeUndo.rowsOf(plan))) {
        for (let rows = page; rows.length > 0; ) rows = rows.slice(await write.slice(insertSome(rows)))
      }
      const work = (tell: () => void) => {
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
        tell()
        for (const { id, before, after } of plan.ideas) this.#sql.attach.run({ id, before, after })
      }
      return await this.#last(write, own, work)
    } catch (error) {
      await takeAway(db, writes, write)
      // Somebody has made a record of the same id meanwhile.
      if (isConstraint(error)) {
        throw changedSince(plan.coming.map(({ id }) => ({ kind: 'project', id: String(id) })))
      }
      throw error
    }
  }

  /** What cannot be hidden, and does not take long. */
  #atOnce(call: Call, context: WriteContext): WriteOutcome {
    const { db, files, rules, writes } = this.#place
    writes.leave()
    const { value, seq } = writeAs(db, context.actorId, () => {
      const done = runWrite(db, rules, call, context)
      const lost = files.lost()
      if (lost) throw lost
      return done
    })
    return { ...value, seq }
  }
}

/** Whether something was left that {@link LargeTasks.goOn} ends: cheap, for the start of a service. */
export const hasOpenTasks = ({ $client: client }: SharedDatabase): boolean =>
  client.prepare("select 1 from large_writes where task <> '' limit 1").get() !== undefined
