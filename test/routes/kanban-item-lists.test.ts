import { deepStrictEqual, ok } from 'node:assert/strict'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { collationKey } from '../../src/db/collation.ts'
import { newId } from '../../src/db/ids.ts'
import { kanbanItemLabels, kanbanLabels } from '../../src/db/schema.ts'
import { limitWork } from '../../src/db/work-limits.ts'
import { parseTimestamp } from '../../src/time.ts'
import { watch } from '../executions.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  type Row,
  send,
  signInAs,
} from '../helper.ts'
import { planOf } from '../query-plans.ts'
import { rounds, steady } from '../rounds.ts'

const ALL = '/api/kanban-items'
const ofProject = (id: string) => `/api/projects/${id}/kanban-items`

type Item = Record<string, string | number | boolean | null> & {
  id: string
  projectId: string
  title: string
  description: string
  sortOrder: number
  dueDate: string | null
}

const idsOf = (items: { id: string }[]) => items.map(({ id }) => id)
const query = (parameters: object) =>
  new URLSearchParams(
    Object.entries(parameters).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  ).toString()

/** The ids of a list. */
async function listed(app: App, url: string): Promise<string[]> {
  const { status, body } = await send(app, 'GET', url)
  if (status !== 200) throw new Error(`${url}: ${JSON.stringify(body)}`)
  return idsOf(body)
}

/** The URL of the next page. */
function nextOf({ headers }: { headers: Record<string, unknown> }): string | undefined {
  if (headers.link === undefined) return undefined
  const [, url] = /^<([^<>\s]+)>; rel="next"$/.exec(String(headers.link)) ?? []
  ok(url, `the Link header is ${headers.link}`)
  return url
}

/** The ids of each page from this URL on. */
async function pages(app: App, first: string, meanwhile = async (_page: number) => {}): Promise<string[][]> {
  const all: string[][] = []
  for (let url: string | undefined = first; url !== undefined; ) {
    const answer = await send(app, 'GET', url)
    deepStrictEqual(answer.status, 200, url)
    all.push(idsOf(answer.body))
    url = nextOf(answer)
    if (url !== undefined) await meanwhile(all.length - 1)
  }
  return all
}

/** Creates a label. @returns its id */
function createLabel(app: App, projectId: string, name: string): string {
  const id = newId()
  app.db.insert(kanbanLabels).values({ id, projectId, name }).run()
  return id
}
const attach = (app: App, itemId: string, labelId: string) =>
  app.db.insert(kanbanItemLabels).values({ itemId, labelId }).run()

const columnOf = (app: App, projectId: string, name: string) =>
  app.db.$client
    .prepare('select id from kanban_columns where project_id = ? and name = ?')
    .pluck()
    .get(projectId, name) as string

/** An application with two boards. */
async function boards(t: Test, options?: Parameters<typeof build>[1]) {
  const app = await build(t, options)
  const [one, two] = [await createProject(app), await createProject(app)]
  return { app, one, two, urls: [ofProject(one.id), ALL, `${ALL}?projectId=${one.id}`] as const }
}

t.test('a list has whole items by sortOrder, then by id, across projects too', async (t) => {
  const { app, one, two } = await boards(t)
  const last = await createItem(app, one.id, { sortOrder: 3 })
  const other = await createItem(app, two.id, { sortOrder: 2 })
  const same = await createItem(app, one.id, { sortOrder: 2, column: 'Done', metadata: { a: [1] } })
  const first = await createItem(app, one.id, { sortOrder: -1.5, dueDate: '2026-01-31' })
  const subtasks = [
    await createSubtask(app, same.id, { sortOrder: 2 }),
    await createSubtask(app, same.id, { sortOrder: 1 }),
  ].toReversed()
  const label = createLabel(app, one.id, 'Bug')
  attach(app, same.id, label)
  const { labels } = (await send(app, 'GET', `${ALL}/${same.id}`)).body
  t.match(labels, [{ id: label, name: 'Bug' }])
  const whole = { ...same, subtasks, labels }

  for (const [url, expected] of [
    [ofProject(one.id), [first, whole, last]],
    [ofProject(two.id), [other]],
    [ALL, [first, other, whole, last]],
    [`${ALL}?projectId=${one.id}`, [first, whole, last]],
  ] as const) {
    const answer = await send(app, 'GET', url)
    t.strictSame([answer.status, answer.body, answer.headers.link], [200, expected, undefined], url)
    const page = await send(app, 'GET', `${url}${url.includes('?') ? '&' : '?'}limit=500`)
    t.strictSame([page.status, page.body, page.headers.link], [200, expected, undefined], `${url}, one page`)
  }
  const empty = await createProject(app)
  t.strictSame(await listed(app, ofProject(empty.id)), [])
  t.strictSame(await listed(app, `${ofProject(empty.id)}?limit=5`), [])
})

t.test('each filter matches its items, in the list of a project and across projects', async (t) => {
  const { app, one, two, urls } = await boards(t)
  const item = async (fields: object) => (await createItem(app, one.id, fields)).id as string
  const plain = await item({ title: 'Plain' })
  const ids = {
    done: await item({ title: 'Plain', column: 'Done' }),
    ada: await item({ title: 'Plain', assigneeId: 'ada' }),
    high: await item({ title: 'Plain', priority: 'high' }),
    early: await item({ title: 'Plain', dueDate: '2026-01-31' }),
    late: await item({ title: 'Plain', dueDate: '2026-01-31T00:00:00.001Z' }),
    bug: await item({ title: 'Plain' }),
    title: await item({ title: 'Réserver 100%_\\\'";-- of it' }),
    description: await item({ title: 'Plain', description: 'Straße nach ΟΔΟΣ' }),
    hidden: await item({ title: 'Plain', dismissed: true }),
  }
  const bug = createLabel(app, one.id, 'Bug')
  const bugOfTwo = createLabel(app, two.id, 'Bug')
  attach(app, ids.bug, bug)
  const shown = [plain, ...Object.values(ids).slice(0, -1)]

  const { done, ada, high, early, late, title, description, hidden } = ids
  const cases: [object, string[]][] = [
    [{}, shown],
    [{ column: '', assigneeId: '', priority: '', label: '', q: '' }, shown],
    [{ column: 'Done' }, [done]],
    [{ column: 'done' }, [done]],
    [{ assigneeId: 'ada' }, [ada]],
    [{ assigneeId: 'a%' }, []],
    [{ assigneeId: 'null' }, []],
    [{ priority: 'high' }, [high]],
    [{ priority: 'medium' }, shown.filter((id) => id !== high)],
    [{ priority: 'medium', column: 'Done' }, [done]],
    [{ priority: 'high', column: 'Done' }, []],
    [{ label: 'Bug' }, [ids.bug]],
    [{ label: bug }, [ids.bug]],
    [{ label: 'bug' }, [ids.bug]],
    [{ label: 'Bu' }, []],
    [{ label: bugOfTwo }, []],
    [{ label: ids.bug }, []],
    [{ label: 'Bug', assigneeId: 'ada' }, []],
    // `after` is inclusive and `before` exclusive, in every notation of the same moment.
    [{ dueAfter: '2026-01-31' }, [early, late]],
    [{ dueAfter: '2026-01-31T00:00:00.001Z' }, [late]],
    [{ dueAfter: '2026-01-31T00:00:00.002Z' }, []],
    [{ dueAfter: '2026-01-31T01:00:00+01:00' }, [early, late]],
    [{ dueBefore: '2026-01-31' }, []],
    [{ dueBefore: '2026-01-31T00:00:00.001Z' }, [early]],
    [{ dueBefore: '2026-01-30T19:00-05' }, []],
    [{ dueBefore: '2026-01-30T19:01-05' }, [early, late]],
    [{ dueAfter: '2026-01-31', dueBefore: '2026-01-31T00:00:00.001Z' }, [early]],
    [{ dueAfter: '0000-01-01' }, [early, late]],
    [{ dueBefore: '9999-12-31' }, [early, late]],
    [{ dismissed: 'false' }, shown],
    [{ dismissed: 'true' }, [hidden]],
    [{ dismissed: 'all' }, [...shown, hidden]],
    [{ dismissed: 'true', column: 'Done' }, []],
    [{ q: 'plain' }, shown.filter((id) => id !== title)],
    [{ q: 'plain', dismissed: 'true' }, [hidden]],
    [{ q: 'RÉSERVER' }, [title]],
    [{ q: 'reserver' }, [title]],
    [{ q: 'É' }, [title, description]],
    [{ q: '100%_\\\'";--' }, [title]],
    ...[...'%_\\\'";-'].map((q): [object, string[]] => [{ q }, [title]]),
    [{ q: '1%' }, []],
    [{ q: '%%' }, []],
    [{ q: 's_r' }, []],
    [{ q: ' of it' }, [title]],
    [{ q: 'STRAßE' }, [description]],
    [{ q: 'straße  nach' }, []],
    // The lower case of a capital sigma is different at the end of a word.
    ...['ΟΔΟΣ', 'οδος', 'οδοσ', 'σ', 'ς', 'Σ'].map((q): [object, string[]] => [{ q }, [description]]),
  ]
  for (const [parameters, expected] of cases) {
    for (const url of urls) {
      const filtered = `${url}${url.includes('?') ? '&' : '?'}${query(parameters)}`
      t.strictSame(await listed(app, filtered), expected, filtered)
      t.strictSame((await pages(app, `${filtered}&limit=2`)).flat(), expected, `${filtered}, in pages`)
    }
  }

  t.strictSame(await listed(app, `${ALL}?projectId=none`), [])
  t.strictSame(await listed(app, `${ALL}?projectId=none&limit=2`), [])
  t.strictSame(await listed(app, `${ALL}?projectId=`), shown, 'an empty projectId does not filter')
  for (const [parameters, expected] of [
    [`projectId=${one.id}&projectId=${two.id}`, shown],
    [`projectId=${two.id}&projectId=none`, await listed(app, `${ALL}?projectId=${two.id}`)],
    [`projectId=${one.id}&projectId=none`, await listed(app, `${ALL}?projectId=${one.id}`)],
  ] as const) {
    t.strictSame(await listed(app, `${ALL}?${parameters}`), expected, 'any of several projects')
    t.strictSame((await pages(app, `${ALL}?${parameters}&limit=2`)).flat(), expected, 'in pages')
  }
  t.strictSame(await listed(app, `${ofProject(two.id)}?label=Bug`), [])
  t.strictSame(
    await listed(app, `${ofProject(one.id)}?projectId=${two.id}`),
    shown,
    'the path says whose items: projectId is no parameter there',
  )
})

