#!/usr/bin/env node
/** The command line. Nothing else reads the process's arguments and environment. */
import { existsSync } from 'node:fs'
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander'
import type { SharedDatabase } from '../db/client.ts'
import { ApiError, StartupError } from '../errors.ts'
import { type Mapping, mappingIn } from '../exchange/imports/mappings.ts'
import { FORMATS } from '../exchange/sources/formats.ts'
import { version } from '../package-files.ts'
import { ALL_SETTINGS } from '../settings.ts'
import { describeCommand, HELP_WIDTH, type Variable } from './describe-command.ts'
import { addMemberCommands } from './member-arguments.ts'
import { addPeopleCommands } from './people-arguments.ts'
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
  .configureOutput({
    getOutHelpWidth: () => Math.min(process.stdout.columns ?? HELP_WIDTH, HELP_WIDTH),
    outputError: (message) => complain(message.replace(/^error: /, '')),
  })
  .exitOverride()

describeCommand(program, {
  details: [
    'Configuration comes from the environment: HOST, PORT, DATABASE_URL, AUTH_MODE, ... (docs/configuration.md has all of them). All commands but serve, restore and takeover may run beside the service.',
  ],
  settings: ['DATABASE_URL', 'HOST', 'PORT', 'AUTH_MODE'],
  examples: [
    ['serve', 'run the service on http://127.0.0.1:3000'],
    ['backup /var/backups/board.db', 'copy the database, while the service runs'],
    ['import trello --help', 'the manual of a command'],
  ],
  seeAlso: ['docs/command-line.md', 'docs/configuration.md', 'docs/operations.md'],
})

describeCommand(
  program
    .command('serve')
    .description('run the service until a signal stops it')
    .action(async () => {
      const { serve } = await import('../server.ts')
      const { createTerminalLog } = await import('./terminal-log.ts')
      const { stdout } = process
      // Unlike the logger's own destination, this stream does not delay the exit once its reader has gone.
      await serve(process.env, stdout.isTTY ? createTerminalLog(stdout) : stdout)
    }),
  {
    details: [
      'Makes the database where there is none. SIGTERM and SIGINT stop it once the requests that are being answered are. The log goes to standard output: plain lines on a terminal, JSON lines elsewhere.',
    ],
    settings: ALL_SETTINGS.map(([, { variable }]) => variable as Variable),
    examples: [
      ['serve', 'on http://127.0.0.1:3000, for this machine alone'],
      ['serve | tee -a phaseboard.log', 'with the log in a file, too'],
    ],
    seeAlso: ['docs/configuration.md', 'docs/deployment.md', 'docs/operations.md'],
  },
)

const importing = describeCommand(
  program
    .command('import')
    .description('bring in a board from another tool, or what another service has exported'),
  {
    examples: [
      ['import trello board.json', 'a board of Trello'],
      ['import phaseboard board.zip', 'what another service has exported'],
    ],
    seeAlso: ['phaseboard export', 'docs/command-line.md'],
  },
)

for (const [format, { board, file, from }] of Object.entries(FORMATS)) {
  describeCommand(
    importing
      .command(format)
      .description(`make a project of ${board}, also while the service runs`)
      .argument(`<${file}>`, from)
      .option('--again', 'import the board although it was imported before')
      .option('--dry-run', 'say what would be made, and make nothing')
      .option('--name <name>', 'what the project is called, in place of the name in the file')
      .option('--match-names', 'take people of the same name for the same, where only one has it')
      .addOption(
        new Option(
          '--map <from=to...>',
          'who is who: a person of the board (id, name or email), and one who is here (id or email)',
        ).argParser(mappings),
      )
      .action(async (path, options) => {
        const { loadConfig } = await import('../config.ts')
        const { importFile } = await import('./import-command.ts')
        const { walCheckpoints: checkpoints, importRecords: records } = loadConfig(process.env)
        await importFile(await databaseFile(), format, path, options, { checkpoints, records })
      }),
    {
      details: [
        `Everything or nothing, and nobody has to wait for it: what has no field of its own is kept in metadata.${format}, and a file that does not parse changes nothing.`,
        'People of the board are members of the same email. Others stay by their names, until they are mapped: now, or later by people map.',
      ],
      settings: ['DATABASE_URL'],
      examples: [
        [`import ${format} ${file}`, 'make a project of the board'],
        [`import ${format} ${file} --dry-run`, 'what it would be'],
        [`import ${format} ${file} --again`, 'make another one of the same board'],
        [`import ${format} ${file} --map "Ann Smith=ann@acme.example"`, 'say who is who'],
      ],
      seeAlso: ['phaseboard people map', 'docs/importing.md', 'docs/command-line.md'],
    },
  )
}

