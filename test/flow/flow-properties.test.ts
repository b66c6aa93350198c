/** Random histories of two boards, written by the service's rules and by other tools, compared with a model of one board. */
import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { openDatabase, writeAs } from '../../src/db/client.ts'
import { createRules } from '../../src/requests/rules.ts'
import { DAY, DONE_NAMES, flowOfModel, HOUR, type ModelColumn, type ModelItem } from './model.ts'

const BEGIN = Date.UTC(2026, 0, 5, 7)
const MEMBER = { id: 'ada', name: 'Ada', email: null, role: 'member' } as const

/** One file for all histories. Each has its own boards. */
const { db, close } = openDatabase(':memory:')
const rules = createRules(db)
t.teardown(close)

/** Two in-memory boards, a manual clock, and the model. */
class World {
  now = BEGIN
  readonly db = db
  readonly rules = rules
  readonly boards: Record<'p' | 'q', { id: string; columns: (ModelColumn & { id: string })[] }>
  readonly items: ModelItem[] = []
  /** The changes that deleted items, and the names of their columns then. */
  readonly deletions = new Map<ModelItem, { seq: number; column: string }>()
  #names = 0
  #last = 0

  constructor() {
    this.#last = db.$client.prepare('select max(seq) from changes').pluck().get() as number
    const board = (name: string) => {
      const { id } = this.write(() => this.rules.projects.create({ name })) as { id: string }
      const columns = JSON.parse(Buffer.from(this.rules.board.columns.list(id).body).toString())
      return {
        id,
        columns: columns.map(({ id, name }: ModelColumn & { id: string }) => ({ id, name, stage: null })),
      }
    }
    this.boards = { p: board('P'), q: board('Q') }
  }

