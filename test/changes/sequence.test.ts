/** Every write, by any writer, is in the sequence of changes: it describes the whole file, forwards and backwards. */
import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { KINDS } from '../../src/db/kinds.ts'
import { trelloBoardIn } from '../../src/exchange/sources/trello.ts'
import { importTrelloBoard } from '../exchange/trello-imports.ts'
import { type App, send, signInAs } from '../helper.ts'
import { KIND_EXAMPLES, literal, ROUTED } from '../kinds.ts'
import { rounds } from '../rounds.ts'
import { shipped } from '../shipped.ts'
import { holdsGroups, holdsSequence, rowsOf } from './replay.ts'

/** A service on a file, and the connection of another tool. */
async function setUp(t: Test) {
  const path = join(t.testdir(), 'board.db')
  // Without checking responses against the document: another tool stores what no response should contain.
  const app = (await shipped.buildApp({
    databaseUrl: `file:${path}`,
    adminPassword: 'correct horse',
    logLevel: 'silent',
  })) as App
  t.teardown(() => app.close())
  const tool = new SQLite(path)
  t.teardown(() => tool.close())
  return { app, tool }
}

/** The choices of a random write. Everything is a number, so that it is valid in any state. */
interface Step {
  what: number
  which: number
  other: number
  text: string
}

