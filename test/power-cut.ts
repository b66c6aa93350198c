/**
 * Simulates power cuts. Records the service's writes and syncs while many clients write, rebuilds possible disks after a cut at
 * many points, and compares each with the writes acknowledged until then.
 *
 * The seed determines the clients' requests, and where and how the power is cut. How the requests interleave depends on the
 * machine.
 */
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { openDatabase } from '../src/db/client.ts'
import { bytesOf, sha256 } from './attachments.ts'
import { ADMIN, choose, type Load, NUMBER_HEADER, perform, prepare, type Sent } from './crash.ts'
import { type Model, newModel, readState, sending, settle } from './crash-model.ts'
import { type Owner, type Service, start } from './process.ts'
import { pick, seededRandom } from './random.ts'
import { type Event, FATES, type Fate, makeDisk, readRecord, recorder } from './recorded-disk.ts'

const CLIENTS = 8
/** Acknowledged writes in the service's first run. */
const FIRST_WRITES = 100
/** Acknowledged writes after the log has restarted. */
const LAST_WRITES = 60
/** Uploads of a run at most, and the number of the first one's request: those of other writes are lower. */
const UPLOADS = 12
const FIRST_UPLOAD = 1_000_000
/** The number of events around an interesting one, in which a cut finds it half done. */
const NEAR = 12

const FILE = 'board.db'

interface PowerCutOptions {
  /** An empty folder for the recorded files and the images. */
  folder: string
  images: number
  seed: number
  /** Called for each image. */
  onImage?: (image: Image) => void
}

/** A possible disk after a cut, and the result of opening it. */
export interface Image {
  /** The number of recorded events that had happened. */
  at: number
  fate: Fate
  /** Whether the cut was before the first response, or near a checkpoint. */
  isFirstStart: boolean
  isCheckpoint: boolean
  acknowledged: number
  /** Unanswered writes, and the number of those that had happened. */
  inFlight: number
  happened: number
  /** Acknowledged files. */
  files: number
  /** The number of unsynced changes of files. */
  unsynced: number
}

/** What the service did during the recording. */
export interface Recording {
  events: Event[]
  sent: Sent[]
  uploads: Uploads
}

/** The hashes of uploaded files, by the numbers of their requests. */
type Uploads = ReadonlyMap<number, string>

/** The result of all images. The first one with a problem is the last; it stays in the folder. */
interface PowerCutReport {
  seed: number
  images: Image[]
  problems: string[]
}

/** Writes with all clients until there are enough writes, or the service is killed. */
async function writeUntil(load: Load, seed: number, isEnough: (answered: number) => boolean): Promise<void> {
  const { model, problems } = load
  let answered = 0
  await Promise.all(
    model.clients.map(async (client) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const random = seededRandom(seed + Math.imul(client.number + 1, 0x9e3779b1))
      try {
        while (!isEnough(answered) && problems.length === 0) {
          await perform(load, client, agent, choose(model, client, random))
          answered += 1
        }
      } catch (error) {
        if (!isEnough(answered)) problems.push(`client ${client.number}: ${error}`)
      } finally {
        agent.destroy()
      }
    }),
  )
}

/**
 * Uploads files of several chunks, one after another, to an item.
 * @param isOver whether to end; the service may be killed meanwhile
 */
async function uploadUntil(
  { port }: Service,
  itemId: string,
  uploads: Map<number, string>,
  isOver: () => boolean,
) {
  for (let count = 0; count < UPLOADS && !isOver(); count++) {
    const number = FIRST_UPLOAD + uploads.size
    const bytes = bytesOf(20_000 + (count % 4) * 200_000, number)
    uploads.set(number, sha256(bytes))
    const url = `http://127.0.0.1:${port}/api/kanban-items/${itemId}/attachments?name=file`
    const response = await fetch(url, {
      method: 'POST',
      body: bytes,
      headers: { [NUMBER_HEADER]: String(number) },
    }).catch(() => undefined)
    if (response?.status !== 201 && !isOver())
      throw new Error(`an upload was answered with ${response?.status}`)
  }
}

/** These bytes of the log's header change whenever the log restarts. */
function logHeader(file: string): string {
  const header = Buffer.alloc(32)
  const descriptor = openSync(`${file}-wal`, 'r')
  readSync(descriptor, header, 0, 32, 0)
  closeSync(descriptor)
  return header.toString('hex')
}

async function stop(service: Service, signal: NodeJS.Signals): Promise<void> {
  service.kill(signal)
  await service.exited
}

/**
 * Records three runs of a service on one file: the first start with writes, ended properly; so many writes that the log is
 * checkpointed and restarts, ended by a kill during further ones; and a start on the remaining files.
 * @throws Error if the service does not work as expected
 */
