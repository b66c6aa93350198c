/**
 * `npm run bench:access`: the processor time of reads and writes by a member who sees 50 of 1,000 projects, as a multiple of the same by an
 * admin, who sees all, and of a service with these 50 projects only. All run in this process, without network or another thread.
 */
import type { Caller } from '../src/access/caller.ts'
import { principalOf } from '../src/access/caller.ts'
import { buildApp } from '../src/app.ts'
import { configure } from '../src/config.ts'
import { writeAs } from '../src/db/client.ts'
import { show, showRatio } from './format.ts'
import { describeMachine } from './machine.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'

commandLine(
  'bench:access',
  'Measures what reads and writes cost for a member who sees few of many projects.',
).parse()

const PROJECTS = sized(1000, 60)
const SEEN = 50
const ITEMS = 10
const READS = sized(2000, 5)
const WRITES = sized(300, 3)
const ROUNDS = sized(7, 1)

const callerAs = (id: string, role: 'admin' | 'member'): Caller => ({
  turn: id,
  principal: principalOf({ member: { id, name: id, email: null, role }, via: 'session', scope: 'write' }),
})
const ADMIN = callerAs('ada', 'admin')
const MEMBER = callerAs('bob', 'member')

/** A service with some projects, of which the member is assigned to the first ones. */
async function serviceOf(projects: number) {
  const app = await buildApp(configure({ databaseUrl: ':memory:', authMode: 'required', logLevel: 'silent' }))
  const { $client: client } = app.db
  const add = client.prepare(
    `insert into projects (id, name, access, sort_order) values (?, ?, 'assigned', ?)`,
  )
  const addItem = client.prepare(`insert into kanban_items (id, project_id, title) values (?, ?, 'Item')`)
  const assign = client.prepare('insert into team_assignments (id, project_id, member_id) values (?, ?, ?)')
  writeAs(app.db, null, () => {
    for (let index = 0; index < projects; index++) {
      const id = `project-${index}`
      add.run(id, `Project ${index}`, index)
      for (let item = 0; item < ITEMS; item++) addItem.run(`${id}-${item}`, id)
      if (index < SEEN) assign.run(`assignment-${index}`, id, 'bob')
    }
  })
  return app
}

/** Microseconds of processor time per call, the best of several rounds, because other load can only make it slower. */
async function costOf(calls: number, call: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    for (let index = 0; index < calls; index++) await call()
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / calls)
  }
  return best
}

const large = await serviceOf(PROJECTS)
const small = await serviceOf(SEEN)
let title = 0
const WORK = {
  'one project': {
    calls: READS,
    run: (app: typeof large, caller: Caller) => app.snapshots.project('project-7', caller),
  },
  'list of 50': { calls: READS, run: (app: typeof large, caller: Caller) => app.snapshots.list({}, caller) },
  'one item': {
    calls: READS,
    run: (app: typeof large, caller: Caller) => app.read(app.board.items.get('project-7-1'), caller),
  },
  'items of a project': {
    calls: READS,
    run: (app: typeof large, caller: Caller) =>
      app.read(
        app.board.itemLists.ofProject('project-7', {}, { memberId: caller.turn ?? '', isStrict: false }),
        caller,
      ),
  },
  'PATCH of an item': {
    calls: WRITES,
    run: (app: typeof large, caller: Caller) =>
      app.perform(app.board.items.update('project-7-1', { title: `Title ${title++}` }, 'bob', {}), {
        actorId: caller.turn,
        ...caller,
      }),
  },
}

console.log(describeMachine(makeFolder()))
console.log(`${SEEN} of ${PROJECTS} projects; µs of processor time, the best of ${ROUNDS} rounds`)
for (const [name, { calls, run }] of Object.entries(WORK)) {
  const member = await costOf(calls, () => run(large, MEMBER))
  const admin = await costOf(calls, () => run(name === 'list of 50' ? small : large, ADMIN))
  console.log(
    `${name}: ${show(member)} for the member, ${show(admin)} for ${name === 'list of 50' ? 'who sees just these' : 'an admin'}: ${showRatio(member / admin)}`,
  )
}
await large.close()
await small.close()
