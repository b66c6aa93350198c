/** Keys of projects and numbers of cards: `WEB-12`. */
import fc from 'fast-check'
import t from 'tap'
import { isCardNumber } from '../../src/board/card-numbers.ts'
import { numbersOf } from '../../src/exchange/imports/import-board.ts'
import { keyOfName } from '../../src/projects/project-keys.ts'
import {
  type App,
  build,
  createItem,
  createProject,
  giveNames,
  invalid,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { rounds, steady } from '../rounds.ts'

const at = (id: unknown) => `/api/kanban-items/${id}`
const notFound = { error: 'Kanban item not found' }

/** The id of the item that a path leads to; undefined for none. */
const idAt = async (app: App, number: string) => (await send(app, 'GET', at(number))).body.id

t.test('a key is made from the name', async (t) => {
  const cases: [string, string][] = [
    ['Website', 'WEB'],
    ['Web shop', 'WS'],
    ['The new web shop of ours', 'TNWS'],
    ['Ärger über Öl', 'AUO'],
    ['Łódź Straße', 'LS'],
    ['Øresund', 'ORE'],
    ['3D printing', 'PPR'],
    ['A', 'APR'],
    ['2027', 'PR'],
    ['Привет', 'PR'],
    ['🚀', 'PR'],
    ['', 'PR'],
  ]
  for (const [name, key] of cases) t.equal(keyOfName(name), key, name)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => /^[A-Z][A-Z0-9]{1,5}$/.test(keyOfName(name))),
    steady,
  )
})

t.test('a project has a key of its own, which may be changed', async (t) => {
  const app = await build(t)
  const projects = await Promise.all(
    ['Web shop', 'Web shop', 'Wet stones'].map((name) => createProject(app, { name })),
  )
  t.strictSame(projects.map(({ key }) => key).toSorted(), ['WS', 'WS2', 'WS3'])
  t.match(await send(app, 'POST', '/api/projects', { name: 'Shop', key: 'SHOP' }), {
    status: 201,
    body: { key: 'SHOP' },
  })
  const [one, other] = projects
  const url = `/api/projects/${one?.id}`
  const taken = { status: 409, body: { error: 'Project key is taken' } }
  t.match(await send(app, 'POST', '/api/projects', { name: 'Shop', key: 'SHOP' }), taken)
  t.match(await send(app, 'PATCH', url, { key: 'SHOP' }), taken)
  for (const key of [one?.key, null])
    t.match(await send(app, 'PATCH', url, { key }), { status: 200, body: { key: one?.key } })
  for (const key of ['S', 'SHOPPER', '1SHOP', 'shop', 'SH-P', '', ' WEB', 5]) {
    const { status } = await send(app, 'PATCH', url, { key })
    t.equal(status, 400, JSON.stringify(key))
  }
  t.strictSame(
    (await send(app, 'PATCH', url, { key: 'x' })).body,
    invalid({ key: ['must match pattern "^[A-Z][A-Z0-9]{1,5}$"'] }),
  )

  const item = await createItem(app, String(one?.id))
  const former = `${one?.key}-1`
  t.match(await send(app, 'PATCH', url, { key: 'STORE' }), { status: 200, body: { key: 'STORE' } })
  t.strictSame(
    [await idAt(app, 'STORE-1'), await idAt(app, former)],
    [item.id, item.id],
    'a former key leads on',
  )
  const third = await createProject(app, { name: 'Web shop' })
  t.notOk([one?.key, other?.key].includes(third.key), 'a new project is not given it')
  t.match(await send(app, 'PATCH', `/api/projects/${third.id}`, { key: one?.key }), { status: 200 })
  t.equal(await idAt(app, former), undefined, 'another project has taken it')
  t.match(await send(app, 'PATCH', `/api/projects/${third.id}`, { key: 'OTHER' }), { status: 200 })
  t.equal(await idAt(app, former), undefined, 'and had it last')
})

