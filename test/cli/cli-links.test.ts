import t from 'tap'
import { auditLog } from '../../src/db/schema.ts'
import { localUrl } from '../../src/http/public-url.ts'
import { listening, onFile, run, start } from '../command-line.ts'

const PASSWORD = 'correct horse'

t.test('links from the command line work in the running service, and the audit log names it', async (t) => {
  const { DATABASE_URL, command, db, insert } = onFile(t)
  insert({ id: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', role: 'admin' })
  const environment = { DATABASE_URL, PORT: '0', AUTH_MODE: 'required', LOG_LEVEL: 'warn' }
  const url = await listening(start(t, ['serve'], environment))
  const use = async (link: string, fields: object = {}) => {
    const token = new URL(link).hash.slice(1)
    const response = await fetch(`${url}/api/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password: PASSWORD, ...fields }),
    })
    return { status: response.status, body: await response.json() }
  }

  const { code, stdout, stderr } = await command(['member', 'password-link', 'ADA@example.test'])
  t.strictSame([code, stderr], [0, ''])
  t.match(stdout, /^http:\/\/127\.0\.0\.1:3000\/link#pbl_[\w-]{43}\n$/, 'the link and nothing else')
  const again = await command(['member', 'password-link', 'ada'])
  t.equal((await use(stdout)).status, 401, 'a new one ends the former')
  t.match(await use(again.stdout), { status: 201, body: { member: { id: 'ada' } } })

  const invited = await run(
    t,
    ['member', 'invite', '--name', 'Bob', '--email', 'bob@example.test', '--role', 'viewer'],
    { DATABASE_URL, PUBLIC_URL: 'https://board.example/tools/' },
  )
  t.match(invited.stdout, /^https:\/\/board\.example\/tools\/link#pbl_[\w-]{43}\n$/)
  t.match(await use(invited.stdout), {
    status: 201,
    body: { member: { name: 'Bob', email: 'bob@example.test', role: 'viewer' } },
  })
  const open = await run(t, ['member', 'invite'], { DATABASE_URL, HOST: '0.0.0.0', PORT: '8080' })
  t.match(open.stdout, /^http:\/\/localhost:8080\/link#pbl_/)
  const cleo = { name: 'Cleo', email: 'cleo@example.test' }
  t.match(await use(open.stdout, cleo), { status: 201, body: { member: { ...cleo, role: 'member' } } })

  const entries = db
    .select()
    .from(auditLog)
    .orderBy(auditLog.id)
    .all()
    .map(({ action, actor, subject }) => [action, actor, subject])
  t.strictSame(
    entries.filter(([, actor]) => actor === 'command line'),
    [
      ['password-link-created', 'command line', 'Ada Lovelace'],
      ['password-link-revoked', 'command line', 'Ada Lovelace'],
      ['password-link-created', 'command line', 'Ada Lovelace'],
      ['invitation-created', 'command line', 'Bob'],
      ['invitation-created', 'command line', null],
    ],
  )
  t.notMatch(JSON.stringify(db.select().from(auditLog).all()), /pbl_/)
})

t.test('the address of a link is one that browsers can open', async (t) => {
  t.equal(localUrl({ host: '127.0.0.1', port: 3000 }), 'http://127.0.0.1:3000')
  t.equal(localUrl({ host: '::', port: 80 }), 'http://localhost:80')
  t.equal(localUrl({ host: '::1', port: 80 }), 'http://[::1]:80')
  t.equal(localUrl({ host: 'board.local', port: 80 }), 'http://board.local:80')
})
