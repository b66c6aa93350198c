import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { openDatabase, writeAs } from '../../src/db/client.ts'
import { kanbanComments, personalIdeas, transcriptSummaries } from '../../src/db/schema.ts'
import { trelloBoardIn } from '../../src/exchange/sources/trello.ts'
import { importTrelloBoard } from '../exchange/trello-imports.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  createItem,
  createProject,
  holds,
  invalid,
  long,
  type Row,
  send,
  signInAs,
} from '../helper.ts'
import { pick, seededRandom } from '../random.ts'
import { rounds } from '../rounds.ts'

const urlOf = (q: string, parameters = '') => `/api/search?q=${encodeURIComponent(q)}${parameters}`
const none = { results: [] }

async function find(app: App, q: string, headers?: Record<string, string>, parameters = '') {
  const { status, body } = await send(app, 'GET', urlOf(q, parameters), undefined, headers)
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body.results
}
const idsOf = async (...query: Parameters<typeof find>) =>
  (await find(...query)).map(({ id }: { id: string }) => id)

const addComment = (app: App, itemId: string, id: string, content: string) =>
  app.db.insert(kanbanComments).values({ id, itemId, authorId: 'ada', content }).run()
const addIdea = (app: App, ownerId: string, id: string, title: string) =>
  app.db.insert(personalIdeas).values({ id, ownerId, title }).run()

/** A project with one record of every kind about engines. */
async function seed(t: Test) {
  const app = await build(t)
  const project = await createProject(app, { name: 'Engine', nextStep: 'Test it' })
  const item = await createItem(app, project.id, { title: 'Paint', description: 'the engine' })
  addComment(app, item.id, 'comment', 'Which engine?')
  app.db
    .insert(transcriptSummaries)
    .values({
      id: 'transcript',
      projectId: project.id,
      title: 'Kick-off',
      date: '2026-01-31T00:00:00.000Z',
      summary: 'We need a second engine',
      participants: ['Ada', 'Eve'],
      actionItems: ['Call Eve', { text: 'Buy oil' }],
    })
    .run()
  addIdea(app, 'local', 'idea', 'An engine without oil')
  return { app, project, item }
}

t.test('every kind of record is found, with its place, title and snippet', async (t) => {
  const { app, project, item } = await seed(t)
  const results = {
    project: {
      kind: 'project',
      id: project.id,
      projectId: project.id,
      title: 'Engine',
      snippet: '**Engine**',
    },
    item: {
      kind: 'kanban-item',
      id: item.id,
      projectId: project.id,
      title: 'Paint',
      snippet: 'the **engine**',
    },
    comment: {
      kind: 'kanban-comment',
      id: 'comment',
      projectId: project.id,
      title: 'Paint',
      snippet: 'Which **engine**?',
    },
    transcript: {
      kind: 'transcript-summary',
      id: 'transcript',
      projectId: project.id,
      title: 'Kick-off',
      snippet: 'We need a second **engine**\nAda\nEve\nCall Eve\nBuy oil',
    },
    idea: {
      kind: 'personal-idea',
      id: 'idea',
      projectId: null,
      title: 'An engine without oil',
      snippet: 'An **engine** without oil',
    },
  }
  t.strictSame((await send(app, 'GET', urlOf('engine'))).body, {
    results: [results.idea, results.project, results.transcript, results.comment, results.item],
  })
  const second = 'We need a **second** **engine**\nAda\nEve\nCall Eve\nBuy oil'
  t.strictSame(await find(app, 'SECOND eng'), [{ ...results.transcript, snippet: second }])
  t.strictSame(await find(app, 'tést it'), [{ ...results.project, snippet: '**Test** **it**' }])
  t.strictSame(await idsOf(app, 'buy eve'), ['transcript'])
  t.strictSame(await find(app, 'engine missing'), [])
})

