/** Summaries of many projects, long texts, many columns or many items are too much work for the event loop. */
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase } from '../../src/db/client.ts'
import { PAGE_LIMIT } from '../../src/db/pages.ts'
import { BYTES_READ, limitWork, TooMuchWork } from '../../src/db/work-limits.ts'
import { createScopedRules } from '../../src/requests/scoped-rules.ts'

/** The summaries of a file so large that work is limited, with these projects, and columns and items of the first. */
function summariesOf(t: Test, { projects, textBytes = 10, columns = 0, items = 0 }: Record<string, number>) {
  const { db, close } = openDatabase(`file:${join(t.testdir(), 'board.db')}`)
  t.teardown(close)
  const { $client: client } = db
  client.exec(`insert into personal_ideas (id, owner_id, title, description)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
    select 'idea' || i, 'ada', 'Idea', printf('%.*c', 10000, 'x') from n`)
  const numbers = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)'
  client
    .prepare(
      `insert into projects (id, name, description) ${numbers} select 'p' || i, 'P', printf('%.*c', ?, 'x') from n`,
    )
    .run(projects, textBytes)
  if (columns > 0)
    client
      .prepare(
        `insert into kanban_columns (id, project_id, name) ${numbers} select 'c' || i, 'p1', 'C' || i from n`,
      )
      .run(columns)
  if (items > 0)
    client
      .prepare(
        `insert into kanban_items (id, project_id, title) ${numbers} select 'i' || i, 'p1', 'Card' from n`,
      )
      .run(items)
  limitWork(db)
  const { summaries } = createScopedRules(db).all.reading
  return (limit?: number) => summaries.page({}, limit === undefined ? {} : { limit })
}

t.test('a page of projects stays on the event loop, and more of them do not', async (t) => {
  const page = summariesOf(t, { projects: PAGE_LIMIT + 1 })
  t.equal(JSON.parse(`${page(PAGE_LIMIT).body}`).length, PAGE_LIMIT)
  t.throws(() => page(), TooMuchWork)
})

t.test('so does a page with long texts', async (t) => {
  const page = summariesOf(t, { projects: 100, textBytes: BYTES_READ / 50 })
  t.doesNotThrow(() => page(49))
  t.throws(() => page(51), TooMuchWork)
})

t.test('and one with many columns', async (t) => {
  t.doesNotThrow(summariesOf(t, { projects: 1, columns: 5000 }))
  t.throws(summariesOf(t, { projects: 1, columns: 5001 }), TooMuchWork)
})

t.test('and one with many items', async (t) => {
  t.doesNotThrow(summariesOf(t, { projects: 1, items: 20_000 }))
  t.throws(summariesOf(t, { projects: 1, items: 20_001 }), TooMuchWork)
})
