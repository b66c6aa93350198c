import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import { boolean, number, text } from '../field-contracts.ts'
import { build, createItem, createProject, createSubtask, send } from '../helper.ts'

/** An application with one subtask on one item. */
async function listOf(t: Parameters<typeof build>[0], fields: object = {}) {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id, fields)
  return { app, item, subtask }
}

testChildResource(t, {
  thing: 'Kanban subtask',
  path: 'kanban-subtasks',
  listPath: 'subtasks',
  parent: 'item',
  table: 'kanban_subtasks',
  relation: 'subtasks',
  least: { title: 'Step' },
  defaults: { title: 'Step', completed: false, sortOrder: 1 },
  depends: ['sortOrder'],
  fields: { title: text(1, 500), completed: boolean, sortOrder: number },
  // Updates and deletions do not check for existence.
  unknown: [500, { error: 'Internal server error' }],
  failure: 'Internal server error',
  reorder: 'records',
})

t.test('a subtask without a sortOrder comes last', async (t) => {
  const { app, item } = await listOf(t, { sortOrder: 4.5 })
  t.equal((await createSubtask(app, item.id)).sortOrder, 5.5)
})

t.test('a new order is shown in the project, too', async (t) => {
  const { app, item, subtask } = await listOf(t, { sortOrder: 4 })
  const { id } = await createSubtask(app, item.id)
  await send(app, 'POST', `/api/kanban-items/${item.id}/subtasks/reorder`, { items: [{ id, sortOrder: 3 }] })
  const { body } = await send(app, 'GET', `/api/projects/${item.projectId}`)
  t.strictSame(
    body.kanbanItems[0].subtasks.map((one: { id: string }) => one.id),
    [id, subtask.id],
  )
})

t.test('the rule itself refuses an unknown item', async (t) => {
  const { app } = await listOf(t)
  const { subtasks } = app.rules.board
  const gone = { statusCode: 404, message: 'Kanban item not found' }
  t.throws(() => subtasks.create('none', { title: 'x' }), gone)
  t.throws(() => subtasks.reorder('none', []), gone)
})
