import { existsSync } from 'node:fs'
import { PassThrough, Writable } from 'node:stream'
import t from 'tap'
import { askNewPassword } from '../../src/cli/ask-password.ts'
import { members } from '../../src/db/schema.ts'
import { ensureFirstAdmin } from '../../src/members/first-admin.ts'
import { Members } from '../../src/members/members.ts'
import { verifyPassword } from '../../src/members/passwords.ts'
import { end, onFile, run, start } from '../command-line.ts'

const PASSWORD = 'correct horse'

const ada = { id: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', role: 'admin' } as const
const bob = { id: 'bob', name: 'Bob', email: 'Bob@example.test' } as const

t.test('help lists the commands, and the sources of passwords', async (t) => {
  const { stdout, code } = await run(t, ['member', '--help'])
  t.equal(code, 0)
  for (const word of [
    'add',
    'list',
    'set-role',
    'disable',
    'enable',
    'reset-password',
    'password-link',
    'invite',
    'first line of the input',
  ])
    t.ok(stdout.includes(word), word)
})

t.test('wrong usage exits with 2, lists all errors, and creates nothing', async (t) => {
  const { db, insert, command } = onFile(t)
  insert(ada)
  const before = db.select().from(members).get()
  const mistakes: [string[], string[], string?][] = [
    [['member', 'set-role', 'ada', 'boss'], ['role must be one of "admin", "member", "viewer", "guest"']],
    [
      ['member', 'add', 'nobody', '--name', '', '--role', 'boss'],
      [
        'email must be an email address',
        'name must NOT have fewer than 1 characters',
        'role must be one of "admin", "member", "viewer", "guest"',
      ],
    ],
    [
      ['member', 'invite', '--role', 'boss', '--email', 'nobody', '--name', ''],
      [
        'email must be an email address',
        'name must NOT have fewer than 1 characters',
        'role must be one of "admin", "member", "viewer", "guest"',
      ],
    ],
    [['member', 'add', 'a@b'], ['password must NOT have fewer than 8 characters'], 'secret'],
    [
      ['token', 'create', 'ada', '--name', '', '--scope', 'all', '--expires', 'soon'],
      [
        'name must NOT have fewer than 1 characters',
        'scope must be one of "read", "write", "calendar"',
        'expiresAt must be an ISO 8601 date-time or a plain date',
      ],
    ],
    [
      ['token', 'create', 'ada', '--name', 'x', '--expires', '2001-01-01'],
      ['expiresAt must be in the future'],
    ],
  ]
  await Promise.all(
    mistakes.map(async ([args, messages, input]) => {
      const stderr = messages.map((message) => `phaseboard: ${message}\n`).join('')
      t.strictSame(await command(args, input), { code: 2, stdout: '', stderr }, args.join(' '))
    }),
  )
  t.strictSame(db.select().from(members).all(), [before])
  t.match(await run(t, ['member', 'list'], { DATABASE_URL: ':memory:' }), {
    code: 2,
    stderr: 'phaseboard: DATABASE_URL must name a file: data in :memory: would be lost\n',
  })
})

t.test("a reset removes the file with the initial password if it was that member's", async (t) => {
  const { db, DATABASE_URL, command, insert } = onFile(t)
  const first = { databaseUrl: DATABASE_URL, adminEmail: undefined, adminPassword: undefined }
  const { passwordFile = '' } = (await ensureFirstAdmin(db, new Members(db), first)) ?? {}
  insert({ id: 'bob', name: 'Bob', email: 'bob@example.test', role: 'member' })
  t.equal((await command(['member', 'reset-password', 'bob'], `${PASSWORD}\n`)).code, 0)
  t.ok(existsSync(passwordFile))
  t.equal((await command(['member', 'reset-password', 'admin@localhost'], `${PASSWORD}\n`)).code, 0)
  t.notOk(existsSync(passwordFile))
})

t.test('add creates a member, with the password from stdin', async (t) => {
  const { command, memberOf, trail } = onFile(t)
  const added = await command(
    ['member', 'add', 'Ada@example.test', '--name', 'Ada Lovelace', '--role', 'admin'],
    ` ${PASSWORD} \r\nnot this\n`,
  )
  const admin = memberOf('Ada@example.test')
  t.strictSame(added, { code: 0, stdout: `added Ada@example.test as admin: ${admin?.id}\n`, stderr: '' })
  t.match(admin, { name: 'Ada Lovelace', role: 'admin', disabled: false })
  t.ok(await verifyPassword(admin?.passwordHash ?? null, ` ${PASSWORD} `), 'the first line, as it is')

  const bare = await command(['member', 'add', 'bob@example.test'])
  const member = memberOf('bob@example.test')
  t.strictSame(bare, {
    code: 0,
    stdout: `added bob@example.test as member, without a password: ${member?.id}\n`,
    stderr: '',
  })
  t.match(member, { name: 'bob', role: 'member', passwordHash: null })
  t.strictSame(trail(), [
    ['member-created', null, null, admin?.id],
    ['member-created', null, null, member?.id],
  ])
})

t.test('a password is read from a pipe that stays open', async (t) => {
  const { DATABASE_URL, insert, memberOf } = onFile(t)
  insert(ada)
  const child = start(t, ['member', 'reset-password', 'ada'], { DATABASE_URL })
  child.stdin.write(`${PASSWORD}\n`)
  t.match(await end(child), { code: 0, stderr: '' })
  t.ok(await verifyPassword(memberOf(ada.email)?.passwordHash ?? null, PASSWORD))
})

t.test('list prints members in plain columns, and escapes their names', async (t) => {
  const { insert, command } = onFile(t)
  insert(bob, { ...ada, disabled: true })
  insert({ id: 'eve', name: 'E\u001b[31m\nv\u2028e', email: 'e\u0007\u0007@b', role: 'viewer' })
  t.strictSame(await command(['member', 'list']), {
    code: 0,
    stdout: [
      'ada  ada@example.test  admin   disabled  Ada Lovelace',
      'bob  Bob@example.test  member  enabled   Bob',
      'eve  e @b              viewer  enabled   E [31m v e',
      '',
    ].join('\n'),
    stderr: '',
  })
})

t.test('the rules of the API apply: the last admin, unknown members, taken emails', async (t) => {
  const { db, insert, command, trail } = onFile(t)
  insert(ada, { ...bob, disabled: true })
  const before = db.select().from(members).all()
  const refusals: [string[], string, string?][] = [
    [['member', 'set-role', 'ada', 'member'], 'Member is the last admin'],
    [['member', 'disable', 'ADA@example.test'], 'Member is the last admin'],
    [['member', 'reset-password', '__proto__'], 'Member not found: __proto__', PASSWORD],
    [['member', 'password-link', 'nobody'], 'Member not found: nobody'],
    [['member', 'password-link', 'bob'], 'Member is disabled'],
    [['member', 'invite', '--email', 'ADA@example.test'], 'Member email is taken'],
    [['token', 'create', 'nobody', '--name', 'CI'], 'Member not found: nobody'],
    [['token', 'create', 'bob', '--name', 'CI'], 'Member is disabled'],
    [['member', 'add', 'ADA@example.test'], 'Member email is taken', PASSWORD],
  ]
  await Promise.all(
    refusals.map(async ([args, message, input]) => {
      const refusal = { code: 1, stdout: '', stderr: `phaseboard: ${message}\n` }
      t.strictSame(await command(args, input), refusal, args.join(' '))
    }),
  )
  t.strictSame(db.select().from(members).all(), before)
  t.strictSame(trail(), [])
})

/** A terminal into which given keys are typed, one text for each prompt. */
function terminal(...answers: string[]) {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode: (_isRaw: boolean) => {},
  })
  const raw: boolean[] = []
  input.setRawMode = (isRaw) => {
    raw.push(isRaw)
  }
  let shown = ''
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      shown += chunk
      if (shown.endsWith(': ')) input.write(answers.shift() ?? '')
      done()
    },
  })
  return { input, output, raw, shown: () => shown }
}

