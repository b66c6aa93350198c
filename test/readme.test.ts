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

/** Runs a script in the terminal of somebody who reads along. */
const runIn = async (url: string, DATABASE_URL: string, script: string) =>
  promisify(execFile)('bash', ['-c', script.replaceAll('http://127.0.0.1:3000', url)], {
    env: { ...process.env, DATABASE_URL },
  })

const [example = '', importing = '', ...more] = blocks('sh', short)
const imported = blocks('text', short).join('')

t.test("README's examples work when pasted, and after them every line of the tour", async (t) => {
  const folder = t.testdir({})
  // The default database, in a folder of the test.
  const DATABASE_URL = `file:${join(folder, 'data/phaseboard.db')}`
  const { url } = await start(t, { DATABASE_URL })
  t.strictSame(more, [])
  t.strictSame(await runIn(url, DATABASE_URL, importing), { stdout: imported, stderr: '' })
  const [answer = ''] = blocks('json', short)
  const answered = await runIn(url, DATABASE_URL, example)
  t.equal(answered.stderr, '')
  const comparable = (entries: string) =>
    JSON.parse(entries).map((entry: object) => ({ ...entry, id: '', itemId: '', createdAt: '' }))
  t.strictSame(comparable(answered.stdout), comparable(answer))

  const [shown = ''] = blocks('console')
  const output = join(folder, 'other-terminal.txt')
  // A command that starts with `node` is for another terminal. The stream in curl's output is skipped, because it has
  // times and ids.
  const script = blocks('sh|bash')
    .filter((block) => !block.startsWith('curl -sN'))
    .map((block) => (block.startsWith('node ') ? beside(block, output) : block))
    .concat(waitFor(shown.split('\n').length - 1, output))
    .join('\n')
    .replaceAll(/(?<=[ (])data\//g, `${folder}/data/`)
  const { stdout, stderr } = await runIn(url, DATABASE_URL, script)
  t.equal(stderr, '')
  t.equal(stdout.replace(/ +$/gm, ''), blocks('text').join('').replace(/ +$/gm, ''))
  // Later changes of the tour show in that terminal too.
  t.equal(readFileSync(output, 'utf8').slice(0, shown.length), shown)
})

t.test("README's import also works after the tour's", async (t) => {
  const DATABASE_URL = `file:${join(t.testdir({}), 'board.db')}`
  const { url } = await start(t, { DATABASE_URL })
  const [, , ofTour = ''] = blocks('sh|bash')
  t.match(ofTour, /import csv/)
  await runIn(url, DATABASE_URL, ofTour)
  t.strictSame(await runIn(url, DATABASE_URL, importing), { stdout: imported, stderr: '' })
})