t.test('an item has a number, which stands for its id in every path', async (t) => {
  const app = await build(t)
  const project = await createProject(app, { name: 'Website' })
  const [first, second] = [await createItem(app, project.id), await createItem(app, project.id)]
  t.strictSame([first.number, second.number], [1, 2])
  const { body, headers } = await send(app, 'GET', at(second.id))
  t.match(await send(app, 'GET', at('WEB-2')), { status: 200, body, headers: { etag: headers.etag } })
  t.equal(await idAt(app, 'web-2'), second.id)
  for (const number of [
    'WEB-3',
    'WEB-0',
    'WEB-02',
    'WEB',
    'WEB-',
    'NO-1',
    'WEB-2x',
    'WEB-99999999999999999999',
    '-1',
  ])
    t.match(await send(app, 'GET', at(number)), { status: 404, body: notFound }, number)

  const old = { 'if-match': '"x"' }
  t.match(await send(app, 'PATCH', at('WEB-2'), { title: 'New' }, old), { status: 412 })
  const etag = { 'if-match': String(headers.etag) }
  t.match(await send(app, 'PATCH', at('WEB-2'), { title: 'New', number: 9 }, etag), {
    status: 200,
    body: { id: second.id, number: 2, title: 'New' },
  })
  t.match(await send(app, 'POST', `${at('WEB-2')}/subtasks`, { title: 'Step' }), {
    status: 201,
    body: { itemId: second.id },
  })
  t.match(await send(app, 'POST', `${at('WEB-2')}/comments`, { content: 'Hm' }), {
    body: { itemId: second.id },
  })
  t.match(await send(app, 'POST', `${at('WEB-2')}/move`, { column: 'Done' }), { body: { column: 'Done' } })
  t.equal((await send(app, 'GET', `${at('WEB-2')}/changes`)).body[0].itemId, second.id)
  const batch = await send(app, 'POST', '/api/batch', {
    requests: [
      { method: 'POST', path: `/api/projects/${project.id}/kanban-items`, body: { title: 'Third' } },
      { method: 'PATCH', path: at('WEB-3'), body: { priority: 'high' } },
    ],
  })
  t.match(batch, {
    status: 200,
    body: { results: [{}, { body: { title: 'Third', number: 3, priority: 'high' } }] },
  })
  t.match(await send(app, 'DELETE', at('WEB-3')), { status: 200 })

  app.db.$client
    .prepare("insert into kanban_items (id, project_id, title) values ('WEB-1', ?, 'Of another tool')")
    .run(project.id)
  t.match(
    await send(app, 'GET', at('WEB-1')),
    { body: { title: 'Of another tool', number: null } },
    'an id comes first',
  )
})

t.test('a number is never given twice', async (t) => {
  const app = await build(t)
  const project = await createProject(app, { name: 'Website' })
  const many = await Promise.all(Array.from({ length: 20 }, () => createItem(app, project.id)))
  t.strictSame(
    many.map(({ number }) => number).toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, index) => index + 1),
  )
  const last = many.find(({ number }) => number === 20)
  await send(app, 'DELETE', at(last?.id))
  t.equal((await createItem(app, project.id)).number, 21)
  const refused = await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, { title: '' })
  t.equal(refused.status, 400)
  t.equal((await createItem(app, project.id)).number, 22, 'a refused request leaves no gap')
})

