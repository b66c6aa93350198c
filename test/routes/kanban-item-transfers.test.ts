import t from 'tap'
import { newId } from '../../src/db/ids.ts'
import {
  activityOf,
  boardWith,
  columnNames,
  createCards,
  DEFAULT_COLUMNS,
  everything,
  itemsOf,
  placeBehindItsBack,
  titlesIn,
} from '../boards.ts'
import {
  type App,
  count,
  createProject,
  createSubtask,
  holds,
  LONG_AGO,
  seed,
  send,
  signInAs,
} from '../helper.ts'

const urlOf = (id: string | undefined) => `/api/kanban-items/${id}/move`

/** Two projects: one with cards a and b, one with cards x and y. */
async function twoBoards(t: Parameters<typeof boardWith>[0]) {
  const { app, projectId: from, ids } = await boardWith(t, 'ab')
  const { id: to } = await createProject(app)
  Object.assign(ids, await createCards(app, to, 'xy'))
  return { app, from, to: to as string, ids }
}

/** Creates a label of a project, and attaches it to items. @returns its id */
function label(app: App, projectId: string, name: string, ...itemIds: (string | undefined)[]): string {
  const id = newId()
  const sql = app.db.$client
  sql.prepare('insert into kanban_labels (id, project_id, name) values (?, ?, ?)').run(id, projectId, name)
  for (const itemId of itemIds) {
    sql.prepare('insert into kanban_item_labels (item_id, label_id) values (?, ?)').run(itemId, id)
  }
  return id
}

/** The ids of an item's labels. */
const labelsOf = async (app: App, id: string | undefined): Promise<string[]> =>
  (await send(app, 'GET', `/api/kanban-items/${id}`)).body.labels.map((one: { id: string }) => one.id)

