/** Runs test files in a few processes. What computes runs on as many processors as there are; what waits, beside it. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import type { TestFile } from './test-files.ts'
import type { TestReport } from './test-report.ts'

const PROGRAM = 'test/together.ts'
const LOADER = pathToFileURL('scripts/use-bundled-sources.ts').href

/** Files that a process runs before a new one takes its place: what tests leave behind, such as modules, would fill its memory. */
const FILES_OF_A_PROCESS = 30

/** A process that runs files. */
interface Runner {
  child: ChildProcess
  file: TestFile | undefined
  done: number
  ended: Promise<void>
}

/**
 * Runs test files, and resolves when all have ended.
 * @param files in the order of their start
 * @param report learns the results, also of files whose process ended before them
 * @param environment of the processes
 * @param processes how many at most
 */
export async function runTests(
  files: readonly TestFile[],
  report: TestReport,
  environment: NodeJS.ProcessEnv,
  processes = availableParallelism() + 1,
): Promise<void> {
  const queue = [...files]
  const runners = new Set<Runner>()
  const ends: Promise<void>[] = []
  const mostComputing = Math.max(1, processes - 1)

  /** Takes the next file for a process. While files that wait are left, one processor less computes. */
  function take(isNew: boolean): TestFile | undefined {
    const computing = [...runners].filter(({ file }) => file !== undefined && !file.isWaiting).length
    const left = queue.filter(({ isAlone }) => isNew || !isAlone)
    const computes = left.find(({ isWaiting }) => !isWaiting)
    const waits = left.find(({ isWaiting }) => isWaiting)
    const file =
      computes && (computing < mostComputing - 1 || (waits === undefined && computing < mostComputing))
        ? computes
        : waits
    if (file) queue.splice(queue.indexOf(file), 1)
    return file
  }

  function give(runner: Runner, file: TestFile): void {
    runner.file = file
    runner.child.send(file.path)
  }

  function start(file: TestFile): void {
    const child = fork(PROGRAM, [], {
      execArgv: [`--import=${LOADER}`],
      env: { ...environment, TAP_TIMEOUT: '3600' },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    })
    const runner: Runner = { child, file: undefined, done: 0, ended: Promise.resolve() }
    const heard = report.follow(child.stdout as NodeJS.ReadableStream)
    child.on('message', (message: object) => {
      // tap sends messages, too.
      if (!('done' in message)) return
      const ended = runner.file
      runner.file = undefined
      runner.done += 1
      const next = ended?.isAlone || runner.done >= FILES_OF_A_PROCESS ? undefined : take(false)
      if (next) give(runner, next)
      else child.disconnect()
      fill()
    })
    runner.ended = Promise.all([heard, new Promise((resolve) => child.on('exit', resolve))]).then(() => {
      runners.delete(runner)
      if (runner.file) report.lost(runner.file.path, child.signalCode ?? child.exitCode)
      fill()
    })
    runners.add(runner)
    ends.push(runner.ended)
    give(runner, file)
  }

  /** Starts processes while there is room and a file for them. */
  function fill(): void {
    while (runners.size < processes) {
      const file = take(true)
      if (file === undefined) return
      start(file)
    }
  }

  fill()
  // Each end may start another process.
  for (const end of ends) await end
}