t.test('only the requested kinds and project are searched', async (t) => {
  const { app, project, item } = await seed(t)
  const other = await createProject(app, { name: 'Other engine' })
  const moved = await createItem(app, other.id, { title: 'Engine mount' })
  const all = {
    project: project.id,
    other: other.id,
    item: item.id,
    moved: moved.id,
    comment: 'comment',
    transcript: 'transcript',
    idea: 'idea',
  }
  const { idea: _, other: __, moved: ___, ...ofProject } = all
  for (const [parameters, ids] of [
    ['', Object.values(all)],
    ['&kind=&projectId=', Object.values(all)],
    ['&kind=project', [all.project, all.other]],
    ['&kind=kanban-item', [all.item, all.moved]],
    ['&kind=kanban-comment', ['comment']],
    ['&kind=transcript-summary', ['transcript']],
    ['&kind=personal-idea', ['idea']],
    ['&kind=personal-idea&kind=kanban-comment&kind=', ['idea', 'comment']],
    ['&kind=personal-idea,kanban-comment', ['idea', 'comment']],
    ['&kind=,personal-idea&kind=kanban-comment, personal-idea', ['idea', 'comment']],
    [`&projectId=${project.id}`, Object.values(ofProject)],
    [`&projectId=${other.id}`, [all.other, all.moved]],
    [`&projectId=${other.id}&kind=kanban-item&kind=kanban-comment`, [all.moved]],
    [`&projectId=${project.id}&kind=personal-idea`, []],
    ['&projectId=none', []],
  ] as const)
    t.strictSame((await idsOf(app, 'engine', undefined, parameters)).toSorted(), ids.toSorted(), parameters)

  const best = await idsOf(app, 'engine', undefined, '&kind=kanban-item&limit=1')
  t.equal(best.length, 1, 'the limit is of those that pass')
  t.strictSame(await idsOf(app, 'engine', undefined, `&projectId=${project.id}&limit=500&kind=kanban-item`), [
    item.id,
  ])
  await send(app, 'POST', `/api/kanban-items/${item.id}/move`, { projectId: other.id })
  t.strictSame(
    (await idsOf(app, 'engine', undefined, `&projectId=${other.id}`)).toSorted(),
    [all.other, all.moved, all.item, 'comment'].toSorted(),
    'an item is found where it is now, and its comments with it',
  )

  const choice =
    'must be one of "project", "kanban-item", "kanban-comment", "transcript-summary", "personal-idea"'
  await holds(t, app, [
    ['GET', urlOf('engine', '&kind=task'), 400, invalid({ kind: [choice] })],
    ['GET', urlOf('engine', '&kind=project&kind=x'), 400, invalid({ kind: [choice] })],
    ['GET', urlOf('engine', '&kind=project,x'), 400, invalid({ kind: [choice] })],
    ['GET', urlOf('', '&kind=task'), 400, invalid({ kind: [choice] })],
    ['GET', urlOf('x', '&projectId=a&projectId=b'), 400, invalid({ projectId: ['must be string'] })],
  ])
})

t.test('a query without a word finds nothing', async (t) => {
  const { app } = await seed(t)
  const rows = [
    '/api/search',
    '/api/search?limit=5',
    ...['', ' ', '"', '*', '-"()', '🚀'].map((q) => urlOf(q)),
  ]
  await holds(
    t,
    app,
    rows.map((url): Row => ['GET', url, 200, none]),
  )
})