t.test('an item keeps its number in the trash, and its former ones in other projects', async (t) => {
  const app = await build(t)
  const [web, shop] = [
    await createProject(app, { name: 'Website' }),
    await createProject(app, { name: 'Shop', key: 'SHOP' }),
  ]
  await createItem(app, web.id)
  await createItem(app, shop.id)
  const item = await createItem(app, web.id)
  const moved = await send(app, 'POST', `${at(item.id)}/move`, { projectId: shop.id })
  t.match(moved.body, { projectId: shop.id, number: 2 })
  t.strictSame([await idAt(app, 'SHOP-2'), await idAt(app, 'WEB-2')], [item.id, item.id])
  t.equal((await createItem(app, web.id)).number, 3)

  const undone = await send(app, 'POST', `/api/changes/${moved.headers['phaseboard-seq']}/undo`)
  t.equal(undone.status, 200)
  t.match((await send(app, 'GET', at(item.id))).body, { projectId: web.id, number: 2 })
  t.strictSame([await idAt(app, 'SHOP-2'), await idAt(app, 'WEB-2')], [item.id, item.id])
  t.match((await send(app, 'POST', `${at(item.id)}/move`, { projectId: shop.id })).body, { number: 3 })

  const deleted = await send(app, 'DELETE', at(item.id))
  for (const number of ['SHOP-3', 'SHOP-2', 'WEB-2']) t.equal(await idAt(app, number), undefined, number)
  await send(app, 'POST', `/api/changes/${deleted.headers['phaseboard-seq']}/undo`)
  for (const number of ['SHOP-3', 'SHOP-2', 'WEB-2']) t.equal(await idAt(app, number), item.id, number)
})

t.test('whatever happens, each number leads to one item', async (t) => {
  const app = await build(t)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('create', 'move', 'delete', 'undo'), fc.nat(20), fc.nat(1)), {
        maxLength: 25,
      }),
      async (steps) => {
        const projects = [await createProject(app), await createProject(app)]
        const given = new Map<string, string>()
        const items: string[] = []
        const writes: string[] = []
        const note = async (id: string) => {
          const { status, body } = await send(app, 'GET', at(id))
          if (status !== 200) return
          const name = `${projects.find((one) => one.id === body.projectId)?.key}-${body.number}`
          t.ok(!given.has(name) || given.get(name) === id, `${name} is given once`)
          given.set(name, id)
        }
        for (const [what, which, where] of steps) {
          const project = projects[where]
          const item = items[which % (items.length || 1)]
          if (what === 'create') {
            const { id } = await createItem(app, String(project?.id))
            items.push(id)
            await note(id)
          } else if (what === 'undo') {
            const seq = writes.pop()
            if (seq) await send(app, 'POST', `/api/changes/${seq}/undo`)
            for (const id of items) await note(id)
          } else if (item !== undefined) {
            const answer = await (what === 'move'
              ? send(app, 'POST', `${at(item)}/move`, { projectId: project?.id })
              : send(app, 'DELETE', at(item)))
            if (answer.headers['phaseboard-seq']) writes.push(String(answer.headers['phaseboard-seq']))
            await note(item)
          }
        }
        for (const [name, id] of given) {
          const exists = (await send(app, 'GET', at(id))).status === 200
          t.equal(await idAt(app, name), exists ? id : undefined, name)
        }
      },
    ),
    { numRuns: rounds(5), ...steady },
  )
})

t.test('a number shows nothing to whom the project is hidden, and lets a reader write nothing', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const admin = signInAs(app, 'admin')
  const own = tokenOf(app, admin.id)
  const project = await createProject(app, { name: 'Website', access: 'assigned' }, own)
  await createItem(app, project.id, {}, own)
  const bob = signInAs(app, 'member')
  const theirs = tokenOf(app, bob.id)
  t.match(await send(app, 'GET', at('WEB-1'), undefined, theirs), { status: 404, body: notFound })
  t.match(await send(app, 'PATCH', at('WEB-1'), { title: 'x' }, theirs), { status: 404, body: notFound })
  t.strictSame((await send(app, 'GET', '/api/search?q=WEB-1', undefined, theirs)).body.results, [])
  await send(
    app,
    'POST',
    `/api/projects/${project.id}/team-assignments`,
    { memberId: bob.id, role: 'viewer' },
    own,
  )
  t.match(await send(app, 'GET', at('WEB-1'), undefined, theirs), { status: 200 })
  for (const [method, path] of [
    ['PATCH', at('WEB-1')],
    ['POST', `${at('WEB-1')}/subtasks`],
  ] as const)
    t.match(await send(app, method, path, { title: '' }, theirs), { status: 403 }, `${method} ${path}`)
  t.match(await send(app, 'GET', at('WEB-1')), { status: 401 })
})

