import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Writable } from 'node:stream'
import t from 'tap'
import { createProgress } from '../../src/cli/progress.ts'
import { kanbanItems, projects } from '../../src/db/schema.ts'
import { databaseFor, end, listening, run, start } from '../command-line.ts'
import { openTestDatabase } from '../database.ts'
import { builtFrom, CLI } from '../shipped.ts'

const FIXTURE = 'test/fixtures/trello-board.json'
const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const { commit } = builtFrom()

t.test('help and version', async (t) => {
  const stdout = commit === undefined ? `${version}\n` : `${version} (${commit})\n`
  t.strictSame(await run(t, ['--version']), { code: 0, stdout, stderr: '' })
  const help = await run(t, ['--help'])
  t.match(help, { code: 0, stderr: '' })
  for (const word of [
    'Usage: phaseboard',
    'serve',
    'import',
    'member',
    'people',
    'token',
    '--version',
    'DATABASE_URL',
  ]) {
    t.ok(help.stdout.includes(word), word)
  }
  for (const args of [['help'], ['import', 'help'], ['help', 'import'], ['import', '--help']]) {
    t.match(await run(t, args), { code: 0, stdout: /^Usage: phaseboard/, stderr: '' }, args.join(' '))
  }
  const importHelp = await run(t, ['import', 'trello', '--help'])
  t.match(importHelp, { code: 0, stdout: /<board\.json>.*--again/s, stderr: '' })
})

t.test('usage errors exit with 2', async (t) => {
  const bare = await run(t, [])
  t.match(bare, { code: 2, stdout: '', stderr: /^Usage: phaseboard/ })
  t.match(await run(t, ['import']), { code: 2, stdout: '', stderr: /^Usage: phaseboard import/ })
  const mistakes: [string[], string][] = [
    [['migrate'], "unknown command 'migrate'"],
    [['serv'], "unknown command 'serv' (Did you mean serve?)"],
    [['bogus', '--help'], "unknown command 'bogus'"],
    [['member', 'bogus', '-h'], "unknown command 'bogus'"],
    [['--loud'], "unknown option '--loud'"],
    [['serve', 'now'], "too many arguments for 'serve'. Expected 0 arguments but got 1."],
    [['import', 'trello'], "missing required argument 'board.json'"],
    [['import', 'trello', FIXTURE, '--agian'], "unknown option '--agian' (Did you mean --again?)"],
  ]
  await Promise.all(
    mistakes.map(async ([args, message]) => {
      const refusal = { code: 2, stdout: '', stderr: `phaseboard: ${message}\n` }
      t.strictSame(await run(t, args), refusal, args.join(' '))
    }),
  )
})

t.test('configuration errors exit with 2 and one line', async (t) => {
  const folder = t.testdir({ 'notes.txt': 'This is no database. '.repeat(100), folder: {} })
  const mistakes: [Record<string, string>, RegExp][] = [
    [{ PORT: 'http' }, /^phaseboard: PORT must be a whole number \(got "http"\)\n$/],
    [
      { DATABASE_URL: 'https://db.example/board' },
      /^phaseboard: DATABASE_URL must be a file: URL, .*not https:\n$/,
    ],
    [
      { DATABASE_URL: `file:${folder}/folder` },
      /^phaseboard: cannot open the database [^\n]+\/folder: [^\n]+\n$/,
    ],
    [
      { DATABASE_URL: `file:${folder}/notes.txt` },
      /^phaseboard: cannot open the database [^\n]+ not a database\n$/,
    ],
  ]
  for (const args of [['serve'], ['serve', '--'], ['import', 'trello', FIXTURE]]) {
    await Promise.all(
      mistakes.map(async ([environment, stderr]) => {
        const result = await run(t, args, { PORT: '0', ...environment })
        t.match(result, { code: 2, stdout: '', stderr }, `${args[0]} ${JSON.stringify(environment)}`)
      }),
    )
  }
})

t.test('every command says that its database is a directory, or cannot be reached', async (t) => {
  const folder = t.testdir({ folder: {} })
  const [directory, loop] = [join(folder, 'folder'), join(folder, 'loop')]
  symlinkSync(loop, loop)
  const commands = [
    ['member', 'list'],
    ['backup', join(folder, 'copy.db')],
    ['doctor'],
    ['restore', FIXTURE],
    ['restore', FIXTURE, '--create'],
    ['takeover', 'file:///none', '--first-is-gone', '--force'],
  ]
  const reasons: [string, string][] = [
    [directory, 'it is a directory'],
    [loop, `ELOOP: too many symbolic links encountered, stat '${loop}'`],
  ]
  await Promise.all(
    commands.flatMap((args) =>
      reasons.map(async ([path, reason]) => {
        const stderr = `phaseboard: cannot open the database ${path}: ${reason}\n`
        const refusal = { code: 2, stdout: '', stderr }
        t.strictSame(await run(t, args, { DATABASE_URL: `file:${path}` }), refusal, args.join(' '))
      }),
    ),
  )
})

