import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from 'tap'
import { Places } from '../../src/board/places.ts'
import { build, createItem, createProject } from '../helper.ts'
import { rounds } from '../rounds.ts'

const AT = '2026-01-31T00:00:00.000Z'

t.test('items get exactly the requested places, and others keep theirs', async (t) => {
  const app = await build(t)
  const { id: projectId } = await createProject(app)
  const items: string[] = []
  for (const title of ['one', 'other', 'third']) items.push((await createItem(app, projectId, { title })).id)
  const [one = '', other = '', third = ''] = items
  const inBoard = new Places(app.db)
  const select = app.db.$client
    .prepare('select "column", sort_order, updated_at from kanban_items where id = ?')
    .raw()
  const before = select.get(third)
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(number, number, fc.string({ unit: 'binary', minLength: 1 }), (first, second, column) => {
      const places = [
        { id: one, sortOrder: first },
        { id: other, sortOrder: second },
      ]
      inBoard.put(column, places, AT)
      // The file does not distinguish -0 from 0.
      const expected = places.map(({ sortOrder }) => [column, sortOrder + 0, AT])
      return isDeepStrictEqual([select.get(one), select.get(other)], expected)
    }),
    { numRuns: rounds(120) },
  )
  t.strictSame(select.get(third), before)
})

t.test('new places at the end begin after the last, in ascending order', async (t) => {
  const app = await build(t)
  const { id: projectId } = await createProject(app)
  const { id } = await createItem(app, projectId)
  const where = { projectId, column: 'To Do' }
  const inBoard = new Places(app.db)
  const set = app.db.$client.prepare('update kanban_items set sort_order = ? where id = ?')
  const last = app.db.$client.prepare('select sort_order from kanban_items where id = ?').pluck()
  const far = Number.MAX_SAFE_INTEGER
  for (const sortOrder of [0.1, -5, far - 11, far - 10, far, 1e300, -1e300]) {
    set.run(sortOrder, id)
    const first = inBoard.manyAtEnd(where, 10)
    const places = [Number(last.get(id)), ...Array.from({ length: 10 }, (_, index) => first + index)]
    t.strictSame(
      places,
      [...new Set(places)].toSorted((one, other) => one - other),
      String(sortOrder),
    )
  }
  t.equal(inBoard.manyAtEnd({ projectId, column: 'Done' }, 10), 1)
})
