/**
 * `npm run bench:collection -- <GiB>`: what a large collection of files costs: the size of the database file, backup, restore, takeover, export, VACUUM,
 * the checks of doctor, Litestream's delay, and the first reads after a start. The files are random bytes, so nothing gets smaller by compression. Every
 * duration is compared with that of a copy of the same bytes by `cp`, synced to the disk, in the same run; the first reads with those of the same
 * board without files. It needs some four times the bytes on the disk of the checkout.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, copyFileSync, fsyncSync, openSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { positive } from '../scripts/arguments.ts'
import { packageFile } from '../src/package-files.ts'
import { configure, LITESTREAM, replicate } from '../test/litestream.ts'
import { get, itemPath, projectPath } from './api.ts'
import { seedBoard } from './board.ts'
import { moveFiles } from './file-traffic.ts'
import { show, table } from './format.ts'
import { describeMachine } from './machine.ts'
import { median } from './measure.ts'
import { makeFolder } from './processes.ts'
import { commandLine, isQuick, sized } from './quick.ts'
import { buildServers, type Server } from './servers.ts'
import { makeClient } from './stall-client.ts'
import { attach, idsOf, signedIn, withFile } from './stall-data.ts'
import { times } from './times.ts'

const MEBIBYTE = 1024 * 1024
const [gibibytes] = commandLine('bench:collection', 'Measures what a large collection of files costs.')
  .argument('[GiB]', 'the size of all files together', positive(100), 1)
  .parse().processedArgs

/** Bytes of a file; of all of them; and of those that are uploaded while Litestream's delay is measured. */
const SIZE = sized(16 * MEBIBYTE, MEBIBYTE)
const TOTAL = sized(gibibytes * 1024 * MEBIBYTE, 8 * MEBIBYTE)
const BURST = sized(256 * MEBIBYTE, 2 * MEBIBYTE)
const AT_ONCE = 4
/** Single writes whose replication is timed. */
const MARKS = sized(5, 2)
/** Milliseconds without a write to the replica after which it counts as up to date: after one write, and after many. */
const QUIET = { one: 1500, many: 4000 }

const folder = makeFolder()
const start = await buildServers(folder)
const machine = describeMachine(folder)
const paths = {
  file: join(folder, 'collection.db'),
  empty: join(folder, 'empty.db'),
  copy: join(folder, 'copy.db'),
  backup: join(folder, 'backup.db'),
  archive: join(folder, 'archive.zip'),
  replica: join(folder, 'replica'),
  taken: join(folder, 'taken.db'),
}
console.log(machine)
seedBoard(`file:${paths.file}`, { projects: 1, itemsPerProject: 1000 })
const { items, project, cookie } = withFile(paths.file, (db) => ({
  items: idsOf(db, 'select id from kanban_items'),
  project: idsOf(db, 'select id from projects')[0] as string,
  cookie: signedIn(db),
}))
copyFileSync(paths.file, paths.empty)

const environment = { ATTACHMENTS_TOTAL: String(2 * TOTAL + 4 * BURST), LOG_LEVEL: 'warn' }
const rows: string[][] = []
let copying = Number.NaN

/** Seconds of some work. */
async function secondsOf(work: () => unknown): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}

/** Adds a duration to the table. */
function print(what: string, seconds: number): void {
  rows.push([what, `${show(seconds, 1)} s`, show(seconds / copying)])
  console.log(`${what}: ${show(seconds, 1)} s`)
}

