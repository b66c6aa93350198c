/**
 * `npm run bench:check`: shows the usage of every benchmark and runs its short form, and fails if one fails, so that none breaks unnoticed. It
 * does not judge results.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { makeFolder } from './processes.ts'

new Command('npm run bench:check')
  .description('Runs the short form of every benchmark, and fails if one fails. It does not judge results.')
  .parse()

/** The time limit for all of them, in minutes. */
const MAX_MINUTES = 15

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

/** Runs a benchmark with arguments to its end. */
function run(name: string, ...args: string[]) {
  const [command = '', ...script] = (scripts[name] as string).split(' ')
  const timeout = Math.ceil(Math.max(1, deadline - performance.now()))
  return spawnSync(command, [...script, ...args], { encoding: 'utf8', timeout, maxBuffer: 64 * 1024 * 1024 })
}

for (const name of names) {
  if (!run(name, '--help').stdout.startsWith(`Usage: npm run ${name} `)) {
    failed.push(name)
    console.error(`${name}: does not show its usage`)
    continue
  }
  const begin = performance.now()
  const { status, signal, stdout, stderr } = run(name, ...(ARGUMENTS[name] ?? []), '--quick')
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  console.log(`${name}: ${status === 0 ? 'runs' : `fails (${status ?? signal})`}, ${seconds} s`)
  if (status === 0) continue
  failed.push(name)
  console.error(stdout, stderr)
}
if (failed.length > 0) process.exitCode = 1