  /** The sequence records a write at the time of the manual clock, which SQLite does not know. */
  settle() {
    const at = new Date(this.now).toISOString()
    this.db.$client.prepare('update changes set at = ? where seq > ?').run(at, this.#last)
    this.#last = this.db.$client.prepare('select max(seq) from changes').pluck().get() as number
  }

  write<T>(work: () => T): T {
    const { now } = Date
    Date.now = () => this.now
    try {
      return writeAs(this.db, MEMBER.id, work).value
    } finally {
      Date.now = now
      this.settle()
    }
  }

  get lastSeq() {
    return this.#last
  }

  newName() {
    this.#names += 1
    return `Column ${this.#names}`
  }

  living = () => this.items.filter(({ states }) => !states.at(-1)?.isDeleted)
}

type Step = (world: World, random: (below: number) => number) => void

const stateOf = (item: ModelItem) => item.states.at(-1) as ModelItem['states'][number]
const some = <T>(of: readonly T[], random: (below: number) => number): T | undefined => of[random(of.length)]

const STEPS: Record<string, Step> = {
  create(world, random) {
    const board = random(4) === 0 ? 'q' : 'p'
    const { id: projectId, columns } = world.boards[board]
    const column = some(columns, random) as ModelColumn
    const dismissed = random(8) === 0
    const { id } = world.write(() =>
      world.rules.board.items.create(projectId, {
        title: `Card ${world.items.length}`,
        column: column.name,
        dismissed,
      }),
    )
    world.items.push({ id, states: [{ at: world.now, board, isDeleted: false, column, dismissed }] })
  },
  move(world, random) {
    const item = some(world.living(), random)
    if (!item) return
    const state = stateOf(item)
    const column = some(world.boards[state.board as 'p'].columns, random) as ModelColumn
    world.write(() => world.rules.board.items.move(item.id, { column: column.name }, MEMBER.id))
    item.states.push({ ...state, at: world.now, column })
  },
  transfer(world, random) {
    const item = some(world.living(), random)
    if (!item) return
    const state = stateOf(item)
    const board = state.board === 'p' ? 'q' : 'p'
    const { id: projectId, columns } = world.boards[board]
    const column = some(columns, random) as ModelColumn
    world.write(() => world.rules.board.items.move(item.id, { projectId, column: column.name }, MEMBER.id))
    item.states.push({ ...state, at: world.now, board, column })
  },
  dismiss(world, random) {
    const item = some(world.living(), random)
    if (!item) return
    const state = stateOf(item)
    const dismissed = !state.dismissed
    world.write(() => world.rules.board.items.update(item.id, { dismissed }, MEMBER.id))
    item.states.push({ ...state, at: world.now, dismissed })
  },
  /** One write moves and dismisses. */
  dismissElsewhere(world, random) {
    const item = some(world.living(), random)
    if (!item) return
    const state = stateOf(item)
    if (state.dismissed) return
    const column = some(world.boards[state.board as 'p'].columns, random) as ModelColumn
    world.write(() =>
      world.rules.board.items.update(item.id, { column: column.name, dismissed: true }, MEMBER.id),
    )
    item.states.push({ ...state, at: world.now, column, dismissed: true })
  },
  delete(world, random) {
    const item = some(world.living(), random)
    if (!item) return
    world.write(() => world.rules.board.items.delete(item.id))
    item.states.push({ ...stateOf(item), at: world.now, isDeleted: true })
    world.deletions.set(item, { seq: world.lastSeq, column: stateOf(item).column.name })
  },
  restore(world, random) {
    const found = some([...world.deletions], random)
    if (!found) return
    const [item, { seq, column: name }] = found
    const deleted = stateOf(item)
    const column = world.boards[deleted.board as 'p'].columns.find((one) => one.name === name)
    // The undo would create the column again.
    if (!column) return
    world.deletions.delete(item)
    world.write(() => world.rules.changes.undo.group(String(seq), MEMBER, { id: MEMBER.id, address: null }))
    item.states.push({ ...deleted, at: world.now, isDeleted: false, column })
  },
  rename(world, random) {
    const { columns } = world.boards[random(4) === 0 ? 'q' : 'p']
    const column = some(columns, random)
    if (!column) return
    const name = random(2) === 0 ? world.newName() : (some(['Old name', ...DONE_NAMES], random) as string)
    if (columns.some((other) => other.name === name)) return
    world.write(() => world.rules.board.columns.update(column.id, { name }))
    column.name = name
  },
  addColumn(world) {
    const name = world.newName()
    const { id } = world.write(() => world.rules.board.columns.create(world.boards.p.id, { name }))
    world.boards.p.columns.push({ id, name, stage: null })
  },
  removeColumn(world, random) {
    const { columns } = world.boards.p
    const column = some(columns, random) as ModelColumn & { id: string }
    const target = some(columns, random) as ModelColumn
    if (column === target) return
    world.write(() => world.rules.board.columns.delete(column.id, { ...MEMBER }, target.name))
    columns.splice(columns.indexOf(column), 1)
    for (const item of world.living()) {
      const state = stateOf(item)
      if (state.board === 'p' && state.column === column)
        item.states.push({ ...state, at: world.now, column: target })
    }
  },
  stage(world, random) {
    const column = some(world.boards.p.columns, random) as ModelColumn & { id: string }
    const stage = (['todo', 'doing', 'done', null] as const)[random(4)] ?? null
    world.write(() => world.rules.board.columns.update(column.id, { stage }))
    column.stage = stage
  },
  /** Another tool, which writes no activity. */
  otherTool(world, random) {
    const item = some(world.living(), random)
    if (!item || stateOf(item).board !== 'p') return
    const column = some(world.boards.p.columns, random) as ModelColumn
    world.db.$client.prepare('update kanban_items set "column" = ? where id = ?').run(column.name, item.id)
    world.settle()
    item.states.push({ ...stateOf(item), at: world.now, column })
  },
}

/** More important actions are listed more often. */
const NAMES = Object.keys(STEPS).flatMap((name) => new Array(/create|move/.test(name) ? 4 : 1).fill(name))

const history = fc.array(
  fc.record({
    step: fc.constantFrom(...(NAMES as string[])),
    hours: fc.integer({ min: 1, max: 60 }),
    random: fc.infiniteStream(fc.nat()),
  }),
  { minLength: 5, maxLength: 40 },
)

const play = (world: World, steps: { step: string; hours: number; random: fc.Stream<number> }[]) => {
  for (const { step, hours, random } of steps) {
    world.now += hours * HOUR
    STEPS[step]?.(world, (below) => (below === 0 ? 0 : (random.next().value as number) % below))
  }
  world.now += HOUR
}

const withoutZeros = (byColumn: Record<string, number>) =>
  Object.fromEntries(Object.entries(byColumn).filter(([, count]) => count > 0))

const sortedById = <T extends { id: string }>(items: T[]) => items.toSorted((a, b) => (a.id < b.id ? -1 : 1))

/** Compares the service's flow for a range that ends some days ago with the model. */
function compare(world: World, daysAgo: number) {
  const today = Math.floor(world.now / DAY)
  const to = Math.max(Math.floor(BEGIN / DAY), today - daysAgo)
  const from = Math.floor(BEGIN / DAY) - 2
  const date = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)
  const query = { from: date(from), to: date(to) }
  const response = JSON.parse(
    Buffer.from(world.rules.flow.ofProject(world.boards.p.id, query, MEMBER, world.now)).toString(),
  )
  const range = { from, to, end: Math.min((to + 1) * DAY, world.now) }
  const expected = flowOfModel(world.items, world.boards.p.columns, range)
  const plain = response.days.map((day: { byColumn: Record<string, number> }) => ({
    ...day,
    byColumn: withoutZeros(day.byColumn),
  }))
  deepStrictEqual(plain, expected.days)
  const { items, ...cycle } = response.cycleTime
  const { items: wanted, ...wantedCycle } = expected.cycleTime
  deepStrictEqual(
    items.map(({ title: _, ...item }: { title: string }) => item),
    wanted,
  )
  deepStrictEqual([cycle, response.leadTime], [wantedCycle, expected.leadTime])
  deepStrictEqual(
    sortedById(response.age.map(({ title: _, ...item }: { id: string; title: string }) => item)),
    sortedById(expected.age),
  )
  deepStrictEqual(response.forecast.remaining, expected.remaining)
  const weeks = response.throughput.perWeek.reduce(
    (sum: number, { finished }: { finished: number }) => sum + finished,
    0,
  )
  deepStrictEqual(weeks, expected.perWeekTotal)
}