export async function recordService(owner: Owner, folder: string, seed: number): Promise<Recording> {
  const data = join(folder, 'data')
  const file = join(data, FILE)
  mkdirSync(data)
  const environment = {
    DATABASE_URL: `file:${file}`,
    HOST: '127.0.0.1',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
    NODE_OPTIONS: '',
  }
  const records = [1, 2, 3].map((life) => join(folder, `record-${life}`))
  const [first = '', second = '', third = ''] = records
  const problems: string[] = []
  const model = newModel(CLIENTS)
  const common = { model, sent: [], problems }

  let service = await start(owner, environment, recorder(first))
  const cookie = await prepare({ ...common, service })
  const uploads = new Map<number, string>()
  // An item that nobody deletes.
  const [, item = ''] = model.shared.known.keys()
  let isOver = false
  const uploading = uploadUntil(service, item, uploads, () => isOver)
  await writeUntil({ ...common, cookie, service }, seed, (answered) => answered >= FIRST_WRITES)
  isOver = true
  await uploading
  await stop(service, 'SIGTERM')

  service = await start(owner, environment, recorder(second))
  const load = { ...common, cookie, service }
  await writeUntil(load, seed + 1, (answered) => answered >= 1)
  const header = logHeader(file)
  await writeUntil(load, seed + 2, () => logHeader(file) !== header)
  let killed = false
  const uploadingLast = uploadUntil(service, item, uploads, () => killed)
  await writeUntil(load, seed + 3, (answered) => {
    if (answered >= LAST_WRITES && !killed) {
      killed = true
      service.kill('SIGKILL')
    }
    return killed
  })
  await service.exited
  await uploadingLast

  service = await start(owner, environment, recorder(third))
  await stop(service, 'SIGTERM')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const record = records.map((path) => readFileSync(path, 'latin1')).join('\n')
  for (const path of records) rmSync(path)
  return { events: readRecord(record, data), sent: common.sent, uploads }
}

/** The clients' knowledge at a point of the recording. A response counts from the moment at which the service started to send it. */
function makeReplay({ sent, uploads }: Recording) {
  const model = newModel(CLIENTS)
  const acknowledging = new Map<number, () => void>()
  /** The last write read from each connection. */
  const asked = new Map<string, number>()
  const files = new Set<string>()
  let acknowledged = 0
  const header = new RegExp(`^${NUMBER_HEADER}: (\\d+)\r$`, 'mi')
  return {
    model,
    countAcknowledged: () => acknowledged,
    /** The hashes of acknowledged files. */
    files,
    apply: (event: Event) => {
      if (event.kind === 'received') {
        const number = Number(header.exec(event.text)?.[1] ?? Number.NaN)
        if (uploads.has(number)) asked.set(event.connection, number)
        const { client, write, answer } = sent[number] ?? {}
        if (client === undefined || write === undefined) return
        asked.set(event.connection, number)
        const acknowledge = sending(
          model,
          model.clients[client.number] ?? model.shared,
          structuredClone(write),
        )
        if (answer) acknowledging.set(number, () => acknowledge(structuredClone(answer)))
      } else if (event.kind === 'sent' && /^HTTP\/1\.1 2/.test(event.text)) {
        const number = asked.get(event.connection)
        if (number === undefined) return
        asked.delete(event.connection)
        const file = uploads.get(number)
        if (file !== undefined) files.add(file)
        if (acknowledging.has(number)) acknowledged += 1
        acknowledging.get(number)?.()
        acknowledging.delete(number)
      }
    },
  }
}

/** The events that write to the service's database file after its start, which are checkpoints. */
function checkpointsIn(events: Event[], firstAnswer: number): number[] {
  return [...events.entries()].flatMap(([number, event]) => {
    const isOfFile = (event.kind === 'write' || event.kind === 'sync') && event.file === FILE
    const isOfName = event.kind === 'create' || event.kind === 'unlink'
    return number > firstAnswer && (isOfFile || isOfName) ? [number] : []
  })
}

/** The number of events until a file has been acknowledged. */
function firstFileIn(recording: Recording): number {
  const replay = makeReplay(recording)
  return recording.events.findIndex((event) => {
    replay.apply(event)
    return replay.files.size > 0
  })
}

/**
 * Chooses the cuts, as many of each kind: during the first start, around checkpoints, just before and just after a response, once a file has
 * been acknowledged, and anywhere. So all kinds are tried, however much the recording has of each.
 */
