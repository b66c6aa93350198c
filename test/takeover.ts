/**
 * The takeover drill: clients write to a service that Litestream replicates. The machine dies: both are killed at the same
 * moment. Another machine takes over from the replica, and its data is compared with the acknowledged writes. Files are uploaded meanwhile: every
 * one that the other machine lists must be whole.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import SQLite from 'better-sqlite3'
import { LEAP } from '../src/db/lost-changes.ts'
import { rowsOf } from './changes/replay.ts'
import { type Answer, ask } from './clients.ts'
import { readState } from './crash-model.ts'
import { compareFiles, type Uploaded, uploadFiles } from './drill-files.ts'
import { connectStream, type StreamEvent } from './event-source.ts'
import { configure, LITESTREAM, type ReplicaPlace, type Replicator, replicate } from './litestream.ts'
import { type Owner, type Service, start } from './process.ts'
import { pick, seededRandom } from './random.ts'
import { type Receiver, receive, until } from './receivers.ts'
import { CLI, nodeCommand } from './shipped.ts'

const ADMIN = { email: 'ada@example.test', password: 'correct horse' }
const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']

/** The number of acknowledged writes to repeat after a takeover: the latest kept ones, and as many lost ones. */
const REPEATED = 20

/** The number of changes that the slower stream client had not received when the machine died. */
const BEHIND = 100

interface DrillOptions {
  /** The folder of the machines. */
  folder: string
  rounds: number
  writers: number
  /** Clients that upload files. */
  uploaders: number
  seed: number
  /** The minimum and maximum duration of the writes to a machine, in milliseconds. */
  life: [number, number]
  placeOf: (machine: number) => ReplicaPlace
  onRound?: (round: Round) => void
}

/** The result of one round. */
export interface Round {
  acknowledged: number
  /** Acknowledged writes that are missing from the replica. */
  lost: number
  /** Milliseconds from the first lost acknowledgement to the kill; 0 if nothing was lost. */
  short: number
  /** The duration of the takeover, in milliseconds. */
  took: number
  /** Whether the stream client had seen lost changes. */
  wasAhead: boolean
  /** The files that the other machine has, all of them whole. */
  files: number
  /** Uploads that the death of the machine has cut off. */
  cutOff: number
  /** Whether Litestream had been killed and restarted before. */
  wasInterrupted: boolean
}

/** The result of all rounds. */
interface DrillReport {
  rounds: Round[]
  problems: string[]
}

/** An acknowledged write. */
interface Acknowledged {
  seq: number
  /** By `performance.now()`. */
  at: number
  key: string
  method: string
  path: string
  body: object
  answer: Answer
}

interface Machine {
  folder: string
  file: string
  config: string
  environment: Record<string, string>
}

interface Drill {
  owner: Owner
  options: DrillOptions
  problems: string[]
  agent: Agent
  receiver: Receiver
  cookie: string
  projectId: string
  /** All acknowledged uploads that no takeover has lost. */
  uploaded: Uploaded[]
  /** Counts all writes ever sent, for unique keys. */
  sent: number
}

function machineOf({ folder, placeOf }: DrillOptions, number: number): Machine {
  const own = join(folder, `machine-${number}`)
  mkdirSync(own, { recursive: true })
  const file = join(own, 'board.db')
  return {
    folder: own,
    file,
    config: configure(join(own, 'litestream.yml'), file, placeOf(number)),
    environment: {
      DATABASE_URL: `file:${file}`,
      HOST: '127.0.0.1',
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      WAL_CHECKPOINTS: 'litestream',
      WEBHOOK_ALLOW_PRIVATE: 'true',
    },
  }
}

