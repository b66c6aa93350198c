/**
 * Records that another tool made so large that reading one would block the event loop. On every route, the worker thread reads
 * them. The operating system counts how much the event loop's thread has read.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { buildApp } from '../src/app.ts'
import { openDatabase } from '../src/db/client.ts'
import { BYTES_READ } from '../src/db/work-limits.ts'
import { isSafe } from '../src/members/identity.ts'
import { hashToken } from '../src/members/secrets.ts'
import { type App, build } from './helper.ts'
import { CALLER, declaredRoutes, RECORDS, REQUESTS, type Route, SEEDED, urlOf } from './operations.ts'

/** The number of bytes that the event loop may read for one request. */
const MOST = BYTES_READ

/** A larger text, as SQL. It has no words, so it is not indexed. */
const LONG = `printf('%${MOST + 50_000}s', '')`

/** Rows that together have more bytes, as SQL. Weighing the first thousand reads much less. */
const MANY = 'with recursive n(i) as (select 1 union all select i + 1 from n where i < 3200)'
const FILLER = "printf('%700s', '')"

/** Further rows that belong to the records of each collection. */
const MORE = `
  insert into kanban_item_labels (item_id, label_id) values ('item', 'label');
  update kanban_items set due_date = '2026-01-31T00:00:00.000Z';
  insert into kanban_activity (id, item_id, type) values ('activity', 'item', 'priority');
  insert into webhook_deliveries (id, webhook_id, seq) values ('delivery', 'webhook', 1);`

/** What another tool does to the records, and the routes that read them one by one. */
const CASES: Record<string, { sql: string; of: RegExp }> = {
  'long texts': {
    sql: `
    update projects set description = ${LONG};
    update kanban_items set description = ${LONG};
    update kanban_subtasks set title = ${LONG};
    update kanban_comments set content = ${LONG};
    update kanban_columns set color = ${LONG} where id = 'column';
    update kanban_labels set color = ${LONG};
    update metrics set unit = ${LONG};
    update objectives set description = ${LONG};
    update transcript_summaries set summary = ${LONG};
    update personal_ideas set description = ${LONG};
    update teams set description = ${LONG}`,
    of: /^(GET|PATCH|DELETE) \/api\/(?!webhooks|imports|members|sessions|tokens)[\w-]+\/:id$/,
  },
  'many children': {
    sql: `
    ${MANY} insert into kanban_subtasks (id, item_id, title) select 'step' || i, 'item', ${FILLER} from n;
    ${MANY} insert into kanban_comments (id, item_id, author_id, content) select 'comment' || i, 'item', 'ada', ${FILLER} from n;
    ${MANY} insert into kanban_activity (id, item_id, type, content) select 'entry' || i, 'item', 'priority', ${FILLER} from n`,
    of: /kanban-items/,
  },
  'many labels': {
    sql: `
    ${MANY} insert into kanban_labels (id, project_id, name) select 'word' || i, 'project', i || ${FILLER} from n;
    ${MANY} insert into kanban_item_labels (item_id, label_id) select 'item', 'word' || i from n`,
    of: /kanban-items/,
  },
}

const TOKEN = 'pbt_of-the-caller'
const CALLING = { cookie: `phaseboard_session=${TOKEN}` }

/** The order of the routes: each comes before others change or delete its record. */
const ORDER = [
  /^GET /,
  /undo$/,
  /^PATCH /,
  /^(PUT|POST) /,
  /^DELETE .*(claim|:labelId)$/,
  /^DELETE (?!.*(kanban-items|projects|members|sessions)\/:id|.*session$)/,
  /kanban-items\/:id$/,
  /projects\/:id$/,
  /members/,
  /sessions/,
  /session$/,
]
const placeOf = ({ method, path }: Route): number =>
  ORDER.findIndex((pattern) => pattern.test(`${method} ${path}`))

/** The number of bytes that the event loop's thread has read so far, from files and otherwise; 0 if the system does not count them. */
function bytesRead(): number {
  if (process.platform !== 'linux') return 0
  const counted = readFileSync(`/proc/self/task/${process.pid}/io`, 'utf8')
  return Number(/^rchar: (\d+)/.exec(counted)?.[1])
}

/** A record of each collection, changed by another tool. */
const recordsWith = (sql: string): string => `
  insert into members (id, name, email, role) values ('${CALLER}', 'Ada', 'ada@example.test', 'admin');
  ${SEEDED} ${MORE} update sessions set token_hash = '${hashToken(TOKEN)}'; ${sql};
  delete from changes where seq <> 1000000;
  create table notes (note text);`

/** Removes what may differ between two applications: ids, times and secrets. */
const masked = (body: string): string =>
  body.replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z|\d{8}T\d{6}Z|[\da-f]{8}-[\da-f]{4}-[\da-f-]+|(pbt|whsec)_[\w+/=-]+|\\?"etag\\?":\\?"[^,]*/g,
    '*',
  )

/** Sends a valid request. The bodies are so large that they are compared as texts. */
async function ask(app: App, { method, path }: Route): Promise<{ status: number; body: string }> {
  const [, body] = REQUESTS[`${method} ${path}`] ?? []
  const url = urlOf(path, (collection) => RECORDS[collection])
  const key = isSafe(method) ? {} : { 'idempotency-key': randomUUID() }
  const { statusCode, body: answered } = await app.inject({
    method: method as 'GET',
    url,
    headers: { ...CALLING, ...key, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  })
  return { status: statusCode, body: answered }
}

const { routes } = await declaredRoutes()
const asked = routes.toSorted((one, other) => placeOf(one) - placeOf(other))

for (const [name, { sql, of }] of Object.entries(CASES)) {
  t.test(name, async (t) => {
    const path = join(t.testdir(), 'board.db')
    const { db, close } = openDatabase(`file:${path}`)
    db.$client.exec(recordsWith(sql))
    db.$client.pragma('wal_checkpoint(truncate)')
    close()
    const app = await build(t, { databaseUrl: `file:${path}`, authMode: 'required' })
    // It reads what the requests write afterwards, in small steps.
    await app.notificationConsumer.stop()
    // The other one's responses, which must be the same, are checked against the document.
    const unlimited = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent', authMode: 'required' })
    t.teardown(() => unlimited.close())
    unlimited.db.$client.exec(recordsWith(sql))
    const other = new SQLite(path)
    t.teardown(() => other.close())

    for (const route of asked.filter(({ method, path }) => of.test(`${method} ${path}`))) {
      const title = `${route.method} ${route.path}`
      const expected = await ask(unlimited, route)
      // Another tool's write, which invalidates everything that the service has cached of the file.
      other.exec("insert into notes values ('')")
      const before = bytesRead()
      const { status, body } = await ask(app, route)
      const read = bytesRead() - before
      t.ok(read <= MOST, `${title}: the event loop reads ${read} bytes`)
      t.equal(status, expected.status, `${title}: it is answered as where nothing is too much`)
      t.ok(masked(body) === masked(expected.body), `${title}: and what it says is the same`)
    }
  })
}