t.test('a command never creates a database by mistake', async (t) => {
  const folder = t.testdir()
  const path = join(folder, 'data', 'board.db')
  const commands = [
    ['member', 'list'],
    ['member', 'add', 'ada@example.test'],
    ['member', 'disable', 'ada@example.test'],
    ['token', 'create', 'ada@example.test', '--name', 'ci'],
    ['backup', join(folder, 'copy.db')],
    ['doctor'],
    ['restore', FIXTURE],
  ]
  const empty = join(folder, 'empty.db')
  writeFileSync(empty, '')
  await Promise.all(
    commands.flatMap((args) =>
      [path, empty].map(async (path) => {
        t.strictSame(
          await run(t, args, { DATABASE_URL: `file:${path}` }),
          {
            code: 2,
            stdout: '',
            stderr: `phaseboard: there is no database ${path}: is DATABASE_URL correct?\n`,
          },
          args.join(' '),
        )
      }),
    ),
  )
  t.strictSame(readdirSync(folder), ['empty.db'])
  t.equal(statSync(empty).size, 0)
})

t.test('serve runs until a signal, and an import works at the same time', async (t) => {
  const { DATABASE_URL } = databaseFor(t)
  const server = start(t, ['serve'], { DATABASE_URL, PORT: '0', LOG_LEVEL: 'warn' })
  const url = await listening(server)
  t.equal((await fetch(`${url}/healthz`)).status, 200)

  const imported = await run(t, ['import', 'trello', FIXTURE], { DATABASE_URL })
  t.match(imported, { code: 0, stderr: '' })
  const path = /\/api\/projects\/[\w-]+/.exec(imported.stdout)?.[0]
  const project = (await (await fetch(`${url}${path}`)).json()) as { name: string; kanbanItems: unknown[] }
  t.equal(project.name, 'Website relaunch')
  t.equal(project.kanbanItems.length, 8)
  const history = (await (await fetch(`${url}${path}/changes?limit=500`)).json()) as {
    actorId: unknown
    actor: unknown
  }[]
  t.ok(history.length > 8)
  for (const { actorId, actor } of history) t.strictSame([actorId, actor], [null, 'command line'])

  const ended = end(server)
  server.kill('SIGTERM')
  t.match(await ended, { code: 0, stderr: '' })
})

t.test('import reports what it created, in plain lines when piped', async (t) => {
  const { file, DATABASE_URL } = databaseFor(t)
  const { code, stdout, stderr } = await run(t, ['import', 'trello', FIXTURE], { DATABASE_URL })
  t.equal(code, 0)
  t.equal(stderr, '')
  const db = openTestDatabase(t, `file:${file}`)
  const ids = db.select({ id: projects.id }).from(projects).all()
  t.equal(ids.length, 1)
  t.equal(
    stdout,
    [
      'importing 34 records',
      'imported Website relaunch',
      `project ${ids[0]?.id} (/api/projects/${ids[0]?.id})`,
      'columns 4 (1 from closed lists)',
      'items 8 (2 dismissed)',
      'labels 4',
      'subtasks 5 (from 2 checklists)',
      'comments 4',
      'attachments 1 (as links)',
      'people 3 (3 without a member: Priya Raman, Amara Osei, Jonas Lindqvist)',
      'due dates 3',
      '',
    ].join('\n'),
    'and no control characters',
  )

  t.strictSame(
    await run(t, ['import', 'trello', FIXTURE], { DATABASE_URL }),
    {
      code: 1,
      stdout: '',
      stderr: `phaseboard: this board was imported before, as project ${ids[0]?.id} (Website relaunch); use --again to import it once more\n`,
    },
    'a second import is refused',
  )
  t.equal(db.select().from(kanbanItems).all().length, 8)
  t.match(await run(t, ['import', 'trello', '--again', FIXTURE], { DATABASE_URL }), { code: 0, stderr: '' })
  t.equal(db.select().from(kanbanItems).all().length, 16)
})

