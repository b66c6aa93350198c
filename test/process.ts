/** Runs the service as a separate process, like `npm start`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openDatabase } from '../src/db/client.ts'
import { examine } from '../src/maintenance/doctor.ts'
import { nodeCommand, SERVE } from './shipped.ts'

/** The owner of started processes, such as a test. */
export type Owner = Pick<Test, 'teardown'>

/** The result of a process. */
export interface Exit {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** A running service. */
export interface Service {
  /** Its URL, e.g. `http://127.0.0.1:40123`. */
  url: string
  port: number
  pid: number
  /** Its log so far. */
  log: () => string
  /** Sends a signal. The process may take some time. */
  kill: (signal: NodeJS.Signals) => void
  /** Resolves when the log matches. Rejects if the process ends. */
  logged: (pattern: RegExp) => Promise<RegExpExecArray>
  exited: Promise<Exit>
}

const OURS =
  /^(HOST|PORT|DATABASE_URL|AUTH_|DEFAULT_MEMBER_ID|ADMIN_|LOG_LEVEL|BODY_LIMIT|IMPORT_|ATTACHMENT|TRUST_PROXY|CORS_|RATE_|SNAPSHOT_|CHANGES_|STREAMS_|WEBHOOK_|METRICS_|WEB_|OIDC_|WAL_|SMTP_|MAIL_)/

function launch(t: Owner, environment: Record<string, string>, tracer: string[] = []) {
  const inherited = Object.entries(process.env).filter(([name]) => !OURS.test(name))
  const { NODE_OPTIONS: options, ...settings } = environment
  const [node, args] = nodeCommand(SERVE, options)
  const [command = '', ...rest] = [...tracer, node, ...args]
  const child = spawn(command, rest, {
    env: { ...Object.fromEntries(inherited), PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const exited: Promise<Exit> = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    stdout,
    stderr,
  }))
  return { child, exited, log: () => stdout }
}

/** The doctor's findings in a closed database; none if there is no file. */
function findingsIn(url = ''): object[] {
  const path = url.replace(/^file:/, '')
  if (!existsSync(path)) return []
  return examine(path).filter(({ status }) => status !== 'ok')
}

/** The environment of a service on its own new file. */
export const onNewFile = (t: Test) => ({ DATABASE_URL: `file:${join(t.testdir(), 'board.db')}` })

let prepared: Buffer | undefined

/** A migrated database without records. */
function prepare(): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'phaseboard-prepared-'))
  const file = join(folder, 'board.db')
  openDatabase(`file:${file}`).close()
  const bytes = readFileSync(file)
  rmSync(folder, { recursive: true })
  return bytes
}

/**
 * The environment of a service on its own file, which is migrated: that takes two fifths of a start.
 * @param folder of the file
 */
export function onPreparedFile(folder: string) {
  prepared ??= prepare()
  const file = join(folder, 'board.db')
  writeFileSync(file, prepared, { mode: 0o600 })
  return { DATABASE_URL: `file:${file}` }
}

/** Runs a service that should end by itself. @returns its result */
export const run = (t: Test, environment: Record<string, string>): Promise<Exit> =>
  launch(t, environment).exited

/**
 * Starts the service on a free port, and waits until it listens. It is killed with the test. However it ends, the doctor must
 * find nothing in its database.
 * @param tracer a command that becomes the service's process and observes it
 * @param isOdd whether the test writes odd values to the file, which the doctor would report
 */
export async function start(
  t: Owner,
  environment: Record<string, string>,
  tracer: string[] = [],
  { isOdd = false } = {},
): Promise<Service> {
  const { child, exited, log } = launch(t, environment, tracer)
  const ended = exited.then(({ code, stderr }) => {
    throw new Error(`the service ended with ${code}: ${stderr || log()}`)
  })
  ended.catch(() => undefined)
  async function logged(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(log())
      if (match) return match
      await Promise.race([once(child.stdout, 'data'), ended])
    }
  }
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
    const found = isOdd ? [] : findingsIn(environment.DATABASE_URL)
    if (found.length > 0) throw new Error(`the doctor finds ${JSON.stringify(found)}`)
  })
  const [, url = ''] = await logged(/listening on (http:\/\/\S+)/)
  const pid = Number(child.pid)
  return {
    url,
    port: Number(new URL(url).port),
    pid,
    log,
    kill: (signal) => child.kill(signal),
    logged,
    exited,
  }
}

/** A raw connection, for data that no HTTP client would send. `received` resolves with everything received until it was closed. */
export async function dial(t: Test, port: number): Promise<{ socket: Socket; received: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => socket.destroy())
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const received = once(socket, 'close').then(() => text)
  await once(socket, 'connect')
  return { socket, received }
}