t.test('filters by approval, source and readiness', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers: admin } = signInAs(app, 'admin')
    const one = await createProject(app, {}, admin)
    await createProject(app, {}, admin)
    const urls = [ofProject(one.id), ALL, `${ALL}?projectId=${one.id}`]
    const [ada, bob] = [signInAs(app, 'member', { id: 'ada' }), signInAs(app, 'member', { id: 'bob' })]
    const ask = (method: string, url: string, body?: object, { headers } = ada) =>
      send(app, method, url, body, headers)
    const item = async (fields: object) =>
      (await ask('POST', ofProject(one.id), { title: 'Card', ...fields })).body.id as string
    const plain = await item({})
    const proposed = await item({ approved: false, source: 'transcript' })
    const imported = await item({ source: 'import', assigneeId: 'bob' })
    const dismissed = await item({ dismissed: true })
    const doing = await item({ column: 'In Progress' })
    const done = await item({ column: 'Done' })
    const later = await item({ column: 'Later' })
    await ask('PATCH', `/api/kanban-columns/${await columnOf(app, one.id, 'Later')}`, { stage: 'todo' })
    await ask('PATCH', `/api/kanban-columns/${await columnOf(app, one.id, 'To Do')}`, { stage: null })
    const [held, lapsed, own] = [await item({}), await item({}), await item({})]
    const claim = app.db.$client.prepare(
      "update kanban_items set assignee_id = ?, claimed_until = ?, claimed_from = '{}' where id = ?",
    )
    claim.run('bob', '9999-12-31T00:00:00.000Z', held)
    claim.run('bob', '2001-01-01T00:00:00.000Z', lapsed)
    claim.run('ada', '9999-12-31T00:00:00.000Z', own)
    app.db.$client.prepare("update kanban_items set source = 'mail' where id = ?").run(doing)
    const shown = [plain, proposed, imported, doing, done, later, held, lapsed, own]
    for (const [parameters, expected] of [
      ['approved=false', [proposed]],
      ['approved=true', shown.filter((id) => id !== proposed)],
      ['approved=true&dismissed=true', [dismissed]],
      ['source=import', [imported]],
      ['source=import&source=transcript', [proposed, imported]],
      ['source=mail&approved=true', [doing]],
      ['source=', shown],
      ['ready=true', [plain, imported, later, lapsed, own]],
      ['ready=true&dismissed=all', [plain, imported, later, lapsed, own]],
      ['ready=true&column=To Do&source=manual', [plain, lapsed, own]],
      ['ready=true&assigneeId=none', [plain, later]],
      ['ready=true&approved=false', []],
    ] as const) {
      for (const url of urls) {
        const path = `${url}${url.includes('?') ? '&' : '?'}${parameters}`
        const whole = await ask('GET', path)
        t.strictSame([whole.status, [...idsOf(whole.body)].sort()], [200, [...expected].sort()], path)
        const paged: string[] = []
        for (let next: string | undefined = `${path}&limit=2`; next !== undefined; ) {
          const page = await ask('GET', next)
          paged.push(...idsOf(page.body))
          next = nextOf(page)
        }
        t.strictSame(paged, idsOf(whole.body), `${path}, in pages`)
      }
    }
    const ready = await ask('GET', `${ALL}?ready=true`, undefined, bob)
    t.ok(idsOf(ready.body).includes(held), 'what one holds oneself')
    t.notOk(idsOf(ready.body).includes(own), 'not what another holds')
    t.equal(ready.headers['cache-control'], 'no-store')
    for (const [name, value, message] of [
      ['approved', 'yes', 'must be one of false, true'],
      ['ready', 'false', 'must be one of true'],
    ] as const) {
      const { status, body } = await ask('GET', `${ALL}?${name}=${value}`)
      t.equal(status, 400)
      t.match(JSON.stringify(body), name, message)
    }
  }
})

t.test('a filter with several values matches any of them; filters combine', async (t) => {
  const { app, one, urls } = await boards(t)
  const item = async (fields: object) => (await createItem(app, one.id, fields)).id as string
  const [a, b, c, d, e] = [
    await item({ column: 'Done', priority: 'low', assigneeId: 'ada', sortOrder: 1, dueDate: '2026-01-31' }),
    await item({ column: 'Review', priority: 'high', assigneeId: 'bob', sortOrder: 2 }),
    await item({ column: 'Review', priority: 'low', assigneeId: 'cleo', sortOrder: 3 }),
    await item({ column: 'Later, "much"', priority: 'medium', assigneeId: '', sortOrder: 4 }),
    await item({ column: 'Mine', priority: 'critical', assigneeId: 'local', sortOrder: 5 }),
  ]
  attach(app, e, createLabel(app, one.id, 'Own'))
  const [bug, idea] = [createLabel(app, one.id, 'Bug'), createLabel(app, one.id, 'Idea')]
  attach(app, a, bug)
  attach(app, a, idea)
  attach(app, c, idea)
  for (const [filter, expected] of [
    ['column=Done&column=Review', [a, b, c]],
    ['column=Review&column=Review', [b, c]],
    ['column=&column=Done', [a]],
    ['column=&column=', [a, b, c, d, e]],
    ['column=none&column=nothing', []],
    [`column=Done&column=${encodeURIComponent('Later, "much"')}`, [a, d]],
    ['priority=low&priority=medium', [a, c, d]],
    ['assigneeId=ada&assigneeId=bob', [a, b]],
    ['assigneeId=ada&assigneeId=bob&priority=low', [a]],
    ['column=Done&column=Review&priority=low&priority=medium', [a, c]],
    ['label=Bug&label=Idea', [a, c]],
    [`label=${bug}&label=${idea}`, [a, c]],
    [`label=${bug}&label=nothing`, [a]],
    ['label=none', [b, d]],
    ['label=none&label=none', [b, d]],
    [`label=${bug}&label=none`, [a, b, d]],
    ['label=none&label=Idea&column=Review', [b, c]],
    ['assigneeId=none', [d]],
    ['assigneeId=none&assigneeId=bob', [b, d]],
    ['assigneeId=none&assigneeId=ada&priority=low', [a]],
    ['assigneeId=me', [e]],
    ['assigneeId=me&assigneeId=local', [e]],
    ['assigneeId=me&assigneeId=cleo', [c, e]],
    ['assigneeId=me&assigneeId=none&assigneeId=ada', [a, d, e]],
    ['assigneeId=ME&assigneeId=None', []],
    ['due=none', [b, c, d, e]],
    ['due=none&column=Review', [b, c]],
    ['due=none&dueAfter=2020-01-01', []],
    ['updatedAfter=2001-01-01', [a, b, c, d, e]],
    ['updatedAfter=9999-01-01', []],
    ['label=Bug&label=Idea&column=Review', [c]],
  ] as const) {
    for (const url of urls) {
      const filtered = `${url}${url.includes('?') ? '&' : '?'}${filter}`
      t.strictSame(await listed(app, filtered), expected, filtered)
      t.strictSame((await pages(app, `${filtered}&limit=1`)).flat(), expected, `${filtered}, in pages`)
    }
  }
})

