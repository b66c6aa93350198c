/** Deleting and restoring whole projects in slices has the same result as in one transaction, wherever it is interrupted. */
import { deepStrictEqual } from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { ChunkedWriter } from '../../src/db/chunked-writer.ts'
import { databasePath, type SharedDatabase, writeAs } from '../../src/db/client.ts'
import { NO_FILES } from '../../src/db/files.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import type { SourceBoard } from '../../src/exchange/sources/source-board.ts'
import { readTrello } from '../../src/exchange/sources/trello-board.ts'
import { createScopedRules, type ScopedRules } from '../../src/requests/scoped-rules.ts'
import type { CurrentMember } from '../../src/schemas/records.ts'
import { hasOpenTasks, LargeTasks } from '../../src/worker/large-tasks.ts'
import { openTestDatabase } from '../database.ts'
import { importAtOnce } from '../exchange/import-at-once.ts'
import { anyBoard, trelloExport } from '../exchange/source-boards.ts'
import { writeTo } from '../helper.ts'
import { rounds } from '../rounds.ts'
import { holdsGroups, holdsSequence } from './replay.ts'

/** One slice per row, without a pause. */
const GREEDY = { held: 0, left: 0 }

const ADA = { id: 'ada', role: 'admin' } as CurrentMember
const BY = { id: 'ada', address: null }
const CONTEXT = { actorId: 'ada' }

function open(t: Test, path: string) {
  const db = openTestDatabase(t, path)
  db.$client.pragma('synchronous = off')
  const scoped = createScopedRules(db)
  return { db, scoped, rules: scoped.all }
}

/** A file with one project with records of every kind, created by one import. Another tool has added what imports do not create. */
function seeded(t: Test, path: string, board: SourceBoard): string {
  const { db } = open(t, path)
  const plan = planBoard(board)
  importAtOnce(db, plan, 'ada')
  const [project = ''] = plan.projectIds
  writeTo(db, () => {
    db.$client.exec(`
      insert into projects (id, name) values ('other', 'Other');
      insert into kanban_items (id, project_id, title) values ('kept', 'other', 'Kept');
      insert into objectives (id, project_id, title) values ('o', '${project}', 'Fly');
      insert into metrics (id, project_id, name, value) values ('m', '${project}', 'Speed', 1.5);
      insert into transcript_summaries (id, project_id, title, date) values ('t', '${project}', 'Monday', '2026-01-01');
      insert into team_assignments (id, project_id, member_id) values ('a', '${project}', 'ada');
      insert into personal_ideas (id, owner_id, title, promoted_project_id) values ('i', 'ada', 'Idea', '${project}');
      insert into kanban_activity (id, item_id, type) select 'entry ' || id, id, 'priority' from kanban_items;`)
  })
  return project
}

function tasksOf({ db, scoped }: { db: SharedDatabase; scoped: ScopedRules }, signal?: AbortSignal) {
  const writes = new ChunkedWriter(db, undefined, signal, GREEDY)
  const database = databasePath(db.$client.name)
  return new LargeTasks({ db, files: NO_FILES, database, scoped, writes })
}

/** Performs a call in slices, and moves its staged changes into the sequence. */
async function inSlices(
  service: { db: SharedDatabase; scoped: ScopedRules },
  path: string,
  args: unknown[],
  signal?: AbortSignal,
) {
  const tasks = tasksOf(service, signal)
  const outcome = await tasks.perform({ call: { path, args }, context: CONTEXT })
  await tasks.goOn()
  return outcome
}

/**
 * All tables without wall-clock times and the ids of the service's own records. SQLite chooses the order in which a project's
 * items are deleted. Writes in slices are marked as quiet as a whole: nobody hears of a deleted project anyway.
 */
function dump({ $client: client }: SharedDatabase) {
  const tables = client
    .prepare<[], string>(
      `select name from sqlite_schema where type = 'table' and name not like 'search\\_%' escape '\\'
      and name not in ('changes', 'audit_log', 'quiet_changes')`,
    )
    .pluck()
    .all()
  client.exec("insert into search_index (search_index) values ('integrity-check')")
  return [
    ...tables.map((name) => [name, client.prepare(`select * from "${name}" order by 1, 2`).raw().all()]),
    client
      .prepare(
        'select actor_id, "group", kind, id, action, project_id, item_id, owner_id, before, after from changes order by "group", kind, id',
      )
      .all(),
    client.prepare('select action, actor_id, subject_id, address, metadata from audit_log order by id').all(),
    client
      .prepare(
        `select kind, record_id, title, text from search_entries join search_index on search_index.rowid = search_entries.id
        order by kind, record_id`,
      )
      .all(),
  ]
}

/** Compares two dumps, and reports the first difference. */
function same(found: unknown[], expected: unknown[], what: string): void {
  const rows = (all: unknown[]) => all.flat(2).map((row) => JSON.stringify(row))
  const [ours, theirs] = [rows(found), rows(expected)]
  const index = ours.findIndex((row, place) => row !== theirs[place])
  deepStrictEqual([ours[index], ours.length], [theirs[index], theirs.length], `${what}: row ${index}`)
}

