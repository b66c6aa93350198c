import t from 'tap'
import { projects, teamAssignments } from '../../src/db/schema.ts'
import { onFile } from '../command-line.ts'

t.test('the access to a project is shown and set', async (t) => {
  const { command, db, insert } = onFile(t)
  insert({ id: 'ada', name: 'Ada Lovelace', email: 'ada@example.test', role: 'member' })
  insert({ id: 'eve', name: 'Eve', email: 'eve@client.test', role: 'guest' })
  for (const [id, name] of [
    ['p-1', 'Apollo'],
    ['p-2', 'Gemini'],
    ['p-3', 'Gemini'],
  ] as const)
    db.insert(projects).values({ id, name }).run()

  t.match(await command(['project', 'access', 'Apollo']), {
    code: 0,
    stdout: 'Apollo: every member except guests sees it\n',
  })
  const set = [
    'project',
    'access',
    'Apollo',
    'assigned',
    '--assign',
    'ADA@example.test',
    'eve',
    '--role',
    'viewer',
  ]
  t.match(await command(set), {
    code: 0,
    stdout:
      /^Apollo: only members who are assigned to the project see it, and admins\nada +viewer +Ada Lovelace\neve +viewer +Eve\n$/,
  })
  await command([
    'project',
    'access',
    'p-1',
    '--assign',
    'ada',
    '--role',
    'lead',
    '--remove',
    'eve@client.test',
  ])
  t.match(db.select().from(teamAssignments).all(), [{ projectId: 'p-1', memberId: 'ada', role: 'lead' }])
  t.match(db.select().from(projects).all(), [{ id: 'p-1', access: 'assigned' }, {}, {}])

  for (const [args, message] of [
    [['Gemini'], /2 projects are called Gemini: give the id/],
    [['none'], /Project not found: none/],
    [['p-1', '--assign', 'nobody'], /Member not found: nobody/],
    [['p-1', '--remove', 'eve'], /eve is not assigned to the project/],
  ] as const) {
    t.match(await command(['project', 'access', ...args]), { code: 1, stderr: message })
  }
  t.match(await command(['project', 'access', 'p-1', 'nobody']), { code: 2 })
  for (const more of [[], ['assigned'], ['--remove', 'ada@example.org']]) {
    t.strictSame(await command(['project', 'access', 'p-1', ...more, '--role', 'viewer']), {
      code: 2,
      stdout: '',
      stderr: 'phaseboard: --role needs --assign: it is the role of the assigned members\n',
    })
  }
})
