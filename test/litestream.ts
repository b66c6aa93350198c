/** Litestream, from a development dependency that has it for most platforms. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Owner } from './process.ts'

/** The program; undefined if there is none for this platform. The package's own script is not used, because it does not forward signals. */
export const LITESTREAM = [
  resolve('node_modules/@flydotio', `litestream-${process.platform}-${process.arch}`, 'litestream'),
].find((file) => existsSync(file))

/** The database settings of the shipped configuration. */
const [OPTIONS = ''] =
  /^ {4}monitor-interval.*?(?= {4}replicas:)/ms.exec(readFileSync('deploy/litestream.yml', 'utf8')) ?? []

/** The target of a replica, as in Litestream's configuration. */
export type ReplicaPlace = Record<string, string | boolean>

/** Writes a configuration. @returns the file */
export function configure(file: string, database: string, replica: ReplicaPlace): string {
  const fields = { ...replica, 'sync-interval': '500ms' }
  const lines = Object.entries(fields).map(([name, value]) => `        ${name}: ${JSON.stringify(value)}`)
  writeFileSync(file, `dbs:\n  - path: ${database}\n${OPTIONS}    replicas:\n      -\n${lines.join('\n')}\n`)
  return file
}

/** A running Litestream. */
export interface Replicator {
  kill: (signal: NodeJS.Signals) => void
  log: () => string
  /** Resolves when the log matches. */
  logged: (pattern: RegExp) => Promise<void>
  exited: Promise<unknown>
}

/** Starts replicating. It is killed with its owner. */
export function replicate(owner: Owner, config: string): Replicator {
  const child: ChildProcess = spawn(LITESTREAM ?? '', ['replicate', '-config', config], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  owner.teardown(() => child.kill('SIGKILL'))
  let log = ''
  for (const output of [child.stdout, child.stderr])
    output?.setEncoding('utf8').on('data', (text) => {
      log += text
    })
  const exited = once(child, 'close')
  return {
    kill: (signal) => child.kill(signal),
    log: () => log,
    logged: async (pattern) => {
      while (!pattern.test(log)) {
        const ended = exited.then(() => Promise.reject(new Error(`Litestream ended: ${log}`)))
        await Promise.race([once(child.stdout as NodeJS.EventEmitter, 'data'), ended])
      }
    },
    exited,
  }
}