describeCommand(
  importing
    .command('phaseboard')
    .description(
      'bring in an archive that `export` wrote, everything or nothing, also while the service runs',
    )
    .argument('<archive>', 'the folder, or the .zip file')
    .option('--dry-run', 'check all of it and say what would be imported')
    .option('--map-members', 'where other records are: take members of the same email for the same people')
    .action(importArchive),
  {
    details: [
      'Records keep their ids, order, activity and history. An archive that is truncated or altered changes nothing.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['import phaseboard board.zip', 'everything, into this service'],
      ['import phaseboard --dry-run board.zip', 'what it would bring'],
    ],
    seeAlso: ['phaseboard export', 'docs/command-line.md'],
  },
)

describeCommand(
  program
    .command('export')
    .description('write all records with their history, but no credentials, also while the service runs')
    .argument('<archive>', 'where they go: a folder, or a file that ends in .zip')
    .option('--force', 'replace an archive that is there')
    .action(async (path, options) => {
      const { exportTo } = await import('./archive-commands.ts')
      await withDatabase((db) => exportTo(db, path, options))
    }),
  {
    details: ['The archive is JSON lines with a manifest and checksums, of one moment.'],
    settings: ['DATABASE_URL'],
    examples: [
      ['export board.zip', 'all there is, in one file'],
      ['export --force /var/exports/board', 'into a folder, in the place of the last one'],
    ],
    seeAlso: ['phaseboard import phaseboard', 'phaseboard backup', 'docs/command-line.md'],
  },
)

describeCommand(
  program
    .command('backup')
    .description('copy the database into a file, also while the service runs')
    .argument('<file>', 'where the backup goes')
    .option('--force', 'replace the file if it is there')
    .action(async (file, options) => {
      const { backupTo } = await import('./backup-commands.ts')
      await backupTo(await existingDatabaseFile(), file, options)
    }),
  {
    details: [
      'The copy is of one moment. It is checked before it gets its name, so a file of that name is whole.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['backup /var/backups/board-$(date +%F).db', 'one for today'],
      ['backup --force /var/backups/board.db', 'in the place of the last one'],
    ],
    seeAlso: ['phaseboard restore', 'docs/deployment.md'],
  },
)

describeCommand(
  program
    .command('restore')
    .description('put a backup in the place of the database, while no service runs')
    .argument('<file>', 'the backup')
    .option('--create', 'restore although there is no database yet')
    .action(async (file, { create }) => {
      const { restoreFrom } = await import('./backup-commands.ts')
      await restoreFrom(await (create ? databaseFile() : existingDatabaseFile()), file)
    }),
  {
    details: [
      'The database that was there is kept beside it, under another name. A backup that is not sound changes nothing.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['restore /var/backups/board.db', 'go back to the backup'],
      ['restore --create /var/backups/board.db', 'on a new machine'],
    ],
    failure: 'it failed, or a process has the database open: nothing has changed',
    seeAlso: ['phaseboard backup', 'docs/deployment.md'],
  },
)

describeCommand(
  program
    .command('takeover')
    .description('go on here where another machine stopped, from its replica')
    .argument('[replica]', 'the URL of the replica: file:///..., sftp://... or s3://...')
    .option(
      '--config <file>',
      "Litestream's configuration, instead of a URL: with the replica of this database",
    )
    .option('--first <url>', 'where the first machine answered: it must not any more')
    .option('--first-is-gone', 'instead: it is certain that no service runs there')
    .option('--force', 'keep a database that is there under another name')
    .option('--until <time>', 'the state of this moment (ISO 8601) instead of the newest')
    .option('--watch <seconds>', 'how long the replica must not be written to', '5')
    .addOption(
      new Option('--litestream <program>', 'the program, version 0.3')
        .env('LITESTREAM')
        .default('litestream'),
    )
    .action(async (replica, options) => {
      const { takeOverFrom } = await import('./takeover-command.ts')
      await takeOverFrom(await databaseFile(), replica, options)
    }),
  {
    details: [
      'Restores what Litestream replicated, checks it, and puts it in the place of the database. It says up to which change and second that is. What the first machine acknowledged in its last second or so may be missing.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['takeover s3://replicas/one --first https://one.example:3000', 'the first machine does not answer'],
      ['takeover --config first.yml --first-is-gone', 'it is certain that it never will'],
    ],
    failure: 'the first machine still lives, or the replica is not sound: nothing has changed',
    seeAlso: ['phaseboard restore', 'docs/replication.md'],
  },
)

