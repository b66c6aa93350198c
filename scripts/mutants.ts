/**
 * `npm run test:mutants`: changes the rules one operator at a time, and fails if the tests notice too few of the changes
 * (docs/decisions/083-mutants.md).
 */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { Command } from 'commander'
import { wholeNumber } from './arguments.ts'
import { type Accepted, identityOf, reportOf, scoreOf, type Tried } from './mutants-report.ts'
import { INSTRUMENTED, type Job, type Outcome, READY } from './mutants-worker.ts'
import { instrument } from './mutate.ts'

const BATCHES = ['test/batch/*.test.ts']

/**
 * The sources with rules, and the tests of each: in one process, without browsers, and cheap. Tests that run the build cannot see
 * mutants.
 */
const RULES: Readonly<Record<string, readonly string[]>> = {
  'src/access/policy.ts': ['test/access/{policy,scopes}.test.ts'],
  'src/batch/batch.ts': BATCHES,
  'src/batch/limits.ts': BATCHES,
  'src/batch/operations.ts': BATCHES,
  'src/batch/perform-batch.ts': BATCHES,
  'src/batch/placeholders.ts': BATCHES,
  'src/board/claims.ts': ['test/board/{claims,item-rules}.test.ts'],
  'src/board/items.ts': [
    'test/board/item-rules.test.ts',
    'test/routes/kanban-item-bulk.test.ts',
    'test/access/scopes.test.ts',
  ],
  'src/board/places.ts': ['test/board/{item-rules,places}.test.ts'],
  'src/changes/undo.ts': [
    'test/changes/{odd-changes,undo,undo-rules}.test.ts',
    'test/access/late-access.test.ts',
    'test/routes/people-merge.test.ts',
  ],
  'src/requests/preconditions.ts': ['test/requests/preconditions.test.ts', 'test/batch/results.test.ts'],
}

/** Milliseconds of work of the dearest test that is repeated. */
const MOST_WORK = 3000

/** Milliseconds that a test may take without a mutant. */
const FIRST_LIMIT = 300_000

/** Percent of the mutants that tests must notice. */
const LEAST = 85

/** One of a file's own tests. */
interface Unit {
  file: string
  part: number
  took: number
  busy: number
  reached: Set<number>
}

/** Runs tests in a process, which it replaces if a mutant has stopped it. */
class Runner {
  #process: ChildProcess | undefined
  #jobs = 0

  /** @returns the outcome; `undefined` after so many milliseconds, or if the process has ended */
  async run(job: Job, limit: number): Promise<Outcome | undefined> {
    // Every run leaves its modules behind.
    if (++this.#jobs % 500 === 0) this.end()
    if (this.#process === undefined) {
      await this.#start()
      // The first run also loads and compiles the application.
      await this.#send({ ...job, mutant: 0 }, FIRST_LIMIT)
    }
    const outcome = await this.#send(job, limit)
    if (outcome === undefined) this.end()
    return outcome
  }

  async #send(job: Job, limit: number): Promise<Outcome | undefined> {
    const worker = this.#process as ChildProcess
    const { promise, resolve: settle } = Promise.withResolvers<Outcome | undefined>()
    // tap sends other messages.
    const listen = (message: Partial<Outcome>) => message.reached && settle(message as Outcome)
    const end = () => settle(undefined)
    worker.on('message', listen).once('exit', end)
    const timer = setTimeout(end, limit)
    worker.send(job)
    const outcome = await promise
    clearTimeout(timer)
    worker.off('message', listen).off('exit', end)
    return outcome
  }