/** Writes with one client until the machine dies, one request after another. */
async function write(drill: Drill, service: Service, acknowledged: Acknowledged[], seed: number) {
  const random = seededRandom(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const items: string[] = []
  try {
    for (;;) {
      drill.sent += 1
      const number = drill.sent
      const own = items.length > 0 ? pick(random, items) : undefined
      const kind = own === undefined ? 0 : random()
      const item = `/api/kanban-items/${own}`
      const [method, path, body] =
        kind < 0.4
          ? ['POST', `/api/projects/${drill.projectId}/kanban-items`, { title: `card ${number}` }]
          : kind < 0.9
            ? ['PATCH', item, { title: `card ${number}`, column: pick(random, COLUMNS) }]
            : ['POST', `${item}/comments`, { content: `comment ${number}` }]
      const key = `write-${number}`
      const answer = await ask(service.port, agent, method, path, body, drill.cookie, {
        'idempotency-key': key,
      })
      const at = performance.now()
      if (answer.status !== (method === 'POST' ? 201 : 200)) {
        drill.problems.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
        return
      }
      if (kind < 0.4) items.push(String(answer.body.id))
      const seq = Number(answer.headers['phaseboard-seq'])
      acknowledged.push({ seq, at, key, method, path, body, answer })
    }
  } catch {
    // The machine died.
  } finally {
    agent.destroy()
  }
}

/** Follows the stream of a service. */
async function follow(service: Service, cookie: string, lastEventId?: string) {
  const events: StreamEvent[] = []
  const connection = await connectStream(`${service.url}/api/changes/stream`, (event) => events.push(event), {
    headers: { cookie },
    ...(lastEventId !== undefined && { lastEventId }),
  })
  return { connection, events }
}

/** Runs `phaseboard takeover` on a machine. @returns its output @throws Error if it fails */
function takeOver(machine: Machine, place: ReplicaPlace, first: string): Promise<string> {
  const replica =
    place.type === 'file'
      ? [`file://${place.path}`]
      : ['--config', configure(join(machine.folder, 'first.yml'), machine.file, place)]
  const [command, args] = nodeCommand([
    ...[CLI, 'takeover', ...replica, '--first', first, '--watch', '1'],
    ...['--litestream', LITESTREAM ?? ''],
  ])
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...process.env, ...machine.environment } })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    child.on('close', (code) => (code === 0 ? resolve(output) : reject(new Error(output))))
  })
}

/** The changes in a file, which another process may be writing to. */
function changesIn(file: string) {
  const client = new SQLite(file, { readonly: true })
  try {
    return rowsOf(client)
  } finally {
    client.close()
  }
}

/** Compares the restored data with that of the dead machine, and with its acknowledged writes. @returns the last restored change */
function compare({ problems }: Drill, dead: Machine, taken: Machine, acknowledged: Acknowledged[]): number {
  const { state, problems: damage } = readState(taken.file)
  problems.push(...damage)
  const rows = changesIn(taken.file)
  const jump = rows.pop()
  const kept = rows.at(-1)?.seq ?? 0
  if (jump?.kind !== LEAP || JSON.parse(jump.after ?? '{}').last !== kept)
    problems.push(`the sequence ends with ${JSON.stringify(jump)}, after ${kept}`)
  const had = changesIn(dead.file).filter(({ seq }) => seq <= kept)
  if (!isDeepStrictEqual(rows, had)) problems.push('the changes are no prefix of those of the dead machine')
  for (const { seq, key, method, path } of acknowledged) {
    const isKept = state.kept.get(key) === seq
    if (isKept !== seq <= kept) problems.push(`${isKept ? 'kept' : 'not kept'}: ${seq}, ${method} ${path}`)
  }
  return kept
}

/** Repeats acknowledged writes: restored ones are replayed, lost ones are performed. */
async function repeat(drill: Drill, { port }: Service, acknowledged: Acknowledged[], kept: number) {
  const send = ({ method, path, body, key }: Acknowledged) =>
    ask(port, drill.agent, method, path, body, drill.cookie, { 'idempotency-key': key })
  const [before, after] = [
    acknowledged.filter(({ seq }) => seq <= kept).slice(-REPEATED),
    acknowledged
      .filter(({ seq, path }) => seq > kept && path.startsWith('/api/projects/'))
      .slice(0, REPEATED),
  ]
  for (const one of before) {
    const { status, body, headers } = await send(one)
    const isSame = status === one.answer.status && isDeepStrictEqual(body, one.answer.body)
    if (headers['idempotent-replayed'] !== 'true' || !isSame)
      drill.problems.push(`not the same again: ${one.method} ${one.path}: ${status} ${JSON.stringify(body)}`)
  }
  for (const one of after) {
    const { status, headers } = await send(one)
    if (status !== 201 || headers['idempotent-replayed'] || Number(headers['phaseboard-seq']) <= one.seq)
      drill.problems.push(`not done anew: ${one.method} ${one.path}: ${status}`)
  }
}

