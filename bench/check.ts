/**
 * `npm run bench:check`: shows the usage of every benchmark and runs its short form, and fails if one fails, so that none breaks unnoticed. It
 * does not judge results.
 */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import { Command } from 'commander'
import { makeFolder } from './processes.ts'

new Command('npm run bench:check')
  .description('Runs the short form of every benchmark, and fails if one fails. It does not judge results.')
  .parse()

/** The time limit for all of them, in minutes. */
const MAX_MINUTES = 15

const execute = promisify(execFile)
const folder = makeFolder()

/** Additional arguments for the short form of a benchmark. */
const ARGUMENTS: Record<string, string[]> = {
  bench: ['--out', folder],
  'bench:against': ['HEAD'],
  'bench:patch': ['.'],
  'bench:stalls': ['--out', folder],
}

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'))
const names = Object.keys(scripts).filter((name) => /^bench(:|$)/.test(name) && name !== 'bench:check')
const deadline = performance.now() + MAX_MINUTES * 60_000
const failed: string[] = []

interface Output {
  stdout: string
  stderr: string
}

/** What `execFile` rejects with: the output, and how the process ended. */
interface Failure extends Output {
  code: number | null
  signal: string | null
}

/** Runs a benchmark with arguments to its end. `failure` is how it ended, if not well. */
async function run(name: string, ...args: string[]): Promise<Output & { failure?: number | string | null }> {
  const [command = '', ...script] = (scripts[name] as string).split(' ')
  const timeout = Math.ceil(Math.max(1, deadline - performance.now()))
  try {
    return await execute(command, [...script, ...args], { timeout, maxBuffer: 64 * 1024 * 1024 })
  } catch (error) {
    const { code, signal, stdout, stderr } = error as Failure
    return { failure: code ?? signal, stdout, stderr }
  }
}

async function check(name: string): Promise<void> {
  if (!(await run(name, '--help')).stdout.startsWith(`Usage: npm run ${name} `)) {
    failed.push(name)
    console.error(`${name}: does not show its usage`)
    return
  }
  const begin = performance.now()
  const { failure, stdout, stderr } = await run(name, ...(ARGUMENTS[name] ?? []), '--quick')
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  console.log(`${name}: ${failure === undefined ? 'runs' : `fails (${failure})`}, ${seconds} s`)
  if (failure === undefined) return
  failed.push(name)
  console.error(stdout, stderr)
}

// Results do not count here, so several run beside each other.
async function checkNext(): Promise<void> {
  for (let name = names.shift(); name !== undefined; name = names.shift()) await check(name)
}
await Promise.all(Array.from({ length: availableParallelism() }, checkNext))
if (failed.length > 0) process.exitCode = 1
