import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { afterLast, between, numbered, type Place, reorderIn } from '../../src/db/ordering.ts'
import { kanbanSubtasks, projects } from '../../src/db/schema.ts'
import {
  age,
  build,
  createItem,
  createProject,
  createSubtask,
  LONG_AGO,
  send,
  stored,
  writeIn,
} from '../helper.ts'
import { rounds } from '../rounds.ts'

/** The next larger floating-point number. */
function next(number: number): number {
  const bits = new BigInt64Array(new Float64Array([number + 0]).buffer)
  bits[0] = (bits[0] as bigint) + (number < 0 ? -1n : 1n)
  return new Float64Array(bits.buffer)[0] as number
}

const steps = (number: number, count: number): number =>
  count === 0 ? number : steps(next(number), count - 1)

const notable = [
  0,
  -0,
  5e-324,
  2 ** -1022,
  0.1,
  1,
  2 ** 53 - 1,
  2 ** 53,
  2 ** 53 + 2,
  1e308,
  Number.MAX_VALUE,
]
const anyNumber = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(...notable, ...notable.map((number) => -number)),
  fc.integer({ min: -5, max: 5 }),
)
/** Neighbours with up to so many floating-point numbers between them. */
const closeTogether = fc
  .tuple(anyNumber, fc.nat(5))
  .map(([number, count]): [number, number] => [number, steps(number, count)])
  .filter(([, upper]) => Number.isFinite(upper))

t.test('next is the next larger number', async (t) => {
  t.equal(next(1), 1 + Number.EPSILON)
  t.equal(next(-1), -1 + Number.EPSILON / 2)
  t.equal(next(0), 5e-324)
  t.equal(next(-0), 5e-324)
  t.equal(next(2 ** 53), 2 ** 53 + 2)
  t.equal(next(Number.MAX_VALUE), Number.POSITIVE_INFINITY)
})

t.test('between', async (t) => {
  t.test('returns a number between two neighbours, unless there is none', async (t) => {
    fc.assert(
      fc.property(fc.oneof(fc.tuple(anyNumber, anyNumber), closeTogether), ([one, another]) => {
        const [before, after] = one < another ? [one, another] : [another, one]
        const place = between(before, after)
        if (place === undefined) ok(before === after || next(before) === after, 'there was one')
        else ok(before < place && place < after, `${place} is not between them`)
      }),
      { numRuns: rounds(2000) },
    )
    t.pass()
  })

  t.test('returns undefined for neighbours in the wrong order', async () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (one, another) =>
        equal(between(Math.max(one, another), Math.min(one, another)), undefined),
      ),
    )
  })

  t.test('returns a number one step away from a single neighbour, unless it is the same', async () => {
    fc.assert(
      fc.property(anyNumber, (number) => {
        const [above, below] = [between(number, undefined), between(undefined, number)]
        equal(above, number + 1 > number ? number + 1 : undefined)
        equal(below, number - 1 < number ? number - 1 : undefined)
        if (Math.abs(number) < 2 ** 53) ok(above !== undefined && below !== undefined)
      }),
    )
  })

  t.test('returns the middle, one step beyond, or the first place', async (t) => {
    for (const [before, after, place] of [
      [undefined, undefined, 1],
      [undefined, 1, 0],
      [undefined, -0.5, -1.5],
      [4, undefined, 5],
      [1, 2, 1.5],
      [-3, 1, -1],
      [-1e308, 1e308, 0],
      [1e308, 1.5e308, 1.25e308],
      [Number.MAX_VALUE, undefined, undefined],
      [undefined, -Number.MAX_VALUE, undefined],
      [2 ** 53, undefined, undefined],
      [undefined, -(2 ** 53), undefined],
      [2 ** 53, 2 ** 53 + 2, undefined],
      [2 ** 53, 2 ** 53 + 4, 2 ** 53 + 2],
      [0, 5e-324, undefined],
      [0, 1e-323, 5e-324],
      [-5e-324, 5e-324, 0],
      [-0, 0, undefined],
      [0, -0, undefined],
      [1, 1, undefined],
      // As another tool may have stored it.
      [Number.POSITIVE_INFINITY, undefined, undefined],
      [undefined, Number.NEGATIVE_INFINITY, undefined],
      [1, Number.POSITIVE_INFINITY, undefined],
    ] as const) {
      t.equal(between(before, after), place, `${before} and ${after}`)
    }
  })

  t.test('leaves room for many more on either side, and ends with undefined', async () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }), (sides) => {
        let [before, after] = [1, 2]
        let count = 0
        for (const isAbove of sides) {
          const place = between(before, after)
          if (place === undefined) break
          count++
          if (isAbove) before = place
          else after = place
        }
        ok(count >= 50 && count <= 60, `${count} found room`)
      }),
    )
  })
})

