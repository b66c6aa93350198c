/** The units for systemd that ship, with the settings of docs/deployment.md. */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { listening, startProgram, tryProgram } from './installed-package.ts'

/** The assignments in a text: lines `NAME=value`, after a prefix. */
const assignmentsIn = (text: string, prefix = ''): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(new RegExp(`^ *${prefix}(\\w+)=(.*)$`, 'gm'))].map(([, name, value]) => [name, value]),
  )

/** Whether systemd is missing, which rates the units. */
const hasNoSystemd = spawnSync('systemd-analyze', ['--version']).error !== undefined

/** The settings that docs/deployment.md puts into `/etc/phaseboard.env`. */
function documentedSettings(): Record<string, string> {
  const [, block = ''] =
    /`\/etc\/phaseboard\.env`.*?```sh\n(.*?)```/s.exec(readFileSync('docs/deployment.md', 'utf8')) ?? []
  return assignmentsIn(block)
}

/** A unit with the test's folder instead of the system's. */
function unit(folder: string, name: string) {
  const text = readFileSync(join('deploy', name), 'utf8')
    .replaceAll(/\/var\/(lib|backups)\/phaseboard/g, `${folder}/$1`)
    .replaceAll('/usr/bin/node', process.execPath)
    // systemd's own escapes.
    .replaceAll('$$', '$')
    .replaceAll('%%', '%')
  const [, command = ''] = /^ExecStart=(.*)$/m.exec(text) ?? []
  const own = assignmentsIn(text, 'Environment=')
  const { DATABASE_URL: _, ...settings } = documentedSettings()
  return { command, env: { PATH: process.env.PATH ?? '', HOME: folder, ...own, ...settings, PORT: '0' } }
}

async function startService(t: Test, folder: string): Promise<string> {
  const { command, env } = unit(folder, 'phaseboard.service')
  const child = startProgram('/bin/sh', ['-c', `exec ${command}`], { cwd: '.', env })
  t.teardown(() => child.kill('SIGKILL'))
  return (await listening(child)).url
}

t.test(
  'the service of the unit requires sign-in, invites to its public address, and its backup copies the database',
  async (t) => {
    t.ok('TRUST_PROXY' in documentedSettings(), 'behind a proxy')
    const folder = t.testdir()
    mkdirSync(join(folder, 'lib'))
    mkdirSync(join(folder, 'backups'))
    const url = await startService(t, folder)
    t.equal((await fetch(`${url}/api/projects`)).status, 401)

    const { env: ofService } = unit(folder, 'phaseboard.service')
    const invited = await tryProgram(process.execPath, ['dist/cli.js', 'member', 'invite'], {
      cwd: '.',
      env: ofService,
    })
    t.match(
      invited.stdout,
      `${documentedSettings().PUBLIC_URL}/link#`,
      'an invitation leads to the documented address',
    )

    const { command, env } = unit(folder, 'phaseboard-backup.service')
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(command) ?? []
    t.match(await tryProgram('/bin/sh', ['-c', script], { cwd: '.', env }), { code: 0, stderr: '' })
    const { stdout } = await tryProgram('date', ['+%u'], { cwd: '.', env })
    t.ok(existsSync(join(folder, 'backups', `phaseboard-${stdout.trim()}.db`)))
  },
)

t.test('the units are rated 3 or better', { skip: hasNoSystemd && 'there is no systemd-analyze' }, (t) => {
  for (const file of globSync('deploy/*.service')) {
    const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=30', file])
    t.equal(rated.status, 0, `${file}: ${rated.stdout.toString().trim().split('\n').at(-1)}`)
  }
  t.end()
})

t.test('the restrictions of the units leave Node what it needs', async (t) => {
  for (const name of ['phaseboard.service', 'phaseboard-backup.service']) {
    const text = readFileSync(join('deploy', name), 'utf8')
    t.notMatch(text, /^MemoryDenyWriteExecute=yes/m, `${name}: V8 executes what it has compiled`)
  }
  const service = readFileSync('deploy/phaseboard.service', 'utf8')
  t.match(
    service,
    /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m,
    'webhooks look up the addresses of this machine',
  )
})
