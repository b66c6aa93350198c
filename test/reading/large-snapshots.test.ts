/** Reads by the worker thread that several identical requests share. */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { SERVICE } from '../../src/access/caller.ts'
import { openDatabase } from '../../src/db/client.ts'
import { limitWork } from '../../src/db/work-limits.ts'
import { unavailable } from '../../src/errors.ts'
import { createLargeSnapshots, type InWorker } from '../../src/reading/large-snapshots.ts'
import { createSnapshots } from '../../src/reading/snapshots.ts'
import { createScopedRules } from '../../src/requests/scoped-rules.ts'
import { Offload } from '../../src/worker/offload.ts'
import { nextTurn, until } from '../executions.ts'
import { writeTo } from '../helper.ts'
import { prepareFile } from '../prepared-file.ts'

/** The memory for snapshots, smaller than the list. */
const LITTLE = 100_000

const PROJECTS = `
  insert into projects (id, name) values ('large', 'Large'), ('small', 'Small');
  insert into kanban_items (id, project_id, title, description)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
    select 'i' || i, 'large', 'Card', printf('%.*c', 900, 'x') from n`

// One file, and one thread, which takes longer to start than to read. Each test writes what no other one has written.
const path = prepareFile(t, ({ $client }) => $client.exec(PROJECTS))(t)
const offload = new Offload({ databaseUrl: `file:${path}`, walCheckpoints: 'service' })
t.teardown(() => offload.close())

/** Large snapshots with a worker thread that the test controls. */
function setUp(t: Test) {
  const { db, close } = openDatabase(`file:${path}`)
  limitWork(db)
  const scoped = createScopedRules(db)
  const { projects, board } = scoped.all
  const waiting: { name: string; go: () => void; fail: (error: unknown) => void }[] = []
  const inWorker = ((_turn, name, ...args) =>
    new Promise((resolve, reject) => {
      const go = () => resolve(offload.read({ path: `reading.wholeProjects.${name}`, args }) as never)
      waiting.push({ name, go, fail: reject })
    })) as InWorker
  const attempts: string[] = []
  const snapshots = createLargeSnapshots(
    createSnapshots(db, projects, board.items, LITTLE),
    { scopeOf: () => undefined, withProjects: (_principal, work) => work(projects) },
    inWorker,
    (turn, work) => {
      attempts.push(String(turn))
      return work()
    },
    LITTLE,
  )
  const other = new SQLite(path)
  t.teardown(() => {
    other.close()
    close()
  })
  return { db, projects, snapshots, waiting, attempts, other }
}

/** All reads of large results. */
const READS = {
  text: (snapshots: ReturnType<typeof createLargeSnapshots>, turn: string | null = null) =>
    snapshots.project('large', { ...SERVICE, turn }),
  list: (snapshots: ReturnType<typeof createLargeSnapshots>, turn: string | null = null) =>
    snapshots.list({}, { ...SERVICE, turn }),
  page: (snapshots: ReturnType<typeof createLargeSnapshots>, turn: string | null = null) =>
    snapshots.page({}, { limit: 2 }, { ...SERVICE, turn }),
}

for (const [name, read] of Object.entries(READS)) {
  t.test(
    `${name}: all simultaneous readers get the same bytes, and nobody reads it first in the event loop`,
    async (t) => {
      const { snapshots, waiting, attempts } = setUp(t)
      const asked = ['a', 'b', 'c'].map((turn) => read(snapshots, turn))
      await nextTurn()
      t.strictSame(attempts, ['a'])
      t.strictSame(
        waiting.map((one) => one.name),
        [name],
      )
      waiting[0]?.go()
      const [first, ...others] = await Promise.all(asked)
      t.ok((first?.body.length ?? 0) > 2_000_000, 'it is too large to be kept')
      for (const other of others) {
        t.equal(other.body.buffer, first?.body.buffer)
        t.equal(other.etag, first?.etag)
      }
      t.equal(waiting.length, 1)
    },
  )

  t.test(`${name}: after a write, new readers share another read`, async (t) => {
    const { snapshots, waiting, other } = setUp(t)
    const early = read(snapshots)
    await nextTurn()
    waiting[0]?.go()
    other.exec(`update kanban_items set title = 'Changed for ${name}' where id = 'i1'`)
    const late = [read(snapshots), read(snapshots)]
    await early
    await until(() => waiting.length === 2)
    waiting[1]?.go()
    const [one, same] = await Promise.all(late)
    t.ok(`${one?.body}`.includes(`"title":"Changed for ${name}"`))
    t.equal(one?.body.buffer, same?.body.buffer)
    t.equal(waiting.length, 2)
  })

  t.test(
    `${name}: if there is no memory for the first reader, the others learn that, and nothing is built`,
    async (t) => {
      const { snapshots, waiting } = setUp(t)
      const full = { statusCode: 503, message: 'Service Unavailable', headers: { 'retry-after': '5' } }
      const asked = [read(snapshots), read(snapshots), read(snapshots)].map((one) =>
        t.rejects(Promise.resolve(one), full),
      )
      await nextTurn()
      waiting[0]?.fail(unavailable(5))
      await Promise.all(asked)
      t.equal(waiting.length, 1)
    },
  )

  t.test(`${name}: any other failure fails one reader`, async (t) => {
    const { snapshots, waiting } = setUp(t)
    const [first, second] = [read(snapshots), read(snapshots)]
    await nextTurn()
    waiting[0]?.fail(new Error('the thread has ended'))
    await t.rejects(Promise.resolve(first), { message: 'the thread has ended' })
    await until(() => waiting.length === 2)
    waiting[1]?.go()
    t.ok((await second).body.length > 2_000_000)
  })
}

for (const name of ['list', 'page'] as const) {
  t.test(`${name}: a cached one is not built again until a write`, async (t) => {
    const { db, projects, snapshots, waiting, other } = setUp(t)
    const read = async () => {
      const before = waiting.length
      const asked = READS[name](snapshots)
      await nextTurn()
      waiting[before]?.go()
      return asked
    }
    const first = await read()
    const second = await read()
    t.equal(second.body, first.body)
    t.equal(second.etag, first.etag)
    t.equal(waiting.length, 1)
    other.exec(`update projects set name = 'Larger ${name}' where id = 'large'`)
    const third = await read()
    t.match(`${third.body.subarray(0, 1000)}`, new RegExp(`Larger ${name}`))
    writeTo(db, () => projects.update('small', { name: `Smaller ${name}` }))
    const fourth = await read()
    t.ok(`${fourth.body}`.includes(`Smaller ${name}`))
    t.equal(waiting.length, 3)
    t.ok(first.body.length > 0, 'it was kept until here')
  })
}
