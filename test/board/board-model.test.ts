import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { type App, build, createItem, createProject, send } from '../helper.ts'
import { rounds } from '../rounds.ts'
import {
  createModel,
  type Fields,
  type Limits,
  type Model,
  type ModelItem,
  type Outcome,
  type Target,
} from './board-model.ts'

const COLUMNS = ['To Do', 'In Progress', 'Review', 'Made on the way']
const LIMITS: Limits = {
  'In Progress': { wipLimit: 2, wipPolicy: 'warn' },
  Review: { wipLimit: 2, wipPolicy: 'block' },
}

/** The real board under test, and how to send it requests. */
interface Real {
  app: App
  projectId: string
}

const DEFAULTS = { column: 'To Do', priority: 'medium', assigneeId: null, dismissed: false, sortOrder: 0 }

type Command = fc.AsyncCommand<Model, Real>

/** The board as the service shows it. */
async function boardOf({ app, projectId }: Real): Promise<(ModelItem & Record<string, unknown>)[]> {
  return (await send(app, 'GET', `/api/projects/${projectId}`)).body.kanbanItems
}

/** Compares the whole board, and the whole activity, with the model. */
async function compare(model: Model, real: Real): Promise<void> {
  const board = await boardOf(real)
  const shown = board.map(({ id, title, column, sortOrder, priority, assigneeId, dismissed }) => ({
    id,
    title,
    column,
    sortOrder,
    priority,
    assigneeId,
    dismissed,
  }))
  deepStrictEqual(
    shown,
    model.items().toSorted((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1)),
  )
  const entries = real.app.db.$client
    .prepare(
      `select item_id, type, metadata from kanban_activity
       where item_id in (select id from kanban_items where project_id = ?) order by id`,
    )
    .all(real.projectId) as { item_id: string; type: string; metadata: string }[]
  deepStrictEqual(
    entries
      .map(({ item_id, type, metadata }) => {
        const { from, to } = JSON.parse(metadata)
        return `${item_id} ${type} ${from} > ${to}`
      })
      .toSorted(),
    model.activity().toSorted(),
  )
}

/** Compares a response with the model's expectation. */
function judge(outcome: Outcome, status: number, answer: unknown): void {
  if (outcome.status === 'refused') {
    deepStrictEqual([status, answer], [409, { error: 'Column is at its WIP limit' }])
    return
  }
  ok(status < 300, `${status} ${JSON.stringify(answer)}`)
  const warned = [answer]
    .flat()
    .flatMap((item) => ((item as { warnings?: string[] }).warnings ? [(item as { id: string }).id] : []))
  deepStrictEqual(warned.toSorted(), outcome.warned.toSorted())
}

/** An item of the board, by a number that is valid for any board. */
const pick = (model: Model, which: number): ModelItem | undefined =>
  model.items()[which % model.items().length]

const isNotEmpty = (model: Readonly<Model>) => model.items().length > 0

