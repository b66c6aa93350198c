import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { start } from './process.ts'

const short = /## A five-minute tour\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8'))?.[1] ?? ''
const tour = readFileSync('docs/tour.md', 'utf8')

/** The blocks of one or more languages in a text, in order. */
const blocks = (kind: string, part = tour) =>
  [...part.matchAll(new RegExp(`\`\`\`(?:${kind})\\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block)

/** Waits until a file has a number of lines. */
const waitFor = (lines: number, file: string) => `
until [ "$(wc -l <'${file}')" -ge ${lines} ]; do sleep 0.1; done
`

/** A command for another terminal. It has printed its first line before the next command starts, and ends with the last one. */
const beside = (command: string, output: string) => `
: >'${output}'
${command.trim()} >>'${output}' &
trap 'kill $!' EXIT
${waitFor(1, output)}
`

t.test("README's examples work when pasted, and return what it says", async (t) => {
  const DATABASE_URL = `file:${join(t.testdir({}), 'board.db')}`
  const { url } = await start(t, { DATABASE_URL })
  const run = (script = '') =>
    promisify(execFile)('bash', ['-c', script.replaceAll('http://127.0.0.1:3000', url)], {
      env: { ...process.env, DATABASE_URL },
    })
  const [example, importing, ...more] = blocks('sh', short)
  t.strictSame(more, [])
  const imported = await run(importing)
  t.strictSame([imported.stderr, imported.stdout], ['', blocks('text', short).join('')])
  const [answer = ''] = blocks('json', short)
  const { stdout, stderr } = await run(example)
  t.equal(stderr, '')
  const comparable = (entries: string) =>
    JSON.parse(entries).map((entry: object) => ({ ...entry, id: '', itemId: '', createdAt: '' }))
  t.strictSame(comparable(stdout), comparable(answer))
})

t.test('every line of the tour works when pasted, and prints what it says', async (t) => {
  const folder = t.testdir({})
  // The default database, in a folder of the test.
  const DATABASE_URL = `file:${join(folder, 'data/phaseboard.db')}`
  const { url } = await start(t, { DATABASE_URL })
  const [shown = ''] = blocks('console')
  const output = join(folder, 'other-terminal.txt')
  // A command that starts with `node` is for another terminal. The stream in curl's output is skipped, because it has
  // times and ids.
  const script = blocks('sh|bash')
    .filter((block) => !block.startsWith('curl -sN'))
    .map((block) => (block.startsWith('node ') ? beside(block, output) : block))
    .concat(waitFor(shown.split('\n').length - 1, output))
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll(/(?<=[ (])data\//g, `${folder}/data/`)
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, DATABASE_URL },
  })
  t.equal(stderr, '')
  t.equal(stdout.replace(/ +$/gm, ''), blocks('text').join('').replace(/ +$/gm, ''))
  // Later changes of the tour show in that terminal too.
  t.equal(readFileSync(output, 'utf8').slice(0, shown.length), shown)
})