t.test('a move into another project', async (t) => {
  t.test('puts the item at its place there, in the column of the same name by default', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    for (const [where, column, expected] of [
      [{}, 'To Do', 'xya'],
      [{ position: 'top' }, 'To Do', 'axy'],
      [{ beforeId: ids.y }, 'To Do', 'xay'],
      [{ afterId: ids.x }, 'To Do', 'xay'],
      [{ column: 'Done' }, 'Done', 'a'],
      [{ column: 'To Do', afterId: ids.y }, 'To Do', 'xya'],
    ] as const) {
      const { status, body } = await send(app, 'POST', urlOf(ids.a), { projectId: to, ...where })
      t.strictSame([status, body.projectId, body.column], [200, to, column])
      t.not(body.updatedAt, LONG_AGO)
      t.equal(await titlesIn(app, from), 'b', 'it is no longer where it was')
      t.equal(await titlesIn(app, to, column), expected, JSON.stringify(where))
      t.strictSame((await send(app, 'GET', `/api/kanban-items/${ids.a}`)).body, body)
      await send(app, 'POST', urlOf(ids.a), { projectId: from, column: 'To Do', position: 'top' })
      t.equal(await titlesIn(app, from), 'ab')
      t.equal(await titlesIn(app, to), 'xy')
    }
  })

  t.test('gives it a number of the target, even if it is the same one', async (t) => {
    const { app, to, ids } = await twoBoards(t)
    placeBehindItsBack(app, { a: String(ids.a), x: String(ids.x), y: String(ids.y) }, [77, 1, 2])
    for (const [id, column, sortOrder] of [
      [ids.a, 'To Do', 3],
      [ids.b, 'Done', 1],
    ] as const) {
      const place = { projectId: to, column, sortOrder }
      await holds(t, app, [['POST', urlOf(id), { projectId: to, column }, 200, place]])
    }
    const { id: thirdId } = await createProject(app)
    const place = { projectId: thirdId, column: 'Done', sortOrder: 1 }
    await holds(t, app, [['POST', urlOf(ids.b), { projectId: thirdId }, 200, place]])
  })

  t.test('is shown by both projects at once, in any order of reads', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    const list = async () =>
      (await send(app, 'GET', '/api/projects')).body.map((project: { kanbanItems: { title: string }[] }) =>
        project.kanbanItems.map(({ title }) => title).join(''),
      )
    t.strictSame(await list(), ['ab', 'xy'])
    await send(app, 'POST', urlOf(ids.b), { projectId: to, position: 'top' })
    t.strictSame(await list(), ['a', 'bxy'])
    for (const projectId of [from, to]) {
      t.strictSame(
        await itemsOf(app, projectId),
        (await send(app, 'GET', `/api/projects/${projectId}/kanban-items?dismissed=all`)).body,
      )
    }
    await send(app, 'PATCH', `/api/kanban-items/${ids.b}`, { title: 'B' })
    t.strictSame(await list(), ['a', 'Bxy'], 'a later change shows where the item is')
    await send(app, 'POST', urlOf(ids.b), { projectId: from, position: 'top' })
    t.strictSame(await list(), ['Ba', 'xy'])
  })

  t.test('creates a missing column in the target only', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    await send(app, 'POST', urlOf(ids.a), { column: 'Only here' })
    await send(app, 'POST', urlOf(ids.a), { projectId: to })
    await send(app, 'POST', urlOf(ids.a), { projectId: to, column: 'There' })
    t.strictSame(await columnNames(app, from), [...DEFAULT_COLUMNS.slice(0, -1), 'Only here', 'Done'])
    t.strictSame(await columnNames(app, to), [...DEFAULT_COLUMNS.slice(0, -1), 'Only here', 'There', 'Done'])
  })

  t.test('creates an activity entry only if the column changes', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    const { headers, id: member } = signInAs(app, 'member')
    const body = { column: 'Done', projectId: to }
    await holds(t, app, [['POST', urlOf(ids.a), body, headers, 200, { column: 'Done' }]])
    await holds(t, app, [['POST', urlOf(ids.a), { projectId: from }, headers, 200, { column: 'Done' }]])
    await holds(t, app, [['POST', urlOf(ids.b), { projectId: to }, headers, 200, { column: 'To Do' }]])
    t.strictSame(activityOf(app, String(ids.a)), [['status_change', 'To Do', 'Done', member]])
    t.strictSame(activityOf(app, String(ids.b)), [])
  })

  t.test('moves subtasks, comments and activity along, and those of no other item', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    const subtask = await createSubtask(app, String(ids.a))
    const kept = await createSubtask(app, String(ids.b))
    const { comment, activity } = seed(app, from, String(ids.a))
    const before = everything(app)
    const { body } = await send(app, 'POST', urlOf(ids.a), { projectId: to })
    t.strictSame(body.subtasks, [subtask])
    t.equal(count(app, 'kanban_comments', 'id = ? and item_id = ?', comment, ids.a), 1)
    t.equal(count(app, 'kanban_activity', 'id = ? and item_id = ?', activity, ids.a), 1)
    const after = everything(app)
    const changed = Object.keys(after).filter(
      (table) => JSON.stringify(after[table]) !== JSON.stringify(before[table]),
    )
    t.strictSame(changed, ['kanban_items', 'kanban_item_labels'])
    t.strictSame((await itemsOf(app, from))[0]?.subtasks, [kept])
    t.strictSame((await itemsOf(app, to)).at(-1)?.subtasks, [subtask])
  })

  t.test('replaces labels by those of the target with the same names, and drops others', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    const bug = label(app, from, 'Bug', ids.a, ids.b)
    const urgent = label(app, from, 'Urgent', ids.a)
    label(app, from, 'Only here', ids.a)
    const lower = label(app, from, 'case', ids.a)
    const itsBug = label(app, to, 'Bug', ids.x)
    const itsCase = label(app, to, 'Case')
    label(app, to, 'Not on the item')
    const itsUrgent = label(app, to, 'Urgent')
    const { body } = await send(app, 'POST', urlOf(ids.a), { projectId: to })
    t.strictSame(
      body.labels.map(({ id, name, projectId }: Record<string, string>) => [id, name, projectId]),
      [
        [itsBug, 'Bug', to],
        [itsCase, 'Case', to],
        [itsUrgent, 'Urgent', to],
      ],
    )
    t.strictSame((await itemsOf(app, to)).at(-1)?.labels, body.labels)
    t.strictSame(await labelsOf(app, ids.b), [bug], 'other items keep theirs')
    t.strictSame(await labelsOf(app, ids.x), [itsBug])
    t.equal(count(app, 'kanban_labels'), 8, 'the labels themselves stay')
    await send(app, 'POST', urlOf(ids.a), { projectId: from })
    t.strictSame(await labelsOf(app, ids.a), [bug, urgent, lower], 'what was dropped is gone')
  })

  t.test('a move within the project keeps the labels', async (t) => {
    const { app, from, ids } = await twoBoards(t)
    const bug = label(app, from, 'Bug', ids.a)
    for (const body of [{ projectId: from }, { column: 'Done', projectId: from }, { column: 'Review' }]) {
      const { body: item } = await send(app, 'POST', urlOf(ids.a), body)
      t.strictSame(
        item.labels.map(({ id }: { id: string }) => id),
        [bug],
      )
    }
  })

  t.test('renumbers the column of the target if needed', async (t) => {
    const { app, from, to, ids } = await twoBoards(t)
    placeBehindItsBack(app, ids, 7)
    await send(app, 'POST', urlOf(ids.b), { projectId: to, beforeId: ids.y })
    t.equal(await titlesIn(app, to), 'xby')
    t.strictSame(
      (await itemsOf(app, to)).map(({ sortOrder }) => sortOrder),
      [1, 2, 3],
    )
    t.strictSame(
      (await itemsOf(app, from)).map(({ sortOrder, updatedAt }) => [sortOrder, updatedAt]),
      [[7, LONG_AGO]],
      'and only that one',
    )
  })
})
