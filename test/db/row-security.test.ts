import { getTableConfig, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import t from 'tap'
import { columnName } from '../../src/db/kinds.ts'
import {
  isInScopeOf,
  SECURED,
  scopeOf,
  secured,
  secureHandle,
  withinScope,
} from '../../src/db/row-security.ts'
import * as schema from '../../src/db/schema.ts'
import { build, createItem, createProject } from '../helper.ts'

t.test('statements read views, and write tables', async (t) => {
  for (const [statement, expected] of [
    [
      'select 1 from kanban_items where id = ?',
      'select 1 from "seen_kanban_items" as "kanban_items" where id = ?',
    ],
    [
      'select "projects"."id" from "projects" inner join "metrics" on "metrics"."project_id" = "projects"."id"',
      'select "projects"."id" from "seen_projects" as "projects" inner join "seen_metrics" as "metrics" on "metrics"."project_id" = "projects"."id"',
    ],
    ['select 1 from kanban_items as item', 'select 1 from "seen_kanban_items" as item'],
    ['select 1 from (select id from metrics)', 'select 1 from (select id from "seen_metrics" as "metrics")'],
    [
      'delete from "metrics" where id in (select id from metrics as its)',
      'delete from "metrics" where id in (select id from "seen_metrics" as its)',
    ],
    [
      'insert into kanban_activity select * from kanban_activity as former',
      'insert into kanban_activity select * from "seen_kanban_activity" as former',
    ],
    ['update "projects" set name = ? where "projects"."id" = ?', undefined],
    ["select 'projects' from changes", undefined],
    ['select 1 from changes_of_projects', undefined],
    ['select 1 from main.projects', undefined],
  ] as const) {
    t.equal(secured(statement), expected ?? statement)
  }
})

t.test('a statement that names a table in another way is refused', async (t) => {
  for (const statement of [
    'select 1 from changes, projects',
    'select 1 from "changes", "projects"',
    'select 1 from (projects)',
    'select members from changes',
  ])
    t.throws(() => secured(statement), { message: /row-level security does not support/ }, statement)
})

/** Tables with a column of a project or an item that callers reach in another way, or not at all. */
const ELSEWHERE = [
  // Filtered by src/changes/visibility.ts.
  'changes',
  // Of the service itself.
  'changes_pending',
  // The records that they lead to have their own conditions.
  'card_numbers',
  'former_card_numbers',
  'former_project_keys',
  'item_times',
  'kanban_item_assignees',
  // A member's own.
  'item_watches',
  'project_watches',
  'restrictions',
  // For admins.
  'webhooks',
]

t.test('each table whose records belong to a project is a view, or is read in another way', async (t) => {
  const tables = Object.values(schema) as unknown as SQLiteTable[]
  const belonging = tables
    .map(getTableConfig)
    .filter(({ columns }) => columns.some((column) => ['project_id', 'item_id'].includes(columnName(column))))
    .map(({ name }) => name)
  t.strictSame(belonging.filter((name) => !SECURED.includes(name)).toSorted(), ELSEWHERE.toSorted())
})

t.test('a handle reads what is in the current scope, and nothing outside of one', async (t) => {
  const app = await build(t)
  const [mine, other] = [await createProject(app), await createProject(app)]
  await createItem(app, other.id)
  const handle = secureHandle(app.db)
  t.equal(secureHandle(app.db), handle)
  const count = handle.$client.prepare('select count(*) from projects').pluck()
  t.equal(count.get(), 0)
  t.throws(() => scopeOf(handle), { message: 'there is no scope' })
  t.equal(scopeOf(app.db), undefined)
  const scope = {
    number: -1,
    projects: new Map([[mine.id, 'read' as const]]),
    hasIdeas: true,
    isGuest: false,
    memberId: 'ada',
    isByAssignment: true,
    followsAccess: true,
  }
  withinScope(app.db, scope, () => {
    t.equal(scopeOf(handle), scope)
    t.equal(count.get(), 1)
    t.equal(handle.select().from(schema.kanbanItems).all().length, 0)
    t.equal(app.db.select().from(schema.kanbanItems).all().length, 1, 'the other handle reads everything')
  })
  t.equal(count.get(), 0)
  t.equal(isInScopeOf(app.db, schema.projects), undefined)
  t.equal(isInScopeOf(handle, schema.sessions), undefined)
})

t.test('a scope outlives a rollback', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const handle = secureHandle(app.db)
  const count = handle.$client.prepare('select count(*) from projects').pluck()
  const projects = new Map([[id, 'write' as const]])
  const scope = {
    number: -2,
    projects,
    hasIdeas: true,
    isGuest: false,
    memberId: 'ada',
    isByAssignment: true,
    followsAccess: true,
  }
  const failing = app.db.$client.transaction(() => {
    t.equal(
      withinScope(app.db, scope, () => count.get()),
      1,
    )
    throw new Error('rolled back')
  })
  t.throws(failing)
  t.equal(
    withinScope(app.db, scope, () => count.get()),
    1,
  )
})
