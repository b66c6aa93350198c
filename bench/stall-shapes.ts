/**
 * Sends every shape of request in the OpenAPI document, again and again, during imports of boards one after another. The row
 * reports the worst of them.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashToken } from '../src/members/secrets.ts'
import { packageFile } from '../src/package-files.ts'
import { png } from '../test/attachments.ts'
import { kanboardDatabase } from '../test/exchange/kanboard-database.ts'
import { show } from './format.ts'
import { isSuccess, makeClient } from './stall-client.ts'
import { attach, change, idsOf, newestWhere } from './stall-data.ts'
import { csvTable, kanboardBoard, plankaBoard, trelloBoard } from './stall-files.ts'
import { importFile } from './stall-imports.ts'
import { type Figure, LIMITS } from './stall-report.ts'
import { ITEMS_PATH, type Remark, type Row, recordsIn, type Situation } from './stall-rows.ts'
import { times } from './times.ts'

/** The methods of the shapes, in an order that does not delete records needed later. */
const METHODS = ['get', 'patch', 'post', 'put'] as const

/** Excluded operations: those that end the session, wait, send requests or mail elsewhere, or import. */
const NOT_ASKED = new Set([
  'POST /api/session',
  'POST /api/session/link',
  'GET /api/session/oidc',
  'GET /api/session/oidc/callback',
  'GET /api/changes/stream',
  'POST /api/imports',
  'POST /api/webhooks/{id}/test',
  'POST /api/me/preferences/test-mail',
  'GET /api/calendar.ics',
])

/** Statuses of a shape whose records are not there, or not the caller's. */
const MISSING: ReadonlySet<number | string> = new Set([401, 403, 404])

/** The time limit for one shape in milliseconds. A slower one is recorded and skipped. */
const TIMEOUT = 30_000

/** The time for the service's work after a response, in milliseconds. */
const AFTERMATH = 20

interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  examples?: unknown[]
  enum?: unknown[]
  items?: Schema
  minimum?: number
  minItems?: number
  anyOf?: Schema[]
}

interface Document {
  paths: Record<
    string,
    Partial<
      Record<string, { requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> } }>
    >
  >
  components: { schemas: Record<string, Schema> }
}

/** A request and its name. */
interface Shape {
  name: string
  method: string
  path: string
  body?: unknown
}

/** A value that a schema allows, with only what it requires. */
function valueFor(schema: Schema, document: Document): unknown {
  if (schema.$ref !== undefined) {
    return valueFor(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, document)
  }
  if (schema.anyOf?.[0] !== undefined) return valueFor(schema.anyOf[0], document)
  if (schema.enum !== undefined) return schema.enum[0]
  const type = [schema.type].flat()[0]
  if (type === 'object') {
    const { properties = {}, required = [] } = schema
    return Object.fromEntries(required.map((name) => [name, valueFor(properties[name] ?? {}, document)]))
  }
  if (type === 'array') return times(schema.minItems ?? 0, () => valueFor(schema.items ?? {}, document))
  if (schema.examples !== undefined) return schema.examples[0]
  if (type === 'integer' || type === 'number') return schema.minimum ?? 1
  if (type === 'boolean') return true
  return 'Text'
}

/** A body that a schema allows, with only what it requires. If it requires nothing, the body has its first text. */
function bodyFor(schema: Schema, document: Document): unknown {
  if (schema.$ref !== undefined) {
    return bodyFor(document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, document)
  }
  const { properties = {}, required = [] } = schema
  if (required.length > 0) return valueFor(schema, document)
  const [name] = Object.keys(properties).filter((one) => properties[one]?.type === 'string')
  return name === undefined ? {} : { [name]: valueFor(properties[name] ?? {}, document) }
}

