/**
 * `npm run bench:check`: runs the short form of every benchmark, and fails if one fails, so that none breaks unnoticed. It does
 * not judge results.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { makeFolder } from './processes.ts'

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

for (const name of names) {
  const begin = performance.now()
  const [command = '', ...script] = (scripts[name] as string).split(' ')
  const { status, signal, stdout, stderr } = spawnSync(
    command,
    [...script, ...(ARGUMENTS[name] ?? []), '--quick'],
    { encoding: 'utf8', timeout: Math.ceil(Math.max(1, deadline - begin)), maxBuffer: 64 * 1024 * 1024 },
  )
  const seconds = ((performance.now() - begin) / 1000).toFixed(0)
  console.log(`${name}: ${status === 0 ? 'runs' : `fails (${status ?? signal})`}, ${seconds} s`)
  if (status === 0) continue
  failed.push(name)
  console.error(stdout, stderr)
}
if (failed.length > 0) process.exitCode = 1