t.test('the syntax of other search engines is plain text', async (t) => {
  const { app, project } = await seed(t)
  const hostile =
    '" "" * ^ - + NEAR( NEAR(engine,2) title:engine {title}:engine engine* "engine engine" ^engine -engine engine) __proto__ constructor engine\0 \0engine %00 \' \\ ; <script>'
  for (const q of hostile.split(' ')) {
    const words = q.replaceAll(/[^a-z0-9]+/gi, ' ').toLowerCase()
    t.strictSame(await find(app, q), await find(app, words), JSON.stringify(q))
  }
  for (const operator of ['AND', 'OR', 'NOT', 'NEAR']) {
    t.strictSame(await find(app, `engine ${operator} paint`), [], operator)
  }
  const item = await createItem(app, project.id, { title: 'engine or not', description: '__proto__' })
  t.strictSame(await idsOf(app, 'NOT engine OR'), [item.id])
  t.strictSame(await idsOf(app, '__proto__'), [item.id])
  for (const query of ['q=%FF', 'q=%ED%A0%80', 'q=%', '__proto__=x&q[]=x&q%00=x']) {
    t.equal((await send(app, 'GET', `/api/search?${query}`)).status, 200, query)
  }
})

t.test('the limit and the length of a query', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const ids: string[] = []
  for (let index = 0; index < 25; index++) ids.push((await createItem(app, project.id, { title: 'Same' })).id)
  ids.reverse()
  t.strictSame(await idsOf(app, 'same'), ids.slice(0, 20))
  for (const limit of [1, 2, 24, 25, 26, 500]) {
    t.strictSame(await idsOf(app, 'same', undefined, `&limit=${limit}`), ids.slice(0, limit), `${limit}`)
  }
  const words = Array.from({ length: 51 }, (_, index) => `w${index}`)
  const refused = (url: string, fieldErrors: Record<string, string[]>): Row => [
    'GET',
    url,
    400,
    invalid(fieldErrors),
  ]
  await holds(t, app, [
    refused(urlOf('x', '&limit=0'), { limit: ['must be >= 1'] }),
    refused(urlOf('x', '&limit=501'), { limit: ['must be <= 500'] }),
    refused(urlOf('x', '&limit=1.5'), { limit: ['must be integer'] }),
    refused(urlOf('x', '&limit=-1'), { limit: ['must be >= 1'] }),
    refused(urlOf('x', '&limit='), { limit: ['must be integer'] }),
    refused(urlOf('x', '&limit=ten'), { limit: ['must be integer'] }),
    refused(urlOf('x', '&limit=1&limit=2'), { limit: ['must be integer'] }),
    refused(urlOf('x', '&q=y'), { q: ['must be string'] }),
    refused(urlOf(long(501)), { q: ['must NOT have more than 500 characters'] }),
    refused(urlOf(long(10_000), '&limit=0'), {
      q: ['must NOT have more than 500 characters'],
      limit: ['must be >= 1'],
    }),
    refused(urlOf(words.join(' ')), { q: ['must NOT have more than 50 different words'] }),
    ['GET', urlOf(words.slice(1).join(' ')), 200, none],
    ['GET', urlOf(long(500)), 200, none],
    ['GET', urlOf('🚀'.repeat(500)), 200, none],
  ])
})

