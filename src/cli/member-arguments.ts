/** The commands for members and tokens: their arguments. Their implementation is loaded when one of them runs. */
import { Argument, type Command, Option } from 'commander'
import { type CommandManual, describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

/** A choice that help and completion show; what is given is validated as requests are, all of it at once. */
const choosing = <Chosen extends Option | Argument>(chosen: Chosen, choices: string[]): Chosen =>
  Object.assign(chosen, { argChoices: choices })

const ROLES = ['admin', 'member', 'viewer']

/** The member that a command is about. */
const who = () => new Argument('<email-or-id>', 'the email of the member, or its id')

/** The manual of a command of members. */
const manual = (about: CommandManual): CommandManual => ({
  settings: ['DATABASE_URL'],
  seeAlso: ['phaseboard member list', 'docs/access.md'],
  ...about,
})

const ASKED = 'The password is asked for; without a terminal, the first line of the input is one.'

const ONE_TIME = 'It works once, for 24 hours, and whoever has it can use it.'

const LINK_SETTINGS = ['DATABASE_URL', 'PUBLIC_URL', 'HOST', 'PORT'] as const

/**
 * Adds the commands to the program.
 * @param withDatabase opens the database for them
 * @param publicUrl where people reach the service
 */
export function addMemberCommands(
  program: Command,
  withDatabase: WithDatabase,
  publicUrl: () => Promise<string>,
): void {
  const commands = () => import('./member-commands.ts')

  const member = describeCommand(
    program.command('member').description('add, list and change members, also while the service runs'),
    manual({
      details: ['Passwords are asked for; without a terminal, the first line of the input is one.'],
      examples: [
        ['member add ada@example.org --role admin', 'add an admin'],
        ['member list', 'who can sign in'],
      ],
      seeAlso: ['phaseboard token', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('add')
      .description('add a member')
      .argument('<email>', 'what the member signs in with')
      .option('--name <name>', 'how the member is shown (default: what stands before the @)')
      .addOption(choosing(new Option('--role <role>', 'what the member may do').default('member'), ROLES))
      .action(async (email, options) => (await commands()).addMember(withDatabase, email, options)),
    manual({
      details: [`${ASKED} Without a password, the member cannot sign in with one.`],
      examples: [
        ['member add ada@example.org --name "Ada Lovelace"', 'add a member'],
        ['member add ada@example.org --role admin < password-file', 'add an admin, from a script'],
      ],
    }),
  )

  describeCommand(
    member
      .command('list')
      .description('list the members: id, email, role, state, name')
      .action(async () => (await commands()).listMembers(withDatabase)),
    manual({
      examples: [
        ['member list', 'all of them'],
        ['member list | grep disabled', 'those who cannot sign in'],
      ],
      seeAlso: ['phaseboard member add', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('set-role')
      .description('make a member an admin, member or viewer')
      .addArgument(who())
      .addArgument(choosing(new Argument('<role>', 'what the member may do'), ROLES))
      .action(async (who, role) => (await commands()).setRole(withDatabase, who, role)),
    manual({
      details: ['It counts from the next request on. The last admin stays one.'],
      examples: [['member set-role ada@example.org admin', 'make Ada an admin']],
    }),
  )

  describeCommand(
    member
      .command('disable')
      .description('sign a member out everywhere, and refuse sign-ins and tokens')
      .addArgument(who())
      .action(async (who) => (await commands()).disableMember(withDatabase, who)),
    manual({
      details: ['What the member has made stays. The last admin cannot be disabled.'],
      examples: [['member disable ada@example.org', 'Ada has left']],
      seeAlso: ['phaseboard member enable', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('enable')
      .description('let a disabled member in again')
      .addArgument(who())
      .action(async (who) => (await commands()).enableMember(withDatabase, who)),
    manual({
      examples: [['member enable ada@example.org', 'Ada is back']],
      seeAlso: ['phaseboard member disable', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('reset-password')
      .description('give a member a new password, and sign the member out everywhere')
      .addArgument(who())
      .action(async (who) => (await commands()).resetPassword(withDatabase, who)),
    manual({
      details: [ASKED],
      examples: [['member reset-password ada@example.org', 'Ada has forgotten hers']],
    }),
  )

  describeCommand(
    member
      .command('password-link')
      .description('make a link with which a member sets a new password, and print it this once')
      .addArgument(who())
      .action(async (who) => (await commands()).createPasswordLink(withDatabase, who, await publicUrl())),
    manual({
      details: [ONE_TIME, 'A former one of the member ends.'],
      settings: LINK_SETTINGS,
      examples: [['member password-link ada@example.org', 'Ada has forgotten hers']],
      seeAlso: ['phaseboard member reset-password', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('invite')
      .description('make a link with which somebody becomes a member, and print it this once')
      .option('--name <name>', 'how the member is shown (default: whoever is invited says)')
      .option('--email <email>', 'what the member signs in with (default: whoever is invited says)')
      .addOption(choosing(new Option('--role <role>', 'what the member may do').default('member'), ROLES))
      .action(async (options) => (await commands()).inviteMember(withDatabase, options, await publicUrl())),
    manual({
      details: [ONE_TIME, 'Whoever is invited chooses a password, and may choose another name.'],
      settings: LINK_SETTINGS,
      examples: [
        ['member invite', 'somebody who says the rest'],
        ['member invite --email ada@example.org --role admin', 'Ada, as an admin'],
      ],
      seeAlso: ['phaseboard member add', 'docs/access.md'],
    }),
  )

  const token = describeCommand(program.command('token').description('make API tokens'), {
    settings: ['DATABASE_URL'],
    examples: [['token create ada@example.org --name ci', 'a token that reads']],
    seeAlso: ['docs/access.md'],
  })

  describeCommand(
    token
      .command('create')
      .description('make an API token of a member, and print it this once')
      .addArgument(who())
      .requiredOption('--name <name>', 'what it is for')
      .addOption(
        choosing(
          new Option(
            '--scope <scope>',
            'read; write, to change something; or calendar, for the calendar feed alone',
          ).default('read'),
          ['read', 'write', 'calendar'],
        ),
      )
      .option('--expires <date>', 'until when it works (default: for ever)')
      .action(async (who, options) => (await commands()).createToken(withDatabase, who, options)),
    {
      details: ['Scripts send it as Authorization: Bearer. Only its hash is kept.'],
      settings: ['DATABASE_URL'],
      examples: [
        ['token create ada@example.org --name ci --scope write', 'a token that changes things'],
        ['token create admin@localhost --name prometheus > token', 'one that reads the metrics'],
        ['token create ada@example.org --name phone --scope calendar', 'one for a calendar'],
      ],
      seeAlso: ['docs/access.md', 'docs/operations.md'],
    },
  )
}
