import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import Fastify from 'fastify'
import t from 'tap'
import { RequestCounters } from '../../src/http/request-counters.ts'
import {
  type App,
  authenticationRequired,
  build,
  count,
  createItem,
  createProject,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'
import { onPreparedFile, start } from '../process.ts'
import { receive } from '../receivers.ts'
import { shipped } from '../shipped.ts'

const adminRequired = { error: 'Forbidden: admin access required' }

/** The metrics of a scrape: values by name and labels. */
function parse(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const blank = line.lastIndexOf(' ')
      return [line.slice(0, blank), Number(line.slice(blank + 1))]
    }),
  )
}

async function scrape(app: App, headers: Record<string, string> = {}): Promise<Map<string, number>> {
  const { status, body } = await send(app, 'GET', '/metrics', undefined, headers)
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return parse(body)
}

t.test('only an admin can scrape, unless the metrics are public', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const nobody = await send(app, 'GET', '/metrics')
    if (authMode === 'open') t.match(nobody, { status: 403, body: adminRequired })
    else t.match(nobody, { status: 401, body: authenticationRequired })
    const { id, headers } = signInAs(app, 'admin')
    const answer = await send(app, 'GET', '/metrics', undefined, headers)
    t.equal(answer.status, 200)
    t.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
    t.equal(answer.headers['cache-control'], 'no-store')
    t.match(await send(app, 'GET', '/metrics', undefined, tokenOf(app, id)), { status: 200 })
    for (const role of ['member', 'viewer'] as const) {
      const { headers } = signInAs(app, role)
      t.match(await send(app, 'GET', '/metrics', undefined, headers), { status: 403, body: adminRequired })
    }
    t.match(await send(app, 'GET', '/metrics', undefined, { authorization: 'Bearer pbt_none' }), {
      status: 401,
    })

    const open = await build(t, { authMode, metricsPublic: true })
    for (const headers of [{}, { authorization: 'Bearer pbt_none' }]) {
      const answer = await send(open, 'GET', '/metrics', undefined, headers)
      t.match(answer, { status: 200, headers: { 'cache-control': 'no-store' } })
    }
  }
})

t.test('requests are counted by route, method and status; unknown paths are one route', async (t) => {
  const app = await build(t, { metricsPublic: true })
  const project = await createProject(app)
  await createItem(app, project.id)
  for (let index = 0; index < 3; index++) await send(app, 'GET', `/api/projects/${project.id}`)
  await send(app, 'GET', '/api/projects/none')
  await send(app, 'PATCH', '/api/projects/none', {})
  for (const path of ['/wp-login.php', '/a', '/b?c=d', '/api/none']) await send(app, 'GET', path)
  await send(app, 'DELETE', '/nowhere')
  await send(app, 'GET', '/api/changes?wait=0')
  await send(app, 'PUT', '/api/projects')
  const values = await scrape(app)
  const requests = (labels: string) => values.get(`phaseboard_http_requests_total{${labels}}`)
  t.equal(requests('method="GET",route="/api/projects/:id",status="200"'), 3)
  t.equal(requests('method="GET",route="/api/projects/:id",status="404"'), 1)
  t.equal(requests('method="POST",route="/api/projects",status="201"'), 1)
  t.equal(requests('method="PUT",route="/api/projects",status="405"'), 1)
  t.equal(requests('method="any",route="unknown",status="404"'), 5)
  t.equal(requests('method="GET",route="/api/changes",status="200"'), 1)
  const time = 'phaseboard_http_request_duration_seconds'
  const labels = 'method="GET",route="/api/projects/:id",status="200"'
  t.equal(values.get(`${time}_count{${labels}}`), 3)
  t.equal(values.get(`${time}_bucket{${labels},le="+Inf"}`), 3)
  t.ok((values.get(`${time}_sum{${labels}}`) ?? 0) > 0)
  t.notOk(
    [...values.keys()].some((key) => key.startsWith(time) && key.includes('/api/changes')),
    'what waits for a change is not slow',
  )
  const text = [...values.keys()].join('\n')
  for (const secret of [project.id, 'wp-login', 'local', 'Apollo']) t.notOk(text.includes(secret), secret)
})