t.test('results are paged, of any rank', async (t) => {
  const { app, project, item } = await seed(t)
  const titles = ['Engine engine', 'Engine', 'Engine', 'The engine of a long title', 'Oil', 'An engine, then']
  for (const title of titles) await createItem(app, project.id, { title, description: 'engine '.repeat(3) })
  addComment(app, item.id, 'another', 'engine')
  const other = await createProject(app, { name: 'Engine of another' })
  for (const rest of [
    '',
    '&kind=kanban-item',
    `&projectId=${project.id}`,
    `&kind=project,kanban-item&projectId=${other.id}`,
  ]) {
    const whole = await find(app, 'engine', undefined, `&limit=500${rest}`)
    for (const limit of [1, 2, 3, whole.length, whole.length + 1]) {
      const found: unknown[] = []
      let pages = 0
      for (
        let url: string | undefined = urlOf('engine', `&limit=${limit}${rest}`);
        url !== undefined;
        pages++
      ) {
        const { body, headers } = await send(app, 'GET', url)
        found.push(...body.results)
        url = /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1]
      }
      t.strictSame(found, whole, `${rest}, by ${limit}`)
      t.equal(pages, Math.ceil(whole.length / limit), `${rest}, by ${limit}`)
    }
  }
  const { headers } = await send(app, 'GET', urlOf('engine', '&limit=1'))
  const next = /^<(.*)>/.exec(String(headers.link))?.[1] ?? ''
  t.match(await send(app, 'GET', next.replace(/q=engine/, 'q=nothing')), { status: 200, body: none })
  for (const place of [
    [1, 'x'],
    ['tMTAwIHg', 'x'],
    [null, ''],
    ['tLTEgeA', 'zz'],
  ]) {
    const forged = Buffer.from(JSON.stringify([...place, 'rank'])).toString('base64url')
    t.equal((await send(app, 'GET', urlOf('engine', `&cursor=${forged}`))).status, 200, `${place}`)
  }
  const list = await send(app, 'GET', `/api/projects/${project.id}/kanban-items?limit=1`)
  const ofList = /cursor=([^&>]+)/.exec(String(list.headers.link))?.[1]
  const refused = ['must be the cursor of a page in the same sort']
  await holds(t, app, [
    ['GET', urlOf('x', `&cursor=${ofList}`), 400, invalid({ cursor: refused })],
    ['GET', urlOf('x', '&cursor=nope'), 400, invalid({ cursor: ['must be the cursor of a next page'] })],
    ['GET', next.replace('/api/search?q=engine', '/api/kanban-items?'), 400, invalid({ cursor: refused })],
  ])
})

t.test('the answer does not depend on what the caller may not see', async (t) => {
  const random = seededRandom(rounds(1))
  const words = ['engine', 'engines', 'oil', 'paint', 'ship', 'of']
  const text = (length: number) =>
    Array.from({ length: 1 + random() * length }, () => pick(random, words)).join(' ')
  const [one, other] = [await build(t, { authMode: 'required' }), await build(t, { authMode: 'required' })]
  const both = [one, other].map((app) => ({ app, ...signInAs(app, 'member') }))
  type Client = App['db']['$client']
  const add = (client: Client, project: string, id: string, title: string, more: string) => {
    client
      .prepare('insert into kanban_items (id, project_id, title, description) values (?, ?, ?, ?)')
      .run(`item-${id}`, project, title, more)
    client
      .prepare("insert into kanban_comments (id, item_id, author_id, content) values (?, ?, 'ada', ?)")
      .run(`comment-${id}`, `item-${id}`, more)
  }
  const clients = both.map(({ app }) => app.db.$client)
  for (const client of clients) {
    client.exec(
      `insert into projects (id, name, access) values ('open', 'Engine', 'everyone'), ('secret', 'Other', 'assigned')`,
    )
  }
  for (let index = 0; index < 12; index++) {
    const [title, more] = [text(3), text(8)]
    for (const client of clients) add(client, 'open', `${index}`, title, more)
  }
  const hidden = other.db.$client
  for (let index = 0; index < 40; index++) {
    add(hidden, 'secret', `hidden-${index}`, text(3), text(8))
    hidden
      .prepare("insert into personal_ideas (id, owner_id, title, description) values (?, 'eve', ?, ?)")
      .run(`idea-${index}`, text(3), text(8))
  }
  for (const q of ['engine', 'eng', 'oil paint', 'paint of oi', 'ship engine engines', 's']) {
    for (const limit of [1, 4, 500]) {
      let url: string | undefined = urlOf(q, `&limit=${limit}`)
      for (let pages = 0; url !== undefined; pages++) {
        const [found, expected] = await Promise.all(
          both.map(({ app, headers }) => send(app, 'GET', url as string, undefined, headers)),
        )
        t.equal(expected?.status, 200)
        t.strictSame(found?.body, expected?.body, `${q}, page ${pages} by ${limit}`)
        t.equal(found?.headers.link, expected?.headers.link, `${q}, page ${pages} by ${limit}`)
        url = /^<(.*)>; rel="next"$/.exec(String(found?.headers.link))?.[1]
      }
    }
  }
})

