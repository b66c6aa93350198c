/** The processes and the folder of a run: none of them outlives it. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../src/package-files.ts'

const children = new Set<ChildProcess>()
const folders = new Set<string>()

// Exit handlers are synchronous, and run however the process ends, so that errors and signals need no care elsewhere.
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  // A process that is just ending may still make a file.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.once(signal, () => process.exit(code))
}

/** Starts a process that ends with this one at the latest. */
export function startProcess(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options)
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}

/** Ends a process with the given signal. Resolves when it has ended. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/**
 * Makes a folder that is removed with this process. It lies where the service keeps its data by default: a system's
 * folder for temporary files is often memory, where syncing costs nothing; and from here packages can be imported.
 * @returns its absolute path
 */
export function makeFolder(): string {
  mkdirSync(packageFile('data'), { recursive: true })
  const folder = mkdtempSync(join(packageFile('data'), 'bench-'))
  folders.add(folder)
  return folder
}