  async #start(): Promise<void> {
    const module = resolve('scripts/mutants-worker.ts')
    const worker = fork(module, {
      execArgv: ['--disable-warning=ExperimentalWarning', '--import', module],
      env: { ...process.env, TAP_TIMEOUT: '0', PHASEBOARD_TEST_BUILT: '1' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#process = worker
    const { promise, resolve: settle, reject } = Promise.withResolvers<void>()
    worker.on('message', (message) => message === READY && settle())
    worker.once('exit', () => reject(new Error('a process with mutants does not start')))
    await promise
    worker.removeAllListeners('message').removeAllListeners('exit')
    worker.once('exit', () => {
      if (this.#process === worker) this.#process = undefined
    })
  }

  end(): void {
    this.#process?.kill('SIGKILL')
    this.#process = undefined
  }
}

/** The tests of a file that pass alone without a mutant, with their work and what they reach. */
async function unitsOf(file: string, runner: Runner): Promise<Unit[]> {
  const units: Unit[] = []
  // This run also compiles what the file needs.
  await runner.run({ file, part: 0, mutant: 0 }, FIRST_LIMIT)
  for (let part = 0, parts = 1; part < parts; part++) {
    const outcome = await runner.run({ file, part, mutant: 0 }, FIRST_LIMIT)
    parts = outcome?.parts ?? parts
    if (outcome?.isPassed) units.push({ ...outcome, file, part, reached: new Set(outcome.reached) })
    else console.error(`${file}: test ${part} fails alone without a mutant, and is left out`)
  }
  return units
}

/** Chooses the test that probably notices a mutant for the least work: those that noticed its neighbours. */
class Experience {
  readonly #kills = new Map<string, number>()
  readonly #runs = new Map<string, number>()

  #key = ({ file, inside }: Tried, unit: Unit) => `${file} ${inside} ${unit.file} ${unit.part}`

  sorted(mutant: Tried, units: readonly Unit[]): Unit[] {
    // A test that waits may wait until its limit.
    const worth = (unit: Unit) => {
      const key = this.#key(mutant, unit)
      return (
        ((this.#kills.get(key) ?? 0) + 0.5) / ((this.#runs.get(key) ?? 0) + 1) / (unit.busy + unit.took / 5)
      )
    }
    return units.toSorted((one, other) => worth(other) - worth(one))
  }

  learn(mutant: Tried, unit: Unit, isKilled: boolean): void {
    const key = this.#key(mutant, unit)
    this.#runs.set(key, (this.#runs.get(key) ?? 0) + 1)
    if (isKilled) this.#kills.set(key, (this.#kills.get(key) ?? 0) + 1)
  }
}

/** Runs the tests that reach a mutant until one notices it. */
async function attempt(
  mutant: Tried,
  units: readonly Unit[],
  runner: Runner,
  experience: Experience,
): Promise<void> {
  const reaching = units.filter(({ reached }) => reached.has(mutant.id))
  mutant.isReached = reaching.length > 0
  for (const unit of experience.sorted(mutant, reaching).slice(0, Number(process.env.MOST_RUNS ?? 1000))) {
    // Only loops and waits without an end take so long.
    const outcome = await runner.run(
      { file: unit.file, part: unit.part, mutant: mutant.id },
      5 * unit.took + 10_000,
    )
    const isKilled = !outcome?.isPassed
    experience.learn(mutant, unit, isKilled)
    if (!isKilled) continue
    Object.assign(mutant, { by: unit.file, hasNoEnd: outcome === undefined })
    return
  }
}

const program = new Command('test:mutants')
  .option('--file <path...>', 'only mutants of these sources')
  .option('--jobs <n>', 'processes', wholeNumber(), availableParallelism())
  .option('--again', 'only the mutants that no test noticed in the last run')
  .option('--list', 'names the mutants, and runs nothing')
  .parse()
const {
  file: wanted = Object.keys(RULES),
  jobs,
  again,
  list,
} = program.opts<{
  file?: string[]
  jobs: number
  again?: true
  list?: true
}>()

/** What the last runs found. */
const RESULTS = '.tap/mutants-results.json'
/** The reasons of mutants that stay. */
const ACCEPTED = 'scripts/mutants-accepted.json'

rmSync(INSTRUMENTED, { recursive: true, force: true })
const all: Tried[] = []
for (const file of wanted) {
  if (!RULES[file]) program.error(`There are no tests for ${file}: see RULES.`)
  const { source, mutants } = instrument(readFileSync(file, 'utf8'), all.length + 1)
  mkdirSync(dirname(join(INSTRUMENTED, file)), { recursive: true })
  writeFileSync(join(INSTRUMENTED, file), source)
  all.push(...mutants.map((mutant) => ({ ...mutant, file, isReached: false })))
}
if (list) {
  for (const { file, line, column, original, replacement } of all)
    console.log(`${file}:${line}:${column} ${original} -> ${replacement}`)
  process.exit()
}

/** Mutants by what they are. In a function, several may be the same. */
function numbered(mutants: readonly Tried[]): Map<string, Tried> {
  const groups = Map.groupBy(mutants, identityOf)
  return new Map([...groups].flatMap(([key, same]) => same.map((one, index) => [`${key}\n${index}`, one])))
}

const earlier: Tried[] = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : []
const before = numbered(again ? earlier : [])
for (const [key, mutant] of numbered(all)) {
  const by = before.get(key)?.by
  if (by) Object.assign(mutant, { by, isReached: true })
}
const todo = all.filter(({ by }) => !by)
const began = performance.now()
const left = wanted.filter((path) => todo.some(({ file }) => file === path))
const testsOf = new Map(left.map((file) => [file, globSync(RULES[file] as string[]).sort()]))
const waiting = [...new Set([...testsOf.values()].flat())]
const units: Unit[] = []
const experience = new Experience()
const minutes = () => ((performance.now() - began) / 60_000).toFixed(1)

const runners = Array.from({ length: jobs }, () => new Runner())
/** Lets each process take from a list until it is empty. */
const share = async <T>(list: T[], work: (one: T, runner: Runner) => Promise<void>) => {
  await Promise.all(
    runners.map(async (runner) => {
      for (let one = list.shift(); one !== undefined; one = list.shift()) await work(one, runner)
    }),
  )
}

const results = [...earlier.filter(({ file }) => !wanted.includes(file)), ...all]

await share(waiting, async (file, runner) => {
  const found = await unitsOf(file, runner)
  const busy = Math.round(found.reduce((sum, one) => sum + one.busy, 0))
  console.log(`${minutes()} min: ${file}: ${found.length} tests, ${busy} ms of work`)
  units.push(...found.filter((one) => one.busy < MOST_WORK))
})
await share(todo, async (mutant, runner) => {
  const { file, line, column, original, replacement } = mutant
  const own = units.filter((unit) => testsOf.get(file)?.includes(unit.file))
  await attempt(mutant, own, runner, experience)
  // An interrupted run continues with --again.
  writeFileSync(RESULTS, JSON.stringify(results))
  if (!mutant.by)
    console.log(
      `${minutes()} min, ${todo.length} left: ${file}:${line}:${column} ${original} -> ${replacement}${mutant.isReached ? '' : ' (not reached)'}`,
    )
})
for (const runner of runners) runner.end()

for (const [file, some] of Map.groupBy(all, (one) => one.file))
  console.log(`${file}: ${scoreOf(some).toFixed(1)} % of ${some.length} mutants`)
console.log(
  `${scoreOf(all).toFixed(1)} % of ${all.length} mutants, ${all.filter((one) => one.hasNoEnd).length} of them without an end, after ${minutes()} minutes`,
)
const first = new Set(all.map(({ by }) => by))
const others = [...new Set([...testsOf.values()].flat())].filter((file) => !first.has(file))
if (others.length > 0) console.log(`everything was noticed without ${others.join(', ')}`)
if (new Set(results.map(({ file }) => file)).size === Object.keys(RULES).length) {
  const accepted: Accepted[] = JSON.parse(readFileSync(ACCEPTED, 'utf8'))
  const sorted = results.toSorted((one, other) => one.file.localeCompare(other.file) || one.line - other.line)
  writeFileSync('docs/mutants.md', reportOf(sorted, accepted, new Date().toISOString().slice(0, 10)))
}
process.exitCode = scoreOf(all) < LEAST ? 1 : 0
