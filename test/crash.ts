/**
 * Crashes the service: many clients write at once, the process is killed, and its files are compared
 * with the acknowledged writes; then it restarts on the same file, and the next round begins.
 *
 * The seed fixes each client's requests and the time of the kill. How requests interleave depends on
 * the machine.
 */
import { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ask } from './clients.ts'
import {
  agrees,
  type Client,
  compare,
  type Fields,
  isShared,
  type Kind,
  type Model,
  newModel,
  readState,
  type State,
  sending,
  settle,
  type Write,
  withoutRelations,
} from './crash-model.ts'
import { type Owner, type Service, start } from './process.ts'
import { pick, seededRandom } from './random.ts'

const CLIENTS = 32
const SHARED_ITEMS = 4
/** The number of latest acknowledged requests that are repeated after a crash. */
const REPEATED = 50
/** The maximum time from the last awaited response to the kill, in milliseconds: as long as a few writes take. */
const LONGEST_DELAY = 10
/** The admin who deletes projects. */
export const ADMIN = { email: 'admin@localhost', password: 'correct horse' }

const COLLECTIONS = {
  project: () => '/api/projects',
  item: (project: string) => `/api/projects/${project}/kanban-items`,
  subtask: (item: string) => `/api/kanban-items/${item}/subtasks`,
  idea: () => '/api/personal-ideas',
}
const RECORDS = {
  project: 'projects',
  item: 'kanban-items',
  subtask: 'kanban-subtasks',
  idea: 'personal-ideas',
}
const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']
const PRIORITIES = ['low', 'medium', 'high', 'critical']

/** What to do. */
interface CrashOptions {
  /** The database file, which is created. */
  file: string
  rounds: number
  /** The maximum number of acknowledged writes before a kill. */
  mostWrites: number
  seed: number
  /** Called for each round. */
  onRound?: (round: Round) => void
}

/** The result of one round. */
export interface Round {
  acknowledged: number
  /** Unacknowledged writes when the process was killed, and how many of them had happened. */
  inFlight: number
  happened: number
  records: number
}

/** The result of all rounds. The first round with a problem is the last. */
interface Report {
  seed: number
  rounds: Round[]
  problems: string[]
  /** The final model. */
  model: Model
}

const make = (kind: Kind, target: string, fields: Fields): Write => ({ method: 'POST', kind, target, fields })
const change = (kind: Kind, target: string, fields: Fields): Write => ({
  method: 'PATCH',
  kind,
  target,
  fields,
})
const move = (target: string, column: string, position: 'top' | 'bottom'): Write => ({
  ...change('item', target, { column }),
  position,
})
const remove = (kind: Kind, target: string): Write => ({ method: 'DELETE', kind, target, fields: {} })

/** A client's next request. */
export function choose(model: Model, client: Client, random: () => number): Write {
  client.marks += 1
  const mark = `${client.number}-${client.marks}`
  const shared = [...model.shared.known].filter(([, { kind }]) => kind === 'item')
  /** A random one of the client's own records, or '' if it has none. */
  const target = (kind: Kind) => {
    const ids = [...client.known.keys()].filter((id) => client.known.get(id)?.kind === kind)
    return ids.length > 0 ? pick(random, ids) : ''
  }
  const some = (fields: Fields) => {
    const chosen = Object.entries(fields).filter(() => random() < 0.7)
    return chosen.length > 0 ? Object.fromEntries(chosen) : fields
  }
  const column = pick(random, [...COLUMNS, `lane ${mark}`, `lane ${mark}`])
  const priority = pick(random, [...PRIORITIES, `priority ${mark}`])
  const assigneeId = pick(random, [null, `member ${mark}`])
  const title = `card ${mark}`
  // Some rows are too long for one page.
  const description = mark.repeat(Math.floor(random() * 100) ** 2 / 10)
  const name = `project ${mark}`
  const project = target('project')
  const item = target('item')
  const subtask = target('subtask')
  const writes: [number, Write][] = [
    [2, make('project', '', { name, description, metadata: { mark } })],
    [1, change('project', project, { name, nextStep: mark })],
    [1, remove('project', project)],
    [6, make('item', project, { title, ...some({ column, priority, assigneeId, description }) })],
    [14, change('item', item, some({ column, priority, assigneeId, title }))],
    [6, change('item', pick(random, shared)[0], { column, priority, title, assigneeId: `member ${mark}` })],
    [3, move(item, column, pick(random, ['top', 'bottom']))],
    [2, remove('item', item)],
    [3, make('subtask', item, { title })],
    [3, change('subtask', subtask, some({ title, completed: random() < 0.5, sortOrder: client.marks }))],
    [1, remove('subtask', subtask)],
    [1, make('idea', '', { title, description })],
  ]
  const needsTarget = ({ method, kind }: Write) => method !== 'POST' || kind === 'item' || kind === 'subtask'
  const possible = writes.filter(([, write]) => write.target !== '' || !needsTarget(write))
  return pick(
    random,
    possible.flatMap(([weight, write]) => Array<Write>(weight).fill(write)),
  )
}

