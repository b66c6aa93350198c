/** Performs the steps of CONTRIBUTING.md to add a resource, exactly as written, in a copy of the project. */
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'

const run = promisify(execFile)

/** Files that a new resource touches, at most, besides those that commands write. Two are the languages of the page. */
const FILES = 12

/** The folders and files of the copy. */
const COPIED = [
  ...['src', 'plugins', 'routes', 'web', 'test', 'scripts', 'drizzle'],
  ...['.gitignore', 'package.json', 'tsconfig.json', 'biome.json', 'drizzle.config.ts', 'CHANGELOG.md'],
]

/** Tests that fail if a step is wrong, and take only seconds: the resource's own, and that of all kinds of record. */
const CHECKS = ['test/routes/milestones.test.ts', 'test/db/kinds.test.ts']

/** A block of the document: its language, and its lines. */
interface Block {
  language: string
  lines: string[]
}

/** The blocks of the section, in order, without the indentation of their step. */
function blocksOf(document: string): Block[] {
  const [, section = ''] = /^## To add a resource\n(.*?)^## /ms.exec(document) ?? []
  return [...section.matchAll(/^( *)```(\w+)\n(.*?)^ *```$/gms)].map(
    ([, indent = '', language = '', text = '']) => ({
      language,
      lines: text
        .trimEnd()
        .split('\n')
        .map((line) => line.slice(indent.length)),
    }),
  )
}

/** The text with some lines of it replaced by others, which must be there once. */
function replaced(text: string, before: readonly string[], after: readonly string[], what: string): string {
  const [old, now] = [before, after].map((lines) => `\n${lines.join('\n')}\n`) as [string, string]
  const parts = `\n${text}`.split(old)
  if (parts.length !== 2) throw new Error(`${what} has these lines ${parts.length - 1} times:${old}`)
  return parts.join(now).slice(1)
}

/** Changes lines of a file as a block says. @returns the file */
function patch(folder: string, [head = '', ...lines]: readonly string[]): string {
  const file = head.replace('+++ ', '')
  let text = readFileSync(join(folder, file), 'utf8')
  const hunks = lines.join('\n').split(/^@@$\n?/m)
  for (const hunk of hunks.map((one) => one.replace(/\n$/, '').split('\n'))) {
    const without = (sign: string) =>
      hunk.filter((line) => !line.startsWith(sign)).map((line) => line.slice(1))
    text = replaced(text, without('+'), without('-'), file)
  }
  writeFileSync(join(folder, file), text)
  return file
}

/** Writes the file that a block shows. @returns the file */
function write(folder: string, [head = '', ...lines]: readonly string[]): string {
  const file = head.replace('// ', '')
  writeFileSync(join(folder, file), `${lines.join('\n')}\n`, { flag: 'wx' })
  return file
}

t.test('the steps in CONTRIBUTING.md add a resource', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'phaseboard-resource-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of COPIED) cpSync(name, join(folder, name), { recursive: true })
  symlinkSync(join(process.cwd(), 'node_modules'), join(folder, 'node_modules'))
  // Neither the runner's settings, nor what it has prepared of this project.
  const own = Object.entries(process.env).filter(([name]) => !/^(TAP|_TAPJS|PHASEBOARD_TEST)/.test(name))
  // tap's own limit is 30 s, which a busy machine needs for the test of a resource.
  const env = { ...Object.fromEntries(own), TAP_TIMEOUT: '240' }
  const running = async (command: string, ...args: string[]) => {
    const what = [command, ...args].join(' ')
    // The runner's NODE_OPTIONS load modules that tsc cannot.
    const failed = await run('env', ['-u', 'NODE_OPTIONS', command, ...args], { cwd: folder, env }).then(
      () => undefined,
      ({ stdout, stderr }) => `${stdout}${stderr}`,
    )
    t.equal(failed, undefined, what)
  }

  const files = new Set<string>()
  for (const { language, lines } of blocksOf(readFileSync('CONTRIBUTING.md', 'utf8'))) {
    if (language === 'sh') await running('bash', '-ec', lines.join('\n'))
    else files.add((language === 'diff' ? patch : write)(folder, lines))
  }
  t.ok(files.size > 8 && files.size <= FILES, `${files.size} files are touched`)
  const sources = [...files].filter((file) => file.endsWith('.ts'))
  const outsideThePage = sources.filter((file) => !file.startsWith('web/'))
  writeFileSync(
    join(folder, 'touched.json'),
    JSON.stringify({ extends: './tsconfig.json', include: outsideThePage, exclude: [] }),
  )
  const bin = (name: string) => join('node_modules', '.bin', name)
  await Promise.all([
    running(bin('tsc'), '-p', 'touched.json'),
    // The page must know every kind and what is new in the client's types, in other files than those that were touched.
    running(bin('tsc'), '--noEmit', '-p', 'web'),
    running(bin('biome'), 'lint', '--colors=off', ...sources),
    ...CHECKS.map((check) => running(process.execPath, check)),
  ])
})
