/**
 * `npm run bench:undo`: the cost of undoing the deletion of a large project, compared to the deletion. The service runs as `npm
 * start` runs it, on its own file, and another connection polls its health.
 */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { seedBoard } from './board.ts'
import { show, showRatio } from './format.ts'
import { describeMachine } from './machine.ts'
import { cpuSeconds } from './process-usage.ts'
import { makeFolder } from './processes.ts'
import { commandLine, sized } from './quick.ts'
import { buildServers } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { change, idsOf, signedIn, withFile } from './stall-data.ts'
import { watchLock } from './stall-lock.ts'
import { watch } from './stall-watch.ts'

commandLine('bench:undo', 'Compares undoing the deletion of a large project with the deletion.').parse()

/** The number of items. Each has an activity entry and a subtask. */
const ITEMS = sized(5000, 300)
/** The number of deletions and undos. */
const ROUNDS = sized(3, 1)
/** The time for the service's work after its response, in milliseconds. */
const AFTERMATH = 500

/** The result of a request. */
interface Measured {
  status: number
  seconds: number
  cpu: number
  longest: number
  /** How long the write lock was taken, in milliseconds. */
  lock: number
  text: string
}

const folder = makeFolder()
const start = await buildServers(folder)
const { cpu, cores, node } = describeMachine(folder)
const file = join(folder, 'undo.db')
seedBoard(`file:${file}`, { projects: 1, itemsPerProject: ITEMS })
const { project, cookie, records } = withFile(file, (db) => {
  change(db, `update kanban_items set description = printf('%.*c', 150, 'x')`)
  for (const [table, columns, values] of [
    ['kanban_activity', 'type', `'priority'`],
    ['kanban_subtasks', 'title', `'Step'`],
  ]) {
    change(
      db,
      `insert into ${table} (id, item_id, ${columns}) select 'of ' || id, id, ${values} from kanban_items`,
    )
  }
  const tables = ['kanban_items', 'kanban_subtasks', 'kanban_activity']
  const counts = tables.map((table) => Number(idsOf(db, `select count(*) from ${table}`)[0]))
  const [id = ''] = idsOf(db, 'select id from projects')
  return { project: id, cookie: signedIn(db), records: counts.reduce((sum, one) => sum + one, 0) }
})
const server = await start('Phaseboard', { database: file })
const client = makeClient(server.port)

async function measure(method: string, path: string): Promise<Measured> {
  const { end } = await watch(server)
  const lockWatch = await watchLock({ pid: server.pid, database: file })
  await sleep(200)
  const [before, begin] = [cpuSeconds(server.pid) ?? 0, performance.now()]
  const { status, text } = await client.send(method, path, undefined, { cookie, isWanted: true })
  const seconds = (performance.now() - begin) / 1000
  await sleep(AFTERMATH)
  const used = (cpuSeconds(server.pid) ?? 0) - before
  const { longest } = await end()
  const { longest: lock } = await lockWatch.end()
  return { status, seconds, cpu: used, longest, lock, text }
}

/** The best of several rounds, because other load can only make a request slower. */
const best = (rounds: Measured[], of: 'seconds' | 'cpu' | 'longest' | 'lock') =>
  Math.min(...rounds.map((round) => round[of]))

const deletions: Measured[] = []
const undos: Measured[] = []
try {
  for (let round = 0; round < ROUNDS; round++) {
    const url = `/api/projects/${project}`
    const { text: whole } = await client.send('GET', url, undefined, { cookie, isWanted: true })
    deletions.push(await measure('DELETE', url))
    const trash = await client.send('GET', '/api/trash', undefined, { cookie, isWanted: true })
    const [{ seq }] = JSON.parse(trash.text)
    undos.push(await measure('POST', `/api/changes/${seq}/undo`))
    const { text: again } = await client.send('GET', url, undefined, { cookie, isWanted: true })
    if (again !== whole) throw new Error('the project did not come back as it was')
  }
} finally {
  client.close()
  await server.stop()
}
const bad = [...deletions, ...undos].filter(({ status }) => status !== 200)
if (bad.length > 0) throw new Error(`answered with ${bad.map(({ status }) => status)}`)

const row = (title: string, rounds: Measured[]) =>
  `| ${title} | ${show(best(rounds, 'seconds'))} | ${show(best(rounds, 'cpu'))} | ${show(best(rounds, 'longest'), 0)} | ${show((best(rounds, 'lock') / records) * 10_000, 0)} |`
const ratio = (of: 'seconds' | 'cpu') => showRatio(best(undos, of) / best(deletions, of))
console.log(`${cpu}, ${cores} cores, Node.js ${node}. A project of ${ITEMS} items, ${records} records; the best of ${ROUNDS} rounds.

| request | took, s | CPU, s | longest stall, ms | lock per 10,000 records, ms |
|---|--:|--:|--:|--:|
${row('delete the project', deletions)}
${row('undo that', undos)}
| ratio | ${ratio('seconds')} | ${ratio('cpu')} | | |`)
