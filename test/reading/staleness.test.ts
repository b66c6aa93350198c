/** No response about projects is ever stale, whoever writes and however reads and writes interleave. */
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { newId } from '../../src/db/ids.ts'
import { createRules } from '../../src/requests/rules.ts'
import { ref } from '../../src/schemas/common.ts'
import { ProjectSchema } from '../../src/schemas/records.ts'
import { createSerializer } from '../../src/schemas/serialization.ts'
import { openTestDatabase } from '../database.ts'
import { build, signInAs } from '../helper.ts'
import { startOtherProcess } from '../other-process.ts'
import { rounds } from '../rounds.ts'
import { shipped } from '../shipped.ts'

const serialize = createSerializer(ref(ProjectSchema))

/** The cache has room for about three projects, so entries are evicted. */
const LITTLE = 6000

interface Answer {
  status: number
  body: string
}

/** The service over HTTP, another process on its file, and a connection that only reads. */
async function setUp(t: Test, snapshotCacheBytes: number) {
  const path = join(t.testdir(), 'board.db')
  const databaseUrl = `file:${path}`
  const options = { databaseUrl, adminPassword: 'correct horse', snapshotCacheBytes }
  const app = await build(t, options, shipped.buildApp)
  const { cookie } = signInAs(app, 'admin').headers
  const port = Number(new URL(await app.listen({ port: 0 })).port)
  const other = await startOtherProcess(t, path)
  const db = openTestDatabase(t, databaseUrl)
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })
  t.teardown(() => agent.destroy())

  const exchange = (method: string, url: string, body?: unknown, etag?: string) =>
    new Promise<Answer & { etag: string | undefined }>((resolve, reject) => {
      const payload = body === undefined ? undefined : JSON.stringify(body)
      const headers = {
        cookie,
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      }
      const outgoing = request({ agent, port, host: '127.0.0.1', method, path: url, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body: text, etag: response.headers.etag })
        })
      })
      outgoing.on('error', reject).end(payload)
    })

  /** A client's cache, like a browser's. */
  const kept = new Map<string, { etag: string; body: string }>()
  async function get(url: string): Promise<Answer> {
    const mine = kept.get(url)
    const { status, body, etag } = await exchange('GET', url, undefined, mine?.etag)
    if (status === 304) return { status: 200, body: mine?.body ?? 'nothing is kept' }
    if (etag !== undefined) kept.set(url, { etag, body })
    return { status, body }
  }

  const { projects } = createRules(db)
  const fresh = {
    ids: () => db.$client.prepare<[], string>('select id from projects order by id').pluck().all(),
    project: (id: string): Answer => {
      const [found] = projects.getMany([id])
      return found
        ? { status: 200, body: serialize(found) }
        : { status: 404, body: '{"error":"Project not found"}' }
    },
    list: (filter: { status?: string; teamId?: string }): Answer => {
      const ids = projects.idsOf(filter)
      return {
        status: 200,
        body: `[${ids.map((id) => projects.getMany([id]).map(serialize).join()).join()}]`,
      }
    },
  }
  const send = async (method: string, url: string, body?: unknown) => {
    const answer = await exchange(method, url, body)
    return { ...answer, record: JSON.parse(answer.body) }
  }
  return { db, client: db.$client, other, get, send, fresh }
}
type World = Awaited<ReturnType<typeof setUp>>

const STATUSES = ['backlog', 'active']
const TEAMS = ['ops', 'dev']

/** A step. `at` and `to` choose among existing records. */
interface Step {
  kind: string
  at: number
  to: number
  text: string
}
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('get', 'list', 'filtered list', 'get all') },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'create project',
        'change project',
        'delete project',
        'create item',
        'change item',
        'delete item',
        'create subtask',
        'change subtask',
        'delete subtask',
        'refused change',
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'other: create project',
        'other: change project',
        'other: delete project',
        'other: change two projects',
        'other: move item',
        'other: label item',
        'other: change label',
        'other: add metric',
        'other: change what does not show',
        'other: change and change back',
      ),
    },
  ),
  at: fc.nat(20),
  to: fc.nat(20),
  text: fc.constantFrom('a', 'b', 'ä', '🚀'),
})