const withWorld = (work: (world: World) => void) => work(new World())

t.test('any history gives the right flow for any day', async (t: Test) => {
  fc.assert(
    fc.property(history, fc.integer({ min: 0, max: 20 }), (steps, daysAgo) => {
      withWorld((world) => {
        play(world, steps)
        compare(world, 0)
        compare(world, daysAgo)
      })
    }),
    { numRuns: Number(process.env.FLOW_RUNS ?? 80) },
  )
  t.pass()
})

t.test("another tool's move counts, though a column is later renamed likewise", async (t: Test) => {
  withWorld((world) => {
    const [todo, doing] = world.boards.p.columns as [
      ModelColumn & { id: string },
      ModelColumn & { id: string },
    ]
    const pass = () => {
      world.now += DAY
    }
    const draw =
      (...numbers: number[]) =>
      () =>
        numbers.shift() as number
    STEPS.create?.(world, draw(1, world.boards.p.columns.indexOf(doing), 1))
    pass()
    STEPS.move?.(world, draw(0, 0))
    pass()
    STEPS.otherTool?.(world, draw(0, 1))
    pass()
    // The column that the tool moved from gets the former name of the one that it moved to.
    const { name } = doing
    world.write(() => world.rules.board.columns.update(doing.id, { name: 'Old name' }))
    doing.name = 'Old name'
    pass()
    STEPS.removeColumn?.(world, draw(1, 2))
    pass()
    world.write(() => world.rules.board.columns.update(todo.id, { name }))
    todo.name = name
    pass()
    compare(world, 0)
  })
  t.pass()
})

t.test('moves and creations are found without the sequence, too', async (t: Test) => {
  const steps = history.map((all) =>
    all.map((one) => ({ ...one, step: /create/.test(one.step) ? 'create' : 'move' })),
  )
  fc.assert(
    fc.property(steps, (all) => {
      withWorld((world) => {
        play(world, all)
        for (const item of world.items) {
          // Items that were created dismissed, or have moved to another project, need the sequence.
          if (stateOf(item).dismissed) world.write(() => world.rules.board.items.delete(item.id))
        }
        const here = world.items.filter((item) => !stateOf(item).dismissed)
        world.items.splice(0, world.items.length, ...here)
        world.db.$client.exec('delete from changes; delete from change_subjects')
        compare(world, 0)
      })
    }),
    { numRuns: 15 },
  )
  t.pass()
})

/** Numbers for a step, one after the other. */
const draws =
  (...numbers: number[]) =>
  () =>
    numbers.shift() as number

const [FIRST, SECOND, LAST] = [0, 1, 3]