t.test('a label filter in a project only matches its own labels, but across projects all', async (t) => {
  const { app, one, two } = await boards(t)
  const [a, b] = [await createItem(app, one.id), await createItem(app, two.id, { sortOrder: 9 })]
  const labels = [createLabel(app, one.id, 'Bug'), createLabel(app, two.id, 'Bug')] as const
  attach(app, a.id, labels[0])
  attach(app, b.id, labels[1])
  for (const [url, expected] of [
    [`${ALL}?label=Bug`, [a.id, b.id]],
    [`${ALL}?label=${labels[1]}`, [b.id]],
    [`${ALL}?label=Bug&projectId=${two.id}`, [b.id]],
    [`${ALL}?label=${labels[0]}&projectId=${two.id}`, []],
    [`${ofProject(one.id)}?label=Bug`, [a.id]],
    [`${ofProject(one.id)}?label=${labels[1]}`, []],
  ] as const)
    t.strictSame(await listed(app, url), expected, url)
  attach(app, a.id, createLabel(app, one.id, 'Also'))
  t.strictSame(await listed(app, `${ALL}?label=Also`), [a.id])
})

const letters = fc.string({ unit: fc.constantFrom(...'aAbBéÉßøØжЖ%_\\\' "'), maxLength: 4 })
const due = fc.constantFrom(
  '2026-01-30',
  '2026-01-31',
  '2026-01-31T00:00:00.001Z',
  '2026-01-31T02:00+02:00',
  '2026-02-01',
)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

t.test('any combination of filters equals a model, as a whole and in pages', async (t) => {
  const { app, one, two } = await boards(t)
  const names = ['Bug', 'Chore']
  const labels = new Map(
    [one.id, two.id].map((id) => [id, names.map((name) => createLabel(app, id, name))] as const),
  )
  const drawn = fc.record({
    projectId: fc.constantFrom<string>(one.id, two.id),
    labels: fc.subarray([0, 1]),
    fields: fc.record({
      title: letters.map((text) => `${text}.`),
      description: letters,
      column: fc.constantFrom('To Do', 'Done'),
      priority: fc.constantFrom('low', 'high'),
      assigneeId: fc.constantFrom('ada', 'bob', null),
      dueDate: fc.option(due),
      dismissed: fc.boolean(),
      sortOrder: fc.integer({ min: -3, max: 3 }),
    }),
  })
  const items: (Item & { names: string[] })[] = []
  for (const one of fc.sample(drawn, { numRuns: 80, seed: 1 })) {
    const item = await createItem(app, one.projectId, one.fields)
    for (const index of one.labels) attach(app, item.id, labels.get(one.projectId)?.[index] as string)
    items.push({
      ...item,
      names: one.labels.flatMap((index) => [names[index], labels.get(one.projectId)?.[index]]),
    })
  }
  items.sort((a, b) => a.sortOrder - b.sortOrder || (a.id < b.id ? -1 : 1))

  const several = fc.constantFrom([one.id, two.id], [two.id, 'none'])
  const filter = fc.record({
    projectId: optional(fc.oneof(fc.constantFrom<string>(one.id, two.id, 'none', ''), several)),
    column: optional(fc.constantFrom('To Do', 'Done', 'None', '')),
    priority: optional(fc.constantFrom('low', 'high', '')),
    assigneeId: optional(fc.constantFrom('ada', 'bob', '')),
    label: optional(fc.constantFrom(...names, ...[...labels.values()].flat(), 'None', '')),
    q: optional(letters),
    dueAfter: optional(due),
    dueBefore: optional(due),
    dismissed: optional(fc.constantFrom('false', 'true', 'all')),
  })
  const isText = (text: string, q: string) => text.toLowerCase().includes(q.toLowerCase())
  let found = 0
  const numRuns = rounds(40)
  await fc.assert(
    fc.asyncProperty(filter, fc.integer({ min: 1, max: 9 }), async (drawn, limit) => {
      const given = Object.fromEntries(Object.entries(drawn).filter(([, value]) => value !== undefined))
      const { label, q, dueAfter, dueBefore, dismissed = 'false', ...exact } = given as Record<string, string>
      const time = (text: string) => parseTimestamp(text) as string
      const expected = items.filter(
        (item) =>
          Object.entries(exact).every(
            ([name, value]) => !value || ([value].flat() as unknown[]).includes(item[name]),
          ) &&
          (!label || item.names.includes(label)) &&
          (!q || isText(item.title, q) || isText(item.description, q)) &&
          (!dueAfter || (item.dueDate !== null && item.dueDate >= time(dueAfter))) &&
          (!dueBefore || (item.dueDate !== null && item.dueDate < time(dueBefore))) &&
          (dismissed === 'all' || item.dismissed === (dismissed === 'true')),
      )
      found += expected.length
      deepStrictEqual(await listed(app, `${ALL}?${query(given)}`), idsOf(expected))
      const inPages = await pages(app, `${ALL}?${query({ ...given, limit })}`)
      deepStrictEqual(inPages.flat(), idsOf(expected))
      deepStrictEqual(inPages.length, Math.max(1, Math.ceil(expected.length / limit)))
      const { projectId, ...others } = given
      if (projectId !== one.id) return
      deepStrictEqual(await listed(app, `${ofProject(one.id)}?${query(others)}`), idsOf(expected))
      const ofOne = await pages(app, `${ofProject(one.id)}?${query({ ...others, limit })}`)
      deepStrictEqual(ofOne, inPages)
    }),
    { numRuns, ...steady },
  )
  t.ok(found > (5 / 3) * numRuns, `${found} items were found`)
})

t.test('a text without case contains each of its parts, in any case', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const { id } = await createItem(app, project.id)
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(text, fc.nat(), fc.nat(), fc.boolean(), async (title, start, length, isUpper) => {
      const characters = [...title]
      const from = start % characters.length
      const part = characters.slice(from, from + 1 + (length % characters.length)).join('')
      // Not all letters survive upper case: ß becomes SS.
      const upper = part.toUpperCase()
      const isSimple = upper.toLowerCase() === part.toLowerCase() && part.toLowerCase() === part
      const field = title.length % 2 === 0 ? { title, description: '' } : { title: 'x', description: title }
      await send(app, 'PATCH', `${ALL}/${id}`, field)
      const q = isUpper && isSimple ? upper : part
      return (await listed(app, `${ALL}?${query({ q })}`)).length === 1
    }),
    { numRuns: rounds(40) },
  )
})

t.test('a page links to the next in a Link header, with the same query', async (t) => {
  const { app, one, two } = await boards(t)
  const ids: string[] = []
  for (let index = 0; index < 5; index++)
    ids.push((await createItem(app, one.id, { title: 'é & <ü>', column: 'To Do' })).id)
  await createItem(app, one.id, { title: 'other' })
  await createItem(app, two.id, { title: 'é & <ü>', sortOrder: 99 })

  const parameters = { q: 'É & <Ü>', column: 'To Do', limit: 2 }
  for (const url of [ofProject(one.id), ALL]) {
    const first = await send(app, 'GET', `${url}?${query(parameters)}`)
    const next = new URL(nextOf(first) ?? '', 'http://localhost')
    t.equal(next.pathname, url)
    const { cursor, ...rest } = Object.fromEntries(next.searchParams)
    t.strictSame(rest, { ...parameters, limit: '2' })
    t.match(cursor, /^[\w-]+$/)
    t.strictSame(idsOf(first.body), ids.slice(0, 2))
    const second = await send(app, 'GET', next.pathname + next.search)
    t.strictSame(idsOf(second.body), ids.slice(2, 4))
    const all = await send(app, 'GET', `${url}?${query({ ...rest, limit: 500, cursor })}`)
    t.strictSame(idsOf(all.body).slice(0, 3), ids.slice(2), 'with another limit')
    t.equal(nextOf(all), undefined)
    const { limit: _, ...unlimited } = parameters
    const left = await send(app, 'GET', `${url}?${query({ ...unlimited, cursor })}`)
    t.strictSame(idsOf(left.body).slice(0, 3), ids.slice(2), 'without a limit: all that is left')
    t.equal(nextOf(left), undefined)
  }

  t.strictSame(
    (await pages(app, `${ofProject(one.id)}?limit=3`)).map(({ length }) => length),
    [3, 3],
  )
  t.strictSame((await pages(app, `${ofProject(one.id)}?limit=1`)).flat().slice(0, 5), ids)
  const head = await send(app, 'HEAD', `${ofProject(one.id)}?limit=1`)
  t.ok(nextOf(head), 'HEAD has the header too')
})