t.test('a search for a number finds the item first, once', async (t) => {
  const app = await build(t)
  const project = await createProject(app, { name: 'Website' })
  const item = await createItem(app, project.id, { title: 'Flyer' })
  const naming = await Promise.all(
    ['WEB-1 first', 'WEB-1 again', 'As WEB 1 said'].map((title) => createItem(app, project.id, { title })),
  )
  const search = async (query: string) => (await send(app, 'GET', `/api/search?q=${query}`)).body.results
  const found = await search('web-1')
  t.match(found[0], { kind: 'kanban-item', id: item.id, title: 'Flyer', projectId: project.id })
  t.equal(found.length, 1 + naming.length)
  for (const limit of [1, 2]) {
    const ids: string[] = []
    for (let url: string | undefined = `/api/search?q=WEB-1&limit=${limit}`; url !== undefined; ) {
      const { body, headers } = await send(app, 'GET', url)
      t.ok(body.results.length <= limit)
      ids.push(...body.results.map(({ id }: { id: string }) => id))
      url = /<([^>]+)>; rel="next"/.exec(String(headers.link))?.[1]
    }
    t.strictSame(
      ids,
      found.map(({ id }: { id: string }) => id),
      `pages of ${limit}`,
    )
  }
  t.equal((await search('WEB-1&kind=kanban-comment')).length, 0)
  const other = await createProject(app)
  t.equal((await search(`WEB-1&projectId=${other.id}`)).length, 0)
})

t.test('what another tool has written gets its key and numbers at the next start', async (t) => {
  const app = await build(t)
  const { $client: client } = app.db
  client.exec(`
    insert into projects (id, name, created_at) values ('a', 'Website', '2001-01-01T00:00:00.000Z'), ('b', 'Website', '2002-01-01T00:00:00.000Z');
    insert into kanban_items (id, project_id, title, created_at) values ('y', 'a', 'Y', '2002-01-01T00:00:00.000Z'), ('x', 'a', 'X', '2001-01-01T00:00:00.000Z')`)
  t.match(await send(app, 'GET', '/api/projects/a'), {
    body: { key: null, kanbanItems: [{ number: null }, {}] },
  })
  t.equal((await createItem(app, 'a')).number, 1)
  giveNames(app)
  t.strictSame(client.prepare('select key from projects order by id').pluck().all(), ['WEB', 'WEB2'])
  t.strictSame(
    client.prepare("select id, number from kanban_items where id in ('x', 'y') order by id").raw().all(),
    [
      ['x', 2],
      ['y', 3],
    ],
  )
  t.equal((await createItem(app, 'a')).number, 4)
  client.exec(
    "insert into kanban_items (id, project_id, title, number) values ('z', 'b', 'Z', 2); update kanban_items set project_id = 'b' where id = 'x'",
  )
  t.match(
    (await send(app, 'GET', at('x'))).body,
    { projectId: 'b', number: null },
    'its number is taken there',
  )
  t.equal(await idAt(app, 'WEB-2'), 'x')
})

t.test('an import keeps the numbers of the other tool where they fit', async (t) => {
  const cards = (...numbers: (number | undefined)[]) => numbers.map((number) => ({ number }))
  t.strictSame(numbersOf(cards(undefined, undefined)), [1, 2])
  t.strictSame(numbersOf(cards(7, undefined, 3, 7, 0, -1, 1.5, 2 ** 40)), [7, 8, 3, 9, 10, 11, 12, 13])
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer({ min: -2, max: 9 }), { nil: undefined })), (numbers) => {
      const given = numbersOf(cards(...numbers))
      t.equal(new Set(given).size, numbers.length)
      for (const [index, number] of numbers.entries()) {
        const isFirst = number !== undefined && numbers.indexOf(number) === index
        if (isFirst && isCardNumber(number)) t.equal(given[index], number)
      }
    }),
    steady,
  )
})
