/** The index of the sequence. However much of it is written, it finds the same as a scan of the whole sequence. */

import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { maySee } from '../../src/changes/api-changes.ts'
import { DELETIONS, subjectsOf } from '../../src/changes/subjects.ts'
import { limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createRules } from '../../src/requests/rules.ts'
import { openTestDatabase } from '../database.ts'

/** Readers of kinds: an admin, an owner of ideas, and a member without ideas. */
const READERS = [
  { id: 'eve', role: 'admin' },
  { id: 'ada', role: 'member' },
  { id: 'cleo', role: 'viewer' },
]
const SUBJECTS = ['a', 'b', 'c', 'someone']

const change = fc.record({
  kind: fc.constantFrom('project', 'kanban-item', 'kanban-comment', 'team', 'personal-idea', 'odd'),
  action: fc.constantFrom('created', 'updated', 'deleted'),
  projectId: fc.constantFrom('a', 'b', null),
  itemId: fc.constantFrom('c', 'a', null),
  fromProjectId: fc.constantFrom('b', null),
  ownerId: fc.constantFrom(null, null, 'ada', 'bob'),
})

type Row = typeof change extends fc.Arbitrary<infer Value> ? Value : never

t.test('the changes of a subject are found, however much of the index is written', async (t) => {
  const db = openTestDatabase(t)
  const insert = db.$client.prepare(
    `insert into changes (kind, id, action, project_id, item_id, from_project_id, owner_id)
     values (:kind, 'x', :action, :projectId, :itemId, :fromProjectId, :ownerId)`,
  )
  const run = (rows: Row[], slices: number[], before: number, limit: number) => {
    db.$client.exec('delete from changes; delete from change_subjects')
    const { subjects } = createRules(db).changes
    for (const row of rows) insert.run(row)
    for (const size of slices) {
      const left = subjects.index(size)
      if (left !== subjects.behind()) return false
    }
    const after = Math.min(before, 20) - 10
    for (const reader of READERS) {
      for (const kinds of [[], ['team', 'kanban-item'], ['personal-idea']]) {
        const isOfThem = (row: Row, index: number) =>
          index + 1 > after &&
          index + 1 <= subjects.indexed() &&
          (kinds.length === 0 || kinds.includes(row.kind)) &&
          maySee(row, reader)
        const expected = rows.flatMap((row, index) => (isOfThem(row, index) ? [index + 1] : []))
        const found = subjects.after(subjectsOf(kinds, reader), after, limit)
        if (`${found}` !== `${expected.slice(0, limit)}`) return false
      }
    }
    return [...SUBJECTS, DELETIONS].every((subject) => {
      const belongs = (row: (typeof rows)[number]) =>
        subject === DELETIONS
          ? row.action === 'deleted' && (row.kind === 'project' || row.kind === 'kanban-item')
          : [row.projectId, row.itemId, row.fromProjectId].some((id) => id === subject)
      const all = rows.flatMap((row, index) => (belongs(row) && index + 1 < before ? [index + 1] : []))
      const expected = all.reverse().slice(0, limit)
      return `${subjects.list(subject, before, limit)}` === `${expected}`
    })
  }
  const before = fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 0, max: 40 }))
  fc.assert(
    fc.property(
      fc.array(change, { maxLength: 30 }),
      fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 5 }),
      before,
      fc.integer({ min: 1, max: 10 }),
      run,
    ),
  )
})

t.test('the worker thread writes the index and does long searches', async (t) => {
  const db = openTestDatabase(t, join(t.testdir(), 'board.db'))
  limitWork(db)
  db.$client.exec(
    `insert into changes (kind, id, action, project_id, after)
     with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
     select 'project', 'p', 'updated', 'p', '${'x'.repeat(150)}' from n`,
  )
  const { subjects } = createRules(db).changes
  t.equal(subjects.behind(), 20_000)
  t.throws(() => subjects.index(), TooMuchWork)
  t.throws(() => subjects.list('p', Number.POSITIVE_INFINITY, 10), TooMuchWork)
})
