#!/usr/bin/env node
/** The command line. Nothing else reads the process's arguments and environment. */
import { existsSync } from 'node:fs'
import { Command, CommanderError } from 'commander'
import type { SharedDatabase } from '../db/client.ts'
import { ApiError, StartupError } from '../errors.ts'
import { FORMATS } from '../exchange/formats.ts'
import { version } from '../package-files.ts'
import { addMemberCommands } from './member-arguments.ts'
import { complain } from './terminal.ts'

/** Exit codes. */
const FAILED = 1
const USAGE = 2

// EPIPE is no failure: the reader (`| head`) has seen enough. Other write errors, e.g. a full disk under the log, set the
// exit code but must not crash the process.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = FAILED
  })
}

// At this signal Node would open its debugger, unless started with --disable-sigusr1.
process.on('SIGUSR1', () => {})

const program = new Command('phaseboard')
  .description('Projects, kanban boards and private ideas over HTTP, on one SQLite file')
  .version(version)
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({ outputError: (message) => complain(message.replace(/^error: /, '')) })
  .exitOverride()
  .addHelpText(
    'after',
    '\nConfiguration comes from the environment: HOST, PORT, DATABASE_URL, AUTH_MODE, ... (see README.md).',
  )

program
  .command('serve')
  .description('run the service until a signal stops it')
  .action(async () => {
    const { serve } = await import('../server.ts')
    const { createTerminalLog } = await import('./terminal-log.ts')
    const { stdout } = process
    // Unlike the logger's own destination, this stream does not delay the exit once its reader has gone.
    await serve(process.env, stdout.isTTY ? createTerminalLog(stdout) : stdout)
  })

const importing = program.command('import').description('bring in a board from another tool')
for (const [format, { board, file, from }] of Object.entries(FORMATS)) {
  importing
    .command(format)
    .description(`make a project of ${board}, also while the service runs`)
    .argument(`<${file}>`, from)
    .option('--again', 'import the board although it was imported before')
    .option('--dry-run', 'say what would be made, and make nothing')
    .action(async (path, options) => {
      const { importFile } = await import('./import-command.ts')
      await importFile(await databaseFile(), format, path, options)
    })
}

program
  .command('backup')
  .description('copy the database into a file, also while the service runs')
  .argument('<file>', 'where the backup goes')
  .option('--force', 'replace the file if it is there')
  .action(async (file, options) => {
    const { backupTo } = await import('./backup-commands.ts')
    await backupTo(await existingDatabaseFile(), file, options)
  })

program
  .command('restore')
  .description('put a backup in the place of the database, while no service runs')
  .argument('<file>', 'the backup')
  .option('--create', 'restore although there is no database yet')
  .action(async (file, { create }) => {
    const { restoreFrom } = await import('./backup-commands.ts')
    await restoreFrom(await (create ? databaseFile() : existingDatabaseFile()), file)
  })

addMemberCommands(program, withDatabase)

/** The configured database file. @throws StartupError for `:memory:` */
async function databaseFile(): Promise<string> {
  const { loadConfig } = await import('../config.ts')
  const { databasePath } = await import('../db/client.ts')

  const path = databasePath(loadConfig(process.env).databaseUrl)
  if (path === ':memory:')
    throw new StartupError('DATABASE_URL must name a file: what is written into :memory: is lost')
  return path
}

/** The configured database file, which must exist: a mistyped name must not become an empty database. @throws StartupError */
async function existingDatabaseFile(): Promise<string> {
  const path = await databaseFile()
  if (!existsSync(path)) throw new StartupError(`there is no database ${path}: is DATABASE_URL right?`)
  return path
}

/** Opens the configured database file for `work`, and closes it. */
async function withDatabase<T>(work: (db: SharedDatabase) => T | Promise<T>): Promise<T> {
  const path = await existingDatabaseFile()
  const { openDatabase } = await import('../db/client.ts')

  const { db, close } = openDatabase(path)
  try {
    return await work(db)
  } finally {
    close()
  }
}

/** The messages of an error; of a failed validation, all violations. */
function reasonsOf(error: unknown): string[] {
  if (error instanceof ApiError && error.details && 'fieldErrors' in error.details) {
    return Object.entries(error.details.fieldErrors).flatMap(([field, messages]) =>
      messages.map((message) => `${field} ${message}`),
    )
  }
  return [error instanceof Error ? error.message : String(error)]
}

/** Whether an error is one of usage or configuration. */
const isMisuse = (error: unknown) =>
  error instanceof StartupError || (error instanceof ApiError && error.statusCode === 400)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE
  } else {
    for (const reason of reasonsOf(error)) complain(reason)
    process.exitCode = isMisuse(error) ? USAGE : FAILED
  }
}