t.test('a write in slices gives the same result as one transaction', async (t) => {
  let round = 0
  const folder = t.testdir()
  await fc.assert(
    fc.asyncProperty(anyBoard, async (board) => {
      round++
      const [one, other] = [join(folder, `${round}.db`), join(folder, `${round} whole.db`)]
      const project = seeded(t, one, board)
      const sliced = open(t, one)
      sliced.db.$client.pragma('wal_checkpoint(truncate)')
      copyFileSync(one, other)
      const whole = open(t, other)
      const check = (what: string) => {
        same(dump(sliced.db), dump(whole.db), what)
        holdsGroups(holdsSequence(sliced.db.$client))
        deepStrictEqual(sliced.db.$client.pragma('foreign_key_check'), [], what)
      }
      const undo = async (seq: number, what: string) => {
        const args = [String(seq), ADA, BY]
        const { value } = await inSlices(sliced, 'changes.undo.group', args)
        const { value: expected } = writeAs(whole.db, 'ada', () =>
          whole.rules.changes.undo.group(String(seq), ADA, BY),
        )
        check(what)
        const comparable = (answer: unknown) => {
          const { group, changes } = JSON.parse(String(answer))
          return [
            group,
            changes.map((change: object) => JSON.stringify({ ...change, at: '', seq: 0 })).sort(),
          ]
        }
        same(comparable(value), comparable(expected), `the answer of ${what}`)
      }
      const last = () => sliced.rules.changes.sequence.last()

      const deleted = await inSlices(sliced, 'projects.delete', [project, BY])
      const { seq } = writeAs(whole.db, 'ada', () => whole.rules.projects.delete(project, BY))
      deepStrictEqual(deleted.seq, seq)
      check('deleted')
      await undo(last(), 'the deletion undone')
      await undo(last(), 'that undone')
      await undo(last(), 'and again')
    }),
    { numRuns: rounds(12), endOnFailure: true, includeErrorInReport: true },
  )
})

/** A file with one imported project of some cards, and a service on it. */
function service(t: Test, cards = 4) {
  const path = join(t.testdir(), 'board.db')
  const board = readTrello(new TextEncoder().encode(trelloExport(cards, 'Word')))
  const project = seeded(t, path, board)
  return { ...open(t, path), path, project }
}

/** A signal that ends the write after a number of slices. */
function ending(db: SharedDatabase, slices: number) {
  const ends = new AbortController()
  let left = slices
  db.$client.function('slice_begins', () => {
    if (left-- === 0) ends.abort(new Error('enough'))
    return null
  })
  db.$client.exec(
    'create temp trigger slices after insert on main.staged_changes begin select slice_begins(); end',
  )
  return ends.signal
}

t.test('an interrupted deletion continues, and an interrupted restoration is removed', async (t) => {
  const { db, rules, project, path } = service(t)
  db.$client.pragma('wal_checkpoint(truncate)')
  const whole = `${path}.whole`
  copyFileSync(path, whole)
  const expected = open(t, whole)
  const { seq: deletion = 0 } = writeAs(expected.db, 'ada', () => expected.rules.projects.delete(project, BY))
  const goneDump = dump(expected.db)
  for (const after of [0, 1, 2, 7, 20, 1000]) {
    const copy = `${path}.${after}`
    copyFileSync(path, copy)
    const ended = open(t, copy)
    const signal = ending(ended.db, after)
    const deleting = tasksOf(ended, signal).perform({
      call: { path: 'projects.delete', args: [project, BY] },
      context: CONTEXT,
    })
    if (after < 1000) await t.rejects(deleting, { message: 'enough' })
    else await deleting
    t.ok(hasOpenTasks(ended.db), 'it is known')
    t.strictSame(ended.rules.projects.idsOf({}), ['other'], 'nobody sees it meanwhile')
    await tasksOf(ended).goOn()
    same(dump(ended.db), goneDump, `after ${after} changes`)
    t.notOk(hasOpenTasks(ended.db))

    const before = dump(ended.db)
    ended.db.$client.exec('drop trigger slices')
    const restoring = ending(ended.db, after)
    const undoing = tasksOf(ended, restoring).perform({
      call: { path: 'changes.undo.group', args: [String(deletion), ADA, BY] },
      context: CONTEXT,
    })
    if (after < 1000) {
      await t.rejects(undoing, { message: 'enough' })
      ended.db.$client.exec('drop trigger slices')
      await tasksOf(ended).goOn()
      same(dump(ended.db), before, `nothing stays after ${after} changes`)
    } else {
      await undoing
      t.equal(ended.rules.projects.idsOf({}).length, 2)
    }
  }
  t.ok(rules)
})