/** Performs a step, and compares each read with the database. @returns the problem, or undefined */
async function perform({ other, get, send, fresh, client }: World, { kind, at, to, text }: Step) {
  const choose = (table: string, index: number) => {
    const ids = client.prepare<[], string>(`select id from ${table} order by id`).pluck().all()
    return ids.length > 0 ? String(ids[index % ids.length]) : 'none'
  }
  const project = choose('projects', at)
  const target = choose('projects', to)
  const item = choose('kanban_items', at)
  const subtask = choose('kanban_subtasks', at)
  const status = STATUSES[to % 2]
  const teamId = TEAMS[at % 2]
  const readProject = async (id: string) => {
    const answer = await get(`/api/projects/${id}`)
    const expected = fresh.project(id)
    return answer.status === expected.status && answer.body === expected.body
      ? undefined
      : { answer, expected }
  }
  const readList = async (filter: { status?: string; teamId?: string }) => {
    const answer = await get(`/api/projects?${new URLSearchParams(filter)}`)
    const expected = fresh.list(filter)
    return answer.body === expected.body ? undefined : { answer, expected }
  }
  const now = new Date().toISOString()
  switch (kind) {
    case 'get':
      return readProject(project)
    case 'get all':
      for (const id of fresh.ids()) {
        const wrong = await readProject(id)
        if (wrong) return wrong
      }
      return undefined
    case 'list':
      return readList({})
    case 'filtered list':
      return readList(
        [{ status: status ?? '' }, { teamId: teamId ?? '' }, { status: status ?? '', teamId: teamId ?? '' }][
          (at + to) % 3
        ] ?? {},
      )
    case 'create project':
      return void (await send('POST', '/api/projects', { name: text, sortOrder: at, status, teamId }))
    case 'change project':
      return void (await send('PATCH', `/api/projects/${project}`, { name: text, status, sortOrder: to }))
    case 'delete project':
      return void (await send('DELETE', `/api/projects/${project}`))
    case 'create item':
      return void (await send('POST', `/api/projects/${project}/kanban-items`, { title: text }))
    case 'change item':
      return void (await send('PATCH', `/api/kanban-items/${item}`, { title: text, column: text }))
    case 'delete item':
      return void (await send('DELETE', `/api/kanban-items/${item}`))
    case 'create subtask':
      return void (await send('POST', `/api/kanban-items/${item}/subtasks`, { title: text }))
    case 'change subtask':
      return void (await send('PATCH', `/api/kanban-subtasks/${subtask}`, { title: text, completed: true }))
    case 'delete subtask':
      return void (await send('DELETE', `/api/kanban-subtasks/${subtask}`))
    case 'refused change':
      return void (await send('PATCH', `/api/projects/${project}`, { name: '' }))
    case 'other: create project':
      return void (await other([
        'insert into projects (id, name, status, team_id) values (?, ?, ?, ?)',
        newId(),
        text,
        status,
        teamId,
      ]))
    case 'other: change project':
      return void (await other([
        'update projects set name = ?, status = ? where id = ?',
        text,
        status,
        project,
      ]))
    case 'other: delete project':
      return void (await other(['delete from projects where id = ?', project]))
    case 'other: change two projects':
      return void (await other(
        ['update projects set next_step = ?, updated_at = ? where id = ?', text, now, project],
        ['update projects set next_step = ?, updated_at = ? where id = ?', text, now, target],
      ))
    case 'other: move item':
      return target === 'none'
        ? undefined
        : void (await other(['update kanban_items set project_id = ? where id = ?', target, item]))
    case 'other: label item':
      return item === 'none'
        ? undefined
        : void (await other(
            [
              'insert or ignore into kanban_labels (id, project_id, name) values (?, ?, ?)',
              text,
              project,
              text,
            ],
            ['insert or ignore into kanban_item_labels (item_id, label_id) values (?, ?)', item, text],
          ))
    case 'other: change label':
      return void (await other(['update kanban_labels set color = ? where id = ?', `${to}`, text]))
    case 'other: add metric':
      return project === 'none'
        ? undefined
        : void (await other([
            'insert into metrics (id, project_id, name, value) values (?, ?, ?, ?)',
            newId(),
            project,
            text,
            to,
          ]))
    case 'other: change what does not show':
      return void (await other(['update kanban_columns set color = ?', text]))
    case 'other: change and change back':
      await other(['update projects set name = name || ? where id = ?', text, project])
      return void (await other(['update projects set name = rtrim(name, ?) where id = ?', text, project]))
  }
  throw new Error(`there is no step ${kind}`)
}