const steps = fc.array(
  fc.record({
    what: fc.nat(),
    which: fc.nat(),
    other: fc.nat(),
    text: fc.oneof(
      fc.constantFrom('To Do', 'Review', 'Done', 'Bug', 'a "quoted" \\ text', 'é\u2028', ''),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
  }),
  { minLength: 5, maxLength: 40 },
)

/** The tables for statements of another tool, and the columns that these set. */
const TABLES = KIND_EXAMPLES.flatMap(({ table, of, row, changed }) => {
  if (!changed) return []
  const values = Object.entries(row).map(([name, value]) => [name, literal(value)])
  const parent = of && [`${of}_id`, `(select id from ${of === 'item' ? 'kanban_items' : 'projects'} limit 1)`]
  return { table, columns: changed, required: Object.fromEntries(parent ? [parent, ...values] : values) }
})

const pick = <T>(list: readonly T[], index: number): T | undefined =>
  list.length === 0 ? undefined : list[index % list.length]

/** A statement of another tool, with any of the ways in which SQLite writes rows. */
function statement(tool: SQLite.Database, { what, which, other, text }: Step): string {
  const { table, columns, required } = pick(TABLES, what) as (typeof TABLES)[number]
  const ids = tool.prepare<[], string>(`select id from ${table} order by id`).pluck().all()
  const id = pick(ids, which) ?? 'none'
  const quoted = (value: string) => `'${value.replaceAll("'", "''").replaceAll('\0', '')}'`
  const column = pick(columns, other) as string
  const values = ['null', '7', '1.25', quoted(text), "x'00ff'", "'{}'", quoted(String(other))]
  const value = pick(values, which + other) as string
  const or = pick(['', 'or replace', 'or ignore'], other) as string
  const names = Object.keys(required).join(', ')
  const given = Object.values(required).join(', ')
  const forms = [
    `update ${or} ${table} set "${column}" = ${value} where id = ${quoted(id)}`,
    `update ${table} set ${table === 'kanban_comments' ? 'edited_at' : 'updated_at'} = 'later' where id = ${quoted(id)}`,
    `update ${or} ${table} set id = ${quoted(`${id}2`)} where id = ${quoted(id)}`,
    `delete from ${table} where id = ${quoted(id)}`,
    `insert ${or} into ${table} (id, ${names}) values (${quoted(other % 2 ? id : `n${other}`)}, ${given})`,
    `insert into ${table} (id, ${names}) values (${quoted(id)}, ${given}) on conflict (id) do update set "${column}" = ${value}`,
    `insert ${or} into kanban_item_labels values ((select id from kanban_items limit 1), (select id from kanban_labels limit 1))`,
    `delete from kanban_item_labels`,
    `update ${or} kanban_item_labels set label_id = (select id from kanban_labels order by id desc limit 1)`,
    `insert ${or} into team_members values ((select id from teams limit 1), 'm${other % 5}')`,
    `update ${or} team_members set member_id = 'm${which % 5}' where member_id = 'm${other % 5}'`,
    `delete from team_members where member_id = 'm${other % 5}'`,
  ]
  return pick(forms, what + which + other) as string
}

/** Runs statements like another tool: alone, or in a transaction that may be rolled back. */
function writeAsTool(tool: SQLite.Database, step: Step): void {
  tool.pragma(`foreign_keys = ${step.which % 3 === 0 ? 'off' : 'on'}`)
  tool.pragma(`recursive_triggers = ${step.which % 5 === 0 ? 'on' : 'off'}`)
  const attempt = (sql: string) => {
    try {
      tool.exec(sql)
    } catch (error) {
      if (!(error instanceof SQLite.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error
    }
  }
  if (step.other % 4 > 0) {
    attempt(statement(tool, step))
    return
  }
  tool.exec('begin')
  attempt(statement(tool, step))
  attempt(statement(tool, { ...step, what: step.what + 1 }))
  tool.exec(step.other % 8 === 0 ? 'rollback' : 'commit')
}

/** A request on existing records, or several in a batch. Many are refused. */
async function writeAsClient(app: App, headers: Record<string, string>, { what, which, other, text }: Step) {
  const one = async (url: string) => {
    const list = (await send(app, 'GET', url, undefined, headers)).body as { id: string }[]
    return pick(list, which)?.id ?? 'none'
  }
  const project = await one('/api/projects')
  const item = await one('/api/kanban-items?dismissed=all')
  const comment = await one(`/api/kanban-items/${item}/comments`)
  const name = text || 'Name'
  const newest = rowsOf(app.db.$client).at(-1)?.seq ?? 0
  const forms: [string, string, unknown?][] = [
    ['POST', '/api/projects', { name, type: pick(['technical', 'business'], other) }],
    ['PATCH', `/api/projects/${project}`, { nextStep: text, metadata: { text } }],
    ['DELETE', `/api/projects/${project}`],
    ['POST', '/api/projects/reorder', { items: [{ id: project, sortOrder: other }] }],
    ['POST', `/api/projects/${project}/kanban-items`, { title: name, column: name }],
    ['PATCH', `/api/kanban-items/${item}`, { column: name, assigneeId: text, dueDate: '2027-01-01' }],
    ['PATCH', `/api/kanban-items/${item}`, {}],
    ['PATCH', '/api/kanban-items', { ids: [item], update: { dismissed: other % 2 === 0 } }],
    ['POST', `/api/kanban-items/${item}/move`, { column: name, projectId: project, position: 'top' }],
    ['DELETE', `/api/kanban-items/${item}`],
    ['POST', `/api/kanban-items/${item}/subtasks`, { title: name }],
    ['PATCH', `/api/kanban-subtasks/${await one(`/api/kanban-items/${item}/subtasks`)}`, { completed: true }],
    ['POST', `/api/kanban-items/${item}/comments`, { content: name }],
    ['PATCH', `/api/kanban-comments/${comment}`, { content: `${name} ${other}` }],
    ['DELETE', `/api/kanban-comments/${comment}`],
    ['POST', `/api/projects/${project}/kanban-items/reorder`, { items: [{ id: item, sortOrder: other }] }],
    ['POST', `/api/projects/${project}/kanban-items/claim`, { leaseSeconds: 30 + (other % 60) }],
    ['POST', `/api/kanban-items/${item}/claim/renew`, { leaseSeconds: 30 + (other % 60) }],
    ['DELETE', `/api/kanban-items/${item}/claim`],
    ['POST', `/api/changes/${newest - (other % 20)}/undo`],
    ['POST', `/api/changes/${newest}/undo`],
    ['POST', `/api/projects/${project}/kanban-labels`, { name }],
    ['PUT', `/api/kanban-items/${item}/labels/${await one(`/api/projects/${project}/kanban-labels`)}`],
    ['DELETE', `/api/kanban-labels/${await one(`/api/projects/${project}/kanban-labels`)}`],
    ['POST', `/api/projects/${project}/kanban-columns`, { name }],
    ['PATCH', `/api/kanban-columns/${await one(`/api/projects/${project}/kanban-columns`)}`, { name }],
    ['DELETE', `/api/kanban-columns/${await one(`/api/projects/${project}/kanban-columns`)}?moveTo=Done`],
    ['POST', `/api/projects/${project}/objectives`, { title: name }],
    ['POST', '/api/ingest/metrics', { projectId: project, metrics: [{ name, value: other % 9 }] }],
    [
      'POST',
      '/api/ingest/transcript',
      { projectId: project, title: name, date: '2026-01-01', actionItems: [name] },
    ],
    [
      'PUT',
      `/api/projects/${project}/team-assignments`,
      { members: [{ memberId: `m${other % 3}` }], leadId: text },
    ],
    ['POST', '/api/personal-ideas', { title: name }],
    ['POST', `/api/personal-ideas/${await one('/api/personal-ideas')}/promote`],
    ['POST', '/api/teams', { name, memberIds: ['a', `m${other % 4}`] }],
    [
      'PATCH',
      `/api/teams/${await one('/api/teams')}`,
      { name, memberIds: [`m${other % 4}`, `n${which % 3}`] },
    ],
    ['DELETE', `/api/teams/${await one('/api/teams')}`],
    ['POST', '/api/members', { name, email: `m${other % 7}@example.test` }],
    ['PATCH', `/api/members/${await one('/api/members')}`, { name }],
  ]
  const formOf = (index: number) => pick(forms, index) as (typeof forms)[number]
  const batched = [what, which, other].map(formOf).map(([method, path, body]) => ({ method, path, body }))
  const isBatch = (what + which) % 5 === 0
  const batch = { requests: batched.slice(other % 3), dryRun: other % 7 === 0 }
  const [method, url, body] = isBatch ? (['POST', '/api/batch', batch] as const) : formOf(what)
  const answer = await send(app, method, url, body, headers)
  const made = rowsOf(app.db.$client).filter(({ seq }) => seq > newest)
  const isKept = answer.status < 300 && !(isBatch && batch.dryRun)
  if (!isKept) deepStrictEqual(made, [], 'what is refused, or only tried, changes nothing')
  deepStrictEqual(
    new Set(made.map(({ group }) => group)).size,
    Math.min(made.length, 1),
    'one write, one group',
  )
  const seq = answer.headers['phaseboard-seq']
  deepStrictEqual([seq, url], [made.length === 0 ? undefined : String(made.at(-1)?.seq), url])
  for (const { actor_id } of made) deepStrictEqual(actor_id !== null, true, `${method} ${url} says who`)
}

/** Creates, changes and deletes a record of every kind, because random writes may have missed some. */
async function writeAll(app: App, headers: Record<string, string>): Promise<void> {
  const make = async (url: string, body: object, method = 'POST') => {
    const { status, body: made } = await send(app, method, url, body, headers)
    deepStrictEqual(status < 300, true, `${method} ${url}: ${JSON.stringify(made)}`)
    return made
  }
  const project = await make('/api/projects', { name: 'Apollo' })
  const of = `/api/projects/${project.id}`
  const item = await make(`${of}/kanban-items`, { title: 'Card' })
  const ofItem = `/api/kanban-items/${item.id}`
  for (const role of ['lead', 'member']) {
    await make(`${of}/team-assignments`, { members: [{ memberId: 'bob', role }] }, 'PUT')
  }
  const children: [string, { id: string }, object][] = []
  for (const { of: parent, listPath, routes } of ROUTED) {
    const { id } = parent === 'item' ? item : project
    const { collection, create, update } = routes
    children.push([collection, await make(listPath.replace('{id}', id), create), update])
  }
  const made: [string, { id: string }, object][] = [
    ['members', await make('/api/members', { name: 'Bob', email: 'bob@all.test' }), { name: 'Bo' }],
    ['teams', await make('/api/teams', { name: 'Ops', memberIds: ['bob'] }), { memberIds: ['ada'] }],
    ['personal-ideas', await make('/api/personal-ideas', { title: 'Fly' }), { title: 'Dive' }],
    ...children,
    ['kanban-items', item, { column: 'Done' }],
    ['projects', project, { nextStep: 'Go' }],
  ]
  const label = children.find(([collection]) => collection === 'kanban-labels')
  await make(`${ofItem}/labels/${label?.[1].id}`, {}, 'PUT')
  for (const [collection, { id }, change] of made) await make(`/api/${collection}/${id}`, change, 'PATCH')
  for (const [collection, { id }] of made) {
    deepStrictEqual((await send(app, 'DELETE', `/api/${collection}/${id}`, undefined, headers)).status, 200)
  }
  // A former member becomes a person, is merged into another, and is forgotten.
  const cleo = await make('/api/members', { name: 'Cleo', email: 'cleo@all.test' })
  const [{ id: somebody }] = (await send(app, 'GET', '/api/members', undefined, headers)).body
  await send(app, 'DELETE', `/api/members/${cleo.id}`, undefined, headers)
  await make(`/api/people/${cleo.id}/merge`, { into: somebody })
  deepStrictEqual((await send(app, 'DELETE', `/api/people/${cleo.id}`, undefined, headers)).status, 200)
}

t.test('a number is recorded exactly, also by an older version of SQLite', async (t) => {
  const { app, tool } = await setUp(t)
  // The former behaviour: 15 digits, and infinity is not valid JSON.
  tool.unsafeMode()
  tool.pragma('trusted_schema = on')
  tool.function('json_quote', (value: unknown) => {
    if (typeof value !== 'number') return JSON.stringify(value)
    return Number.isFinite(value) ? String(Number(value.toPrecision(15))) : String(value).slice(0, -5)
  })
  const { id } = (await send(app, 'POST', '/api/projects', { name: 'Board' })).body
  const last = rowsOf(app.db.$client).at(-1)?.seq
  for (const sortOrder of [0.1 + 0.2, Infinity, 7, -Infinity]) {
    tool.prepare('update projects set sort_order = ? where id = ?').run(sortOrder, id)
  }
  holdsSequence(app.db.$client)
  const { status, body } = await send(app, 'GET', `/api/changes?after=${last}`)
  t.equal(status, 200)
  t.equal(body.changes[0].after.sortOrder, 0.1 + 0.2)
  t.equal(body.changes.length, 4)
})

t.test('every table can be rebuilt from the sequence alone', async (t) => {
  const { app, tool } = await setUp(t)
  const board = trelloBoardIn(JSON.parse(readFileSync('test/fixtures/trello-board-2012.json', 'utf8')))
  await fc.assert(
    fc.asyncProperty(steps, async (some) => {
      // Created again each time, because the other tool may have deleted the last one.
      const admin = signInAs(app, 'admin').headers
      for (const step of some) {
        const way = (step.what + step.other) % 11
        if (way === 0) importTrelloBoard(app.db, board, { again: true })
        else if (way < 5) writeAsTool(tool, step)
        else await writeAsClient(app, admin, step)
      }
      const rows = holdsSequence(tool)
      holdsGroups(rows)
      deepStrictEqual(tool.prepare("select * from changes_pending where kind = 'team-members'").all(), [])
    }),
    { numRuns: rounds(20), endOnFailure: true, includeErrorInReport: true },
  )
  await writeAll(app, signInAs(app, 'admin').headers)
  holdsSequence(tool)
  const tracked = new Set(rowsOf(tool).map(({ kind, action }) => `${kind} ${action}`))
  const actions = KINDS.flatMap(({ kind, onlyDeleted }) =>
    ['created', 'updated', 'deleted'].map((action) => ({ kind, action, onlyDeleted })),
  )
  const possible = actions.filter(
    ({ kind, action, onlyDeleted }) =>
      action === 'deleted' || !(onlyDeleted || (kind === 'kanban-item-label' && action === 'updated')),
  )
  t.strictSame(
    possible.map(({ kind, action }) => `${kind} ${action}`).filter((one) => !tracked.has(one)),
    [],
    'all of it was told of',
  )
})