t.test('the order of checks', async (t) => {
  t.test('open mode needs no credential', async (t) => {
    const { app } = await seed(t)
    const answer = (await send(app, 'GET', urlOf('paint'))).body
    t.equal(answer.results.length, 1)
    for (const role of [undefined, 'viewer', 'member', 'admin'] as const) {
      const session = role && signInAs(app, role).headers
      await holds(t, app, [
        ['GET', urlOf('x', '&limit=0'), undefined, session, 400, invalid({ limit: ['must be >= 1'] })],
        ['GET', urlOf('paint'), undefined, session, 200, answer],
      ])
    }
    const worthless = { cookie: 'phaseboard_session=worthless' }
    await holds(t, app, [['GET', urlOf('x', '&limit=0'), undefined, worthless, 401, authenticationRequired]])
  })

  t.test('in required mode every member can search', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const headers = signInAs(app, 'member').headers
    await createProject(app, {}, headers)
    const answer = (await send(app, 'GET', urlOf('apollo'), undefined, headers)).body
    t.equal(answer.results.length, 1)
    await holds(t, app, [
      ['GET', urlOf('x', '&limit=0'), 401, authenticationRequired],
      ['GET', urlOf('apollo'), 401, authenticationRequired],
    ])
    for (const role of ['viewer', 'member', 'admin'] as const) {
      const session = signInAs(app, role).headers
      await holds(t, app, [
        ['GET', urlOf('x', '&limit=0'), undefined, session, 400, invalid({ limit: ['must be >= 1'] })],
        ['GET', urlOf('apollo'), undefined, session, 200, answer],
      ])
    }
  })
})

t.test('only the owner finds ideas, in both modes', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const people = (['admin', 'member', 'viewer'] as const).map((role) => signInAs(app, role))
    for (const { id } of people) addIdea(app, id, `idea of ${id}`, 'Fly to the moon')
    addIdea(app, 'local', 'idea of nobody signed in', 'Fly to the moon')
    for (let index = 0; index < 30; index++) addIdea(app, 'someone', `${index}`, 'Moon')
    for (const { id, headers } of people) {
      t.strictSame(await idsOf(app, 'moon', headers), [`idea of ${id}`], authMode)
      t.strictSame(await idsOf(app, 'moon', headers, '&limit=1'), [`idea of ${id}`], authMode)
    }
    if (authMode === 'open') t.strictSame(await idsOf(app, 'moon'), ['idea of nobody signed in'])
  }
})

t.test('dismissed items are found, too', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id, { title: 'Rocket', dismissed: true })
  t.strictSame(await idsOf(app, 'rocket'), [item.id])
})

t.test('a change through the API is searchable at once', async (t) => {
  const app = await build(t, { adminPassword: 'correct horse' })
  const project = await createProject(app, { name: 'Apollo' })
  const item = await createItem(app, project.id, { title: 'Rocket' })
  addComment(app, item.id, 'comment', 'Too heavy')
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: 'Ship', description: 'Lighter' })
  t.strictSame(await find(app, 'rocket'), [])
  t.strictSame(await idsOf(app, 'lighter ship'), [item.id])
  t.match(await find(app, 'heavy'), [{ title: 'Ship' }])
  await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { title: '' })
  t.strictSame(await idsOf(app, 'ship'), [item.id], 'a refused change changes nothing')
  await send(app, 'PATCH', `/api/projects/${project.id}`, { name: 'Gemini' })
  t.strictSame(await idsOf(app, 'apollo'), [])
  t.strictSame(await idsOf(app, 'gemini'), [project.id])
  const idea = await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' })
  t.strictSame(await idsOf(app, 'fly'), [idea.body.id])
  const { headers } = signInAs(app, 'admin')
  await send(app, 'DELETE', `/api/projects/${project.id}`, undefined, headers)
  for (const word of ['gemini', 'ship', 'heavy']) t.strictSame(await find(app, word), [], word)
})

