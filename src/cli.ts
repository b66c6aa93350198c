#!/usr/bin/env node
/** The command line, and the process's edge: nothing else reads its arguments and environment. */
import { Command, CommanderError } from 'commander'
import { StartupError } from './errors.ts'
import { version } from './package-files.ts'

/** Exit codes. */
const FAILED = 1
const USAGE = 2

const program = new Command('phaseboard')
  .description('Projects, kanban boards and private ideas over HTTP, on one SQLite file')
  .version(version)
  .configureHelp({ showGlobalOptions: true })
  .exitOverride()
  .addHelpText(
    'after',
    '\nConfiguration comes from the environment: HOST, PORT, DATABASE_URL, AUTH_MODE, ... (see README.md).',
  )

program
  .command('serve', { isDefault: false })
  .description('run the service until a signal stops it')
  .action(async () => {
    const { serve } = await import('./server.ts')
    await serve(process.env)
  })

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE
  } else {
    process.stderr.write(`phaseboard: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = error instanceof StartupError ? USAGE : FAILED
  }
}