t.test('names cannot control the terminal', async (t) => {
  const { DATABASE_URL } = databaseFor(t)
  const file = join(t.testdirName, 'board.json')
  writeFileSync(
    file,
    JSON.stringify({ id: 'b', name: 'Red \u001b[31m\nline\u2028two', lists: [], cards: [] }),
  )
  const { stdout } = await run(t, ['import', 'trello', file], { DATABASE_URL })
  t.ok(stdout.includes('\nimported Red  [31m line two\n'), stdout)
  const again = await run(t, ['import', 'trello', file], { DATABASE_URL })
  t.match(again, {
    code: 1,
    stderr: /^phaseboard: this board [^\n]+ \(Red {2}\[31m line two\); use --again [^\n]+\n$/,
  })
})

t.test('a file that is not an export is refused with one line, and creates nothing', async (t) => {
  const folder = t.testdir({ 'notes.txt': 'no JSON', 'other.json': '{"name":"x"}', folder: {} })
  const refusals: [string, string][] = [
    ['none.json', 'cannot read FILE: there is no such file'],
    ['folder', 'cannot read FILE: it is a directory'],
    ['notes.txt/board.json', "cannot read FILE: ENOTDIR: not a directory, open 'FILE'"],
    [
      'notes.txt',
      'FILE is not a Trello board export: expected a board exported as JSON, but it is a table or text of another kind',
    ],
    [
      'other.json',
      'FILE is not a Trello board export: expected a board exported as JSON, but it is JSON of another kind',
    ],
  ]
  await Promise.all(
    refusals.map(async ([name, message]) => {
      const file = join(folder, name)
      t.strictSame(
        await run(t, ['import', 'trello', file], { DATABASE_URL: `file:${folder}/board.db` }),
        { code: 1, stdout: '', stderr: `phaseboard: ${message.replaceAll('FILE', file)}\n` },
        name,
      )
    }),
  )
  t.strictSame(readdirSync(folder).sort(), ['folder', 'notes.txt', 'other.json'])
})

t.test('a failed import leaves the database unchanged', async (t) => {
  const { DATABASE_URL } = databaseFor(t)
  const db = openTestDatabase(t, DATABASE_URL)
  db.$client.exec(
    "create trigger refuse before insert on kanban_comments begin select raise(abort, 'no room\nat all'); end",
  )
  t.strictSame(await run(t, ['import', 'trello', FIXTURE], { DATABASE_URL }), {
    code: 1,
    stdout: 'importing 34 records\n',
    stderr: 'phaseboard: no room at all\n',
  })
  t.strictSame(db.select().from(projects).all(), [])
})

t.test('an interrupted import leaves nothing, and reports that', async (t) => {
  const { file, DATABASE_URL } = databaseFor(t)
  const db = openTestDatabase(t, DATABASE_URL)
  const board = join(t.testdirName, 'large.json')
  const cards = Array.from({ length: 5000 }, (_, n) => ({ id: `${n}`, name: `Card ${n}` }))
  writeFileSync(board, JSON.stringify({ id: 'b', name: 'Large', lists: [], cards }))
  const child = start(t, ['import', 'trello', board], { DATABASE_URL })
  child.stdout.once('data', () => child.kill('SIGINT'))
  t.strictSame(await end(child), {
    code: 1,
    stdout: 'importing 5002 records\n',
    stderr: 'phaseboard: the import was interrupted: nothing has changed\n',
  })
  t.strictSame(db.select().from(kanbanItems).all(), [])
  t.strictSame(
    readdirSync(dirname(file)).filter((name) => name.includes('import-')),
    [],
  )
})

t.test('a dry run reports what would be created, and creates nothing', async (t) => {
  const { file, DATABASE_URL } = databaseFor(t)
  const dry = await run(t, ['import', 'trello', FIXTURE, '--dry-run'], { DATABASE_URL })
  t.match(dry, { code: 0, stderr: '', stdout: /^would import Website relaunch\ncolumns 4 .*\nitems 8 /s })
  t.notOk(existsSync(file))
})

t.test('an import succeeds even if nobody reads its output', async (t) => {
  const { DATABASE_URL } = databaseFor(t)
  const child = start(t, ['import', 'trello', FIXTURE], { DATABASE_URL })
  child.stdout.destroy()
  t.match(await end(child), { code: 0, stderr: '' })
  const db = openTestDatabase(t, DATABASE_URL)
  t.equal(db.select().from(kanbanItems).all().length, 8)
})

t.test(
  'a failed write to stdout is a failure, which is reported once',
  { skip: !existsSync('/dev/full') },
  async (t) => {
    const { DATABASE_URL } = databaseFor(t)
    const failed = await end(
      spawn(
        '/bin/sh',
        ['-c', 'exec "$0" "$1" import trello "$2" > /dev/full', process.execPath, CLI, FIXTURE],
        {
          env: { ...process.env, DATABASE_URL },
        },
      ),
    )
    t.match(failed, {
      code: 1,
      stderr: /^phaseboard: the output could not be written: ENOSPC: no space left on device, write\n$/,
    })
  },
)

/** A stream that keeps what is written to it. */
function fakeOutput(isTTY: boolean) {
  const written: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      written.push(String(chunk))
      done()
    },
  })
  return { output: Object.assign(stream, { isTTY, columns: 80 }), text: () => written.join('') }
}

t.test('progress is a bar on a terminal', async (t) => {
  const { output, text } = fakeOutput(true)
  const progress = createProgress(output, 'importing', 'records')
  progress.stop()
  t.equal(text(), '', 'nothing is shown before the first update')
  progress.update(0, 200)
  t.match(text(), /importing 200 records \[-+\] 0%/)
  progress.update(100, 200)
  progress.update(200, 200)
  progress.stop()
  t.match(text(), /importing 200 records \[=+\] 100%.*\n$/s)
  const length = text().length
  progress.stop()
  t.equal(text().length, length, 'stopping twice does no harm')
  t.notMatch(text(), '\u001b[?', 'no mode of the terminal is changed')
})

t.test('progress is one plain line elsewhere', async (t) => {
  const { output, text } = fakeOutput(false)
  const progress = createProgress(output, 'importing', 'records')
  for (const done of [0, 100, 200]) progress.update(done, 200)
  progress.stop()
  t.equal(text(), 'importing 200 records\n')
})