t.test('a terminal prompts for the password twice, without echo', async (t) => {
  const { input, output, raw, shown } = terminal('correct horsf\u007fe\r', 'correct horse\r')
  const echoed = t.capture(process.stderr, 'write', () => true)
  t.equal(await askNewPassword('Password of \u001b[31mada', input, output), PASSWORD)
  t.equal(shown(), 'Password of  [31mada: \nThe same again: \n')
  t.strictSame(echoed(), [])
  t.strictSame(raw, [true, false], 'the terminal is left as it was')
})

t.test('both passwords may be pasted together', async (t) => {
  const { input, output } = terminal('correct horse\rcorrect horse\r')
  t.equal(await askNewPassword('Password', input, output), PASSWORD)
})

t.test('an empty password is not asked for again', async (t) => {
  const { input, output, shown } = terminal('\r')
  t.equal(await askNewPassword('Password', input, output), '')
  t.equal(shown(), 'Password: \n')
})

t.test('different passwords, Ctrl-C and Ctrl-D end without a password', async (t) => {
  for (const [answers, message] of [
    [['correct horse\r', 'correct hors\r'], 'the two passwords differ'],
    [['correct\u0003'], 'no password was given'],
    [['\u0004'], 'no password was given'],
    [['correct horse\r', '\u0003'], 'no password was given'],
  ] as const) {
    const { input, output, raw, shown } = terminal(...answers)
    await t.rejects(askNewPassword('Password', input, output), { message })
    t.notMatch(shown(), /correct/)
    t.equal(raw.at(-1), false)
  }
})
