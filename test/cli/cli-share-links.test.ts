import t from 'tap'
import { auditLog } from '../../src/db/schema.ts'
import { createRules } from '../../src/requests/rules.ts'
import { listening, onFile, start } from '../command-line.ts'
import { writeTo } from '../helper.ts'

t.test('links are listed and revoked beside the running service', async (t) => {
  const { DATABASE_URL, command, db } = onFile(t)
  const { projects } = createRules(db)
  const by = { id: 'ada', name: 'Ada', address: null }
  const make = (name: string) => writeTo(db, () => projects.create({ name })).id
  const [one, other] = [make('One\u001b[31m'), make('Other')]
  const share = (projectId: string, input: object) =>
    writeTo(db, () => projects.shareLinks.create(projectId, input, 'http://x', by))
  const link = share(one, { name: 'Client', expiresAt: '2999-01-01' })
  const second = share(other, {})
  const url = await listening(start(t, ['serve'], { DATABASE_URL, PORT: '0', LOG_LEVEL: 'warn' }))
  const open = async (secret: string) => (await fetch(`${url}/api/shared/${secret}`)).status
  t.equal(await open(link.secret), 200)

  const listed = await command(['share-link', 'list'])
  t.strictSame([listed.code, listed.stderr], [0, ''])
  t.strictSame(
    listed.stdout.split('\n').map((line) => line.split(/ {2,}/)),
    [
      [link.id, link.createdAt, '2999-01-01T00:00:00.000Z', 'One [31m', 'Client'],
      [second.id, second.createdAt, 'never', 'Other', '-'],
      [''],
    ],
  )
  t.notMatch(listed.stdout, link.secret)
  t.match((await command(['share-link', 'list', other])).stdout, new RegExp(`^${second.id} [^\\n]+\\n$`))
  t.match(await command(['share-link', 'list', 'nothing']), { code: 1, stderr: /Project not found/ })

  t.match(await command(['share-link', 'revoke', link.id]), {
    code: 0,
    stdout: `the share link ${link.id} is revoked\n`,
  })
  t.equal(await open(link.secret), 404, 'at once')
  t.equal(await open(second.secret), 200)
  t.match(await command(['share-link', 'revoke', link.id]), { code: 1, stderr: /Share link not found/ })
  const revoked = db.select().from(auditLog).all().at(-1)
  t.match(revoked, { action: 'share-link-revoked', actor: 'command line', subjectId: link.id, address: null })
})