function chooseCuts(recording: Recording, count: number, random: () => number) {
  const { events } = recording
  const firstAnswer = events.findIndex(({ kind }) => kind === 'sent')
  const checkpoints = checkpointsIn(events, firstAnswer)
  const answers = [...events.entries()].flatMap(([number, { kind }]) => (kind === 'sent' ? [number] : []))
  const after = (first: number) => first + Math.floor(random() * (events.length - first))
  const firstFile = firstFileIn(recording)
  const nearCheckpoint = () => pick(random, checkpoints) + Math.floor((random() * 2 - 1) * NEAR)
  const makers = [
    () => Math.floor(random() * firstAnswer),
    nearCheckpoint,
    () => after(firstAnswer),
    // When a write may have happened that nobody has heard of, and when the most can be lost.
    () => pick(random, answers),
    () => pick(random, answers) + 1,
    () => after(firstFile + 1),
  ]
  const ofCheckpoint = new Set(
    checkpoints.flatMap((number) =>
      Array.from({ length: 2 * NEAR + 1 }, (_, index) => number + index - NEAR),
    ),
  )
  return Array.from({ length: count }, (_, index) => {
    const at = Math.min((makers[index % makers.length] as () => number)(), events.length)
    const fate = FATES[Math.floor(index / makers.length) % FATES.length] as Fate
    return { at, fate, isFirstStart: at < firstAnswer, isCheckpoint: ofCheckpoint.has(at) }
  }).sort((one, other) => one.at - other.at)
}

/**
 * Opens a file like the next start does, and compares the search index with the texts.
 * @returns the problems
 */
function open(file: string): string[] {
  try {
    const { db, close } = openDatabase(`file:${file}`)
    try {
      db.$client.exec(`insert into search_index (search_index) values ('integrity-check')`)
    } finally {
      close()
    }
    return []
  } catch (error) {
    return [`it does not open: ${error}`]
  }
}

/** The problems with files: acknowledged ones must be there, and every attachment must have its bytes. */
function problemsOfFiles(path: string, acknowledged: ReadonlySet<string>): string[] {
  const client = new SQLite(path, { readonly: true })
  try {
    const named = client.prepare<[], string>('select sha256 from attachments').pluck().all()
    const chunks = client
      .prepare<[string], Buffer>(
        `select bytes from file_contents join file_chunks on place between id * 65536 and id * 65536 + 65535
        where sha256 = ? order by place`,
      )
      .pluck()
    const wrong = named.filter((hash) => sha256(Buffer.concat(chunks.all(hash))) !== hash)
    const lost = [...acknowledged].filter((hash) => !named.includes(hash))
    return [
      ...lost.map((hash) => `lost: the file ${hash}`),
      ...wrong.map((hash) => `half-written: the file ${hash}`),
    ]
  } finally {
    client.close()
  }
}

/** Writes an image to disk, in place of the previous one. Shared-memory files may survive a cut too. */
function lay(folder: string, files: Map<string, Buffer>, random: () => number): string {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder)
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes)
  const file = join(folder, FILE)
  if (existsSync(file) && random() < 0.2) {
    writeFileSync(`${file}-shm`, Buffer.from(Array.from({ length: 32_768 }, () => random() * 256)))
  }
  return file
}

const inFlightIn = ({ clients, shared, sharedChanges }: Model): number =>
  [...clients, shared].filter(({ pending }) => pending).length +
  sharedChanges.filter(({ answered }) => answered === Number.POSITIVE_INFINITY).length

/** Cuts the power of a recorded service repeatedly. */
export function cutPower(
  recording: Recording,
  { folder, images: count, seed, onImage = () => undefined }: PowerCutOptions,
): PowerCutReport {
  const random = seededRandom(seed)
  const disk = makeDisk()
  const replay = makeReplay(recording)
  const report: PowerCutReport = { seed, images: [], problems: [] }
  let happened = 0
  for (const cut of chooseCuts(recording, count, random)) {
    for (; happened < cut.at; happened += 1) {
      const event = recording.events[happened] as Event
      disk.apply(event, happened)
      replay.apply(event)
    }
    const file = lay(join(folder, 'image'), disk.cut(cut.fate, random), random)
    const model = structuredClone(replay.model)
    const inFlight = inFlightIn(model)
    const problems = open(file)
    let unanswered = 0
    if (problems.length === 0) {
      const { state, problems: damage } = readState(file)
      const settled = settle(model, state)
      unanswered = settled.unanswered
      problems.push(...damage, ...settled.problems, ...problemsOfFiles(file, new Set(replay.files)))
    }
    const image = {
      ...cut,
      acknowledged: replay.countAcknowledged(),
      inFlight,
      happened: unanswered,
      files: replay.files.size,
      unsynced: disk.countUnsynced(),
    }
    report.images.push(image)
    onImage(image)
    if (problems.length > 0) {
      report.problems = problems.map((problem) => `${JSON.stringify(image)}: ${problem}`)
      break
    }
  }
  return report
}