/** Bodies that name records, or must be large to be relevant. */
function bodiesOf(situation: Situation): Record<string, unknown> {
  const { items, project: projectId } = situation
  const some = items.slice(0, 500)
  const inOrder = (ids: readonly string[]) => ({
    items: ids.map((id, position) => ({ id, sortOrder: position })),
  })
  return {
    'POST /api/projects/reorder': inOrder([projectId]),
    'POST /api/projects/{id}/kanban-columns/reorder': inOrder([RECORDS['kanban-columns'] ?? '']),
    'POST /api/projects/{id}/kanban-items/reorder': {
      items: some.map((id, position) => ({ id, column: 'To Do', sortOrder: position })),
    },
    'POST /api/projects/{id}/kanban-columns': { name: `Column ${Math.random()}` },
    'POST /api/projects/{id}/kanban-labels': { name: `Label ${Math.random()}` },
    'POST /api/kanban-items/{id}/subtasks/reorder': inOrder([RECORDS['kanban-subtasks'] ?? '']),
    'POST /api/personal-ideas/reorder': inOrder([RECORDS['personal-ideas'] ?? '']),
    'PATCH /api/kanban-items': { ids: some, update: { priority: 'high' } },
    // Without a limit that refuses the moves into the column.
    'PATCH /api/kanban-columns/{id}': { wipLimit: Math.ceil(Math.random() * 1000), wipPolicy: 'warn' },
    'POST /api/kanban-items/{id}/move': { column: 'Done', position: 'bottom' },
    'PUT /api/attachments/{id}/thumbnail': png(),
    'POST /api/people/{id}/merge': { into: RECORDS.members },
    'POST /api/notifications/read': { upTo: RECORDS.notifications },
    'POST /api/session/link/check': { token: LINK_TOKEN },
    'POST /api/ingest/transcript': {
      projectId,
      title: 'Weekly',
      date: '2026-01-31',
      actionItems: times(200, () => 'x'),
    },
    'POST /api/ingest/metrics': {
      projectId,
      metrics: times(200, (n) => ({ name: `metric ${n}`, value: n })),
    },
    'PUT /api/projects/{id}/team-assignments': { members: times(500, (n) => ({ memberId: `member ${n}` })) },
    'POST /api/webhooks': { url: 'https://example.org/', active: false },
    'PATCH /api/webhooks/{id}': { description: 'Chat' },
    'PATCH /api/members/{id}': { name: 'Somebody' },
    'POST /api/members': { name: 'Somebody', email: `${Math.random()}@example.test` },
    'PATCH /api/kanban-items/{id}': { title: `Another ${Math.random()}` },
    'POST /api/batch': {
      requests: times(100, (n) => ({
        method: 'PATCH',
        path: `${ITEMS_PATH}/${items[n]}`,
        body: { priority: 'low' },
      })),
    },
    'POST /mcp': {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_items', arguments: { projectId } },
    },
    'POST /api/projects/{id}/kanban-items/claim': { leaseSeconds: 60 },
    'POST /api/kanban-items/{id}/claim/renew': { leaseSeconds: 60 },
    'PATCH /api/projects/{id}': { nextStep: `Step ${Math.random()}` },
  }
}

/** Queries that are separate shapes. */
const QUERIES: Record<string, string[]> = {
  'GET /api/projects': ['view=summary', 'limit=100', 'status=active'],
  'GET /api/projects/{id}/kanban-items': [
    'limit=500',
    'q=text',
    'sort=-updatedAt',
    'dismissed=all&updatedAfter=2026-01-01T00:00:00.000Z',
  ],
  'GET /api/kanban-items': ['q=card', 'limit=500', 'priority=high', 'dueBefore=2026-03-01T00:00:00.000Z'],
  'GET /api/search': ['q=review', 'q=a'],
  'GET /api/changes': ['limit=1000', 'kind=metric', 'after=100000&limit=1000'],
  'GET /api/projects/{id}/changes': ['limit=500'],
  'GET /api/projects/{id}/flow': ['from=2025-01-01&to=2026-12-31'],
}

/** Paths with their own record, because the common one is claimed. */
const pathsOf = ({ items }: Situation): Record<string, string> => ({
  'POST /api/kanban-items/{id}/move': `${ITEMS_PATH}/${items[7]}/move`,
})

/** The secrets of the links. */
const LINK_TOKEN = 'pbl_one-time'
const SHARE_SECRET = 'share'

/** The item whose change is undone, and then done again: no other shape changes it. */
const undoneOf = ({ items }: Pick<Situation, 'items'>): string => items.at(-1) ?? ''

/** The id for each collection in a path, set when the row starts. */
const RECORDS: Record<string, string> = {}

