#!/usr/bin/env node
/** The command line, and the process's edge: nothing else reads its arguments and environment. */
import { Command, CommanderError } from 'commander'
import { StartupError } from './errors.ts'
import { version } from './package-files.ts'

/** Exit codes. */
const FAILED = 1
const USAGE = 2

/** One line, whatever a file or a database made it of: control characters would reach the terminal. */
const line = (text: string) => `${text.trim().replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')}\n`
const say = (text: string) => process.stdout.write(line(text))
const complain = (text: string) => process.stderr.write(line(`phaseboard: ${text}`))

// A reader that has gone (`| head`) has seen enough; what else keeps words from being written, say a full disk under
// the log, is a failure, but must not end what is being done.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') process.exitCode = FAILED
  })
}

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
    const { serve } = await import('./server.ts')
    await serve(process.env)
  })

program
  .command('import')
  .description('bring in a board from another tool')
  .command('trello')
  .description('make a project of a Trello board, also while the service runs')
  .argument('<board.json>', 'the board exported as JSON (in its menu: Print, export, and share)')
  .option('--again', 'import the board although it was imported before')
  .action(importTrello)

/** Makes a project of the board in the file, and says what it made. */
async function importTrello(file: string, { again }: { again?: true }): Promise<void> {
  const { loadConfig } = await import('./config.ts')
  const { openDatabase } = await import('./db/client.ts')
  const { describeImport, importTrelloBoard } = await import('./import-trello.ts')
  const { createProgress } = await import('./progress.ts')
  const { readTrelloBoard } = await import('./trello.ts')

  const { databaseUrl } = loadConfig(process.env)
  if (databaseUrl === ':memory:')
    throw new StartupError('DATABASE_URL must name a file: an import into :memory: is lost')
  const board = readTrelloBoard(file)
  const { db, close } = openDatabase(databaseUrl)
  const progress = createProgress(process.stdout, 'importing', 'records')
  try {
    const made = importTrelloBoard(db, board, { again, onProgress: progress.update })
    progress.stop()
    for (const text of describeImport(made)) say(text)
  } finally {
    progress.stop()
    close()
  }
}

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : USAGE
  } else {
    complain(error instanceof Error ? error.message : String(error))
    process.exitCode = error instanceof StartupError ? USAGE : FAILED
  }
}