const column = fc.constantFrom(...COLUMNS)
const sortOrder = fc
  .oneof(fc.integer({ min: -2, max: 5 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
  // JSON has no negative zero.
  .map((number) => number + 0)
const fields = fc.record(
  {
    column,
    priority: fc.constantFrom('low', 'high'),
    assigneeId: fc.constantFrom(null, 'ada', 'grace'),
    dismissed: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const patch = fc
  .tuple(
    fields,
    fc.record(
      { title: fc.string({ minLength: 1, maxLength: 5 }), sortOrder },
      { requiredKeys: [], noNullPrototype: true },
    ),
  )
  .map(([some, more]) => ({ ...some, ...more }))

const command = (
  name: string,
  check: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): Command => ({
  check,
  run: async (model, real) => {
    await run(model, real)
    await compare(model, real)
  },
  toString: () => name,
})

/** The numbers that the service has assigned to items. */
async function numbers(real: Real): Promise<(id: string) => number> {
  const board = new Map((await boardOf(real)).map(({ id, sortOrder }) => [id, sortOrder]))
  return (id) => board.get(id) as number
}

const create = fc
  .record({ fields, sortOrder: fc.option(sortOrder, { nil: undefined }) })
  .map(({ fields, sortOrder }) =>
    command(
      `create ${JSON.stringify({ ...fields, sortOrder })}`,
      () => true,
      async (model, real) => {
        const body = { title: 'Card', ...fields, ...(sortOrder === undefined ? {} : { sortOrder }) }
        const url = `/api/projects/${real.projectId}/kanban-items`
        const { status, body: item } = await send(real.app, 'POST', url, body)
        const defaults = {
          column: 'To Do',
          priority: 'medium',
          assigneeId: null,
          dismissed: false,
          sortOrder: 0,
        }
        const expected = { ...defaults, ...body }
        if (model.wouldTake(expected).status === 'refused') return judge({ status: 'refused' }, status, item)
        const before = model.order()[expected.column] ?? []
        judge(model.create({ ...expected, id: item.id }), status, item)
        if (sortOrder !== undefined) return
        model.renumber(expected.column, await numbers(real))
        deepStrictEqual(model.order()[expected.column], [...before, item.id], 'it is the last of its column')
      },
    ),
  )

const change = fc.record({ which: fc.nat(), fields: patch }).map(({ which, fields }) =>
  command(`patch ${which} ${JSON.stringify(fields)}`, isNotEmpty, async (model, { app }) => {
    const item = pick(model, which) as ModelItem
    const { status, body } = await send(app, 'PATCH', `/api/kanban-items/${item.id}`, fields)
    judge(model.change([item.id], fields as Fields), status, body)
  }),
)

const bulk = fc
  .record({ which: fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), fields })
  .map(({ which, fields }) =>
    command(`bulk ${which} ${JSON.stringify(fields)}`, isNotEmpty, async (model, { app }) => {
      const ids = [...new Set(which.map((one) => (pick(model, one) as ModelItem).id))]
      const { status, body } = await send(app, 'PATCH', '/api/kanban-items', { ids, update: fields })
      judge(model.change(ids, fields as Fields), status, body)
      if (status === 200)
        deepStrictEqual(
          body.map(({ id }: ModelItem) => id),
          ids,
        )
    }),
  )

const reorder = fc
  .array(fc.record({ which: fc.nat(), column, sortOrder }), { minLength: 1, maxLength: 5 })
  .map((wanted) =>
    command(`reorder ${JSON.stringify(wanted)}`, isNotEmpty, async (model, { app, projectId }) => {
      const all = wanted.map(({ which, ...place }) => ({
        id: (pick(model, which) as ModelItem).id,
        ...place,
      }))
      const items = [...new Map(all.map((place) => [place.id, place])).values()]
      const { status, body } = await send(app, 'POST', `/api/projects/${projectId}/kanban-items/reorder`, {
        items,
      })
      judge(model.place(items), status, body)
    }),
  )

const place = fc.oneof(
  fc.constantFrom({ position: 'top' as const }, { position: 'bottom' as const }, {}),
  fc.record({ side: fc.constantFrom('beforeId', 'afterId'), neighbour: fc.nat() }),
)
const move = fc
  .record({ which: fc.nat(), column: fc.option(column, { nil: undefined }), place })
  .map(({ which, column, place }) =>
    command(
      `move ${which} to ${column ?? 'its column'} ${JSON.stringify(place)}`,
      isNotEmpty,
      async (model, real) => {
        const item = pick(model, which) as ModelItem
        const target: Target = column === undefined ? {} : { column }
        if ('side' in place) {
          const neighbour = pick(model, place.neighbour) as ModelItem
          Object.assign(target, { [place.side]: neighbour.id })
          if (neighbour.id === item.id || neighbour.column !== (column ?? item.column)) {
            const { status, body } = await send(real.app, 'POST', `/api/kanban-items/${item.id}/move`, target)
            deepStrictEqual([status, Object.keys(body.details.fieldErrors)], [400, [place.side]])
            return
          }
        } else Object.assign(target, place)
        const { status, body } = await send(real.app, 'POST', `/api/kanban-items/${item.id}/move`, target)
        const outcome = model.move(item.id, target)
        judge(outcome, status, body)
        if (outcome.status === 'refused') return
        const into = column ?? item.column
        model.renumber(into, await numbers(real))
        deepStrictEqual(model.order()[into], outcome.order)
      },
    ),
  )

const remove = fc.nat().map((which) =>
  command(`delete ${which}`, isNotEmpty, async (model, { app }) => {
    const item = pick(model, which) as ModelItem
    equal((await send(app, 'DELETE', `/api/kanban-items/${item.id}`)).status, 200)
    model.delete(item.id)
  }),
)

t.test('after any changes, a board equals a simple model of lists', async (t) => {
  const app = await build(t)
  const commands = fc.commands([create, create, change, bulk, reorder, move, move, remove], {
    maxCommands: 40,
  })
  await fc.assert(
    fc.asyncProperty(commands, async (commands) => {
      const { id: projectId } = await createProject(app)
      const columns = (await send(app, 'GET', `/api/projects/${projectId}/kanban-columns`)).body
      for (const { id, name } of columns) {
        if (LIMITS[name]) await send(app, 'PATCH', `/api/kanban-columns/${id}`, LIMITS[name])
      }
      const real = { app, projectId }
      const model = createModel(LIMITS)
      for (const column of [...COLUMNS, ...COLUMNS]) {
        const item = await createItem(app, projectId, { column })
        const { id, sortOrder } = item
        model.create({ ...DEFAULTS, id, title: item.title, column, sortOrder })
      }
      await fc.asyncModelRun(() => ({ model, real }), commands)
    }),
    { numRuns: rounds(60) },
  )
  t.pass()
})