describeCommand(
  program
    .command('doctor')
    .description('check the database, also while the service runs')
    .option('--fix', 'repair what can be repaired safely, after a backup')
    .option('--no-backup', 'repair without a backup')
    .option('--json', 'print the results as JSON')
    .action(async (options) => {
      const { runDoctor } = await import('./doctor-command.ts')
      const { loadConfig } = await import('../config.ts')
      const { walCheckpoints } = loadConfig(process.env)
      if (!(await runDoctor(await existingDatabaseFile(), options, walCheckpoints))) process.exitCode = FAILED
    }),
  {
    details: [
      'Prints a line for each check: ok, found (how many, and the first of them), fixed, or failed. Without --fix nothing is changed. With it, each finding is repaired in one transaction, which the sequence of changes tells of; the backup goes beside the database.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['doctor', 'check everything'],
      ['doctor --fix', 'repair what can be repaired'],
      ['doctor --json | jq .healthy', 'for a monitor'],
    ],
    failure: 'something is wrong, and was not repaired',
    seeAlso: ['phaseboard backup', 'phaseboard restore', 'docs/operations.md'],
  },
)

describeCommand(
  program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell) => {
      const { completionScript } = await import('./completion.ts')
      process.stdout.write(completionScript(program, shell))
    }),
  {
    details: ['It completes commands, options and the values that they know. Make it anew after an update.'],
    examples: [
      [
        'completion bash > ~/.local/share/bash-completion/completions/phaseboard',
        'for bash, from the next shell on',
      ],
      ['completion zsh > ~/.zfunc/_phaseboard', 'for zsh, with ~/.zfunc in $fpath'],
      ['completion fish > ~/.config/fish/completions/phaseboard.fish', 'for fish'],
    ],
  },
)

describeCommand(
  program
    .command('mcp')
    .description('connect an agent to a running service: MCP over stdin and stdout')
    .option(
      '--url <url>',
      'where the service is, with its path prefix if it has one',
      'http://127.0.0.1:3000',
    )
    .option('--token <token>', 'an API token; others may see arguments, so PHASEBOARD_TOKEN is better')
    .action(async ({ url, token = process.env.PHASEBOARD_TOKEN || undefined }) => {
      const { connectAgent } = await import('./mcp-command.ts')
      await connectAgent({ url, token })
    }),
  {
    details: [
      "For agents that start a program instead of asking a URL. It passes messages on to the service's own /mcp, so its tools and the token's rights are the service's.",
    ],
    settings: ['PHASEBOARD_TOKEN'],
    examples: [
      ['mcp', 'the service on this machine, in open mode'],
      ['mcp --url https://board.example/tools', 'another one, with PHASEBOARD_TOKEN in the environment'],
    ],
    seeAlso: ['phaseboard token create', 'docs/agents.md'],
  },
)

addMemberCommands(program, withDatabase, publicUrl)
addPeopleCommands(program, withDatabase)

/** One more of those who are who. @throws InvalidArgumentError */
function mappings(text: string, before: Mapping[] = []): Mapping[] {
  const mapping = mappingIn(text)
  if (mapping === undefined) throw new InvalidArgumentError('it must be <from>=<to>')
  return [...before, mapping]
}

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
  const { loadConfig } = await import('../config.ts')
  const { openDatabase } = await import('../db/client.ts')

  const { db, close, discard } = openDatabase(path, loadConfig(process.env).walCheckpoints)
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
  if (options.dryRun && !existsSync(file)) await importFrom(undefined, file, path, options)
  else await openFor(file, (db) => importFrom(db, file, path, options))
}

/** Where people reach the service: as configured, else where it listens; on this machine, where that is everywhere. */
async function publicUrl(): Promise<string> {
  const { loadConfig } = await import('../config.ts')
  const { localUrl } = await import('../http/public-url.ts')

  const config = loadConfig(process.env)
  return config.publicUrl ?? localUrl(config)
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
