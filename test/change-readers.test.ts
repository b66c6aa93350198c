/**
 * A thousand readers of the stream, on two services with one file, to which a third process also writes. Connections break, and
 * services are killed and restarted. Each reader must get exactly its changes, in order.
 */
import { Agent } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { ask } from './clients.ts'
import { type Connection, connectStream } from './event-source.ts'
import { onPreparedFile, type Service, start } from './process.ts'
import { pick, seededRandom } from './random.ts'

const READERS = 1000
/** The readers' filters, in turn: the query, and the condition for its changes. */
const FILTERS = [
  ['', "kind <> 'member'"],
  ['&kind=metric,objective', "kind in ('metric', 'objective')"],
  ['&projectId=apollo', "'apollo' in (project_id, from_project_id)"],
  [
    '&projectId=gemini&kind=kanban-item',
    "'gemini' in (project_id, from_project_id) and kind = 'kanban-item'",
  ],
] as const

/** A reader, which reconnects until it is stopped. */
class Follower {
  readonly seqs: number[] = []
  readonly filter: (typeof FILTERS)[number]
  connection: Connection | undefined
  connections = 0
  #isStopped = false
  #lastEventId = '0'
  readonly #service: () => Service

  constructor(service: () => Service, filter: (typeof FILTERS)[number]) {
    this.#service = service
    this.filter = filter
  }

  async run(): Promise<void> {
    while (!this.#isStopped) {
      try {
        const url = `${this.#service().url}/api/changes/stream?after=0${this.filter[0]}`
        const take = ({ id }: { id: string }) => {
          this.seqs.push(Number(id))
          this.#lastEventId = id
        }
        this.connection = await connectStream(url, take, { lastEventId: this.#lastEventId })
        this.connections++
        await this.connection.ended
        // An event with only a position counts too.
        this.#lastEventId = this.connection.parser.lastEventId ?? this.#lastEventId
      } catch {
        // The service is being restarted.
      }
      await wait(20)
    }
  }

  stop(): void {
    this.#isStopped = true
    this.connection?.close()
  }
}

/** Writes of another tool, each in its own transaction. */
function otherTool(t: Test, path: string) {
  const db = new SQLite(path)
  t.teardown(() => db.close())
  const insert = db.prepare("insert into metrics (id, project_id, name, value) values (?, 'apollo', ?, 1)")
  let count = 0
  const one = () => insert.run(`metric-${++count}`, `Metric ${count}`)
  const many = db.transaction((rows: number) => {
    for (let row = 0; row < rows; row++) one()
  })
  const undone = db.transaction(() => {
    one()
    throw new Error('rolled back')
  })
  return {
    write: (random: () => number) => {
      const choice = random()
      if (choice < 0.2) many.immediate(1 + Math.floor(random() * 30))
      else if (choice < 0.3) {
        try {
          undone.immediate()
        } catch {
          // No reader gets this change.
        }
      } else one()
    },
    db,
  }
}

t.test('after any failure, each reader gets each of its changes once, in order', async (t) => {
  const random = seededRandom(1729)
  const environment = { ...onPreparedFile(t.testdir()), AUTH_MODE: 'open' }
  const services = [await start(t, environment), await start(t, environment)]
  const path = environment.DATABASE_URL.replace(/^file:/, '')
  const { db, write } = otherTool(t, path)
  db.exec("insert into projects (id, name) values ('apollo', 'Apollo'), ('gemini', 'Gemini')")

  const followers = Array.from({ length: READERS }, (_, index) => {
    const filter = FILTERS[index % FILTERS.length] as (typeof FILTERS)[number]
    return new Follower(() => services[Math.floor(index / FILTERS.length) % 2] as Service, filter)
  })
  const running = followers.map((follower) => follower.run())
  t.teardown(() => {
    for (const follower of followers) follower.stop()
  })
  const connected = () => followers.filter(({ connections }) => connections > 0).length
  while (connected() < READERS) await wait(20)

  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const killAt = new Map([
    [8, 0],
    [16, 1],
  ])
  for (let round = 0; round < 24; round++) {
    const project = pick(random, ['apollo', 'gemini'])
    const { port } = pick(random, services)
    const written = ask(port, agent, 'POST', `/api/projects/${project}/kanban-items`, { title: 'Card' })
    write(random)
    const killed = killAt.get(round)
    if (killed === undefined) {
      t.equal((await written).status, 201)
      for (let cut = 0; cut < 20; cut++) pick(random, followers).connection?.close()
    } else {
      // The file decides whether it was written.
      await written.catch(() => undefined)
      services[killed]?.kill('SIGKILL')
      await services[killed]?.exited
      for (let more = 0; more < 5; more++) write(random)
      services[killed] = await start(t, environment)
    }
  }

  const expected = FILTERS.map(([, condition]) =>
    db.prepare<[], number>(`select seq from changes where ${condition} order by seq`).pluck().all(),
  )
  t.ok(expected.every((seqs) => seqs.length > 5))
  const expectedOf = (index: number) => expected[index % FILTERS.length] as number[]
  const isDone = ({ seqs }: Follower, index: number) => seqs.length >= expectedOf(index).length
  while (!followers.every(isDone)) await wait(20)
  for (const follower of followers) follower.stop()
  const wrong = followers.filter((follower, index) => `${follower.seqs}` !== `${expectedOf(index)}`)
  t.strictSame(
    wrong.slice(0, 3).map(({ filter, seqs, connections }) => ({ filter, connections, seqs })),
    [],
  )
  t.equal(wrong.length, 0, `${READERS} readers of ${expected[0]?.length} changes`)
  t.ok(followers.some(({ connections }) => connections > 3))
  for (const service of services) service.kill('SIGTERM')
  for (const service of services) t.match(await service.exited, { code: 0 })
  for (const service of services) t.notMatch(service.log(), /"level":(50|60)/)
  await Promise.all(running)
})
