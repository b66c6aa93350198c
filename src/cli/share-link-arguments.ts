/** The arguments of the commands for share links. Their implementation is loaded lazily. */
import type { Command } from 'commander'
import { type CommandManual, describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

/** The manual of a command for share links. */
const manual = (about: CommandManual): CommandManual => ({
  settings: ['DATABASE_URL'],
  seeAlso: ['docs/access.md'],
  ...about,
})

/** Adds the commands to the program. @param withDatabase opens the database for them */
export function addShareLinkCommands(program: Command, withDatabase: WithDatabase): void {
  const commands = () => import('./share-link-commands.ts')

  const shareLink = describeCommand(
    program.command('share-link').description('list and revoke share links, even while the service runs'),
    manual({
      details: ['Anybody with a share link can read its project, without signing in.'],
      examples: [
        ['share-link list', 'the links of all projects'],
        ['share-link revoke 01234567-89ab-7cde-8f01-23456789abcd', 'end one of them'],
      ],
    }),
  )

  describeCommand(
    shareLink
      .command('list')
      .description('list the links of a project, or of all, that are still valid')
      .argument('[projectId]', 'the id of the project (default: all projects)')
      .action(async (projectId) => (await commands()).listShareLinks(withDatabase, projectId)),
    manual({
      details: [
        'A line for each: id, creation, expiry, project, name. The secrets are not stored, so it cannot print the links themselves.',
      ],
      examples: [
        ['share-link list', 'the links of all projects'],
        ['share-link list 01234567-89ab-7cde-8f01-23456789abcd', 'the links of one'],
      ],
      seeAlso: ['phaseboard share-link revoke', 'docs/access.md'],
    }),
  )

  describeCommand(
    shareLink
      .command('revoke')
      .description('revoke a link, so that it no longer works')
      .argument('<id>', 'the id of the link')
      .action(async (id) => (await commands()).revokeShareLink(withDatabase, id)),
    manual({
      details: ['It applies at once. It cannot be undone: create another link instead.'],
      examples: [['share-link revoke 01234567-89ab-7cde-8f01-23456789abcd', 'end the link']],
      seeAlso: ['phaseboard share-link list', 'docs/access.md'],
    }),
  )
}
