/** Running the service as a process of its own, as `npm start` does. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { examine } from '../src/maintenance/doctor.ts'
import { nodeCommand, SERVE } from './shipped.ts'

/** The owner of started processes: a test, or the like. */
export type Owner = Pick<Test, 'teardown'>

/** How a process ended. */
export interface Exit {
  code: number | null
  signal: string | null
  stdout: string
  stderr: string
}

/** A running service. */
export interface Service {
  /** Where it listens, e.g. `http://127.0.0.1:40123`. */
  url: string
  port: number
  /** What it has logged so far. */
  log: () => string
  /** Sends a signal; the process may take its time. */
  kill: (signal: NodeJS.Signals) => void
  /** Resolves when the log matches; the process's end is an error. */
  logged: (pattern: RegExp) => Promise<RegExpExecArray>
  exited: Promise<Exit>
}

const OURS =
  /^(HOST|PORT|DATABASE_URL|AUTH_|DEFAULT_MEMBER_ID|ADMIN_|LOG_LEVEL|BODY_LIMIT|IMPORT_|TRUST_PROXY|CORS_|RATE_|SNAPSHOT_|CHANGES_|STREAMS_|WEBHOOK_|METRICS_|WEB_|OIDC_|WAL_)/

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

/** The doctor's findings in a closed database; none without a file. */
function findingsIn(url = ''): object[] {
  const path = url.replace(/^file:/, '')
  if (!existsSync(path)) return []
  return examine(path).filter(({ status }) => status !== 'ok')
}

/** The environment of a service on a new file of its own. */
export const onNewFile = (t: Test) => ({ DATABASE_URL: `file:${join(t.testdir(), 'board.db')}` })

/** Runs the service where it is expected to end by itself. @returns how it ended */
export const run = (t: Test, environment: Record<string, string>): Promise<Exit> =>
  launch(t, environment).exited

/**
 * Starts the service on a free port and waits until it listens; it is killed with the test. However a service ends, the doctor
 * must find nothing in its database.
 * @param tracer a command that turns into the service's process and watches it
 * @param isOdd the test writes into the file what a doctor complains about
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
  return { url, port: Number(new URL(url).port), log, kill: (signal) => child.kill(signal), logged, exited }
}

/** A bare connection, for what no HTTP client would send. `received` is all that came back until it was closed. */
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