t.test('a page has up to 500 items, and a list without a limit has all', async (t) => {
  const { app, one } = await boards(t)
  const { items } = app.rules.board
  for (let index = 0; index < 502; index++) items.create(one.id, { title: `${index}` })
  for (const url of [ofProject(one.id), ALL]) {
    const all = await send(app, 'GET', url)
    t.equal(all.body.length, 502)
    t.equal(nextOf(all), undefined)
    t.strictSame(
      (await pages(app, `${url}?limit=500`)).map(({ length }) => length),
      [500, 2],
    )
    t.strictSame((await pages(app, `${url}?limit=499`)).flat(), idsOf(all.body))
  }
})

t.test('during concurrent changes, each item that keeps its place is shown once', async (t) => {
  const { app, one, two } = await boards(t)
  const label = createLabel(app, one.id, 'Bug')
  const lists = [
    {},
    { column: 'To Do' },
    { assigneeId: 'ada' },
    { priority: 'medium' },
    { q: 'É' },
    { label: 'Bug' },
    { dueAfter: '2026-01-31' },
    { dismissed: 'all' },
    { column: 'To Do', assigneeId: 'ada' },
  ].flatMap((filter) => [
    { url: ofProject(one.id), filter },
    { url: ALL, filter },
    { url: ALL, filter: { ...filter, projectId: one.id } },
  ])
  const place = fc.integer({ min: -3, max: 3 })
  /** The fields of a matching item, and changes after which it no longer matches. */
  const matching = {
    title: 'é',
    column: 'To Do',
    assigneeId: 'ada',
    priority: 'medium',
    dueDate: '2026-02-01',
  }
  const leaving = {
    title: 'e',
    column: 'Done',
    assigneeId: 'bob',
    priority: 'low',
    dueDate: null,
    dismissed: true,
  }
  const change = fc.oneof(
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('create' as const), to: place }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), which: fc.nat() }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('move' as const), which: fc.nat(), to: place }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom('leave' as const, 'return' as const),
        which: fc.nat(),
        to: place,
      }),
    },
  )
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...lists),
      fc.array(place, { maxLength: 14 }),
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.array(change, { maxLength: 5 }), { maxLength: 8 }),
      async ({ url, filter }, sortOrders, limit, turns) => {
        app.db.$client.exec('delete from kanban_items')
        const create = async (sortOrder: number) => {
          const { id } = await createItem(app, one.id, { ...matching, sortOrder })
          attach(app, id, label)
          return id as string
        }
        await createItem(app, two.id, { ...leaving, dismissed: false, sortOrder: 0 })
        const present: string[] = []
        for (const sortOrder of sortOrders) present.push(await create(sortOrder))
        const staying = new Set(present)
        const answers = await pages(app, `${url}?${query({ ...filter, limit })}`, async (page) => {
          for (const change of turns[page] ?? []) {
            const id = 'which' in change ? present[change.which % present.length] : undefined
            if (change.kind === 'create') present.push(await create(change.to))
            else if (id !== undefined && change.kind === 'delete') {
              present.splice(present.indexOf(id), 1)
              staying.delete(id)
              await send(app, 'DELETE', `${ALL}/${id}`)
            } else if (id !== undefined && 'to' in change) {
              const { kind, to: sortOrder } = change
              const fields =
                kind === 'leave' ? leaving : kind === 'return' ? { ...matching, dismissed: false } : {}
              staying.delete(id)
              await send(app, 'PATCH', `${ALL}/${id}`, { ...fields, sortOrder })
            }
          }
        })
        const shown = answers.flat()
        for (const id of staying) deepStrictEqual(shown.filter((one) => one === id).length, 1, 'what stays')
        for (const page of answers.slice(0, -1)) deepStrictEqual(page.length, limit)
      },
    ),
    { numRuns: rounds(15) },
  )
})

t.test('a page continues after its cursor, despite moves', async (t) => {
  const { app, one } = await boards(t)
  const ids: string[] = []
  for (const sortOrder of [1, 2, 3, 4]) ids.push((await createItem(app, one.id, { sortOrder })).id)
  const [a, b, c, d] = ids
  const move = (id: string | undefined, sortOrder: number) =>
    send(app, 'PATCH', `${ALL}/${id}`, { sortOrder })
  const ahead = await pages(app, `${ofProject(one.id)}?limit=2`, async () => {
    await move(d, 0)
  })
  t.strictSame(ahead, [[a, b], [c]], 'moved to before the reader')
  await move(d, 4)
  const behind = await pages(app, `${ofProject(one.id)}?limit=2`, async (page) => {
    if (page === 0) await move(a, 5)
  })
  t.strictSame(behind, [[a, b], [c, d], [a]], 'moved to after the reader')
})

t.test('a page is one state of the file, despite commits of another process', async (t) => {
  const path = join(t.testdir(), 'board.db')
  const { app, one } = await boards(t, { databaseUrl: `file:${path}` })
  const [first, second] = [await createItem(app, one.id), await createItem(app, one.id)]
  await createSubtask(app, first.id, { title: 'Step' })
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  const executions = watch(t, app.db.$client)
  for (const asked of [ofProject(one.id), ALL].flatMap((url) => [url, `${url}?limit=2`])) {
    executions.after = (source) => {
      if (!source.includes('from "kanban_items"')) return
      executions.after = () => {}
      tool.exec("update kanban_items set title = 'After'; update kanban_subtasks set title = 'After'")
    }
    const { body } = await send(app, 'GET', asked)
    t.match(
      body,
      [
        { title: 'Card', subtasks: [{ title: 'Step' }] },
        { id: second.id, title: 'Card' },
      ],
      asked,
    )
    t.match((await send(app, 'GET', asked)).body, [{ title: 'After', subtasks: [{ title: 'After' }] }, {}])
    tool.exec("update kanban_items set title = 'Card'; update kanban_subtasks set title = 'Step'")
  }
  executions.after = (source) => {
    if (!source.includes('from "kanban_items"')) return
    executions.after = () => {}
    tool.prepare('delete from projects').run()
  }
  t.equal((await send(app, 'GET', `${ofProject(one.id)}?limit=1`)).body.length, 1)
  t.equal((await send(app, 'GET', ofProject(one.id))).status, 404)
})

