import fc from 'fast-check'
import t from 'tap'
import type { Tracked, TrackedChange } from '../../src/board/activity-log.ts'
import { build, createItem, createProject } from '../helper.ts'

const AT = '2026-01-31T00:00:00.000Z'

/** A direct implementation of the specification: the entries that a change must create. */
function entriesOf(before: Tracked, after: TrackedChange['after']) {
  const types = { column: 'status_change', assigneeId: 'assignment', priority: 'priority' } as const
  return (['column', 'assigneeId', 'priority'] as const)
    .filter((field) => field in after && after[field] !== undefined && after[field] !== before[field])
    .map((field) => [types[field], '', JSON.stringify({ from: before[field] ?? '', to: after[field] ?? '' })])
}

t.test('a change creates an activity entry for each tracked field that differs', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const text = fc.constantFrom('', 'a', 'b', 'null', 'To Do')
  const nullable = fc.option(text)
  const before = fc.record({ column: text, assigneeId: nullable, priority: text })
  const after = fc.record(
    {
      column: fc.option(text, { nil: undefined }),
      assigneeId: fc.option(nullable, { nil: undefined }),
      priority: fc.option(text, { nil: undefined }),
    },
    { requiredKeys: [] },
  )
  const select = app.db.$client
    .prepare('select type, content, metadata, actor_id, created_at from kanban_activity order by id')
    .raw()
  fc.assert(
    fc.property(before, after, nullable, (was, becomes, actorId) => {
      app.db.$client.exec('delete from kanban_activity')
      app.rules.board.activity.record({ itemId: item.id, before: was, after: becomes, actorId, at: AT })
      const expected = entriesOf(was, becomes).map((entry) => [...entry, actorId, AT])
      return JSON.stringify(select.all()) === JSON.stringify(expected)
    }),
    { numRuns: 300 },
  )
})
