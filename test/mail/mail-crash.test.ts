/** Mail of services that are killed without warning: none is missing, and only what the server had just accepted comes twice. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { run as runCommand } from '../command-line.ts'
import { run, start } from '../process.ts'
import { until } from '../receivers.ts'
import { receiveMail } from '../smtp.ts'

const MEMBERS = 60

/** Runs SQL on a file, beside the service. */
function write(file: string, sql: string): void {
  const client = new SQLite(file)
  client.exec(sql)
  client.close()
}

const left = (file: string): number => {
  const client = new SQLite(file, { readonly: true })
  const number = client.prepare<[], number>('select count(*) from mail_queue').pluck().get() ?? 0
  client.close()
  return number
}

t.test('kill -9 while mail is sent loses none, and repeats only mails that were being sent', async (t) => {
  const file = join(t.testdir(), 'board.db')
  const server = await receiveMail(t, () => ({ waits: new Promise((done) => setTimeout(done, 10)) }))
  const environment = {
    DATABASE_URL: `file:${file}`,
    HOST: '127.0.0.1',
    SMTP_URL: server.url,
    MAIL_FROM: 'board@example.org',
    PUBLIC_URL: 'https://board.example',
    LOG_LEVEL: 'debug',
  }
  let service = await start(t, environment)
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${MEMBERS - 1})`
  write(
    file,
    `insert into members (id, name, email) ${numbers} select 'm' || i, 'M', 'm' || i || '@example.test' from n;
     insert into member_preferences (member_id, email) select id, 'each' from members where id glob 'm*';
     insert into notifications (id, member_id, kind, title, created_at)
       select 'n' || id, id, 'assigned', 'Card', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 hour') from members where id glob 'm*';`,
  )
  t.equal(left(file), MEMBERS)
  const KILLS = 2
  for (let kill = 1; kill <= KILLS; kill++) {
    await server.got(kill * 15)
    service.kill('SIGKILL')
    await service.exited
    service = await start(t, environment)
  }
  await until(() => left(file) === 0)
  const got = server.received.map(({ to }) => to)
  t.equal(new Set(got).size, MEMBERS, 'none is missing')
  // At most three are under way.
  t.ok(got.length - MEMBERS <= 3 * KILLS, `${got.length - MEMBERS} came twice`)
  t.match(server.received[0]?.text, 'https://board.example/unsubscribe/')
  t.notMatch(service.log(), /example\.test/)
  service.kill('SIGTERM')
  t.match(await service.exited, { code: 0, stderr: '' })
})

t.test('a service with half of the settings does not start, and shows no password', async (t) => {
  const DATABASE_URL = `file:${join(t.testdir(), 'board.db')}`
  const exit = await run(t, {
    DATABASE_URL,
    SMTP_URL: 'smtp://board:s3cret@mail.example/x',
    MAIL_FROM: 'a@b',
  })
  t.not(exit.code, 0)
  t.match(exit.stderr, /SMTP_URL must be the address of a mail server/)
  t.notMatch(exit.stderr + exit.stdout, 's3cret')
})

t.test('the command sends a test mail, or prints the reason of the failure', async (t) => {
  const server = await receiveMail(t, () => ({}), { user: 'board', pass: 's3cret' })
  const environment = { SMTP_URL: server.url, MAIL_FROM: 'Board <board@example.org>' }
  const sent = await runCommand(t, ['mail', 'test', 'ada@example.test'], environment)
  t.match(sent, { code: 0, stdout: 'the mail server has accepted a test mail to ada@example.test\n' })
  t.match(server.received, [{ to: 'ada@example.test', headers: { subject: 'Test of e-mail' } }])
  server.behave = () => ({ recipient: '550 5.1.1 no such user' })
  const refused = await runCommand(t, ['mail', 'test', 'ada@example.test'], environment)
  t.match(refused, { code: 1, stderr: /the test mail was not sent: 550 5\.1\.1 no such user/ })
  const wrong = await runCommand(t, ['mail', 'test', 'ada@example.test'], {
    ...environment,
    SMTP_URL: server.url.replace('s3cret', 'gue55'),
  })
  t.match(wrong, { code: 1, stderr: /535/ })
  t.notMatch(wrong.stderr, 'gue55')
  t.match(await runCommand(t, ['mail', 'test', 'ada@example.test'], {}), {
    code: 2,
    stderr: /SMTP_URL and MAIL_FROM are not set/,
  })
  t.match(await runCommand(t, ['mail', 'test', 'a@b\r\nBcc: c@d'], environment), { code: 2 })
})

t.test('a mail server with a certificate of an own authority needs NODE_EXTRA_CA_CERTS', async (t) => {
  const file = join(import.meta.dirname, '../fixtures/own-authority.pem')
  const pem = readFileSync(file, 'utf8')
  for (const secure of [true, false]) {
    const server = await receiveMail(t, undefined, undefined, { cert: pem, key: pem, secure })
    const environment = { SMTP_URL: server.url, MAIL_FROM: 'board@example.org' }
    const refused = await runCommand(t, ['mail', 'test', 'ada@example.test'], environment)
    t.match(refused, { code: 1, stderr: /the test mail was not sent: .*certificate/ })
    t.strictSame(server.received, [])
    const trusted = { ...environment, NODE_EXTRA_CA_CERTS: file }
    t.match(await runCommand(t, ['mail', 'test', 'ada@example.test'], trusted), { code: 0 })
    t.equal(server.received.length, 1)
  }
})