t.test('a list takes a fixed number of statements for any number of items', async (t) => {
  const { app, one } = await boards(t)
  // As on a file, where a worker thread reads what is large: the event loop reads a list in one piece.
  limitWork(app.db)
  const { items } = app.rules.board
  const executed = watch(t, app.db.$client)
  const statements = async (url: string) => {
    executed.log.length = 0
    t.equal((await send(app, 'GET', url)).status, 200)
    // Periodic work of the service reads other tables in the meantime.
    return executed.log.filter((source) => /^select .*from "?(kanban_|projects)/s.test(source)).length
  }
  for (const total of [2, 40, 400]) {
    while (count(app, 'kanban_items') < total) items.create(one.id, { title: 'x' })
    // One more for the names of the columns.
    for (const [filter, few] of [
      ['', 4],
      ['&column=To Do&q=X&dismissed=all', 5],
    ] as const) {
      t.equal(await statements(`${ALL}?${filter}`), few, `${total} items`)
      t.equal(await statements(`${ofProject(one.id)}?${filter}`), few + 1, 'and one for the project')
      t.equal(await statements(`${ALL}?limit=500${filter}`), few, 'a page')
      t.equal(await statements(`${ALL}?limit=1${filter}`), few, 'another')
      const next = nextOf(await send(app, 'GET', `${ALL}?limit=1${filter}`)) ?? ''
      t.equal(await statements(next.replace('limit=1', 'limit=500')), few, 'the last')
    }
  }
})

t.test('a statement is prepared once for each combination of filters, for all values', async (t) => {
  const { app, one } = await boards(t)
  // It prepares its statements when it first needs them.
  await app.notificationConsumer.stop()
  // The first list prepares statements that all lists share.
  for (const parameters of [{ priority: 'x' }, { priority: 'x', limit: 1 }])
    await listed(app, `${ofProject(one.id)}?${query(parameters)}`)
  const prepared: string[] = []
  const { prepare } = app.db.$client
  app.db.$client.prepare = function (source: string) {
    prepared.push(source)
    return prepare.call(this, source) as never
  }
  for (const parameters of [{}, { limit: 2 }, { column: '', dismissed: 'false', limit: 1 }])
    await listed(app, `${ofProject(one.id)}?${query(parameters)}`)
  t.equal(prepared.length, 1, 'a whole list is read as its pages')
  for (const dismissed of ['true', 'false', 'true'])
    for (const column of ['a', 'b'])
      for (const limit of [1, 2])
        await listed(app, `${ofProject(one.id)}?${query({ column, dismissed, limit })}`)
  t.equal(prepared.length, 3, 'with the names of the columns')
  await listed(app, `${ALL}?${query({ projectId: one.id, column: 'c', limit: 9 })}`)
  t.equal(prepared.length, 3, 'and it is the same across projects')
  for (const source of prepared) t.notMatch(source, /[^+]\?/, 'no value makes SQLite plan anew')
})

/** Whether an index has the order of the list, after the values of its filter. */
const ORDERED: [object, object, string, string][] = [
  [{}, {}, 'kanban_items_project', 'kanban_items_order'],
  [{ column: 'To Do' }, {}, 'kanban_items_column', 'kanban_items_order'],
  [{ assigneeId: 'ada' }, {}, 'kanban_items_project_assignee', 'kanban_items_assignee'],
  [{ priority: 'medium' }, {}, 'kanban_items_project_priority', 'kanban_items_priority'],
  [{ q: 'x' }, {}, 'kanban_items_project', 'kanban_items_order'],
  [{ dismissed: 'true' }, {}, 'kanban_items_project', 'kanban_items_order'],
  [{ dismissed: 'all' }, {}, 'kanban_items_project', 'kanban_items_order'],
  [{ dueAfter: '2026-01-31' }, {}, 'kanban_items_project', 'kanban_items_order'],
  [{ dueBefore: '2026-01-31' }, {}, 'kanban_items_project', 'kanban_items_order'],
  [
    { assigneeId: 'ada' },
    { dueBefore: '2026-01-31' },
    'kanban_items_project_assignee',
    'kanban_items_assignee',
  ],
  [{ priority: 'low' }, { q: 'x', label: 'Bug' }, 'kanban_items_project_priority', 'kanban_items_priority'],
]

t.test('columns of several projects are found without a look at each name in each project', async (t) => {
  const { app, one, two } = await boards(t)
  const { log } = watch(t, app.db.$client)
  const asked = [one.id, two.id].map((id) => `projectId=${id}`).join('&')
  await send(app, 'GET', `${ALL}?${asked}&column=To%20Do&column=Done&limit=1`, undefined, {
    prefer: 'handling=strict',
  })
  const source = log.find((text) => text.includes('from "kanban_columns"')) ?? ''
  const [step] = planOf(app.db.$client, source)
  t.equal(step, 'SEARCH kanban_columns USING COVERING INDEX kanban_columns_name (project_id=?)')
})

t.test('a page is read by the index in its order, with any filter', async (t) => {
  const { app, one } = await boards(t)
  for (let index = 0; index < 3; index++) await createItem(app, one.id)
  const { log } = watch(t, app.db.$client)
  /** The plans of the statements that select a list's items, without those that load their child records. */
  const plansOf = async (url: string) => {
    log.length = 0
    await pages(app, url)
    const sources = new Set(
      log.filter((text) => text.includes('from "kanban_items"') && !text.includes('json_each')),
    )
    return [...sources]
      .filter((source) => !source.startsWith('explain'))
      .map((source) => planOf(app.db.$client, source))
  }
  const isBlind = (step: string) => /^SCAN (?!CONSTANT)/.test(step) && !/USING (COVERING )?INDEX/.test(step)

  for (const [filter, more, ofOne, ofAll] of ORDERED) {
    for (const [url, index] of [
      [ofProject(one.id), ofOne],
      [`${ALL}?projectId=${one.id}`, ofOne],
      [ALL, ofAll],
    ] as const) {
      const asked = `${url}${url.includes('?') ? '&' : '?'}${query({ ...filter, ...more, limit: 2 })}`
      const plans = await plansOf(asked)
      t.ok(plans.length >= 1, `${asked}: the statements were seen`)
      // The items of which an assignee is not the first are few: they are found, and sorted.
      const inOrder = plans.map((steps) =>
        steps.includes('RIGHT') ? steps.slice(2, steps.indexOf('RIGHT')) : steps,
      )
      const [page = []] = inOrder
      t.match(
        page[0],
        new RegExp(`^SEARCH kanban_items USING (COVERING )?INDEX ${index} \\(.*\\(sort_order,id\\)>`),
        asked,
      )
      for (const step of plans.flat()) t.notOk(isBlind(step), `${asked}: ${step}`)
      for (const step of inOrder.flat()) t.notMatch(step, /TEMP B-TREE/, asked)
    }
  }
  for (const dismissed of ['false', 'true', 'all']) {
    const [[step] = []] = await plansOf(
      `${ofProject(one.id)}?${query({ column: 'To Do', dismissed, limit: 2 })}`,
    )
    t.match(step, / USING COVERING INDEX kanban_items_column /, 'no row of a column is read to leave it out')
  }
  // With these, the plan depends on other conditions of the items, but it uses an index too.
  for (const filter of [
    { label: 'Bug' },
    { label: 'Bug', q: 'x' },
    { dueAfter: '2026-01-31', dueBefore: '2026-02-01' },
  ]) {
    for (const url of [ofProject(one.id), ALL]) {
      const [plan = [], ...others] = await plansOf(`${url}?${query({ ...filter, limit: 2 })}`)
      t.strictSame(others, [])
      t.match(plan[0], /^SEARCH kanban_items USING .*INDEX/)
      for (const step of plan) t.notOk(isBlind(step), `${url} ${query(filter)}: ${step}`)
      if (url !== ALL && 'label' in filter)
        t.match(plan.join(), 'kanban_labels_name (project_id=? AND name=?)', 'no other board is looked at')
    }
  }
})

const LIMIT = { least: 'must be >= 1', most: 'must be <= 500', type: 'must be integer' }
const STRING = 'must be string'
const DATE = 'must be an ISO 8601 date-time or a plain date'
const CURSOR = 'must be the cursor of a next page'
const CHOICE = 'must be one of "false", "true", "all"'
const DUE = 'must be one of "none", "overdue", "today", "week"'
const NAMES = ['sortOrder', 'dueDate', 'updatedAt', 'createdAt', 'priority', 'title'] as const
const SORT = `must be one of ${[...NAMES, ...NAMES.map((name) => `-${name}`)].map((name) => `"${name}"`).join(', ')}`
const OTHER_SORT = 'must be the cursor of a page in the same sort'
const cursorOf = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Refused queries, with the violations of their fields. */
const REFUSED: [string, Record<string, string[]>][] = [
  ['limit=0', { limit: [LIMIT.least] }],
  ['limit=-1', { limit: [LIMIT.least] }],
  ['limit=501', { limit: [LIMIT.most] }],
  ['limit=1e9', { limit: [LIMIT.most] }],
  ['limit=1.5', { limit: [LIMIT.type] }],
  ['limit=abc', { limit: [LIMIT.type] }],
  ['limit=', { limit: [LIMIT.type] }],
  ['limit=NaN', { limit: [LIMIT.type] }],
  ['limit=null', { limit: [LIMIT.type] }],
  ['limit=true', { limit: [LIMIT.type] }],
  ['limit=Infinity', { limit: [LIMIT.most] }],
  ['limit=-Infinity', { limit: [LIMIT.least] }],
  ['limit=1e400', { limit: [LIMIT.most] }],
  ['limit=1&limit=2', { limit: [LIMIT.type] }],
  ['cursor=', { cursor: [CURSOR] }],
  ['cursor=garbage', { cursor: [CURSOR] }],
  ['cursor=%00', { cursor: [CURSOR] }],
  [`cursor=${cursorOf('1', 'a')}`, { cursor: [CURSOR] }],
  [`cursor=${cursorOf(null, 'a')}`, { cursor: [CURSOR] }],
  [`cursor=${cursorOf(1, { toString: 1 })}`, { cursor: [CURSOR] }],
  [`cursor=${cursorOf(1, 'a')}&cursor=x`, { cursor: [STRING] }],
  ['dueAfter=', { dueAfter: [DATE] }],
  ['dueAfter=tomorrow', { dueAfter: [DATE] }],
  ['dueAfter=2026-02-30', { dueAfter: [DATE] }],
  ['dueAfter=2026-01-31T10', { dueAfter: [DATE] }],
  ['dueAfter=0', { dueAfter: [DATE] }],
  ['dueBefore=', { dueBefore: [DATE] }],
  ['dueBefore=31.1.2026', { dueBefore: [DATE] }],
  ['dueBefore=2026-01-31&dueBefore=2026-01-31', { dueBefore: [STRING] }],
  ['due=', { due: [DUE] }],
  ['due=nothing', { due: [DUE] }],
  ['updatedAfter=', { updatedAfter: [DATE] }],
  ['updatedAfter=yesterday', { updatedAfter: [DATE] }],
  ...['', 'id', 'sortorder', 'description', '--title', '+title', 'title,id', '__proto__'].map(
    (sort): [string, Record<string, string[]>] => [`sort=${encodeURIComponent(sort)}`, { sort: [SORT] }],
  ),
  ['sort=title&sort=title', { sort: [STRING, SORT] }],
  [`cursor=${cursorOf(1, 'a', 'title')}`, { cursor: [OTHER_SORT] }],
  [`cursor=${cursorOf(1, 'a')}&sort=title`, { cursor: [OTHER_SORT] }],
  [`cursor=${cursorOf(1, 'a')}&sort=-sortOrder`, { cursor: [OTHER_SORT] }],
  [`cursor=${cursorOf(null, 'a', 'dueDate')}&sort=-dueDate`, { cursor: [OTHER_SORT] }],
  [`cursor=${cursorOf(1, 'a', {})}&sort=title`, { cursor: [OTHER_SORT] }],
  [`cursor=${cursorOf('x', 'a', 'title')}&sort=title`, { cursor: [CURSOR] }],
  [`cursor=${cursorOf(true, 'a', 'title')}&sort=title`, { cursor: [CURSOR] }],
  ['dismissed=maybe', { dismissed: [CHOICE] }],
  ['dismissed=', { dismissed: [CHOICE] }],
  ['dismissed=1', { dismissed: [CHOICE] }],
  ['dismissed=TRUE', { dismissed: [CHOICE] }],
  ['q=a&q=b', { q: [STRING] }],
  [
    'limit=0&cursor=x&dueAfter=x&dueBefore=x&q=a&q=b',
    { q: [STRING], dueAfter: [DATE], dueBefore: [DATE], limit: [LIMIT.least], cursor: [CURSOR] },
  ],
]

t.test('an invalid value is an error of its field, before existence is checked', async (t) => {
  const { app, one } = await boards(t)
  await createItem(app, one.id)
  for (const [text, fieldErrors] of REFUSED) {
    for (const url of [ofProject(one.id), ofProject('none'), ALL]) {
      const answer = await send(app, 'GET', `${url}?${text}`)
      t.strictSame([answer.status, answer.body], [400, invalid(fieldErrors)], `${url}?${text}`)
      t.equal(answer.headers.link, undefined)
    }
  }
  await holds(t, app, [
    ['GET', `${ALL}?projectId=a&projectId=b`, 200, []],
    ['GET', `${ALL}?projectId=a&projectId=b&limit=0`, 400, invalid({ limit: [LIMIT.least] })],
    ['GET', `${ALL}?limit=1`, 200, [{ projectId: one.id }]],
    ['GET', `${ALL}?limit=500`, 200, [{ projectId: one.id }]],
  ])
})

t.test('the order of checks: 401, 400, 404', async (t) => {
  const notFound = { error: 'Project not found' }
  const refused = invalid({ limit: [LIMIT.least] })
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const admin = signInAs(app, 'admin').headers
    const project = await createProject(app, {}, admin)
    const item = await createItem(app, project.id, {}, admin)
    const worthless = { authorization: 'Bearer worthless' }
    const anybody: Row[] =
      authMode === 'open'
        ? [
            ['GET', ofProject(project.id), 200, [{ id: item.id }]],
            ['GET', ALL, 200, [{ id: item.id }]],
            ['GET', ofProject('none'), 404, notFound],
          ]
        : [
            ['GET', ofProject(project.id), 401, authenticationRequired],
            ['GET', `${ofProject('none')}?limit=0`, 401, authenticationRequired],
            ['GET', ALL, 401, authenticationRequired],
            ['GET', `${ALL}?limit=0`, 401, authenticationRequired],
            ['HEAD', ALL, 401, ''],
          ]
    await holds(t, app, [
      ...anybody,
      ['GET', `${ALL}?limit=0`, undefined, worthless, 401, authenticationRequired],
    ])
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const { headers } = signInAs(app, role)
      await holds(t, app, [
        ['GET', ofProject(project.id), undefined, headers, 200, [{ id: item.id }]],
        ['GET', ALL, undefined, headers, 200, [{ id: item.id }]],
        ['GET', `${ALL}?projectId=${project.id}`, undefined, headers, 200, [{ id: item.id }]],
        ['GET', `${ALL}?projectId=none`, undefined, headers, 200, []],
        ['GET', `${ofProject('none')}?limit=0`, undefined, headers, 400, refused],
        ['GET', `${ALL}?projectId=none&limit=0`, undefined, headers, 400, refused],
        ['GET', ofProject('none'), undefined, headers, 404, notFound],
        ['GET', `${ofProject('none')}?limit=1`, undefined, headers, 404, notFound],
        ['HEAD', ofProject('none'), undefined, headers, 404, ''],
      ])
    }
  }
})