/** Runs a command of the service. */
function command(database: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(process.execPath, [packageFile('dist/cli.js'), ...args], {
    env: { PATH: process.env.PATH, DATABASE_URL: `file:${database}`, ...environment },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${args[0]} failed: ${stderr}`)
}

function sync(file: string): void {
  const descriptor = openSync(file, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Only on Linux, `cp` shares the blocks of the copy, and has an option against that. */
const COPYING = process.platform === 'linux' ? ['--reflink=never'] : []

/** Copies the database by `cp`. @returns seconds */
async function copy(): Promise<number> {
  const seconds = await secondsOf(() => {
    const { status } = spawnSync('cp', [...COPYING, paths.file, paths.copy])
    if (status !== 0) throw new Error('cp failed')
    sync(paths.copy)
  })
  rmSync(paths.copy)
  return seconds
}

/** Stores files of random bytes without a service: that takes far less time. @returns their ids */
const fill = (): string[] =>
  withFile(paths.file, (db) =>
    times(Math.ceil(TOTAL / SIZE), (n) =>
      attach(db, items[n % items.length] as string, randomBytes(SIZE), { name: `file ${n}` }),
    ),
  )

/** Uploads files of random bytes, some at a time. */
async function upload(server: Server, bytes: number): Promise<void> {
  for (let left = Math.ceil(bytes / SIZE); left > 0; left -= AT_ONCE) {
    const targets = Array.from(
      { length: Math.min(left, AT_ONCE) },
      (_, n) => items[(left - n) % items.length] as string,
    )
    const moved = await moveFiles({ port: server.port, uploads: targets, downloads: [], size: SIZE })
    if (moved.wrong.length > 0) throw new Error(moved.wrong.join('\n'))
  }
}

/** Drops a file from the system's page cache. Only works on Linux; elsewhere the first reads are not cold. */
const evict = (file: string) => spawnSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none'])

/** The first reads after a start, in milliseconds. */
async function firstReads(file: string, attachment?: string): Promise<number[]> {
  evict(file)
  const server = await start('Phaseboard', { database: file, environment })
  const taken = [server.readyAfter]
  const reads = [projectPath(project), `${itemPath(items[0] as string)}/attachments`]
  for (const path of reads) taken.push(1000 * (await secondsOf(() => get(server.url, path))))
  if (attachment !== undefined) {
    const download = async () => {
      const response = await fetch(`${server.url}/api/attachments/${attachment}/content`)
      if ((await response.arrayBuffer()).byteLength !== SIZE) throw new Error('a download is not whole')
    }
    taken.push(1000 * (await secondsOf(download)))
  }
  await server.stop()
  return taken
}

/** When a folder's newest file was written, in milliseconds since 1970. */
const newestIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((newest, { parentPath, name }) => {
      const at = statSync(join(parentPath, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
      return Math.max(newest, at)
    }, 0)

/** Waits until nothing more arrives at the replica. @returns milliseconds from a time until the last arrival */
async function delayAfter(time: number, quiet = QUIET.one): Promise<number> {
  let newest = 0
  do {
    newest = newestIn(paths.replica)
    await sleep(50)
  } while (newest < time || Date.now() - newest < quiet)
  return newest - time
}

// --- filling, backup and restore ---

const files = fill()
const attachment = files[0] as string
console.log(`${files.length} files are in the database`)
const { size } = statSync(paths.file)
const copies = [await copy()]
copying = copies[0] as number
console.log(`cp: ${show(copying, 1)} s`)

let server = await start('Phaseboard', { database: paths.file, environment })
const backup = await secondsOf(() => command(paths.file, 'backup', paths.backup))
await server.stop()
copies.push(await copy())
copying = median(copies)
rows.push(['`cp`, and a sync', `${show(copying, 1)} s`, '1'])
print('`phaseboard backup`, beside the service', backup)
print('`phaseboard restore`', await secondsOf(() => command(paths.file, 'restore', paths.backup)))
for (const name of readdirSync(folder).filter((name) => /^collection\.db\.before/.test(name)))
  rmSync(join(folder, name))
rmSync(paths.backup)

// --- the first reads ---

const ROUNDS = sized(3, 1)
const cold: number[][] = []
const coldEmpty: number[][] = []
for (let round = 0; round < ROUNDS; round++) {
  cold.push(await firstReads(paths.file, attachment))
  coldEmpty.push(await firstReads(paths.empty))
}
const columnOf = (reads: number[][], at: number) => median(reads.map((one) => one[at] as number))
const firsts = ['start until ready', 'first GET of the project', 'first list of attachments'].map(
  (what, at) => {
    const [one, other] = [columnOf(cold, at), columnOf(coldEmpty, at)]
    return [what, `${show(one, 1)} ms`, `${show(other, 1)} ms`]
  },
)
firsts.push([`first download, of ${SIZE / MEBIBYTE} MiB`, `${show(columnOf(cold, 3), 1)} ms`, '–'])

for (const line of firsts) console.log(line.join(' · '))

// --- undo ---

server = await start('Phaseboard', { database: paths.file, environment })
const client = makeClient(server.port)
const ask = async (method: string, path: string) => {
  const { status, text } = await client.send(method, path, undefined, { cookie, isWanted: true })
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 200)}`)
  return text
}
const deleting = await secondsOf(() => ask('DELETE', projectPath(project)))
const trash = JSON.parse(await ask('GET', '/api/trash')) as { seq: number }[]
const undoing = await secondsOf(() => ask('POST', `/api/changes/${trash[0]?.seq}/undo`))
print('deleting the project with all files', deleting)
print('undo of that', undoing)
client.close()
await server.stop()

// --- Litestream ---

const delays: string[][] = []
if (LITESTREAM === undefined) console.log('Litestream has no program for this platform: not measured')
else {
  const replicated = { ...environment, WAL_CHECKPOINTS: 'litestream' }
  server = await start('Phaseboard', { database: paths.file, environment: replicated })
  const config = configure(join(folder, 'litestream.yml'), paths.file, { type: 'file', path: paths.replica })
  // Before the handler that removes the folder, which Litestream writes to.
  const owner = {
    teardown: (end: () => unknown) => void process.prependListener('exit', () => void end()),
  } as Parameters<typeof replicate>[0]
  const mark = async () => {
    const title = `${Math.random()}`
    const { status } = await writer.send('PATCH', itemPath(items[0] as string), { title })
    if (status !== 200) throw new Error(`a write failed with ${status}`)
    return Date.now()
  }
  const writer = makeClient(server.port)
  const replicator = replicate(owner, config)
  print(
    "Litestream's first copy",
    await secondsOf(async () => {
      await replicator.logged(/snapshot written/)
    }),
  )
  await delayAfter(await mark(), QUIET.many)
  const single: number[] = []
  for (let n = 0; n < MARKS; n++) single.push(await delayAfter(await mark()))
  delays.push(['after a single write', `${show(median(single), 0)} ms`])
  await upload(server, BURST)
  delays.push([
    `after uploads of ${BURST / MEBIBYTE} MiB, as fast as they go`,
    `${show(await delayAfter(await mark(), QUIET.many), 0)} ms`,
  ])
  for (const line of delays) console.log(line.join(' · '))
  writer.close()
  replicator.kill('SIGKILL')
  await replicator.exited
  await server.stop()
  print(
    '`phaseboard takeover`, without the wait for the first machine',
    await secondsOf(() =>
      command(
        paths.taken,
        ...[
          'takeover',
          `file://${paths.replica}`,
          '--first-is-gone',
          '--watch',
          '0',
          '--litestream',
          LITESTREAM ?? '',
        ],
      ),
    ),
  )
  const taken = statSync(paths.taken).size
  if (taken < size) throw new Error(`took over ${taken} bytes of ${size}`)
  rmSync(paths.taken)
  rmSync(paths.replica, { recursive: true })
}

// --- VACUUM ---

const vacuum = await secondsOf(() => {
  const db = new SQLite(paths.file)
  db.exec('vacuum')
  db.pragma('wal_checkpoint(truncate)')
  db.close()
})
print('`VACUUM`, while no service runs', vacuum)

// --- commands that read every byte, and create other files ---

print('`phaseboard export`', await secondsOf(() => command(paths.file, 'export', paths.archive)))
rmSync(paths.archive, { recursive: true })
print('`phaseboard doctor`', await secondsOf(() => command(paths.file, 'doctor')))
print('`phaseboard doctor --deep`', await secondsOf(() => command(paths.file, 'doctor', '--deep')))

const shownSize = `${show(TOTAL / MEBIBYTE, 0)} MiB`
console.log(`
${files.length} files, ${shownSize}; the database file has ${show(size / MEBIBYTE, 0)} MiB, ${show((100 * size) / TOTAL - 100, 1)} % more${isQuick ? ' (a short run, which means nothing)' : ''}

${table(['with', shownSize, 'times `cp`'], rows)}

${table(['first reads', shownSize, 'no files'], firsts)}

${table(['until the replica is up to date', shownSize], delays)}
`)