t.test('a 500 caused by the client is counted separately, without an alert', async (t) => {
  const app = await build(t, { metricsPublic: true })
  const post = (url: string, payload: string) =>
    app.inject({ method: 'POST', url, payload, headers: { 'content-type': 'application/json' } })
  for (const body of ['{', '', 'nope']) t.equal((await post('/api/projects', body)).statusCode, 500)
  t.equal((await post('/api/batch', '{')).statusCode, 500)
  t.equal((await send(app, 'PATCH', '/api/kanban-subtasks/none', { completed: true })).status, 500)
  app.db.$client.exec('drop table teams')
  t.equal((await send(app, 'GET', '/api/teams', undefined, signInAs(app, 'admin').headers)).status, 500)
  const failed = [...(await scrape(app))].filter(([name]) => /requests_total.*status="500"/.test(name))
  t.strictSame(Object.fromEntries(failed), {
    'phaseboard_http_requests_total{method="POST",route="/api/projects",status="500",reason="unparseable"}': 3,
    'phaseboard_http_requests_total{method="POST",route="/api/batch",status="500",reason="unparseable"}': 1,
    'phaseboard_http_requests_total{method="PATCH",route="/api/kanban-subtasks/:id",status="500",reason="not_found"}': 1,
    'phaseboard_http_requests_total{method="GET",route="/api/teams",status="500"}': 1,
  })
  t.match(readFileSync('deploy/prometheus-alerts.yml', 'utf8'), 'status="500",reason=""}')
})

t.test('buckets are cumulative, and include their upper bound', async (t) => {
  const counters = new RequestCounters()
  for (const seconds of [0, 0.001, 0.0011, 5, 6]) counters.add('/', 'GET', 200, seconds)
  const [series] = counters.all()
  t.strictSame(series?.times?.counts, [2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1])
  t.match(series, { route: '/', method: 'GET', status: 200, count: 5 })
})

t.test('writes, reads, streams and the sequence', async (t) => {
  const app = await build(t, { metricsPublic: true })
  const before = await scrape(app)
  const project = await createProject(app)
  await Promise.all([createItem(app, project.id), createItem(app, project.id)])
  for (const _ of [1, 2]) await send(app, 'GET', `/api/projects/${project.id}`)
  const stream = await app.inject({ url: '/api/changes/stream', payloadAsStream: true })
  const after = await scrape(app)
  const grown = (name: string) => (after.get(name) ?? 0) - (before.get(name) ?? 0)
  // The fourth is the place of the notifications in the sequence of changes, if it was written meanwhile.
  const writes = grown('phaseboard_commit_group_size_sum')
  t.ok(writes === 3 || writes === 4, `${writes} writes`)
  t.ok(grown('phaseboard_commit_group_size_count') <= writes, 'commits')
  t.equal(grown('phaseboard_commit_duration_seconds_count'), grown('phaseboard_commit_group_size_count'))
  t.equal(grown('phaseboard_snapshot_reads_total{result="hit"}'), 1)
  t.equal(grown('phaseboard_snapshot_reads_total{result="miss"}'), 1)
  t.equal(after.get('phaseboard_snapshot_cache_entries'), 1)
  t.ok((after.get('phaseboard_snapshot_cache_bytes') ?? 0) > 100)
  t.equal(after.get('phaseboard_changes_last_seq'), app.rules.changes.sequence.last())
  t.ok(grown('phaseboard_changes_last_seq') > 2)
  t.equal(after.get('phaseboard_change_streams'), 1)
  t.equal(after.get('phaseboard_change_polls'), 0)
  t.equal(after.get('phaseboard_write_queue_length'), 0)
  t.equal(after.get('phaseboard_worker_queue_length'), 0)
  t.equal(after.get('phaseboard_webhook_lag_changes'), 0)
  t.ok((after.get('phaseboard_database_size_bytes') ?? 0) > 10_000)
  stream.stream().destroy()
})

t.test('webhooks: their states, delays and deliveries', async (t) => {
  const app = await build(t, { metricsPublic: true, webhookAllowPrivate: true })
  const { headers } = signInAs(app, 'admin')
  const receiver = await receive(t)
  const create = (body: object) => send(app, 'POST', '/api/webhooks', body, headers)
  await create({ url: receiver.url })
  await create({ url: 'http://127.0.0.1:1/', active: false })
  app.db.$client.exec(
    `insert into webhooks (id, url, secret, active, after, failing_since, attempts, retry_at, project_id)
     values ('w', 'http://127.0.0.1:1/', 'whsec_', 1, 1, '2001-01-01T00:00:00.000Z', 1, '9999-01-01T00:00:00.000Z', 'p')`,
  )
  await createProject(app)
  let values = await scrape(app)
  const delivered = () => values.get('phaseboard_webhook_deliveries_total{outcome="delivered"}') ?? 0
  while (delivered() === 0) values = await scrape(app)
  t.equal(values.get('phaseboard_webhooks{state="active"}'), 1)
  t.equal(values.get('phaseboard_webhooks{state="failing"}'), 1)
  t.equal(values.get('phaseboard_webhooks{state="inactive"}'), 1)
  t.equal(values.get('phaseboard_webhook_lag_changes'), app.rules.changes.sequence.last() - 1)
  t.equal(values.get('phaseboard_webhook_deliveries_total{outcome="failed"}'), 0)
})