/** Checks that a client of the stream resumes without a gap, or gets `gone`. */
async function resume(drill: Drill, service: Service, taken: Machine, seen: number, kept: number) {
  const { connection, events } = await follow(service, drill.cookie, String(seen))
  if (seen > kept) {
    await until(() => events.length > 0)
    connection.close()
    if (events[0]?.type !== 'gone')
      drill.problems.push(`a stream from ${seen} begins with ${events[0]?.type}`)
    return
  }
  const missed = changesIn(taken.file).filter(({ seq }) => seq > seen)
  await until(() => events.length >= missed.length)
  connection.close()
  const got = events.slice(0, missed.length).map(({ id }) => Number(id))
  if (
    !isDeepStrictEqual(
      got,
      missed.map(({ seq }) => seq),
    )
  )
    drill.problems.push(`a stream from ${seen} went on with ${got.slice(0, 5)}`)
}

/** Checks that the webhook's receiver gets all comments in the file, and never two with the same id. */
async function receiveAll({ problems, receiver }: Drill, taken: Machine): Promise<void> {
  const expected = changesIn(taken.file).filter(({ kind }) => kind === 'kanban-comment')
  const got = () => new Set(receiver.seqs())
  await until(() => {
    const seqs = got()
    return expected.every(({ seq }) => seqs.has(seq))
  }).catch(() => {
    const seqs = got()
    problems.push(
      `not delivered: ${expected.flatMap(({ seq }) => (seqs.has(seq) ? [] : [seq])).slice(0, 10)}`,
    )
  })
  const contents = new Map<string, string>()
  for (const { headers, body } of receiver.received) {
    const id = headers['webhook-id'] ?? ''
    const content = String(body.data.after?.content)
    if (contents.has(id) && contents.get(id) !== content) problems.push(`two deliveries of ${id} differ`)
    contents.set(id, content)
  }
}

/** Signs in, and creates the shared records and a webhook. */
async function prepare(drill: Drill, { port }: Service): Promise<void> {
  const { agent, receiver } = drill
  const session = await ask(port, agent, 'POST', '/api/session', ADMIN)
  drill.cookie = session.cookie.replace(/;.*/, '')
  const project = await ask(port, agent, 'POST', '/api/projects', { name: 'Apollo' }, drill.cookie)
  drill.projectId = String(project.body.id)
  const hook = { url: receiver.url, kinds: ['kanban-comment'] }
  const webhook = await ask(port, agent, 'POST', '/api/webhooks', hook, drill.cookie)
  const statuses = [session, project, webhook].map(({ status }) => status)
  if (statuses.some((status) => status !== 201)) drill.problems.push(`prepared with ${statuses}`)
}

/** Starts Litestream for a machine, and waits for the first snapshot. From then on little can be lost. */
async function startReplicator({ owner }: Drill, { config }: Machine): Promise<Replicator> {
  const replicator = replicate(owner, config)
  await replicator.logged(/snapshot written/)
  await replicator.logged(/wal segment written/)
  return replicator
}

