/** The commands, their arguments and manuals. */
import { existsSync, statSync } from 'node:fs'
import {
  type AddHelpTextContext,
  Argument,
  Command,
  CommanderError,
  InvalidArgumentError,
  Option,
} from 'commander'
import type { SharedDatabase } from '../db/client.ts'
import { StartupError } from '../errors.ts'
import { type Mapping, mappingIn } from '../exchange/imports/mappings.ts'
import { FORMATS } from '../exchange/sources/formats.ts'
import { fullVersion } from '../package-files.ts'
import { ALL_SETTINGS } from '../settings.ts'
import { describeCommand, HELP_WIDTH, type Variable } from './describe-command.ts'
import { addMemberCommands } from './member-arguments.ts'
import { addPeopleCommands } from './people-arguments.ts'
import { addProjectCommands } from './project-arguments.ts'
import { addShareLinkCommands } from './share-link-arguments.ts'
import { complain, FAILED, USAGE } from './terminal.ts'

/** What commands need that only read the database. */
const NEEDS_FOLDER =
  "It needs write access to the database's folder, where SQLite keeps the index of its log, even to read."

const program = new Command('phaseboard')
  .description('Projects, kanban boards and private ideas over HTTP, on one SQLite file')
  .version(fullVersion())
  .configureHelp({ showGlobalOptions: true })
  .configureOutput({
    getOutHelpWidth: () => Math.min(process.stdout.columns ?? HELP_WIDTH, HELP_WIDTH),
    outputError: (message) => complain(message.replace(/^error: /, '')),
  })
  .exitOverride()
  .addHelpText('beforeAll', refuseUnknownCommand)

describeCommand(program, {
  details: [
    'Configuration comes from the environment: HOST, PORT, DATABASE_URL, AUTH_MODE, ... (docs/configuration.md lists all). All commands but serve, restore and takeover may run beside the service.',
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
      const { serveCompiled } = await import('./serve-compiled.ts')
      await serveCompiled()
    }),
  {
    details: [
      'Creates the database if there is none. On SIGTERM or SIGINT it answers the requests in progress, then stops. The log goes to standard output: plain lines on a terminal, JSON lines elsewhere.',
    ],
    settings: ALL_SETTINGS.map(([, { variable }]) => variable as Variable),
    examples: [
      ['serve', 'on http://127.0.0.1:3000, only for this machine'],
      ['serve | tee -a phaseboard.log', 'also writing the log to a file'],
    ],
    seeAlso: ['docs/configuration.md', 'docs/deployment.md', 'docs/operations.md'],
  },
)

/** A command that imports a board, with its options. */
const importCommand = (command: Command, format?: string) =>
  command
    .option('--again', 'import the board even if it was imported before')
    .option('--dry-run', 'print what would be created, and create nothing')
    .option('--name <name>', 'the name of the project, instead of the name in the file')
    .option('--match-names', 'match people by name, if exactly one person has it')
    .option(
      '--time-zone <zone>',
      'a due date that is midnight in this time zone is that day, e.g. Europe/Berlin',
    )
    .addOption(
      new Option(
        '--map <from=to...>',
        'match this person of the board (id, name or email) with this person here (id or email), or this column of a table with this field',
      ).argParser(mappings),
    )
    .action(async (path: string | undefined, options) => {
      if (path === undefined) return importing.help({ error: true })
      const { isArchive } = await import('../exchange/archives/archive-source.ts')
      if (format === undefined && (await isArchive(path))) return importArchive(path, options)
      const { loadConfig } = await import('../config.ts')
      const { importFile } = await import('./import-command.ts')
      const config = loadConfig(process.env)
      await importFile(await databaseFile(), format, path, options, {
        checkpoints: config.walCheckpoints,
        records: config.importRecords,
        reserved: [config.defaultMemberId],
      })
    })

const importing = describeCommand(
  program.command('import').description('import a board from another tool, or an archive of another service'),
  {
    details: ['Without a tool, the file tells which one it is of: import board.json.'],
    examples: [
      ['import board.json', 'a board, of whatever tool'],
      ['import trello board.json', 'a Trello board'],
      ['import tasks.csv --map "Due by=due"', 'any table: its column "Due by" is the due date'],
      ['import phaseboard board.zip', 'an archive of another service'],
    ],
    seeAlso: ['phaseboard export', 'docs/importing.md', 'docs/command-line.md'],
  },
)

describeCommand(
  importCommand(
    importing
      .command('any', { isDefault: true })
      .description('import a board or an archive: by its content, the file is of one of the tools below')
      .argument('[file]', 'the file'),
  ),
  {
    settings: ['DATABASE_URL'],
    examples: [['import board.json', 'a board, of whatever tool']],
    seeAlso: ['docs/importing.md', 'docs/command-line.md'],
  },
)

