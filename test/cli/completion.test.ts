import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { run } from '../command-line.ts'
import { CLI } from '../shipped.ts'

const script = async (t: Test, shell: string): Promise<string> => {
  const { code, stdout, stderr } = await run(t, ['completion', shell])
  t.strictSame([code, stderr], [0, ''])
  return stdout
}

/** The commands in the bash script, e.g. `member add`. */
const commandsIn = (bash: string): string[] =>
  [...bash.matchAll(/^ {4}'phaseboard ?([\w -]*)'\) words=/gm)].map(([, command = '']) => command)

t.test('bash completes commands, options and their values', async (t) => {
  // bash finds `phaseboard` as a command on the path.
  const folder = t.testdir({ 'board.json': '', 'notes.txt': '' })
  const command = join(folder, 'phaseboard')
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`)
  chmodSync(command, 0o755)
  const lines: [line: string[], expected: string[]][] = [
    [['phaseboard', 'se'], ['serve']],
    [
      ['phaseboard', 'member', ''],
      ['add', 'list', 'set-role', 'disable', 'enable', 'reset-password', 'password-link', 'invite'],
    ],
    [
      ['phaseboard', 'people', ''],
      ['list', 'map', 'forget'],
    ],
    [['phaseboard', 'member', 'add', '--r'], ['--role']],
    [
      ['phaseboard', 'member', 'add', 'ada@example.org', '--role', ''],
      ['admin', 'member', 'viewer', 'guest'],
    ],
    [['phaseboard', 'member', 'add', '--role', 'v'], ['viewer']],
    [['phaseboard', 'member', 'add', '--name', ''], []],
    [['phaseboard', 'member', 'set-role', 'ada@example.org', 'ad'], ['admin']],
    [['phaseboard', 'import', 'tr'], ['trello']],
    [['phaseboard', 'import', 'trello', 'board.json', '--a'], ['--again']],
    [['phaseboard', 'doctor', '--f'], ['--fix']],
    [['phaseboard', 'doctor', '--json', '--no'], ['--no-backup']],
    [
      ['phaseboard', 'completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [['phaseboard', 'token', 'create', 'ada', '--scope', 'c'], ['calendar']],
    [['phaseboard', 'backup', 'x'], []],
    [['phaseboard', 'serve', "$(touch spoilt)'`"], []],
  ]
  const asked = lines.map(([words]) => {
    const all = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    return `COMP_WORDS=(${all}); COMP_CWORD=${words.length - 1}; COMPREPLY=(); _phaseboard; echo "\${COMPREPLY[*]}"`
  })
  const bash = ['source <(phaseboard completion bash)', 'complete -p phaseboard', ...asked].join('\n')
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['--norc', '-euc', bash.replaceAll('_phaseboard;', '_phaseboard || true;')],
    {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    },
  )
  t.strictSame([status, stderr], [0, ''])
  const [registered, ...replies] = stdout.trimEnd().split('\n')
  t.equal(registered, 'complete -o default -F _phaseboard phaseboard')
  for (const [index, [words, expected]] of lines.entries()) {
    const reply = (replies[index] ?? '').split(' ').filter(Boolean)
    const wanted = reply.filter((word) => !['help', '--help', '-h'].includes(word))
    t.strictSame(wanted, expected, words.join(' '))
  }
  t.notOk(execFileSync('ls', [folder], { encoding: 'utf8' }).includes('spoilt'), 'what is typed is not run')
})

t.test('zsh and fish complete the same commands and values', async (t) => {
  const commands = commandsIn(await script(t, 'bash'))
  t.ok(commands.length > 15)
  for (const shell of ['zsh', 'fish']) {
    const text = await script(t, shell)
    for (const command of commands) {
      t.ok(text.includes(`phaseboard ${command}`.trim()), `${shell}: ${command}`)
    }
    for (const word of ['--no-backup', 'calendar', 'viewer', 'check the database, even while']) {
      t.ok(text.includes(word) || text.includes(word.replace(/^--/, '-l ')), `${shell}: ${word}`)
    }
  }
  t.match(await run(t, ['completion', 'tcsh']), { code: 2, stderr: /Allowed choices are bash, zsh, fish/ })
})

t.test('every command has a manual: examples, exit codes, and no line over 100 columns', async (t) => {
  const commands = commandsIn(await script(t, 'bash'))
  await Promise.all(
    commands.map(async (command) => {
      const { code, stdout } = await run(t, [...command.split(' ').filter(Boolean), '--help'])
      t.equal(code, 0)
      t.match(
        stdout,
        /^Examples:\n( {2}# .+\n {2}phaseboard .+\n)+/m,
        `${command}: examples, each with what it does`,
      )
      t.match(stdout, /^Exit codes:\n {2}0 {2}done\n {2}1 {2}.+\n {2}2 {2}/m, `${command}: exit codes`)
      for (const line of stdout.split('\n')) t.ok(line.length <= 100, `${command}: ${line}`)
      const [, usage = ''] = /^Usage: (.*)$/m.exec(stdout) ?? []
      for (const [argument] of usage.matchAll(/<[^>]+>/g)) {
        t.match(
          stdout,
          new RegExp(`^ {2}${argument.slice(1, -1).replaceAll('.', '\\.')} {2,}\\S`, 'm'),
          argument,
        )
      }
      const wrong = [...stdout.matchAll(/^ {2}phaseboard ([a-z][\w -]*)/gm)].filter(
        ([, typed = '']) =>
          !commands.some((one) => one !== '' && `${typed} `.startsWith(`${one} `)) &&
          !typed.startsWith('help '),
      )
      t.strictSame(
        wrong.map(([line]) => line),
        [],
        `${command}: its examples name commands`,
      )
    }),
  )
})