/** A sent write, and the record in its response. */
export interface Sent {
  client: Client
  write: Write
  answer: Fields | undefined
  /** How to send it again, if it has a key and was acknowledged. */
  again?: { method: string; path: string; body: object | undefined; seq: string | undefined }
}

/** The header that identifies the write of a request. */
export const NUMBER_HEADER = 'x-write'

/** A service under load. */
export interface Load {
  service: Service
  model: Model
  /** The admin's session, which deletes projects. */
  cookie: string
  /** All writes, in the order in which they were sent. */
  sent: Sent[]
  problems: string[]
}

/** Sends one write, and records its response. @throws if there is none; a wrong response is a problem */
export async function perform(
  { service, model, cookie, sent, problems }: Load,
  client: Client,
  agent: Agent,
  write: Write,
) {
  const { kind, target, fields, position } = write
  const record = `/api/${RECORDS[kind]}/${target}`
  const path = position ? `${record}/move` : write.method === 'POST' ? COLLECTIONS[kind](target) : record
  const method = position ? 'POST' : write.method
  const entry: Sent = { client, write, answer: undefined }
  const number = sent.push(entry) - 1
  // Some have no key, which is another code path. The key for a deleted project is the admin's, not the default
  // member's.
  if (number % 3 > 0 && kind !== 'project') write.key = `${client.number}-${client.marks}-${number}`
  const acknowledged = sending(model, client, write)
  const session = method === 'DELETE' && kind === 'project' ? cookie : ''
  const body = method === 'DELETE' ? undefined : { ...fields, ...(position && { position }) }
  const answer = await ask(service.port, agent, method, path, body, session, {
    [NUMBER_HEADER]: String(number),
    ...(write.key && { 'idempotency-key': write.key }),
  })
  const seq = answer.headers['phaseboard-seq'] as string | undefined
  if (write.key) entry.again = { method, path, body, seq }
  const { status } = answer
  if (status !== (write.method === 'POST' ? 201 : 200)) {
    problems.push(`${method} ${path} was answered with ${status}: ${JSON.stringify(answer.body)}`)
  } else if (method !== 'DELETE' && !isShared(model, client, write) && !agrees(answer.body, fields)) {
    problems.push(
      `${method} ${path} ${JSON.stringify(fields)} was answered with ${JSON.stringify(answer.body)}`,
    )
  } else {
    entry.answer = withoutRelations(answer.body)
    acknowledged(entry.answer)
  }
}

/** Signs in the admin, and creates the shared records. @returns the session's cookie */
export async function prepare(load: Omit<Load, 'cookie'>): Promise<string> {
  const { service, model, problems } = load
  const agent = new Agent()
  const { status, cookie } = await ask(service.port, agent, 'POST', '/api/session', ADMIN)
  if (status !== 201) problems.push(`the admin's sign-in was answered with ${status}`)
  const send = (write: Write) => perform({ ...load, cookie }, model.shared, agent, write)
  await send(make('project', '', { name: 'shared' }))
  const [project = ''] = model.shared.known.keys()
  for (let index = 0; index < SHARED_ITEMS; index += 1)
    await send(make('item', project, { title: `shared ${index}` }))
  return cookie.replace(/;.*/, '')
}

/**
 * Writes with all clients at once, and kills the service in between.
 * @returns the number of acknowledged writes
 */
async function writeUntilKilled(load: Load, mostWrites: number, seed: number): Promise<number> {
  const { service, model, problems } = load
  const random = seededRandom(seed)
  const enough = Math.ceil(mostWrites * (0.2 + 0.8 * random()))
  // Every second time at once: if a response is sent too early, it is the latest one.
  const delay = random() < 0.5 ? 0 : random() * LONGEST_DELAY
  let acknowledged = 0
  let killed = false
  function kill() {
    killed = true
    service.kill('SIGKILL')
  }
  await Promise.all(
    model.clients.map(async (client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const random = seededRandom(seed + Math.imul(client.number + 1, 0x9e3779b1))
      try {
        while (!killed && problems.length === 0) {
          await perform(load, client, agent, choose(model, client, random))
          acknowledged += 1
          if (acknowledged !== enough) continue
          if (delay === 0) kill()
          else setTimeout(kill, delay)
        }
      } catch (error) {
        if (!killed) problems.push(`client ${client.number}, before the kill: ${error}`)
      } finally {
        agent.destroy()
      }
    }),
  )
  kill()
  const { code, signal, stderr } = await service.exited
  if (signal !== 'SIGKILL') problems.push(`the service ended by itself, with ${code ?? signal}: ${stderr}`)
  return acknowledged
}

