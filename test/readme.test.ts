import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import t from 'tap'
import { build } from './helper.ts'

const tour = /## A five-minute tour\n(.*?)\n## /s.exec(readFileSync('README.md', 'utf8'))?.[1] ?? ''

/** The blocks of one kind in the tour, in order. */
const blocks = (kind: string) =>
  [...tour.matchAll(new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, 'gs'))].map((match) => match[1])

t.test('every line of the tour works when pasted, and prints what the README says', async (t) => {
  const databaseUrl = `file:${t.testdir({})}/data/phaseboard.db`
  const app = await build(t, { databaseUrl })
  const url = await app.listen({ port: 0 })
  const script = blocks('sh')
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll('data/phaseboard.db', databaseUrl.slice(5))
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
  })
  t.equal(stderr, '')
  t.equal(stdout.replace(/ +$/gm, ''), blocks('text').join('').replace(/ +$/gm, ''))
})
