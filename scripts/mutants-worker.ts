/**
 * A process of `mutants.ts`: it loads the application once, with all mutants compiled in, and runs tests again and again, each time
 * with another mutant. `--import` loads this module into its threads as well, which run the same mutant.
 */
import { existsSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads'
import type { Test, TestOpts } from 'tap'

/** The folder of the sources with their mutants. */
export const INSTRUMENTED = '.tap/mutants'

/** What to run. */
export interface Job {
  file: string
  /** The only one of the file's own tests to run, from 0. */
  part: number
  /** 0 for none. */
  mutant: number
}

/** What came of it. */
export interface Outcome {
  isPassed: boolean
  /** How many tests the file has. */
  parts: number
  /** Milliseconds, by the clock and of the processors. */
  took: number
  busy: number
  /** The mutants whose places it reached. */
  reached: number[]
}

/** The first message of the process. */
export const READY = 'ready'

/** More than there are mutants. */
const MOST = 1 << 16
const NAME = 'phaseboard mutants'
const TAP = 'tap-of:'

/** The active mutant, followed by whether each one was reached; shared with all threads. */
const state =
  (getEnvironmentData(NAME) as Int32Array | undefined) ?? new Int32Array(new SharedArrayBuffer(4 * MOST))
setEnvironmentData(NAME, state)

/** The test of the file that is being run. */
let current: Test | undefined

Object.assign(globalThis, {
  __mutant(id: number): boolean {
    state[id] = 1
    return state[0] === id
  },
  __test: () => current,
})

registerHooks({
  resolve(specifier, context, next) {
    // As in test/together.ts. The number of the run makes the file a new module.
    return specifier === 'tap' && context.parentURL?.includes('?run=')
      ? { url: `${TAP}${context.parentURL}`, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
  load(url, context, next) {
    if (url.startsWith(TAP))
      return { format: 'module', source: 'export default globalThis.__test()', shortCircuit: true }
    if (!url.startsWith('file:') || url.includes('/node_modules/')) return next(url, context)
    const file = resolve(INSTRUMENTED, relative('.', fileURLToPath(url)))
    return existsSync(file)
      ? { format: 'module', source: readFileSync(file, 'utf8'), shortCircuit: true }
      : next(url, context)
  },
})

/** Leaves out tests: all once one has failed, and those of the file that are not wanted. @returns the number of these tests so far */
function leaveOut(file: Test, part: number): () => number {
  let hasFailed = false
  let parts = 0
  const watch = (test: Test) => {
    test.on('res', (result) => {
      if (!(result as { ok: boolean }).ok) hasFailed = true
    })
    test.on('subtestAdd', (added) => {
      const child = added as Test
      const { cb } = child
      const isWanted = test !== file || part === parts
      if (test === file) parts++
      child.cb = (own) => (isWanted && !hasFailed ? cb?.(own) : Promise.resolve())
      watch(child)
    })
  }
  watch(file)
  return () => parts
}

if (isMainThread && process.send) {
  const { Test } = await import('tap')
  const { beginFile } = await import('../test/current-test.ts')
  let runs = 0

  const run = async ({ file, part, mutant }: Job): Promise<Outcome> => {
    state.fill(0)
    state[0] = mutant
    const began = performance.now()
    const before = process.cpuUsage()
    const url = `${pathToFileURL(resolve(file)).href}?run=${++runs}`
    // The name is that of temporary folders, too, which processes must not share.
    const options: TestOpts = { name: `${file} ${process.pid}`, cb: () => import(url).then(() => undefined) }
    const test = new Test(options)
    current = test
    beginFile(test)
    const parts = leaveOut(test, part)
    test.resume()
    await new Promise<void>((done) => test.runMain(done))
    const { user, system } = process.cpuUsage(before)
    return {
      isPassed: test.passing() && test.counts.total > 0,
      parts: parts(),
      took: performance.now() - began,
      busy: (user + system) / 1000,
      reached: [...state.entries()].flatMap(([id, isReached]) => (id > 0 && isReached === 1 ? [id] : [])),
    }
  }

  process.on('message', async (job: Job) => process.send?.(await run(job)))
  // tap listens as well, and takes what comes before.
  process.send(READY)
}