t.test('attached files: their number, bytes and transfers', async (t) => {
  const app = await build(t, { metricsPublic: true, attachmentsTotal: 1_000_000 })
  const { id } = await createItem(app, (await createProject(app)).id)
  const attach = (payload: string) =>
    app.inject({
      method: 'POST',
      url: `/api/kanban-items/${id}/attachments?name=a.txt`,
      payload,
      headers: { 'content-type': 'text/plain' },
    })
  for (const text of ['hello', 'hello', 'more']) t.equal((await attach(text)).statusCode, 201)
  // The equal file is removed after the response.
  while (count(app, 'file_contents') > 2) await sleep(10)
  app.db.$client.exec('insert into file_contents (size) values (30)')
  const leave = await app.files.uploads.wait('ada')
  await app.files.downloads.wait('ada')
  await app.files.downloads.wait('ada')
  const values = await scrape(app)
  t.equal(values.get('phaseboard_attachments_contents'), 3)
  t.equal(values.get('phaseboard_attachments_bytes'), 39)
  t.equal(values.get('phaseboard_attachments_incomplete_bytes'), 30)
  t.equal(values.get('phaseboard_attachments_limit_bytes'), 1_000_000)
  t.equal(values.get('phaseboard_file_transfers{direction="upload"}'), 1)
  t.equal(values.get('phaseboard_file_transfers{direction="download"}'), 2)
  leave()
  t.equal((await scrape(app)).get('phaseboard_file_transfers{direction="upload"}'), 0)
})

t.test("two services in one process, with a host's prefixes, have separate metrics", async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  for (const prefix of ['/one', '/two']) {
    await host.register(shipped.phaseboard, {
      prefix,
      databaseUrl: ':memory:',
      authMode: 'open',
      metricsPublic: true,
    })
  }
  for (let index = 0; index < 2; index++) await host.inject('/one/api/projects')
  await host.inject('/two/healthz')
  await host.inject('/elsewhere')
  const [one, two] = await Promise.all(
    ['/one', '/two'].map(async (prefix) => parse((await host.inject(`${prefix}/metrics`)).body)),
  )
  const name = 'phaseboard_http_requests_total{method="GET",route="/api/projects",status="200"}'
  t.equal(one?.get(name), 2, 'its routes have no prefix')
  t.equal(two?.get(name), undefined)
  t.equal(two?.get('phaseboard_http_requests_total{method="GET",route="/healthz",status="200"}'), 1)
})

t.test('dashboard and alerts use only existing metrics, and every metric has a panel', async (t) => {
  const service = await start(t, { ...onPreparedFile(t.testdir()), METRICS_PUBLIC: 'true' })
  const ask = async (path: string) => (await fetch(`${service.url}${path}`)).text()
  await ask('/healthz')
  const text = await ask('/metrics')
  const declared = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name))
  t.ok(declared.size > 20)
  const names = (content: string) =>
    new Set(
      (content.match(/\b(?:phaseboard|process|nodejs)_[a-z0-9_]+\b/g) ?? []).map((name) =>
        name.replace(/_(?:bucket|sum|count)$/, ''),
      ),
    )
  const dashboard = readFileSync('deploy/grafana-dashboard.json', 'utf8')
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: { expr: string }[] }[] }
  const shown = names(panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join('\n'))
  t.strictSame([...shown].toSorted(), [...declared].toSorted())
  for (const name of names(readFileSync('deploy/prometheus-alerts.yml', 'utf8'))) {
    t.ok(declared.has(name), `the alerts' ${name}`)
  }
  const documented = names(readFileSync('docs/operations.md', 'utf8'))
  t.strictSame(
    [...declared].filter((name) => !documented.has(name as string)),
    [],
    'all are documented',
  )
  const samples = parse(text)
  t.ok((samples.get('phaseboard_database_wal_size_bytes') ?? 0) > 0)
  t.ok((samples.get('process_open_fds') ?? 0) > 3)
  t.ok([...samples.values()].every((value) => value >= 0))
})
