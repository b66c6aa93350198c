/** Runs test files in a few processes. What computes runs on as many processors as there are; what waits, beside it, in two more. */
import { type ChildProcess, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { pathToFileURL } from 'node:url'
import type { TestFile } from './test-files.ts'
import { TestReport } from './test-report.ts'

const PROGRAM = 'test/together.ts'
const LOADER = pathToFileURL('scripts/use-bundled-sources.ts').href

/** Files that a process runs before a new one takes its place: what tests leave behind, such as modules, would fill its memory. */
const FILES_OF_A_PROCESS = 40

/** As many files may pass only when they are run once more. */
const MOST_FLAKY = 2
/** If more files fail, they are not run again. */
const MOST_REPEATED = 10

/** A process that runs files. */
interface Runner {
  child: ChildProcess
  file: TestFile | undefined
  done: number
  ended: Promise<void>
}

/** Runs test files once, and resolves when all have ended. @param files in the order of their start */
async function runOnce(
  files: readonly TestFile[],
  report: TestReport,
  environment: NodeJS.ProcessEnv,
  processes: number,
): Promise<void> {
  const queue = [...files]
  const runners = new Set<Runner>()
  const ends: Promise<void>[] = []
  const mostComputing = Math.max(1, processes - 2)

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

/**
 * Runs test files, and those that fail once more, alone. What passes then is flaky: reported, and tolerated in at most two files.
 * @param files in the order of their start
 * @param environment of the processes
 * @param write writes the report
 * @param processes how many at most
 * @returns whether the run has passed
 */
export async function runTests(
  files: readonly TestFile[],
  environment: NodeJS.ProcessEnv,
  write: (text: string) => void,
  processes = availableParallelism() + 2,
): Promise<boolean> {
  const report = new TestReport(write)
  await runOnce(files, report, environment, processes)
  const failing = report.failing()
  const flaky: string[] = []
  if (failing.length > 0 && failing.length <= MOST_REPEATED) {
    write(`once more, alone: ${failing.join(', ')}\n`)
    const again = new TestReport(write)
    const repeated = files
      .filter(({ path }) => failing.includes(path))
      .map((file) => ({ ...file, isAlone: true }))
    await runOnce(repeated, again, environment, 1)
    flaky.push(...failing.filter((file) => !again.failing().includes(file)))
    if (flaky.length <= MOST_FLAKY) report.replace(flaky, again)
  }
  report.close(flaky)
  return files.length > 0 && report.failing().length === 0
}
