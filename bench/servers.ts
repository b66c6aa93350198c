/** The measured servers: the service, run as `npm start` runs it, and the baselines. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { packageFile } from '../src/package-files.ts'
import { get, HEALTH_PATH } from './api.ts'
import { endProcess, startProcess } from './processes.ts'

/** The servers, in the order of reports. Results are relative to `node:http`. */
export const SERVERS = ['Phaseboard', 'node:http', 'bare Fastify', 'naive'] as const
export type ServerName = (typeof SERVERS)[number]

/** A result for each measured server. */
export type PerServer = Partial<Record<ServerName, number>>

/** The servers that send recorded bytes. */
export const READY: readonly ServerName[] = ['node:http', 'bare Fastify']

const BASELINES = { 'node:http': 'node-http', 'bare Fastify': 'bare-fastify', naive: 'naive' } as const

/** The data of a server. A server that sends recorded bytes ignores the database; the others ignore the responses. */
export interface ServerData {
  /** The database file, which only this server uses. */
  database?: string
  /** The folder of recorded responses */
  answers?: string
  /** The folder of the built checkout to run; this one by default. */
  checkout?: string
  /** Additional environment variables. */
  environment?: Readonly<Record<string, string>>
}

/** A running server. */
export interface Server {
  name: ServerName
  /** Its URL, e.g. `http://127.0.0.1:40123` */
  url: string
  port: number
  pid: number
  /** Its database file, if any. */
  database: string | undefined
  /** Milliseconds from starting its process to its first response */
  readyAfter: number
  stop: () => Promise<void>
}

/** Starts a server on a free port, and waits for its first response. */
export type StartServer = (name: ServerName, data?: ServerData) => Promise<Server>

const LISTENING = /listening on (http:\/\/[\d.:]+)/

/** The maximum number of characters of a server's output in an error. */
const TAIL = 2000

/** The program and arguments of a package script. Quotes are not supported. */
const words = (script: string): string[] => script.split(' ').filter(Boolean)

/** The scripts of a checkout, by default of this one. */
function scriptsIn(checkout = packageFile('.')): { prestart: string; start: string } {
  return JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')).scripts
}

/** Starts a script's command in a package's folder, without environment variables that would configure it. */
function launch(
  [command = '', ...args]: string[],
  environment: Record<string, string>,
  folder = packageFile('.'),
) {
  return startProcess(command === 'node' ? process.execPath : command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/**
 * Builds the service and the baselines once.
 * @param folder the folder for the baselines, from which packages can be imported
 */
export async function buildServers(folder: string): Promise<StartServer> {
  const { prestart } = scriptsIn()
  const [code] = await once(launch(words(prestart), {}), 'exit')
  if (code !== 0) throw new Error(`\`${prestart}\` failed`)
  // Types are stripped beforehand, so that they do not count in a baseline's start and memory. Packages are not
  // bundled: a baseline loads them like a typical application.
  await build({
    entryPoints: Object.values(BASELINES).map((name) => packageFile(`bench/baselines/${name}.ts`)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node22',
    logLevel: 'warning',
  })
  const commandOf = (name: ServerName, checkout?: string) =>
    name === 'Phaseboard'
      ? words(scriptsIn(checkout).start)
      : ['node', join(folder, `${BASELINES[name]}.mjs`)]
  return (name, data = {}) => start(name, commandOf(name, data.checkout), data)
}

async function start(
  name: ServerName,
  command: string[],
  { database, answers, checkout, environment }: ServerData,
): Promise<Server> {
  const begin = performance.now()
  const settings = {
    PORT: '0',
    ...(database && { DATABASE_URL: `file:${database}` }),
    ...(answers && { ANSWERS: answers }),
    ...environment,
  }
  const child = launch(command, settings, checkout)
  let output = ''
  let isStopping = false
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-TAIL)
        const [, url] = LISTENING.exec(output) ?? []
        if (url) resolve(url)
      })
    }
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      const reason = `${name} ended with ${code ?? signal}:\n${output}`
      reject(new Error(reason))
      // If the process ends during a measurement, that fails too, but without the reason.
      if (!isStopping) console.error(reason)
    })
  })
  await get(url, HEALTH_PATH)
  return {
    name,
    url,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    database,
    readyAfter: performance.now() - begin,
    stop: () => {
      isStopping = true
      return endProcess(child)
    },
  }
}