t.test('after each step, every response equals the database', async (t) => {
  for (const bytes of [64_000_000, LITTLE]) {
    const world = await setUp(t, bytes)
    let reads = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60, size: 'max' }), async (steps) => {
        await world.other(['delete from projects'])
        for (const name of ['a', 'b', 'c']) {
          const { record } = await world.send('POST', '/api/projects', { name })
          await world.send('POST', `/api/projects/${record.id}/kanban-items`, { title: name })
        }
        for (const [index, one] of steps.entries()) {
          const wrong = await perform(world, one)
          if (/get|list/.test(one.kind)) reads++
          if (wrong) {
            throw new Error(`step ${index}, ${JSON.stringify(one)}: ${JSON.stringify(wrong, null, 2)}`)
          }
        }
      }),
      { numRuns: rounds(25), interruptAfterTimeLimit: rounds(90_000), markInterruptAsFailure: true },
    )
    t.ok(reads > 100, `${reads} reads were right, with ${bytes} bytes for snapshots`)
  }
})

/** An actor's next action in the concurrent test, and its delay before it, in turns of the event loop. */
interface Move {
  kind: 'get' | 'list' | 'filtered list' | 'change' | 'add' | 'both' | 'step'
  at: number
  pause: number
}
const move: fc.Arbitrary<Move> = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('get' as const, 'list' as const, 'filtered list' as const) },
    { weight: 3, arbitrary: fc.constantFrom('change' as const, 'add' as const) },
    { weight: 3, arbitrary: fc.constantFrom('both' as const, 'step' as const) },
  ),
  at: fc.nat(2),
  pause: fc.nat(3),
})

interface Shown {
  id: string
  name: string
  nextStep: string
  sortOrder: number
  health: string
  kanbanItems: unknown[]
  metrics: { value: number }[]
}

/**
 * Counters that only grow, and that every project shows: changes through the API, items added through the API, and transactions
 * of the other process, each of which changes all projects and their child records equally.
 */
const countersOf = (project: Shown) => ({
  changes: Number(project.nextStep),
  items: project.kanbanItems.length,
  others: Number(project.health),
  othersBelow: project.metrics[0]?.value ?? Number.NaN,
})

