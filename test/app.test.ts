import t from 'tap'
import { build, createItem, createProject, send } from './helper.ts'

t.test('a project is created, filled and read back whole', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const { status, body } = await send(app, 'GET', `/api/projects/${project.id}`)
  t.equal(status, 200)
  t.strictSame(body, { ...project, kanbanItems: [item] })
})
