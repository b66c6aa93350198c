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

const importing = program
  .command('import')
  .description('bring in a board from another tool, or what another service has exported')
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

importing
  .command('phaseboard')
  .description('bring in an archive that `export` wrote, everything or nothing, also while the service runs')
  .argument('<archive>', 'the folder, or the .zip file')
  .option('--dry-run', 'check all of it and say what would be imported')
  .option('--map-members', 'where other records are: take members of the same email for the same people')
  .action(importArchive)

program
  .command('export')
  .description('write all records with their history, but no credentials, also while the service runs')
  .argument('<archive>', 'where they go: a folder, or a file that ends in .zip')
  .option('--force', 'replace an archive that is there')
  .action(async (path, options) => {
    const { exportTo } = await import('./archive-commands.ts')
    await withDatabase((db) => exportTo(db, path, options))
  })

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

/** Opens a database file for `work`, and closes it. A failure leaves no new file behind. */
async function openFor<T>(path: string, work: (db: SharedDatabase) => T | Promise<T>): Promise<T> {
  const { openDatabase } = await import('../db/client.ts')

  const { db, close, discard } = openDatabase(path)
  try {
    return await work(db)
  } catch (error) {
    discard()
    throw error
  } finally {
    close()
  }
}

/** Opens the configured database file for `work`, and closes it. */
async function withDatabase<T>(work: (db: SharedDatabase) => T | Promise<T>): Promise<T> {
  return openFor(await existingDatabaseFile(), work)
}

/** Imports an archive, and prints a summary. A dry run makes no database. */
async function importArchive(path: string, options: { dryRun?: true; mapMembers?: true }): Promise<void> {
  const { importFrom } = await import('./archive-commands.ts')

  const file = await databaseFile()
  if (options.dryRun && !existsSync(file)) await importFrom(undefined, path, options)
  else await openFor(file, (db) => importFrom(db, path, options))
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