/** Adds a record to each collection that has none. */
function seed(db: Parameters<NonNullable<Row['prepare']>>[0]): void {
  const first = (sql: string) => idsOf(db, sql)[0] ?? ''
  const project = first('select id from projects order by id')
  const aside = first('select id from projects order by id desc')
  const item = first('select id from kanban_items order by sort_order, id')
  const admin = first(`select id from members where role = 'admin'`)
  const statements: [string, ...unknown[]][] = [
    [`insert into kanban_subtasks (id, item_id, title) values ('subtask', ?, 'Step')`, item],
    [
      `insert into kanban_comments (id, item_id, author_id, content) values ('comment', ?, ?, 'Hm')`,
      item,
      admin,
    ],
    [`insert into metrics (id, project_id, name, value) values ('metric', ?, 'Velocity', 1)`, project],
    [`insert into objectives (id, project_id, title) values ('objective', ?, 'Land')`, project],
    [
      `insert into transcript_summaries (id, project_id, title, date) values ('transcript', ?, 'Kick-off', '2026-01-31T00:00:00.000Z')`,
      project,
    ],
    [`insert into personal_ideas (id, owner_id, title) values ('idea', ?, 'Fly')`, admin],
    [`insert into teams (id, name) values ('team', 'Crew')`],
    [
      `insert into webhooks (id, url, secret, active) values ('webhook', 'http://127.0.0.1/', 'whsec_c2VjcmV0', 0)`,
    ],
    [`insert into imports (id, format, member_id, status) values ('import', 'trello', ?, 'done')`, admin],
    [`insert into api_tokens (id, member_id, name, token_hash) values ('token', ?, 'CI', 'hash')`, admin],
    [`insert into people (id, name, kind) values ('person', 'Noor', 'import')`],
    // Not of the project whose assignments a shape replaces.
    [`insert into team_assignments (id, project_id, member_id) values ('assignment', ?, 'noor')`, aside],
    [
      `insert into share_links (id, project_id, secret_hash) values ('share', ?, ?)`,
      project,
      hashToken(SHARE_SECRET),
    ],
    [
      `insert into member_links (id, kind, token_hash, expires_at) values ('link', 'invitation', ?, '2099-01-01T00:00:00.000Z')`,
      hashToken(LINK_TOKEN),
    ],
    [
      `insert into notifications (id, member_id, kind, item_id, project_id) values ('notification', ?, 'assigned', ?, ?)`,
      admin,
      item,
      project,
    ],
    [`update kanban_items set title = 'Another' where id = ?`, undoneOf(recordsIn(db))],
    [
      `update kanban_items set assignee_id = ?, claimed_until = '2099-01-01T00:00:00.000Z', claimed_from = '{"column":"To Do","sortOrder":0}' where id = ?`,
      admin,
      item,
    ],
  ]
  for (const [sql, ...values] of statements) change(db, sql, ...values)
  const attachment = attach(db, item, png(), { name: 'plan.png', mediaType: 'image/png' })
  change(db, 'update attachments set thumbnail = sha256 where id = ?', attachment)
  Object.assign(RECORDS, {
    projects: project,
    'kanban-items': item,
    'kanban-columns': first('select id from kanban_columns order by id desc'),
    'kanban-labels': first('select id from kanban_labels order by id'),
    labels: first('select id from kanban_labels order by id desc'),
    'kanban-subtasks': 'subtask',
    'kanban-comments': 'comment',
    metrics: 'metric',
    objectives: 'objective',
    'transcript-summaries': 'transcript',
    'personal-ideas': 'idea',
    teams: 'team',
    webhooks: 'webhook',
    imports: 'import',
    tokens: 'token',
    members: admin,
    people: 'person',
    attachments: attachment,
    'team-assignments': 'assignment',
    'share-links': 'share',
    shared: SHARE_SECRET,
    'member-links': 'link',
    notifications: 'notification',
    sessions: first(
      "select sessions.id from sessions join members on members.id = member_id where role = 'admin'",
    ),
  })
}

/** All shapes of a document. */
function shapesOf(document: Document, situation: Situation): Shape[] {
  const [bodies, paths] = [bodiesOf(situation), pathsOf(situation)]
  const { seq } = newestWhere(situation.file, `kind = 'kanban-item' and id = '${undoneOf(situation)}'`)
  const records: Record<string, string> = { ...RECORDS, changes: String(seq) }
  return Object.entries(document.paths).flatMap(([template, operations]) =>
    METHODS.flatMap((verb): Shape[] => {
      const operation = operations[verb]
      const method = verb.toUpperCase()
      const name = `${method} ${template}`
      if (operation === undefined || NOT_ASKED.has(name)) return []
      const path =
        paths[name] ??
        template.replace(
          /([\w-]+)\/\{\w+\}/g,
          (_, collection: string) => `${collection}/${records[collection] ?? 'none'}`,
        )
      const content = operation.requestBody?.content['application/json']
      const body = bodies[name] ?? content?.example ?? (content && bodyFor(content.schema, document))
      const shape = { name, method, path, ...(body !== undefined && { body }) }
      if (verb !== 'get') return [shape]
      const queries = (QUERIES[name] ?? []).map((query) => ({
        ...shape,
        name: `${name}?${query}`,
        path: `${path}?${query}`,
      }))
      return name === 'GET /api/search' ? queries : [shape, ...queries]
    }),
  )
}