t.test('afterLast is one step after the last, or the first place', async (t) => {
  for (const [last, place] of [
    [undefined, 1],
    [null, 1],
    [0, 1],
    [-5, -4],
    [41.5, 42.5],
    [-0, 1],
    [Number.MAX_VALUE, Number.MAX_VALUE],
  ] as const) {
    t.equal(afterLast(last), place)
  }
  fc.assert(fc.property(anyNumber, (last) => ok(Number.isFinite(afterLast(last)) && afterLast(last) >= last)))
})

t.test('numbered is 1, 2, 3, ...: for records in order', async (t) => {
  t.strictSame([0, 1, 2, 999].map(numbered), [1, 2, 3, 1000])
  let last: number | undefined
  for (let index = 0; index < 20; index++) {
    last = afterLast(last)
    t.equal(numbered(index), last)
  }
})

t.test('reorderIn', async (t) => {
  class Refusal extends Error {
    positions: number[]
    constructor(positions: number[]) {
      super('refused')
      this.positions = positions
    }
  }

  /** Two items with three subtasks each, and the change of their order. */
  async function lists(t: Parameters<typeof build>[0]) {
    const app = await build(t)
    const project = await createProject(app)
    const items = [await createItem(app, project.id), await createItem(app, project.id)]
    const all: { id: string; sortOrder: number }[] = []
    for (const { id } of items) {
      for (const sortOrder of [1, 2, 3]) all.push(await createSubtask(app, id, { sortOrder }))
    }
    for (const { id } of all) age(app, 'kanban_subtasks', id)
    const reorder = reorderIn(
      app.db,
      kanbanSubtasks,
      kanbanSubtasks.itemId,
      (elsewhere) => new Refusal(elsewhere),
    )
    const rows = () =>
      all.map(({ id }) => {
        const { sort_order, updated_at } = stored(app, 'kanban_subtasks', id)
        return [sort_order, updated_at === LONG_AGO ? 'as it was' : 'changed']
      })
    const ids = all.map(({ id }) => id) as [string, string, string, string, string, string]
    const [one, other] = items.map(({ id }) => id) as [string, string]
    return { app, reorder, rows, ids, one, other }
  }
  const untouched = [1, 2, 3, 1, 2, 3].map((sortOrder) => [sortOrder, 'as it was'])

  t.test('moves records to their new places, and leaves the others unchanged', async (t) => {
    const { app, reorder, rows, ids, one } = await lists(t)
    const [a, b, c] = ids
    await writeIn(app, () =>
      reorder(
        [
          { id: c, sortOrder: -1e308 },
          { id: a, sortOrder: 1 },
          { id: b, sortOrder: 0.5 },
        ],
        one,
      ),
    )
    t.strictSame(rows(), [[1, 'as it was'], [0.5, 'changed'], [-1e308, 'changed'], ...untouched.slice(3)])
  })

  t.test('changes nothing without records', async (t) => {
    const { app, reorder, rows, one } = await lists(t)
    await writeIn(app, () => reorder([], one))
    t.strictSame(rows(), untouched)
  })

  t.test(
    'refuses unknown ids, then records of another parent by their positions, and changes nothing',
    async (t) => {
      const { app, reorder, rows, ids, one, other } = await lists(t)
      const [a, b, , d] = ids
      const [unknown, known] = [
        ['none', a, d, b, ''],
        [a, d, b],
      ].map((ids) => ids.map((id) => ({ id, sortOrder: 9 }))) as [Place[], Place[]]
      for (const [of, positions] of [
        [one, [1]],
        [other, [0, 2]],
        ['none', [0, 1, 2]],
      ] as const) {
        await t.rejects(
          writeIn(app, () => reorder(known, of)),
          { message: 'refused', positions },
        )
        await t.rejects(
          writeIn(app, () => reorder(unknown, of)),
          { message: 'Kanban subtask not found', details: { missing: ['none', ''] } },
        )
        t.strictSame(rows(), untouched)
      }
    },
  )

  t.test('finds records without a parent by their ids alone', async (t) => {
    const app = await build(t)
    const ids: string[] = []
    for (const name of ['a', 'b', 'c']) ids.push((await createProject(app, { name })).id)
    const reorder = reorderIn(app.db, projects, undefined)
    const places = ids.map((id, index): Place => ({ id, sortOrder: -index }))
    await writeIn(app, () => reorder(places))
    const { body } = await send(app, 'GET', '/api/projects')
    deepStrictEqual(
      body.map(({ name }: { name: string }) => name),
      ['c', 'b', 'a'],
    )
    await t.rejects(
      writeIn(app, () => reorder([...places, { id: 'none', sortOrder: 1 }])),
      { message: 'Project not found', details: { missing: ['none'] } },
    )
  })

  t.test('minus zero is zero', async (t) => {
    const { app, reorder, ids, rows, one } = await lists(t)
    app.db.$client.prepare('update kanban_subtasks set sort_order = 0 where id = ?').run(ids[0])
    await writeIn(app, () => reorder([{ id: ids[0], sortOrder: -0 }], one))
    t.strictSame(rows()[0], [0, 'as it was'])
  })
})
