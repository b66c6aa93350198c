/** Checks of leftovers in the file and beside it, and of free disk space. */
import { existsSync, readdirSync, realpathSync, rmSync, statfsSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { timestamp } from '../time.ts'
import { type Check, count, counted, type Finding, found, NOTHING, type Subject } from './checks.ts'

/** Milliseconds that an expired session may stay: every sign-in removes all expired ones. */
const SESSIONS_STAY = 7 * 24 * 60 * 60 * 1000

/** Bytes that the write-ahead log may need during a long read. */
const LOG_ROOM = 134_217_728

/** Whether a process exists, of any user. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Unfinished copies beside the database: `<database>.<pid>.tmp`, and SQLite's files beside it. */
function unfinished({ path }: Subject): string[] {
  const real = realpathSync(path)
  const name = basename(real)
  return readdirSync(dirname(real))
    .filter((file) => {
      if (!file.startsWith(`${name}.`)) return false
      const [, pid] = /\.(\d+)\.tmp(?:-wal|-shm|-journal)?$/.exec(file) ?? []
      return pid !== undefined && !isRunning(Number(pid))
    })
    .map((file) => join(dirname(real), file))
}

const expired = () => `'${timestamp(Date.now() - SESSIONS_STAY)}'`

const sessions: Check = {
  name: 'sessions',
  holds: 'there are no expired sessions',
  advice: 'the next sign-in removes them, and so does --fix',
  find: ({ client }) =>
    count(client, `select id from sessions where expires_at < ${expired()}`, (id) => `session ${id}`),
  fix: ({ $client: client }) => {
    const { changes } = client.prepare(`delete from sessions where expires_at < ${expired()}`).run()
    return `removed ${counted(changes, 'session')}`
  },
}

const files: Check = {
  name: 'files',
  holds: 'there are no unfinished copies beside the database',
  advice: 'a backup or restore was killed; --fix removes its files',
  find: (subject) => found(unfinished(subject)),
  fix: (_db, subject) => {
    const left = unfinished(subject)
    for (const file of left) rmSync(file, { force: true })
    return `removed ${counted(left.length, 'file')}`
  },
}

const inMegabytes = (bytes: number) => `${Math.ceil(bytes / 1_048_576)} MB`

/** The finding for free and needed bytes of a disk. */
export const roomOf = ({ free, needed }: { free: number; needed: number }): Finding =>
  free >= needed ? NOTHING : found([`${inMegabytes(free)} are free, ${inMegabytes(needed)} would be safe`])

const disk: Check = {
  name: 'disk',
  holds: 'there is space for the log, and for a copy of the database',
  advice: 'free space: on a full disk every write fails, and no backup can be made beside the database',
  find: ({ path }) => {
    const { bavail, bsize } = statfsSync(dirname(realpathSync(path)))
    const free = bavail * bsize
    const log = `${realpathSync(path)}-wal`
    const needed = statSync(path).size + (existsSync(log) ? statSync(log).size : 0) + LOG_ROOM
    return roomOf({ free, needed })
  },
}

export const LEFTOVER_CHECKS: readonly Check[] = [sessions, files, disk]