t.test('hostile values are ordinary values', async (t) => {
  const { app, one, two } = await boards(t)
  const ids = [
    (await createItem(app, one.id, { title: 'x'.repeat(500), description: 'y'.repeat(12_000) })).id,
    (await createItem(app, one.id, { title: 'a\u0000b', description: '' })).id,
  ]
  await createItem(app, two.id, { sortOrder: 99 })
  for (const url of [ofProject(one.id), `${ALL}?projectId=${one.id}`]) {
    const list = (parameters: string) => listed(app, `${url}${url.includes('?') ? '&' : '?'}${parameters}`)
    for (const name of [
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'sortOrder',
      'id',
      'count',
      '',
      '[]',
    ])
      t.strictSame(await list(`${name}=x`), ids, `${name} is no parameter`)
    t.strictSame(await list('__proto__[limit]=1&__proto__=y&constructor.prototype=z'), ids)
    t.strictSame(await list('q%00=x'), ids)
    t.strictSame(await list(`q=${'y'.repeat(10_240)}`), ids.slice(0, 1))
    t.strictSame(await list(`q=${'%25'.repeat(10_240)}`), [])
    t.strictSame(await list(`q=${encodeURIComponent('(é+)+$'.repeat(2_000))}`), [])
    t.strictSame(await list('q=A%00B'), ids.slice(1))
    t.strictSame(await list('q=%00'), ids.slice(1))
    t.strictSame(await list('q=%F0%28%8C%28'), [], 'what is no UTF-8')
    for (const injection of [`' or 1=1 --`, `") or ("1"="1`, `x'; drop table kanban_items; --`, '+?', '?1']) {
      for (const name of ['column', 'assigneeId', 'priority', 'label', 'q'])
        t.strictSame(await list(query({ [name]: injection })), [], `${name}=${injection}`)
    }
  }
  for (const url of [ofProject(`${one.id}' or '1'='1`), ofProject('%25'), ofProject('_')])
    t.equal((await send(app, 'GET', encodeURI(url))).status, 404)
})

t.test('a cursor works in any list', async (t) => {
  const { app, one, two } = await boards(t)
  const ofOne: string[] = []
  const ofTwo: string[] = []
  for (let sortOrder = 0; sortOrder < 4; sortOrder++) {
    ofOne.push((await createItem(app, one.id, { sortOrder, column: sortOrder < 3 ? 'To Do' : 'Done' })).id)
    ofTwo.push((await createItem(app, two.id, { sortOrder })).id)
  }
  const cursorAfter = async (url: string) =>
    new URL(nextOf(await send(app, 'GET', url)) ?? '', 'http://localhost').searchParams.get('cursor')
  const follow = async (from: string, to: string) => {
    const cursor = await cursorAfter(`${from}${from.includes('?') ? '&' : '?'}limit=2`)
    return pages(app, `${to}${to.includes('?') ? '&' : '?'}limit=3&cursor=${cursor}`)
  }
  t.strictSame((await follow(ofProject(two.id), ofProject(one.id))).flat(), ofOne.slice(2))
  t.strictSame((await follow(ofProject(one.id), ofProject(two.id))).flat(), ofTwo.slice(1))
  t.strictSame((await follow(ALL, ofProject(two.id))).flat(), [ofTwo[1], ofTwo[2], ofTwo[3]])
  t.strictSame((await follow(ofProject(one.id), `${ofProject(one.id)}?column=Done`)).flat(), [ofOne[3]])
  t.strictSame((await follow(ofProject(one.id), `${ofProject(one.id)}?column=None`)).flat(), [])
  t.strictSame((await follow(ofProject(one.id), `${ALL}?projectId=none`)).flat(), [])

  for (const forged of [
    [0, ''],
    [0, "' or 1=1 --"],
    [-1e308, '\u0000'],
    [1e308, 'x'.repeat(5000)],
    [0.5, '🚀\ud800', 'sortOrder', 'more'],
  ]) {
    const [shown = []] = await pages(app, `${ofProject(one.id)}?limit=2&cursor=${cursorOf(...forged)}`)
    t.ok(
      shown.every((id) => ofOne.includes(id)),
      JSON.stringify(forged).slice(0, 60),
    )
  }
  t.strictSame(await listed(app, `${ofProject(one.id)}?cursor=${cursorOf(0, 'z')}`), ofOne.slice(1))
})