/** Files of all formats, small and large. */
function* filesToImport(isFull: boolean): Iterable<[format: string, file: Buffer]> {
  const fixture = (name: string) => readFileSync(packageFile(`test/fixtures/${name}`))
  yield ['trello', fixture('trello-board.json')]
  yield ['planka', fixture('planka-board.json')]
  yield ['jira', fixture('jira.csv')]
  yield ['github', fixture('github-items.json')]
  yield ['kanboard', kanboardDatabase()]
  if (!isFull) return
  yield ['trello', trelloBoard(4000)]
  yield ['csv', csvTable(2000)]
  yield ['trello', fixture('trello-board-2012.json')]
  yield ['planka', plankaBoard(6000)]
  yield ['csv', fixture('tasks.csv')]
  yield ['kanboard', kanboardBoard(10_000)]
  yield ['planka', fixture('planka-board-1.json')]
  yield ['csv', csvTable(20_000)]
  yield ['jira', fixture('jira-search.json')]
  yield ['trello', trelloBoard(1000)]
  yield ['github', fixture('github-view.tsv')]
  yield ['kanboard', kanboardBoard(1000)]
  yield ['kanboard', fixture('kanboard-tasks.csv')]
  yield ['planka', plankaBoard(1000)]
  yield ['trello', trelloBoard(2000)]
  yield ['csv', csvTable(5000)]
  yield ['planka', plankaBoard(3000)]
  yield ['kanboard', kanboardBoard(5000)]
  yield ['trello', trelloBoard(4000)]
  yield ['csv', csvTable(10_000)]
}

/** A shape and its worst result. */
interface Tried extends Record<Figure, number> {
  name: string
  statuses: Set<number | string>
}

async function tryShapes(situation: Situation): Promise<Remark> {
  const { client, cookie, scale } = situation
  const isFull = scale === 'full'
  const { text } = await client.send('GET', '/openapi.json', undefined, { cookie, isWanted: true })
  const document = JSON.parse(text) as Document
  const tried = new Map<string, Tried>()
  let imported = 0
  const failed: string[] = []
  const importing = (async () => {
    for (const [format, file] of filesToImport(isFull)) {
      const { remark, project } = await importFile(situation, format, file)
      imported += 1
      if (project === undefined) failed.push(`${format}: ${remark}`)
    }
  })()
  let isOver = false
  const done = importing.finally(() => {
    isOver = true
  })
  // Its end is checked below.
  done.catch(() => undefined)
  const asking = makeClient(client.port)
  await situation.lap()
  try {
    do {
      for (const { name, method, path, body } of shapesOf(document, situation)) {
        if (isOver && tried.has(name)) continue
        const one = tried.get(name) ?? { name, statuses: new Set(), stall: 0, lock: 0, memory: 0 }
        tried.set(name, one)
        const status = await Promise.race([
          asking.send(method, path, body, { cookie }).then(({ status }) => status, String),
          sleep(TIMEOUT, `not answered within ${TIMEOUT / 1000} s`, { ref: false }),
        ])
        one.statuses.add(status)
        await sleep(AFTERMATH)
        const lap = await situation.lap()
        for (const figure of ['stall', 'lock', 'memory'] as const) {
          one[figure] = Math.max(one[figure], lap[figure])
        }
      }
    } while (!isOver)
    await done
  } finally {
    asking.close()
  }
  return remarkOf([...tried.values()], imported, failed)
}

/**
 * Whether responses with these statuses are missing, or have not measured the shape. After a success a 409 is right: the idea is
 * promoted, the project has its hundred links.
 */
const isLost = (statuses: readonly (number | string)[]): boolean =>
  statuses.some((status) => typeof status === 'string' || status >= 500 || MISSING.has(status)) ||
  !statuses.some(isSuccess)

const shown = (figure: Figure, value: number) =>
  figure === 'memory' ? `${show(value / 1e6, 0)} MB` : `${show(value, 0)} ms`

function remarkOf(tried: Tried[], imported: number, failed: string[]): Remark {
  if (process.env.SHAPES !== undefined) {
    for (const { name, statuses, stall, lock, memory } of tried) {
      console.error(
        [name, [...statuses].join(' '), show(stall, 0), show(lock, 0), show(memory / 1e6, 0)].join('\t'),
      )
    }
  }
  const worst = (['stall', 'lock', 'memory'] as const).map((figure) => {
    const [first] = tried.toSorted((one, other) => other[figure] - one[figure])
    const over = tried.filter((one) => one[figure] > LIMITS[figure]).length
    return `worst ${figure} ${first?.name} ${shown(figure, first?.[figure] ?? 0)} (${over} over)`
  })
  const lost = tried.filter(({ statuses }) => isLost([...statuses]))
  const remark = [`${tried.length} shapes beside ${imported} imports`, ...worst].join('; ')
  const failure = [
    ...lost.map(({ name, statuses }) => `${name} ${[...statuses].join(' ')}`),
    ...failed.map((one) => `import ${one}`),
  ].join('; ')
  return failure === '' ? { remark } : { remark, failure }
}

/** The row by its command-line name. */
export const SHAPES: Record<string, Row> = {
  shapes: {
    title:
      'every GET, PATCH, POST and PUT of the OpenAPI document while 25 files are imported one after another',
    data: 'history',
    isSignedIn: true,
    timeout: 600,
    prepare: seed,
    run: tryShapes,
  },
}