t.test('every response includes all acknowledged writes', async (t) => {
  const COUNT = 3
  for (const bytes of [64_000_000, LITTLE]) {
    const { other, get, send, client } = await setUp(t, bytes)
    let reads = 0
    const run = async (actors: Move[][]) => {
      client.exec('delete from projects')
      const ids: string[] = []
      for (let index = 0; index < COUNT; index++) {
        const { record } = await send('POST', '/api/projects', {
          name: `${index}`,
          nextStep: '0',
          health: '0',
        })
        ids.push(record.id)
        await other([
          'insert into metrics (id, project_id, name, value) values (?, ?, ?, 0)',
          record.id,
          record.id,
          'x',
        ])
      }
      /** The acknowledged values, and the requested ones. */
      const none = () => ids.map(() => ({ changes: 0, items: 0, others: 0, othersBelow: 0 }))
      const acknowledged = none()
      const asked = none()
      /** One change of a project at a time, so that later values are larger. */
      const changing = ids.map(() => Promise.resolve() as Promise<unknown>)

      const hold = (found: Shown[], since: ReturnType<typeof none>, what: string) => {
        reads++
        for (const project of found) {
          const index = ids.indexOf(project.id)
          const counters = countersOf(project)
          for (const name of ['changes', 'items', 'others', 'othersBelow'] as const) {
            const least = since[index]?.[name] ?? Number.NaN
            const most = asked[index]?.[name] ?? Number.NaN
            if (!(counters[name] >= least && counters[name] <= most)) {
              throw new Error(`${what}: ${name} of ${index} is ${counters[name]}, not ${least} to ${most}`)
            }
          }
          if (counters.others !== counters.othersBelow || counters.others !== Number(found[0]?.health)) {
            throw new Error(`${what} shows half of a transaction: ${JSON.stringify(found.map(countersOf))}`)
          }
        }
      }
      const acts: Record<Move['kind'], (index: number) => Promise<unknown>> = {
        async get(index) {
          const since = structuredClone(acknowledged)
          hold([JSON.parse((await get(`/api/projects/${ids[index]}`)).body)], since, 'GET')
        },
        async list() {
          const since = structuredClone(acknowledged)
          const found = JSON.parse((await get('/api/projects')).body)
          if (found.length !== COUNT) throw new Error(`there are ${found.length} projects`)
          hold(found, since, 'the list')
        },
        async 'filtered list'() {
          const since = structuredClone(acknowledged)
          const found = JSON.parse((await get('/api/projects?status=backlog')).body)
          if (found.length !== COUNT) throw new Error(`there are ${found.length} projects`)
          hold(found, since, 'the filtered list')
        },
        change(index) {
          const change = async () => {
            const value = ++(asked[index] as { changes: number }).changes
            const { record } = await send('PATCH', `/api/projects/${ids[index]}`, { nextStep: `${value}` })
            if (record.nextStep !== `${value}`) throw new Error('the answer does not show the change')
            ;(acknowledged[index] as { changes: number }).changes = value
          }
          const changed = (changing[index] as Promise<unknown>).then(change)
          changing[index] = changed
          return changed
        },
        async add(index) {
          ;(asked[index] as { items: number }).items++
          const { status } = await send('POST', `/api/projects/${ids[index]}/kanban-items`, { title: 'x' })
          if (status !== 201) throw new Error(`an item was answered with ${status}`)
          ;(acknowledged[index] as { items: number }).items++
        },
        async both() {
          for (const counters of asked) {
            counters.others++
            counters.othersBelow++
          }
          await other(
            ...ids.map((id) => ['update projects set health = health + 1 where id = ?', id] as const),
            ['update metrics set value = value + 1'],
          )
          for (const counters of acknowledged) {
            counters.others++
            counters.othersBelow++
          }
        },
        async step() {
          await other(['update kanban_columns set color = color'])
        },
      }
      const act = async (moves: Move[]) => {
        for (const { kind, at, pause } of moves) {
          for (let turn = 0; turn < pause; turn++) await new Promise((resolve) => setImmediate(resolve))
          await acts[kind](at)
        }
      }
      await Promise.all(actors.map(act))
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(move, { minLength: 3, maxLength: 12, size: 'max' }), {
          minLength: 2,
          maxLength: 8,
          size: 'max',
        }),
        run,
      ),
      { numRuns: rounds(20), interruptAfterTimeLimit: rounds(90_000), markInterruptAsFailure: true },
    )
    t.ok(reads > 100, `${reads} reads were new enough, with ${bytes} bytes for snapshots`)
  }
})
