import t from 'tap'
import { number, testChildResource, text } from '../child-resource.ts'
import { build, createProject, send } from '../helper.ts'

testChildResource(t, {
  thing: 'Objective',
  path: 'objectives',
  table: 'objectives',
  relation: 'objectives',
  least: { title: 'Land' },
  defaults: { title: 'Land', description: '', status: 'not-started', sortOrder: 0 },
  fields: {
    title: text(1, 500),
    description: text(0, 100_000),
    status: text(1, 100),
    sortOrder: number,
  },
})

t.test('objectives are ordered by sortOrder, then by id', async (t) => {
  const app = await build(t)
  const { id } = await createProject(app)
  const list = `/api/projects/${id}/objectives`
  for (const [title, sortOrder] of [
    ['c', 2],
    ['d', 2],
    ['b', undefined],
    ['a', -1],
  ]) {
    await send(app, 'POST', list, { title, sortOrder })
  }
  const titles = (objectives: { title: string }[]) => objectives.map(({ title }) => title).join('')
  t.equal(titles((await send(app, 'GET', list)).body), 'abcd')
  t.equal(titles((await send(app, 'GET', `/api/projects/${id}`)).body.objectives), 'abcd')
})