for (const [format, { board, file, from }] of Object.entries(FORMATS)) {
  describeCommand(
    importCommand(
      importing
        .command(format)
        .description(`import ${board} as a project, even while the service runs`)
        .argument(`<${file}>`, from),
      format,
    ),
    {
      details: [
        `It imports everything or nothing. Other writes wait for a large board, half a second for 10,000 records. Values without a matching field are stored in metadata.${format}. A file that does not parse changes nothing.`,
        'People of the board become the members with the same email. Others keep their names until they are mapped, here or later with people map.',
      ],
      settings: ['DATABASE_URL'],
      examples: [
        [`import ${format} ${file}`, 'import the board as a project'],
        [`import ${format} ${file} --dry-run`, 'print what it would create'],
        [`import ${format} ${file} --again`, 'import the same board again'],
        [`import ${format} ${file} --map "Ann Smith=ann@acme.example"`, 'match a person of the board'],
      ],
      seeAlso: ['phaseboard people map', 'docs/importing.md', 'docs/command-line.md'],
    },
  )
}

describeCommand(
  importing
    .command('phaseboard')
    .description('import an archive of `export`, everything or nothing, even while the service runs')
    .argument('<archive>', 'the folder, or the .zip file')
    .option('--dry-run', 'check everything and print what would be imported')
    .option('--map-members', 'if there are other records here: match members by email')
    .action(importArchive),
  {
    details: [
      'Records keep their ids, order, activity and history. An archive that is truncated or altered changes nothing.',
    ],
    settings: ['DATABASE_URL', 'ATTACHMENTS_TOTAL'],
    examples: [
      ['import phaseboard board.zip', 'everything, into this service'],
      ['import phaseboard --dry-run board.zip', 'print what it would import'],
    ],
    seeAlso: ['phaseboard export', 'docs/command-line.md'],
  },
)

describeCommand(
  program
    .command('export')
    .description('export all records with their history, but no credentials, even while the service runs')
    .argument('<archive>', 'the target: a folder, or a file that ends in .zip')
    .option('--force', 'replace an existing archive')
    .action(async (path, options) => {
      const { exportTo } = await import('./archive-commands.ts')
      await withDatabase((db) => exportTo(db, path, options))
    }),
  {
    details: ['The archive is a consistent snapshot: JSON lines with a manifest and checksums.'],
    settings: ['DATABASE_URL'],
    examples: [
      ['export board.zip', 'export everything into one file'],
      ['export --force /var/exports/board', 'into a folder, replacing the last export'],
    ],
    seeAlso: ['phaseboard import phaseboard', 'phaseboard backup', 'docs/command-line.md'],
  },
)

describeCommand(
  program
    .command('backup')
    .description('copy the database into a file, even while the service runs')
    .argument('<file>', 'the backup file to write')
    .option('--force', 'replace an existing file')
    .action(async (file, options) => {
      const { backupTo } = await import('./backup-commands.ts')
      await backupTo(await existingDatabaseFile(), file, options)
    }),
  {
    details: [
      'The copy is a consistent snapshot. It is checked before it gets its name, so a file with that name is complete.',
      NEEDS_FOLDER,
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['backup /var/backups/board-$(date +%F).db', 'with the date in the name'],
      ['backup --force /var/backups/board.db', 'replacing the last one'],
    ],
    seeAlso: ['phaseboard restore', 'docs/deployment.md'],
  },
)

describeCommand(
  program
    .command('restore')
    .description('replace the database with a backup, while no service runs')
    .argument('<file>', 'the backup')
    .option('--create', 'restore even if there is no database yet')
    .action(async (file, { create }) => {
      const { restoreFrom } = await import('./backup-commands.ts')
      await restoreFrom(await (create ? databaseFile() : existingDatabaseFile()), file)
    }),
  {
    details: [
      'The previous database is kept beside it, under another name. A damaged backup changes nothing.',
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
    .description('take over from another machine, with its replica')
    .argument('[replica]', 'the URL of the replica: file:///..., sftp://... or s3://...')
    .option(
      '--config <file>',
      "Litestream's configuration with the replica of this database, instead of a URL",
    )
    .option('--first <url>', 'the URL of the first machine, which must not respond any more')
    .option('--first-is-gone', 'instead of --first: you are certain that no service runs there')
    .option('--force', 'keep an existing database under another name')
    .option('--until <time>', 'restore the state at this time (ISO 8601) instead of the latest')
    .option('--watch <seconds>', 'how long to check that nothing writes to the replica', '5')
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
      'Restores what Litestream replicated, checks it, and replaces the database with it. It prints the last change and its time. Writes that the first machine acknowledged in its last second may be missing.',
    ],
    settings: ['DATABASE_URL'],
    examples: [
      [
        'takeover s3://replicas/one --first https://one.example:3000',
        'check that the first machine does not respond',
      ],
      ['takeover --config first.yml --first-is-gone', 'if no service runs there any more'],
    ],
    failure: 'the first machine still runs, or the replica is damaged: nothing has changed',
    seeAlso: ['phaseboard restore', 'docs/replication.md'],
  },
)