t.test('a commit of another tool is found by the next search', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}` })
  const project = await createProject(app)
  const target = await createProject(app)
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  const add = tool.prepare('insert into kanban_items (id, project_id, title) values (?, ?, ?)')

  add.run('item', project.id, 'Rocket')
  tool
    .prepare('insert into kanban_comments (id, item_id, author_id, content) values (?, ?, ?, ?)')
    .run('comment', 'item', 'ada', 'Too heavy')
  t.match(await find(app, 'rocket'), [{ id: 'item', projectId: project.id }])
  t.match(await find(app, 'heavy'), [{ id: 'comment', projectId: project.id, title: 'Rocket' }])
  t.strictSame(await find(app, 'ship'), [])

  tool.prepare("update kanban_items set project_id = ? where id = 'item'").run(target.id)
  t.match(await find(app, 'rocket'), [{ id: 'item', projectId: target.id }])
  t.match(await find(app, 'heavy'), [{ id: 'comment', projectId: target.id }])

  tool.exec("update kanban_items set title = 'Ship' where id = 'item'")
  t.strictSame(await find(app, 'rocket'), [])
  t.strictSame(await idsOf(app, 'ship'), ['item'])
  t.match(await find(app, 'heavy'), [{ title: 'Ship' }])

  tool.exec("begin immediate; update kanban_items set title = 'Submarine' where id = 'item'")
  t.strictSame(await idsOf(app, 'ship'), ['item'], 'not before it is committed')
  tool.exec('commit')
  t.strictSame(await idsOf(app, 'submarine'), ['item'])

  tool.exec("delete from kanban_items where id = 'item'")
  for (const word of ['submarine', 'ship', 'heavy']) t.strictSame(await find(app, word), [], word)
})

t.test('of much that another tool has written a write indexes a part, and a search the rest', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: `file:${path}` })
  const { id } = await createProject(app)
  const { db, close } = openDatabase(`file:${path}`)
  t.teardown(close)
  db.$client.exec(`with recursive number (n) as (select 1 union all select n + 1 from number where n < 5000)
    insert into kanban_items (id, project_id, title) select 'item ' || n, '${id}', 'no' || n || 'ne' from number`)
  const left = () => db.$client.prepare('select count(*) from search_pending').pluck().get()
  await createItem(app, id)
  t.equal(left(), 4801, 'on the event loop')
  writeAs(db, null, () => undefined)
  t.equal(left(), 2801, 'elsewhere')
  t.strictSame(await idsOf(app, 'no5000ne'), ['item 5000'])
  t.equal(left(), 0)
})

t.test('an imported board is found', async (t) => {
  const app = await build(t)
  const at = '2026-01-31T00:00:00.000Z'
  const board = {
    id: 'board',
    name: 'Garden',
    lists: [{ id: 'list', name: 'Doing' }],
    cards: [{ id: 'card', name: 'Water the roses', desc: 'every evening', idList: 'list' }],
    actions: [
      { id: 'a', type: 'commentCard', date: at, data: { text: 'Not in winter', card: { id: 'card' } } },
    ],
  }
  const { projectId } = importTrelloBoard(app.db, trelloBoardIn(board))
  const title = 'Water the roses'
  t.match(await find(app, 'garden'), [{ kind: 'project', projectId, title: 'Garden' }])
  t.match(await find(app, 'roses evening'), [{ kind: 'kanban-item', projectId, title }])
  t.match(await find(app, 'winter'), [{ kind: 'kanban-comment', projectId, title }])
})

t.test("an unexpected failure has the search's message", async (t) => {
  const app = await build(t)
  breakTable(app, 'search_entries')
  await holds(t, app, [['GET', urlOf('x'), 500, { error: 'Failed to search' }]])
})
