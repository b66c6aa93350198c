/** The commands for members and tokens: their arguments. Their implementation is loaded when one of them runs. */
import type { Command } from 'commander'
import type { WithDatabase } from './member-commands.ts'

const WHO = '<email-or-id>'

/**
 * Adds the commands to the program.
 * @param withDatabase opens the database for them
 */
export function addMemberCommands(program: Command, withDatabase: WithDatabase): void {
  const commands = () => import('./member-commands.ts')

  const member = program
    .command('member')
    .description('add, list and change members, also while the service runs')
    .addHelpText(
      'after',
      '\nPasswords are asked for; without a terminal, the first line of the input is one.',
    )

  member
    .command('add')
    .description('add a member')
    .argument('<email>')
    .option('--name <name>', 'how the member is shown (default: what stands before the @)')
    .option('--role <role>', 'admin, member or viewer', 'member')
    .action(async (email, options) => (await commands()).addMember(withDatabase, email, options))

  member
    .command('list')
    .description('list the members: id, email, role, state, name')
    .action(async () => (await commands()).listMembers(withDatabase))

  member
    .command('set-role')
    .description('make a member an admin, member or viewer')
    .argument(WHO)
    .argument('<role>')
    .action(async (who, role) => (await commands()).setRole(withDatabase, who, role))

  member
    .command('disable')
    .description('sign a member out everywhere, and refuse sign-ins and tokens')
    .argument(WHO)
    .action(async (who) => (await commands()).disableMember(withDatabase, who))

  member
    .command('enable')
    .description('let a disabled member in again')
    .argument(WHO)
    .action(async (who) => (await commands()).enableMember(withDatabase, who))

  member
    .command('reset-password')
    .description('give a member a new password, and sign the member out everywhere')
    .argument(WHO)
    .action(async (who) => (await commands()).resetPassword(withDatabase, who))

  program
    .command('token')
    .description('make API tokens')
    .command('create')
    .description('make an API token of a member, and print it this once')
    .argument(WHO)
    .requiredOption('--name <name>', 'what it is for')
    .option(
      '--scope <scope>',
      'read, write for what changes something, or calendar for its feed alone',
      'read',
    )
    .option('--expires <date>', 'until when it works (default: for ever)')
    .action(async (who, options) => (await commands()).createToken(withDatabase, who, options))
}