/** Writes to a machine until it dies, takes over, and compares everything with the acknowledged writes. */
async function round(
  drill: Drill,
  number: number,
  [machine, service]: [Machine, Service],
): Promise<[Round, [Machine, Service]]> {
  const { options, problems, cookie } = drill
  const random = seededRandom(options.seed + number)
  let replicator = await startReplicator(drill, machine)
  const stream = await follow(service, cookie)
  const acknowledged: Acknowledged[] = []
  const writers = Array.from({ length: options.writers }, (_, index) =>
    write(drill, service, acknowledged, options.seed + number * 1000 + index),
  )
  const uploaded: Uploaded[] = []
  const uploads = Array.from({ length: options.uploaders }, (_, index) =>
    uploadFiles({ ...drill, port: service.port }, uploaded, problems, options.seed + number * 2000 + index),
  )
  // On a busy machine, the first upload may take longer than the life of the machine.
  while (uploaded.length === 0 && options.uploaders > 0 && problems.length === 0) await wait(20)
  const [shortest, longest] = options.life
  await wait(random() * (longest - shortest) + shortest)
  const wasInterrupted = random() < 0.3
  if (wasInterrupted) {
    replicator.kill('SIGKILL')
    await replicator.exited
    await wait(random() * 300)
    replicator = replicate(drill.owner, machine.config)
    await wait(2500 + random() * 500)
  }
  const diedAt = performance.now()
  service.kill('SIGKILL')
  replicator.kill('SIGKILL')
  await Promise.all([...writers, service.exited, replicator.exited, stream.connection.ended])
  const cutOff = (await Promise.all(uploads)).filter(Boolean).length

  const taken = machineOf(options, number + 1)
  const startedAt = performance.now()
  await takeOver(taken, options.placeOf(number), service.url)
  const took = performance.now() - startedAt
  const kept = compare(drill, machine, taken, acknowledged)
  const lost = acknowledged.filter(({ seq, at }) => seq > kept && at <= diedAt)
  const short = Math.max(0, ...lost.map(({ at }) => diedAt - at))
  const next = await start(drill.owner, taken.environment)
  const seen = Number(stream.connection.parser.lastEventId)
  await resume(drill, next, taken, seen, kept)
  await resume(drill, next, taken, Math.max(1, Math.min(seen, kept) - BEHIND), kept)
  const session = await ask(next.port, drill.agent, 'GET', '/api/session', undefined, cookie)
  if (session.status !== 200) problems.push(`the session ended: ${session.status}`)
  await repeat(drill, next, acknowledged, kept)
  await receiveAll(drill, taken)
  const all = [...drill.uploaded, ...uploaded]
  const files = await compareFiles({ ...drill, port: next.port }, all, kept, problems)
  drill.uploaded = all.filter(({ seq }) => seq <= kept)
  rmSync(machine.folder, { recursive: true, force: true })
  return [
    {
      acknowledged: acknowledged.length,
      lost: lost.length,
      short,
      took,
      files,
      cutOff,
      wasAhead: seen > kept,
      wasInterrupted,
    },
    [taken, next],
  ]
}

/**
 * Lets machines die, and each next one take over from the last, repeatedly.
 * @param owner ends the remaining processes
 */
export async function drillTakeovers(owner: Owner, options: DrillOptions): Promise<DrillReport> {
  const agent = new Agent({ keepAlive: true })
  owner.teardown(() => agent.destroy())
  const receiver = await receive(owner)
  const problems: string[] = []
  const drill: Drill = {
    owner,
    options,
    problems,
    agent,
    receiver,
    cookie: '',
    projectId: '',
    uploaded: [],
    sent: 0,
  }
  const rounds: Round[] = []
  const first = machineOf(options, 1)
  let current: [Machine, Service] = [first, await start(owner, first.environment)]
  await prepare(drill, current[1])
  while (rounds.length < options.rounds && problems.length === 0) {
    const [done, next] = await round(drill, rounds.length + 1, current)
    current = next
    rounds.push(done)
    options.onRound?.(done)
  }
  // It continues to accept writes.
  const project = await ask(current[1].port, agent, 'POST', '/api/projects', { name: 'Gemini' }, drill.cookie)
  if (project.status !== 201) problems.push(`a write after all was answered with ${project.status}`)
  current[1].kill('SIGKILL')
  await current[1].exited
  return { rounds, problems }
}