t.test('an unexpected failure says that items could not be fetched', async (t) => {
  const { app, one } = await boards(t)
  await createItem(app, one.id)
  const failure = { error: 'Failed to fetch kanban items' }
  const urls = ['', '?limit=1', '?q=x&label=y&limit=1'].flatMap((text) => [
    `${ofProject(one.id)}${text}`,
    `${ALL}${text}`,
  ])
  breakTable(app, 'kanban_items')
  await holds(
    t,
    app,
    urls.map((url): Row => ['GET', url, 500, failure]),
  )
  const closed = await boards(t)
  closed.app.db.$client.close()
  await holds(t, closed.app, [
    ['GET', ALL, 500, failure],
    ['HEAD', ALL, 500, ''],
    ['GET', ofProject(one.id), 500, failure],
  ])
})

t.test('the document describes each parameter, and the Link header', async (t) => {
  const { app } = await boards(t)
  const { paths } = (await send(app, 'GET', '/openapi.json')).body
  const filters = [
    'column',
    'assigneeId',
    'priority',
    'label',
    'q',
    'dueAfter',
    'dueBefore',
    'due',
    'timeZone',
    'dismissed',
    'approved',
    'source',
    'ready',
    'updatedAfter',
    'sort',
    'limit',
    'cursor',
  ]
  for (const [path, names] of [
    ['/api/projects/{id}/kanban-items', filters],
    ['/api/kanban-items', ['projectId', ...filters]],
  ] as const) {
    const { parameters, responses, description } = paths[path].get
    const inQuery = parameters.filter((parameter: { in: string }) => parameter.in === 'query')
    t.strictSame(
      inQuery.map(({ name }: { name: string }) => name),
      names,
    )
    for (const { name, description, required } of inQuery) {
      t.type(description, 'string', name)
      t.not(required, true, name)
    }
    t.match(description, /`Link` header/)
    const { headers, content } = responses[200]
    t.match(headers.Link, { schema: { type: 'string' }, description: /rel="next"/ })
    t.match(content['application/json'].schema, {
      type: 'array',
      items: { $ref: '#/components/schemas/KanbanItem' },
    })
  }
})

/** Two boards without a check of responses against the document, which does not cover odd values. */
async function unchecked(t: Test) {
  const app = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  return { app, one: await createProject(app), two: await createProject(app) }
}

const PRIORITIES = ['low', 'medium', 'high', 'critical']

/** A row as another tool may have written it, with any value in any column. */
interface Stray {
  sortOrder: unknown
  dueDate: unknown
  updatedAt: unknown
  createdAt: unknown
  priority: unknown
  title: unknown
}

/** The sort key of a text column: its bytes; undefined if it is empty. */
function bytesOf(value: unknown): Buffer | undefined {
  const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value ?? ''))
  return bytes.length === 0 ? undefined : bytes
}

/** The sort key of a value; undefined if it is empty. `collation.test.ts` covers the order of collation keys. */
function keyOf(name: keyof Stray, value: unknown): Buffer | undefined {
  const bytes = bytesOf(value)
  return name === 'title' ? bytesOf(collationKey(String(bytes ?? ''))) : bytes
}

/** The model's comparison: less than, equal to or greater than 0. Undefined keys are last in both directions. */
function compareBy(name: keyof Stray, isDescending: boolean) {
  const sign = isDescending ? -1 : 1
  const compareValues = (a: unknown, b: unknown): number => {
    if (name === 'sortOrder') {
      const rank = (value: unknown) => (typeof value === 'number' ? 0 : Buffer.isBuffer(value) ? 2 : 1)
      if (rank(a) !== rank(b)) return rank(a) - rank(b)
      return rank(a) === 0
        ? Number(a) === Number(b)
          ? 0
          : Number(a) - Number(b)
        : Buffer.compare(bytesOf(a) ?? Buffer.alloc(0), bytesOf(b) ?? Buffer.alloc(0))
    }
    if (name === 'priority') {
      const rank = (value: unknown) => {
        const index = PRIORITIES.indexOf(value as string)
        return index < 0 ? PRIORITIES.length : index
      }
      return rank(a) - rank(b)
    }
    return Buffer.compare(keyOf(name, a) as Buffer, keyOf(name, b) as Buffer)
  }
  return (a: Stray & { id: string }, b: Stray & { id: string }): number => {
    const [left, right] = [a[name], b[name]]
    if (name !== 'sortOrder') {
      const [isLeftEmpty, isRightEmpty] = [left, right].map((value) => keyOf(name, value) === undefined)
      if (isLeftEmpty !== isRightEmpty) return isLeftEmpty ? 1 : -1
      if (isLeftEmpty) return a.id < b.id ? -1 : 1
    }
    return sign * compareValues(left, right) || (a.id < b.id ? -1 : 1)
  }
}

const bytes = fc.uint8Array({ minLength: 1, maxLength: 3 }).map((values) => Buffer.from(values))
const texts = fc.constantFrom('', 'a', 'A', 'ab', 'é', 'ÿ', '🚀', '\uffff', '5', '2026-01-31', 'a\u0000b')
const dates = fc.constantFrom(
  ...['2026-01-30', '2026-01-31', '2026-02-01'].map((day) => `${day}T00:00:00.000Z`),
)
/** A text column's value. Invalid UTF-8 is bound as bytes and cast, as a careless tool would write it. */
const stray = fc.oneof({ weight: 5, arbitrary: dates }, texts, bytes)
const strayRow: fc.Arbitrary<Stray> = fc.record({
  sortOrder: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -2, max: 2 }) },
    fc.constantFrom(0.5, -0, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
    fc.constantFrom('x', 'much', 'é'),
    bytes,
  ),
  dueDate: fc.oneof(stray, fc.constant(null)),
  updatedAt: stray,
  createdAt: stray,
  priority: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...PRIORITIES) },
    fc.constantFrom('', 'urgent', 'Low'),
    bytes,
  ),
  title: fc.oneof(texts, bytes),
})

