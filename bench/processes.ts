/** The processes and folders of a run. All are removed at its end. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../src/package-files.ts'

const children = new Set<ChildProcess>()
const folders = new Set<string>()

// Exit handlers are synchronous and run however the process ends, so errors and signals need no other cleanup.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  // A process that is ending may still create a file.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.once(signal, () => process.exit(code))
}

/** Starts a process that ends no later than this one. */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Sends a process a signal. Resolves once it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/**
 * Creates a folder that is removed when this process ends. It is where the service keeps its data by default. The system's
 * temporary folder is often in memory, where a sync costs nothing, and packages could not be imported from there.
 * @returns its absolute path
 */
export function makeFolder(): string {
  mkdirSync(packageFile('data'), { recursive: true })
  const folder = mkdtempSync(join(packageFile('data'), 'bench-'))
  folders.add(folder)
  return folder
}