describeCommand(
  program
    .command('doctor')
    .description('check the database, even while the service runs')
    .option('--deep', 'also read all bytes of files, and compare their hashes')
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
      'Prints a line for each check: ok, found (the number and the first findings), fixed, or failed. Without --fix nothing is changed. With it, each finding is repaired in one transaction, which the sequence of changes records. The backup goes beside the database.',
      NEEDS_FOLDER,
    ],
    settings: ['DATABASE_URL'],
    examples: [
      ['doctor', 'check everything'],
      ['doctor --deep', 'the bytes of files, too'],
      ['doctor --fix', 'repair what can be repaired'],
      ['doctor --json | jq .healthy', 'for a monitor'],
    ],
    failure: 'there are problems that were not repaired',
    seeAlso: ['phaseboard backup', 'phaseboard restore', 'docs/operations.md'],
  },
)

const mail = describeCommand(program.command('mail').description('test the e-mail of notifications'), {
  examples: [['mail test ada@example.org', 'send a test mail']],
  seeAlso: ['docs/mail.md'],
})

describeCommand(
  mail
    .command('test')
    .description('send a test mail, with the settings of the environment')
    .argument('<address>', 'the recipient')
    .action(async (address) => {
      const { sendTestMail } = await import('./mail-command.ts')
      await sendTestMail(address)
    }),
  {
    details: [
      "Set the same variables as for the service. Prints the mail server's response if it refuses the mail. An accepted mail may still not arrive.",
    ],
    settings: ['SMTP_URL', 'MAIL_FROM', 'PUBLIC_URL'],
    examples: [['mail test ada@example.org', 'send a test mail to Ada']],
    failure: 'the mail server did not accept it, or cannot be reached',
    seeAlso: ['docs/mail.md', 'docs/configuration.md'],
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
    details: ['It completes commands, options and their values. Generate it again after an update.'],
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
    .option('--url <url>', 'the address of the service, with its path prefix if any', 'http://127.0.0.1:3000')
    .option('--token <token>', 'an API token; other users may see arguments, so prefer PHASEBOARD_TOKEN')
    .action(async ({ url, token = process.env.PHASEBOARD_TOKEN || undefined }) => {
      const { connectAgent } = await import('./mcp-command.ts')
      await connectAgent({ url, token })
    }),
  {
    details: [
      "For agents that start a program instead of connecting to a URL. It forwards messages to the service's /mcp, so the service decides tools and rights.",
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
addProjectCommands(program, withDatabase)
addShareLinkCommands(program, withDatabase)

/** Refuses an unknown command with `--help`, for which Commander would show its parent's manual. @throws CommanderError */
function refuseUnknownCommand({ command, error }: AddHelpTextContext): string {
  const [name = ''] = command.args
  const isCommand = command.commands.length > 0 && !['', 'help'].includes(name) && !name.startsWith('-')
  if (isCommand && !error) command.error(`unknown command '${name}'`)
  return ''
}

/** Adds a mapping of people. @throws InvalidArgumentError */
function mappings(text: string, before: Mapping[] = []): Mapping[] {
  const mapping = mappingIn(text)
  if (mapping === undefined) throw new InvalidArgumentError('it must be <from>=<to>')
  return [...before, mapping]
}

/** The configured database file. @throws StartupError for `:memory:`, or what is no regular file */
async function databaseFile(): Promise<string> {
  const { loadConfig } = await import('../config.ts')
  const { databasePath, refuseOtherKinds } = await import('../db/client.ts')

  const path = databasePath(loadConfig(process.env).databaseUrl)
  if (path === ':memory:')
    throw new StartupError('DATABASE_URL must name a file: data in :memory: would be lost')
  refuseOtherKinds(path)
  return path
}

/** Whether there is a database. An empty file is none, though SQLite would make it one. */
function isDatabase(path: string): boolean {
  if (!existsSync(path)) return false
  const status = statSync(path)
  return !status.isFile() || status.size > 0
}

/** The configured database file, which must exist: a mistyped name must not become an empty database. @throws StartupError */
async function existingDatabaseFile(): Promise<string> {
  const path = await databaseFile()
  if (!isDatabase(path)) throw new StartupError(`there is no database ${path}: is DATABASE_URL correct?`)
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

/** Imports an archive, and prints a summary. A dry run creates no database. */
async function importArchive(path: string, options: { dryRun?: true; mapMembers?: true }): Promise<void> {
  const { loadConfig } = await import('../config.ts')
  const { importFrom } = await import('./archive-commands.ts')

  const file = await databaseFile()
  const { attachmentsTotal } = loadConfig(process.env)
  const settings = { ...options, attachmentsTotal }
  if (options.dryRun && !isDatabase(file)) await importFrom(undefined, path, settings)
  else await openFor(file, (db) => importFrom(db, path, settings))
}

/** The service's address for users: as configured, else where it listens (localhost if it listens on all addresses). */
async function publicUrl(): Promise<string> {
  const { loadConfig } = await import('../config.ts')
  const { localUrl } = await import('../http/public-url.ts')

  const config = loadConfig(process.env)
  return config.publicUrl ?? localUrl(config)
}

/** Runs the command in the process's arguments. It throws errors for its caller. */
export async function runCommandLine(): Promise<void> {
  try {
    await program.parseAsync()
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? 0 : USAGE
  }
}