t.test('an item that was restored was in the column of then, on the board of then', async (t: Test) => {
  const days = (world: World, steps: (() => void)[]) => {
    for (const step of steps) {
      world.now += DAY
      step()
    }
    world.now += DAY
    for (const daysAgo of [0, 1, 2, 3]) compare(world, daysAgo)
  }
  withWorld((world) => {
    days(world, [
      () => STEPS.create?.(world, draws(1, FIRST, 1)),
      () => STEPS.delete?.(world, draws(0)),
      () => STEPS.restore?.(world, draws(0)),
      () => STEPS.move?.(world, draws(0, LAST)),
    ])
  })
  withWorld((world) => {
    days(world, [
      () => STEPS.create?.(world, draws(1, SECOND, 1)),
      () => STEPS.transfer?.(world, draws(0, SECOND)),
      () => STEPS.delete?.(world, draws(0)),
      () => STEPS.restore?.(world, draws(0)),
    ])
  })
  t.pass()
})

t.test('an item that left for a column of the same name was in that of this board', async (t: Test) => {
  withWorld((world) => {
    STEPS.create?.(world, draws(1, SECOND, 1))
    world.now += DAY
    STEPS.transfer?.(world, draws(0, SECOND))
    world.now += DAY
    const [, column] = world.boards.q.columns as [unknown, ModelColumn & { id: string }]
    world.write(() => world.rules.board.columns.update(column.id, { name: 'Elsewhere' }))
    column.name = 'Elsewhere'
    compare(world, 0)
  })
  t.pass()
})

t.test('a restored column is renamed like any other', async (t: Test) => {
  withWorld((world) => {
    const [todo] = world.boards.p.columns as [ModelColumn & { id: string }]
    STEPS.create?.(world, draws(1, FIRST, 1))
    const [item] = world.items as [ModelItem]
    const next = (work: () => void) => {
      world.now += DAY
      world.write(work)
    }
    const { columns } = world.rules.board
    next(() => columns.delete(todo.id, { ...MEMBER }, 'In Progress'))
    const by = { id: MEMBER.id, address: null }
    const deletion = String(world.lastSeq)
    item.states.push({
      ...stateOf(item),
      at: world.now,
      column: world.boards.p.columns[SECOND] as ModelColumn,
    })
    next(() => world.rules.changes.undo.group(deletion, MEMBER, by))
    item.states.push({ ...stateOf(item), at: world.now, column: todo })
    STEPS.move?.(world, draws(0, LAST))
    next(() => columns.update(todo.id, { name: 'New name' }))
    todo.name = 'New name'
    world.now += DAY
    compare(world, 0)
  })
  t.pass()
})

t.test('a dismissed item stays finished, whatever happens to it before it is restored', async (t: Test) => {
  withWorld((world) => {
    STEPS.create?.(world, draws(1, FIRST, 1))
    world.now += DAY
    STEPS.dismissElsewhere?.(world, draws(0, LAST))
    for (const column of [FIRST, SECOND]) {
      world.now += DAY
      compare(world, 0)
      STEPS.move?.(world, draws(0, column))
    }
    world.now += DAY
    compare(world, 0)
    STEPS.dismiss?.(world, draws(0))
    world.now += DAY
    compare(world, 0)
    compare(world, 1)
  })
  t.pass()
})

t.test(
  "another tool's move into a column counts, though that has the name of the former one",
  async (t: Test) => {
    withWorld((world) => {
      const columns = world.boards.p.columns
      const [todo, doing] = columns as [ModelColumn & { id: string }, ModelColumn & { id: string }]
      const rename = (column: ModelColumn & { id: string }, name: string) => {
        world.write(() => world.rules.board.columns.update(column.id, { name }))
        column.name = name
      }
      STEPS.create?.(world, draws(1, FIRST, 1))
      world.now += DAY
      STEPS.move?.(world, draws(0, SECOND))
      world.now += DAY
      const [one, other] = [todo.name, doing.name]
      rename(todo, 'Old name')
      rename(doing, one)
      rename(todo, other)
      world.now += DAY
      STEPS.otherTool?.(world, draws(0, FIRST))
      world.now += DAY
      compare(world, 0)
    })
    t.pass()
  },
)

t.test(
  'a stay in a column that was removed counts, even if it ended on the first day of the range',
  async (t: Test) => {
    withWorld((world) => {
      STEPS.create?.(world, draws(1, SECOND, 1))
      world.now += 2 * DAY
      STEPS.removeColumn?.(world, draws(SECOND, FIRST))
      world.now += HOUR
      const from = new Date(world.now).toISOString()
      const flow = JSON.parse(
        Buffer.from(world.rules.flow.ofProject(world.boards.p.id, { from }, MEMBER, world.now)).toString(),
      )
      t.strictSame(flow.timeInColumn.at(-1), { column: 'In Progress', p50: 2, p85: 2 })
    })
  },
)
