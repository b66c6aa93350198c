/** The board's writes, without a browser: what they show at once, what they send, and what their answers do. */
import { effect } from '@preact/signals'
import t from 'tap'
import type { KanbanColumn, KanbanItem } from '../../src/client/api.d.ts'
import { ProjectStore } from '../../web/common/project-store.ts'

/** The answer of the service to the next requests. */
let answer: () => Response
const sent: { path: string; body: unknown }[] = []

const { fetch } = globalThis
t.teardown(() => Object.assign(globalThis, { fetch }))
Object.assign(globalThis, {
  location: new URL('http://board.example.test/'),
  fetch: async (input: string, { body }: RequestInit) => {
    sent.push({ path: input.replace(/^.*(?=\/api\/)/, ''), body: JSON.parse(String(body ?? null)) })
    return answer()
  },
})
const json = (status: number, body: unknown, headers = {}) => Response.json(body, { status, headers })
const REFUSED = () => json(409, { title: 'Refused', code: 'conflict' })

// They read the address of the page when they are loaded.
const { Board } = await import('../../web/board/board.ts')
const { addCards } = await import('../../web/board/batch-cards.ts')
const { addCard, showNew } = await import('../../web/board/card-writes.ts')
const { addColumn, changeColumn, moveColumn } = await import('../../web/board/column-writes.ts')
const { changeCards } = await import('../../web/board/many-writes.ts')
const { sending } = await import('../../web/common/api.ts')
const { changeItem } = await import('../../web/common/item-writes.ts')
const { accepted, showPlaces } = await import('../../web/common/record-writes.ts')
const { closeToast, currentToast, undoLast } = await import('../../web/common/toasts.ts')
const { write, written } = await import('../../web/common/writes.ts')

const columnOf = (id: string, sortOrder: number) => ({ id, name: `Column ${id}`, sortOrder }) as KanbanColumn

/** The text of the toast, which is closed. */
function takeToast(): string | undefined {
  const toast = currentToast.peek()
  if (toast) closeToast(toast.id)
  return toast?.text
}

/** A board with two columns, and cards in the first. */
function boardWith(cards: number) {
  sent.length = 0
  answer = REFUSED
  const store = new ProjectStore('project')
  store.columns.reset([columnOf('a', 0), columnOf('b', 1)], 1)
  const items = Array.from({ length: cards }, (_, index) => ({
    id: `card${index}`,
    projectId: 'project',
    title: `Card ${index}`,
    column: 'Column a',
    sortOrder: index,
    labels: [] as unknown,
  }))
  store.items.reset(items as KanbanItem[], 1)
  return { store, board: new Board(store), ids: items.map(({ id }) => id) }
}

/** Counts how often something that shows the cards of all columns does so. */
function countShown({ store, board }: ReturnType<typeof boardWith>, act: () => void): number {
  let runs = -1
  const stop = effect(() => {
    runs++
    for (const { name } of store.columnList) for (const id of board.shownIn(name)) store.items.get(id)
  })
  act()
  stop()
  return runs
}

t.test('of many cards show them at once', async (t) => {
  const made = boardWith(100)
  const { store, board, ids } = made
  const [first] = store.columnList

  const renaming = countShown(made, () => changeColumn(board, 'a', { name: 'Next' }, 'Renamed.'))
  t.ok(renaming <= 2, `${renaming} times: for the name of the column, and for its cards`)
  t.equal(store.idsOf('Next').length, 100)
  let ended = 0
  const stop = effect(() => {
    ended++
    store.idsOf('Next')
  })
  await written()
  await new Promise(setImmediate)
  stop()
  t.equal(store.idsOf(first?.name ?? '').length, 100, 'refused')
  t.ok(ended <= 3, `${ended} times until all are back`)

  t.equal(
    countShown(made, () => changeCards(board, ids, { priority: 'high' }, String)),
    1,
    'a field of many',
  )
  await written()
  t.equal(
    countShown(made, () =>
      showPlaces(
        store.items,
        ids.map((id, index) => ({ id, sortOrder: -index })),
      ),
    ),
    1,
    'a new order',
  )
  const titles = ids.map((title) => ({ title, labels: [], fields: {} }))
  t.equal(
    countShown(made, () => showNew(board, 'Column b', 'bottom', titles)),
    1,
    'new ones',
  )
  t.equal(board.kept.peek().size, 100)
})

t.test('that succeeded before are not refused, although their response is gone', async (t) => {
  const { store, board } = boardWith(1)
  const card = { title: 'New', labels: [], fields: {} }
  const writes = {
    'a record': () => accepted(write(sending('delete', '/api/kanban-columns/{id}', { path: { id: 'b' } }))),
    'a card': () => changeItem(board.card('card0'), { title: 'B' }, 'Saved.'),
    'a new card': () => addCard(board, 'Column a', 'bottom', card),
    'new cards': () => addCards(board, 'Column a', 'bottom', [card, card]),
  }
  while (takeToast() !== undefined);
  for (const [name, act] of Object.entries(writes)) {
    answer = REFUSED
    t.equal(await act(), false, name)
    t.equal(takeToast(), 'Not saved: Refused.')
    answer = () => json(409, { title: 'Already done', code: 'already_done' }, { 'phaseboard-seq': '7' })
    t.equal(await act(), true, name)
    t.equal(takeToast(), undefined)
  }
  t.equal(store.items.peek('card0')?.title, 'Card 0', 'the stream brings the rest')
})

t.test('of the order of columns name only those that the service has', async (t) => {
  const { store, board } = boardWith(0)
  void addColumn(board, 'Column c')
  moveColumn(board, 'a', 'b', 'after')
  t.strictSame(
    store.columnList.map(({ name }) => name),
    ['Column b', 'Column a', 'Column c'],
  )
  await written()
  const items = ['b', 'a'].map((id, sortOrder) => ({ id, sortOrder }))
  t.strictSame(sent.at(-1), { path: '/api/projects/project/kanban-columns/reorder', body: { items } })
})

t.test('that are refused when they are to be undone leave the ones before them', async (t) => {
  const { store, board } = boardWith(1)
  const change = (title: string) => changeItem(board.card('card0'), { title }, 'Saved.')
  answer = () => json(200, store.items.peek('card0'), { 'phaseboard-seq': '7' })
  await change('A')
  sent.length = 0
  answer = REFUSED
  const refused = change('B')
  undoLast()
  t.equal(await refused, false)
  await new Promise(setImmediate)
  t.strictSame(
    sent.map(({ path }) => path),
    ['/api/kanban-items/card0'],
  )
  undoLast()
  await new Promise(setImmediate)
  t.equal(sent.at(-1)?.path, '/api/changes/7/undo', 'once it is known to be refused')
})
