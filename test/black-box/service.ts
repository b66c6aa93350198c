/** Starts the service by a command, like a user, and runs the suite against it. */
import { readFileSync } from 'node:fs'
import type { Test } from 'tap'
import { listening, startProgram } from '../installed-package.ts'
import { blackBox } from './suite.ts'

/** The command that starts the service. */
export interface Command {
  command: string
  args: readonly string[]
  cwd: string
  env: Record<string, string>
}

/** Starts it on a free port. @returns its address, output, and exit */
async function start(t: Test, { command, args, cwd, env }: Command) {
  // The command may start child processes. All of them are ended together.
  const child = startProgram(command, args, { cwd, env: { ...env, PORT: '0' }, detached: true })
  const kill = (signal: NodeJS.Signals) => process.kill(-(child.pid ?? 0), signal)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  t.teardown(() => {
    if (child.exitCode === null && child.signalCode === null) kill('SIGKILL')
  })
  return { ...(await listening(child)), kill, ended }
}

/**
 * Starts the service twice, each time with a new database: on a loopback address (open mode) and on all addresses (required
 * mode). Runs the suite against it. In open mode the admin is the one of the first start, with the password from its output.
 * @param t the parent of the subtests
 */
export async function walkBothModes(t: Test, program: Command): Promise<void> {
  for (const mode of ['open', 'required'] as const) {
    await t.test(`in ${mode} mode`, async (t) => {
      const chosen = { email: 'ada@example.test', password: 'correct horse' }
      const settings = {
        DATABASE_URL: `file:./black-box-${mode}.db`,
        ...(mode === 'required' && {
          HOST: '0.0.0.0',
          // More than the suite sends within a minute. The number of polls depends on the machine.
          RATE_LIMIT_MAX: '6000',
          ADMIN_EMAIL: chosen.email,
          ADMIN_PASSWORD: chosen.password,
        }),
      }
      const { url, output, kill, ended } = await start(t, {
        ...program,
        env: { ...program.env, ...settings },
      })
      const [, file = ''] = /password in ([^\s"]+)/.exec(output()) ?? []
      const admin =
        mode === 'required'
          ? chosen
          : { email: 'admin@localhost', password: readFileSync(file, 'utf8').trim() }
      // From this machine, any listening address is reachable.
      await blackBox(t, { url: url.replace('0.0.0.0', '127.0.0.1'), mode, admin })
      kill('SIGTERM')
      await ended
      t.match(output(), /"msg":"stopped"/, 'it stops in good order')
      t.notMatch(output(), /"level":60/)
      for (const secret of [admin.password, 'battery staple']) t.notMatch(output(), secret)
    })
  }
}