/** Creates a project, an item and a subtask, so that an example of each remains whatever the kills interrupted. */
async function createExamples(load: Load): Promise<void> {
  const [client] = load.model.clients
  if (!client) return
  const agent = new Agent()
  let target = ''
  for (const kind of ['project', 'item', 'subtask'] as const) {
    await perform(
      load,
      client,
      agent,
      make(kind, target, kind === 'project' ? { name: kind } : { title: kind }),
    )
    target = [...client.known.keys()].at(-1) ?? ''
  }
}

/** Repeats acknowledged requests with their keys. Nothing is performed again, and each gets the stored response. */
async function repeat({ service, sent, problems }: Load, { kept }: State): Promise<void> {
  const agent = new Agent({ keepAlive: true })
  const acknowledged = sent.flatMap(({ write, answer, again }) =>
    write.key !== undefined && answer && again ? [{ key: write.key, answer, again }] : [],
  )
  for (const { key, again } of acknowledged) {
    const seq = again.seq === undefined ? null : Number(again.seq)
    if (kept.get(key) !== seq) problems.push(`not kept: ${key}, ${again.method} ${again.path}`)
  }
  for (const { key, answer, again } of acknowledged.slice(-REPEATED)) {
    const { method, path, body, seq } = again
    const repeated = await ask(service.port, agent, method, path, body, '', { 'idempotency-key': key })
    const isSame =
      repeated.headers['idempotent-replayed'] === 'true' &&
      repeated.headers['phaseboard-seq'] === seq &&
      isDeepStrictEqual(withoutRelations(repeated.body), answer)
    if (!isSame) problems.push(`not the same again: ${method} ${path}, ${JSON.stringify(repeated.body)}`)
  }
  agent.destroy()
}

/** All records in the service's responses. */
async function readShown(port: number): Promise<Fields[]> {
  const agent = new Agent()
  const list = async (path: string) => {
    const { status, body } = await ask(port, agent, 'GET', path)
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}`)
    return body as unknown as Fields[]
  }
  const projects = await list('/api/projects')
  const items = projects.flatMap(({ kanbanItems }) => kanbanItems as Fields[])
  const subtasks = items.flatMap(({ subtasks }) => subtasks as Fields[])
  return [...projects, ...items, ...subtasks, ...(await list('/api/personal-ideas'))]
}

/**
 * Crashes the service repeatedly on one database file.
 * @param owner ends the remaining processes
 */
export async function crash(
  owner: Owner,
  { file, rounds, mostWrites, seed, onRound = () => undefined }: CrashOptions,
): Promise<Report> {
  const environment = {
    DATABASE_URL: `file:${file}`,
    HOST: '127.0.0.1',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  }
  const model = newModel(CLIENTS)
  const report: Report = { seed, rounds: [], problems: [], model }
  const { problems } = report
  let service = await start(owner, environment)
  const cookie = await prepare({ service, model, sent: [], problems })
  while (report.rounds.length < rounds && problems.length === 0) {
    const load = { service, model, cookie, sent: [], problems }
    const roundSeed = seed + Math.imul(report.rounds.length, 0x85ebca6b)
    const acknowledged = await writeUntilKilled(load, mostWrites, roundSeed)
    const inFlight =
      model.clients.filter(({ pending }) => pending).length +
      model.sharedChanges.filter(({ answered }) => answered === Number.POSITIVE_INFINITY).length
    const { state, problems: damage } = readState(file)
    const settled = settle(model, state)
    problems.push(...damage, ...settled.problems)
    const round = { acknowledged, inFlight, happened: settled.unanswered, records: state.rows.size }
    report.rounds.push(round)
    onRound(round)
    // After a problem, the file stays as the crash left it, for inspection.
    if (problems.length === 0) {
      service = await start(owner, environment)
      await repeat({ ...load, service }, state)
      problems.push(...compare(state, await readShown(service.port)))
    }
  }
  if (problems.length === 0) await createExamples({ service, model, cookie, sent: [], problems })
  service.kill('SIGKILL')
  await service.exited
  return report
}
