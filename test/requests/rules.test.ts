/** Methods listed in `reads` of a rules class run outside any write, so they must not change anything. */
import t from 'tap'
import { ruleAt, run } from '../../src/requests/calls.ts'
import { build, createItem, createProject, LONG_AGO, writeIn } from '../helper.ts'

type Method = (...args: unknown[]) => unknown

/** The instances of rules classes in an object's fields, recursively, by path. */
function partsOf(owner: object, path = ''): [path: string, part: object][] {
  return Object.entries(owner).flatMap(([name, part]) =>
    typeof part === 'object' && part !== null && 'reads' in part.constructor
      ? [[path + name, part] as [string, object], ...partsOf(part, `${path}${name}.`)]
      : [],
  )
}

t.test('listed reads work on a read-only connection', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const project = await createProject(app)
  const item = await createItem(app, project.id, { reminders: [{ at: LONG_AGO }] })
  const [admin] = app.rules.members.list()
  const identity = { member: { ...admin }, via: 'session', scope: 'write', sessionId: 'x' }
  const by = { id: null, address: null }
  const link = await writeIn(app, () => app.rules.members.links.invite({ role: 'viewer' }, '', by))
  const row = app.rules.board.records.row(item.id)
  const ids = [project.id, item.id, admin?.id]
  const candidates: unknown[][] = [
    ...ids.flatMap((id) => [[id], [id, {}], [id, identity], [id, { ...admin }], [[id]]]),
    [row],
    [[row]],
    [{}],
    [{}, {}],
    [() => ({ ids: [project.id] })],
    ['Apollo', admin?.id, 20],
    ['Apollo', admin?.id, { limit: 20 }],
    [{ at: '', itemId: '' }, LONG_AGO, 20],
    [link.token],
    [Date.now()],
    [
      { after: 0, limit: 5 },
      { id: 'ada', role: 'member' },
    ],
    [identity],
    [{ ...admin }, {}, {}],
    [identity, {}],
    [project.id, 'To Do'],
    ['item', 0],
    [0, 20],
    [LONG_AGO, 20],
    [{ itemId: item.id, kind: 'due', at: LONG_AGO }],
    [{ id: 'x', projectId: project.id, name: 'To Do', stage: null }],
    [JSON.stringify([project.id])],
    [{ memberId: 'ada', method: 'POST', path: '/', key: 'k', bodyHash: 'x' }],
    [],
  ]
  const notThere = (error: unknown) => (error as { statusCode?: number }).statusCode === 404
  app.db.$client.pragma('query_only = 1')
  t.throws(() => app.rules.projects.create({ name: 'x' }), { code: 'SQLITE_READONLY' })
  let count = 0
  for (const [path, part] of partsOf(app.rules)) {
    for (const name of (part.constructor as unknown as { reads: readonly string[] }).reads) {
      const method = (part as Record<string, Method>)[name]
      if (!t.type(method, 'function', `${path}.${name} is a method`)) continue
      const outcomes = candidates.map((args) => {
        try {
          method?.apply(part, args)
          return 'done'
        } catch (error) {
          t.not((error as { code?: string }).code, 'SQLITE_READONLY', `${path}.${name} writes nothing`)
          return notThere(error) ? 'done' : 'failed'
        }
      })
      t.ok(outcomes.includes('done'), `${path}.${name} was really run`)
      count++
    }
  }
  t.ok(count > 50, `${count} reads`)
})

t.test('a rule is found by its path, as in the worker thread', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const get = app.board.items.get(item.id)
  t.match(run(app.rules, get), { id: item.id, title: item.title })
  t.equal(ruleAt(app.rules, get.path).isRead, true)
  const move = app.board.items.move(item.id, { column: 'Done' }, null)
  t.equal(ruleAt(app.rules, move.path).isRead, false)
  t.match(await writeIn(app, () => run(app.rules, move)), { column: 'Done' })
})