t.test('any sort, filter and page equals a model, for any stored and changing values', async (t) => {
  const { app, one, two } = await unchecked(t)
  const { $client: client } = app.db
  const label = createLabel(app, one.id, 'Bug')
  const insert = client.prepare(
    `insert into kanban_items (id, project_id, title, "column", sort_order, priority, assignee_id, due_date, created_at, updated_at)
     values (@id, @projectId, @title, @column, @sortOrder, @priority, @assigneeId, @dueDate, @createdAt, @updatedAt)`,
  )
  const drawn = fc.record({
    stray: strayRow,
    projectId: fc.constantFrom<string>(one.id, one.id, two.id),
    column: fc.constantFrom('To Do', 'Review', 'Done'),
    assigneeId: fc.constantFrom('ada', 'bob', 'local', '', null),
    isLabelled: fc.boolean(),
  })
  type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never
  type Stored = Stray & Omit<Drawn, 'stray'> & { id: string }
  const some = (...values: string[]) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant<string[]>([]) }, fc.subarray(values))
  const filters = fc.record({
    column: some('To Do', 'Review', 'Else'),
    assigneeId: some('ada', 'me', 'none'),
    label: some('Bug', 'none'),
    due: fc.option(fc.constant('none'), { nil: undefined, freq: 1 }),
    updatedAfter: fc.option(fc.constant('2026-01-31'), { nil: undefined, freq: 1 }),
  })
  const turn = fc.record({
    added: fc.array(drawn, { maxLength: 2 }),
    removed: fc.array(fc.nat(), { maxLength: 2 }),
  })
  let shownInAll = 0
  const numRuns = rounds(30)
  await fc.assert(
    fc.asyncProperty(
      fc.array(drawn, { minLength: 1, maxLength: 25, size: 'max' }),
      filters,
      fc.constantFrom(...NAMES),
      fc.boolean(),
      fc.integer({ min: 1, max: 6 }),
      fc.array(turn, { maxLength: 4 }),
      fc.constantFrom(ofProject(one.id), ALL),
      async (rows, filter, name, isDescending, limit, turns, url) => {
        client.exec('delete from kanban_items')
        const stored = new Map<string, Stored>()
        const add = ({ stray, ...others }: Drawn) => {
          const id = newId()
          const row = { id, ...stray, ...others }
          const { isLabelled, ...values } = row
          insert.run(values)
          if (isLabelled) attach(app, id, label)
          stored.set(id, row)
        }
        for (const row of rows) add(row)
        const passes = (row: Stored) =>
          (url === ALL || row.projectId === one.id) &&
          (filter.column.length === 0 || filter.column.includes(row.column)) &&
          (filter.assigneeId.length === 0 ||
            filter.assigneeId
              .map((value) => ({ me: 'local', none: '' })[value] ?? value)
              .includes(row.assigneeId ?? '')) &&
          (filter.label.length === 0 || filter.label.includes(row.isLabelled ? 'Bug' : 'none')) &&
          (filter.due === undefined || bytesOf(row.dueDate) === undefined) &&
          (filter.updatedAfter === undefined ||
            // SQLite sorts blobs after all texts.
            Buffer.isBuffer(row.updatedAt) ||
            String(row.updatedAt) > '2026-01-31T00:00:00.000Z')
        const compare = compareBy(name, isDescending)
        const expected = () => [...stored.values()].filter(passes).sort(compare)

        const parameters = new URLSearchParams({ sort: `${isDescending ? '-' : ''}${name}` })
        for (const [key, values] of Object.entries(filter))
          for (const value of [values ?? []].flat()) parameters.append(key, value)
        const asked = `${url}?${parameters}`
        const whole = idsOf(expected())
        deepStrictEqual(await listed(app, asked), whole, asked)
        deepStrictEqual((await pages(app, `${asked}&limit=${limit}`)).flat(), whole, `${asked}, in pages`)

        const before = new Set(whole)
        const seen = (
          await pages(app, `${asked}&limit=${limit}`, async (page) => {
            const { added = [], removed = [] } = turns[page] ?? {}
            for (const row of added) add(row)
            for (const which of removed) {
              const id = [...stored.keys()][which % Math.max(1, stored.size)] ?? ''
              client.prepare('delete from kanban_items where id = ?').run(id)
              stored.delete(id)
              before.delete(id)
            }
          })
        ).flat()
        deepStrictEqual(new Set(seen).size, seen.length, `${asked}: nothing is shown twice`)
        for (const id of before) deepStrictEqual(seen.includes(id), true, `${asked}: what stays is shown`)
        shownInAll += seen.length
      },
    ),
    { numRuns, ...steady },
  )
  t.ok(shownInAll > 2 * numRuns, `${shownInAll} items were shown`)
})

t.test('invalid UTF-8 and texts of any length have a place, too', async (t) => {
  const { app, one } = await unchecked(t)
  const { $client: client } = app.db
  const insert = client.prepare(
    'insert into kanban_items (id, project_id, title, sort_order, due_date) values (?, ?, cast(? as text), cast(? as text), cast(? as text))',
  )
  const odd = [
    Buffer.from([0xff]),
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0x80]),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('�'),
    ...['a', 'b', 'a'].map((end) => Buffer.from(`${'é'.repeat(5000)}${end}`)),
  ]
  for (const [index, value] of odd.entries()) insert.run(`odd-${index}`, one.id, value, value, value)
  const ids = odd.map((_, index) => `odd-${index}`)
  const byKey = (keyOf: (value: Buffer) => Buffer) =>
    ids.toSorted((a, b) => {
      const [left, right] = [a, b].map((id) => keyOf(odd[ids.indexOf(id)] as Buffer)) as [Buffer, Buffer]
      return Buffer.compare(left, right) || (a < b ? -1 : 1)
    })
  for (const [sort, key] of [
    ['title', (value: Buffer) => collationKey(String(value))],
    ['dueDate', (value: Buffer) => value.subarray(0, 2000)],
    ['sortOrder', (value: Buffer) => value],
  ] as const) {
    t.strictSame(await listed(app, `${ofProject(one.id)}?sort=${sort}`), byKey(key), sort)
    const inPages = await pages(app, `${ofProject(one.id)}?sort=${sort}&limit=1`)
    t.strictSame(inPages.flat(), byKey(key), `${sort}, in pages`)
    const backwards = await pages(app, `${ofProject(one.id)}?sort=-${sort}&limit=1`)
    t.strictSame(backwards.flat().toSorted(), ids, `-${sort}, in pages`)
  }
})

t.test('`me` is the caller, and caches do not store such a list', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const one = await createProject(app, {}, signInAs(app, 'admin').headers)
  const [ada, bob] = [signInAs(app, 'member'), signInAs(app, 'viewer')]
  const [first, second] = [
    await createItem(app, one.id, { assigneeId: ada.id }, ada.headers),
    await createItem(app, one.id, { assigneeId: bob.id }, ada.headers),
  ]
  const words = await createItem(app, one.id, {}, ada.headers)
  // Through the service `me` means the caller, but another tool may have stored the word.
  app.db.$client.prepare("update kanban_items set assignee_id = 'me' where id = ?").run(words.id)
  for (const url of [ofProject(one.id), ALL]) {
    for (const [member, item] of [
      [ada, first],
      [bob, second],
    ] as const) {
      const answer = await send(app, 'GET', `${url}?assigneeId=me`, undefined, member.headers)
      t.strictSame(idsOf(answer.body), [item.id])
      t.equal(answer.headers['cache-control'], 'no-store')
      const several = `${url}?assigneeId=me&assigneeId=${ada.id}`
      const both = await send(app, 'GET', several, undefined, bob.headers)
      t.strictSame([idsOf(both.body), both.headers['cache-control']], [[first.id, second.id], 'no-store'])
    }
    const all = await send(app, 'GET', url, undefined, ada.headers)
    t.strictSame(idsOf(all.body), [first.id, second.id, words.id])
    t.equal(all.headers['cache-control'], 'no-cache')
  }
})

t.test('updatedAfter is exclusive: the newest known time returns only later changes', async (t) => {
  const { app, one } = await boards(t)
  const ids: string[] = []
  for (const day of [1, 2, 3]) {
    const { id } = await createItem(app, one.id)
    app.db.$client
      .prepare('update kanban_items set updated_at = ? where id = ?')
      .run(`2026-01-0${day}T00:00:00.000Z`, id)
    ids.push(id)
  }
  for (const [after, expected] of [
    ['2025-12-31', ids],
    ['2026-01-01', ids.slice(1)],
    ['2026-01-01T01:00:00%2B01:00', ids.slice(1)],
    ['2026-01-01T23:59:59.999Z', ids.slice(1)],
    ['2026-01-03', []],
  ] as const) {
    for (const url of [ofProject(one.id), ALL])
      t.strictSame(await listed(app, `${url}?sort=updatedAt&updatedAfter=${after}`), expected, after)
  }
})

t.test('the worker thread sorts a large board if no index has the order', async (t) => {
  const { app, one } = await boards(t, { databaseUrl: `file:${join(t.testdir(), 'board.db')}` })
  const insert = app.db.$client.prepare(
    'insert into kanban_items (id, project_id, title, description, sort_order) values (?, ?, ?, ?, ?)',
  )
  app.db.$client.transaction(() => {
    for (let index = 0; index < 6000; index++)
      insert.run(`${index}`.padStart(5, '0'), one.id, `${9999 - index}`, 'x'.repeat(500), index)
  })()
  const executed = watch(t, app.db.$client)
  for (const [parameters, isOffloaded] of [
    ['sort=sortOrder', false],
    ['sort=-sortOrder', true],
    ['sort=title', true],
    ['sort=-updatedAt', true],
    ['assigneeId=none', true],
    ['label=none', true],
    ['due=none', true],
    ['updatedAfter=2001-01-01', true],
    ['approved=true', true],
    ['source=manual', true],
    ['source=manual&source=import', true],
    ['ready=true', true],
  ] as const) {
    for (const url of [ofProject(one.id), ALL]) {
      executed.log.length = 0
      const [page] = await Promise.all([send(app, 'GET', `${url}?${parameters}&limit=2`)])
      t.equal(page.status, 200)
      t.equal(page.body.length, 2, parameters)
      const readHere = executed.log.some((source) => /^select .*from "kanban_items".*limit/s.test(source))
      t.equal(readHere, !isOffloaded, `${url}?${parameters}`)
    }
  }
  const titles = (await send(app, 'GET', `${ALL}?sort=title&limit=3`)).body
  t.strictSame(idsOf(titles), ['05999', '05998', '05997'])
})
