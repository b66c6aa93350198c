/** The arguments of the commands for members and tokens. Their implementation is loaded lazily. */
import { Argument, type Command, Option } from 'commander'
import { type CommandManual, describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

/** A choice for help and completion. Values are validated like requests, all at once. */
const choosing = <Chosen extends Option | Argument>(chosen: Chosen, choices: string[]): Chosen =>
  Object.assign(chosen, { argChoices: choices })

const ROLES = ['admin', 'member', 'viewer', 'guest']

const who = () => new Argument('<email-or-id>', 'the email of the member, or its id')

/** The manual of a command for members. */
const manual = (about: CommandManual): CommandManual => ({
  settings: ['DATABASE_URL'],
  seeAlso: ['phaseboard member list', 'docs/access.md'],
  ...about,
})

const ASKED = 'It prompts for the password; without a terminal, it reads the first line of the input.'

const ONE_TIME = 'It works once, for 24 hours, for anyone who has it.'

const LINK_SETTINGS = ['DATABASE_URL', 'PUBLIC_URL', 'HOST', 'PORT'] as const

/**
 * Adds the commands to the program.
 * @param withDatabase opens the database for them
 * @param publicUrl the address of the service for its users
 */
export function addMemberCommands(
  program: Command,
  withDatabase: WithDatabase,
  publicUrl: () => Promise<string>,
): void {
  const commands = () => import('./member-commands.ts')

  const member = describeCommand(
    program.command('member').description('add, list and change members, even while the service runs'),
    manual({
      details: ['Commands prompt for passwords; without a terminal, they read the first line of the input.'],
      examples: [
        ['member add ada@example.org --role admin', 'add an admin'],
        ['member list', 'list the members'],
      ],
      seeAlso: ['phaseboard token', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('add')
      .description('add a member')
      .argument('<email>', 'the email of the member')
      .option('--name <name>', 'the name of the member (default: the part before the @)')
      .addOption(choosing(new Option('--role <role>', 'the role of the member').default('member'), ROLES))
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
        ['member list | grep disabled', 'members who cannot sign in'],
      ],
      seeAlso: ['phaseboard member add', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('set-role')
      .description('make a member an admin, member, viewer or guest')
      .addArgument(who())
      .addArgument(choosing(new Argument('<role>', 'the role of the member'), ROLES))
      .action(async (who, role) => (await commands()).setRole(withDatabase, who, role)),
    manual({
      details: ['It applies from the next request. The last admin stays one.'],
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
      details: ["The member's records stay. The last admin cannot be disabled."],
      examples: [['member disable ada@example.org', 'Ada has left']],
      seeAlso: ['phaseboard member enable', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('enable')
      .description('enable a disabled member')
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
      .description('create a link to set a new password of a member, and print it once')
      .addArgument(who())
      .action(async (who) => (await commands()).createPasswordLink(withDatabase, who, await publicUrl())),
    manual({
      details: [ONE_TIME, 'It revokes an earlier link of the member.'],
      settings: LINK_SETTINGS,
      examples: [['member password-link ada@example.org', 'Ada has forgotten hers']],
      seeAlso: ['phaseboard member reset-password', 'docs/access.md'],
    }),
  )

  describeCommand(
    member
      .command('invite')
      .description('create a link to become a member, and print it once')
      .option('--name <name>', 'the name of the member (default: chosen by the invited person)')
      .option('--email <email>', 'the email of the member (default: chosen by the invited person)')
      .addOption(choosing(new Option('--role <role>', 'the role of the member').default('member'), ROLES))
      .action(async (options) => (await commands()).inviteMember(withDatabase, options, await publicUrl())),
    manual({
      details: [ONE_TIME, 'The invited person chooses a password, and may choose another name.'],
      settings: LINK_SETTINGS,
      examples: [
        ['member invite', 'the invited person provides name and email'],
        ['member invite --email ada@example.org --role admin', 'Ada, as an admin'],
      ],
      seeAlso: ['phaseboard member add', 'docs/access.md'],
    }),
  )

  const token = describeCommand(program.command('token').description('create API tokens'), {
    settings: ['DATABASE_URL'],
    examples: [['token create ada@example.org --name ci', 'a token that reads']],
    seeAlso: ['docs/access.md'],
  })

  describeCommand(
    token
      .command('create')
      .description('create an API token of a member, and print it once')
      .addArgument(who())
      .requiredOption('--name <name>', 'what it is for')
      .addOption(
        choosing(
          new Option(
            '--scope <scope>',
            'read; write, which also reads; or calendar, only for the calendar feed',
          ).default('read'),
          ['read', 'write', 'calendar'],
        ),
      )
      .option('--expires <date>', 'when it expires (default: never)')
      .action(async (who, options) => (await commands()).createToken(withDatabase, who, options)),
    {
      details: ['Scripts send it as Authorization: Bearer. Only its hash is stored.'],
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