t.test('the response is stored with the last write, and a repetition gets it', async (t) => {
  const { db, scoped, project } = service(t)
  const request = { memberId: 'ada', role: null, method: 'DELETE', path: '/x', key: 'k', bodyHash: 'h' }
  const shape = { name: 'x', status: 200, schema: Type.Any(), kind: 'success' } as const
  const context = { actorId: 'ada', repeatable: { request, shape, isSecret: false } }
  const job = { call: { path: 'projects.delete', args: [project, BY] }, context }
  const first = await tasksOf({ db, scoped }).perform(job)
  t.match(first, { value: undefined, response: { status: 200, body: '{"success":true}' } })
  t.equal(first.response?.seq, first.seq)
  t.match(await tasksOf({ db, scoped }).perform(job), { isReplay: true, response: first.response })
  const other = tasksOf({ db, scoped }).perform({ ...job, context: CONTEXT })
  await t.rejects(other, { message: 'Project not found' })
})

t.test('later changes prevent an undo, and nothing changes', async (t) => {
  const { db, scoped, rules, project } = service(t)
  const undo = (seq: number, member = ADA) =>
    inSlices({ db, scoped }, 'changes.undo.group', [String(seq), member, BY])
  const item = db.$client
    .prepare<[string], string>('select id from kanban_items where project_id = ? order by id')
    .pluck()
    .get(project) as string
  writeTo(db, () =>
    db.$client.exec(`
    delete from objectives; delete from metrics; delete from transcript_summaries; delete from team_assignments;
    delete from personal_ideas;
    update kanban_items set title = 'Changed', claimed_from = 'x' where id = '${item}';
    insert into kanban_items (id, project_id, title) values ('new', '${project}', 'New');
    insert into kanban_subtasks (id, item_id, title) values ('new step', '${item}', 'New');
    insert into personal_ideas (id, owner_id, title, promoted_project_id) values ('theirs', 'bob', 'Idea', '${project}');`),
  )
  const { details } = await undo(1).catch((error) => error)
  t.strictSame(details.conflicts, [
    { kind: 'kanban-item', id: item, field: 'title' },
    { kind: 'kanban-item', id: item, field: 'claimedUntil' },
    { kind: 'kanban-item', id: 'new' },
    { kind: 'kanban-subtask', id: 'new step' },
    { kind: 'personal-idea', id: 'theirs' },
  ])
  await t.rejects(undo(1, { id: 'bob', role: 'member' } as CurrentMember), {
    message: 'Forbidden: admin access required',
  })
  const { seq = 0 } = await inSlices({ db, scoped }, 'projects.delete', [project, BY])
  writeTo(db, () =>
    db.$client.exec(`insert into kanban_items (id, project_id, title) values ('new', 'other', 'Again');
    update personal_ideas set promoted_project_id = 'other' where id = 'theirs'`),
  )
  const second = await undo(seq).catch((error) => error)
  t.strictSame(second.details.conflicts, [
    { kind: 'kanban-item', id: 'new' },
    { kind: 'personal-idea', id: 'theirs', field: 'promotedProjectId' },
  ])
  writeTo(db, () => db.$client.exec("delete from kanban_items where id = 'new'; delete from personal_ideas"))
  t.strictSame((await undo(seq).catch((error) => error)).details.conflicts, [
    { kind: 'personal-idea', id: 'theirs' },
  ])
  t.strictSame(rules.projects.idsOf({}), ['other'])
})

t.test(
  'a write that keeps losing the race is refused, and a failed restoration leaves nothing',
  async (t) => {
    const path = join(t.testdir(), 'board.db')
    const project = seeded(t, path, readTrello(new TextEncoder().encode(trelloExport(300, 'Word'))))
    const service = open(t, path)
    const { db } = service
    const other = open(t, path)
    // The precondition is checked before the write lock is taken. Each time, somebody else changes the project in
    // between.
    let changes = 0
    const context = {
      ...CONTEXT,
      get ifMatch() {
        changes++
        writeTo(other.db, () =>
          other.db.$client
            .prepare('update projects set next_step = ? where id = ?')
            .run(`${changes}`, project),
        )
        return '*'
      },
    }
    const call = { path: 'projects.delete', args: [project, BY] }
    await t.rejects(tasksOf(service).perform({ call, context }), {
      statusCode: 503,
      message: 'It is being changed by others',
    })
    t.equal(changes, 5)
    await inSlices(service, 'projects.delete', [project, BY])

    const deleted = db.$client.prepare<[], number>('select max(seq) from changes').pluck().get()
    const undo = () => inSlices(service, 'changes.undo.group', [String(deleted), ADA, BY])
    for (const [program, expected] of [
      [`select raise(abort, 'no')`, { statusCode: 409, message: 'Changed since' }],
      ['select no_such_function()', { code: 'SQLITE_ERROR' }],
    ] as const) {
      db.$client.exec(`create trigger refuse before insert on metrics begin ${program}; end`)
      await t.rejects(undo(), expected)
      db.$client.exec('drop trigger refuse')
      t.equal(db.$client.prepare('select count(*) from hidden_projects').pluck().get(), 0)
      t.equal(db.$client.prepare("select count(*) from metrics where id = 'm'").pluck().get(), 0)
    }
    await undo()
    t.equal(db.$client.prepare("select count(*) from metrics where id = 'm'").pluck().get(), 1)
  },
)
