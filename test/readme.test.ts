import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { start } from './process.ts'

const tour = /## A five-minute tour\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8'))?.[1] ?? ''

/** The blocks of one kind in the tour, in order. */
const blocks = (kind: string) =>
  [...tour.matchAll(new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, 'gs'))].map((match) => match[1])

t.test('every line of the tour works when pasted, and prints what the README says', async (t) => {
  const folder = t.testdir({})
  // The database that the service has where nothing is configured, in a folder of the test.
  const DATABASE_URL = `file:${join(folder, 'data/phaseboard.db')}`
  const { url } = await start(t, { DATABASE_URL })
  const script = blocks('sh')
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll(/(?<=[ (])data\//g, `${folder}/data/`)
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, DATABASE_URL },
  })
  t.equal(stderr, '')
  t.equal(stdout.replace(/ +$/gm, ''), blocks('text').join('').replace(/ +$/gm, ''))
})
