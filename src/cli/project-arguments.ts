/** The arguments of the commands for projects. Their implementation is loaded lazily. */
import { Argument, type Command, Option } from 'commander'
import { describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

const SETTINGS = ['DATABASE_URL'] as const

/** Adds the commands to the program. @param withDatabase opens the database for them */
export function addProjectCommands(program: Command, withDatabase: WithDatabase): void {
  const commands = () => import('./project-commands.ts')
  const project = describeCommand(
    program
      .command('project')
      .description('show and set the access to a project, even while the service runs'),
    {
      settings: [...SETTINGS],
      examples: [['project access Apollo assigned --assign ada@example.org', 'only Ada and admins see it']],
      seeAlso: ['phaseboard member', 'docs/access.md'],
    },
  )

  describeCommand(
    project
      .command('access')
      .description('show or set the access to a project')
      .addArgument(new Argument('<project>', 'the project: its id, or a unique name'))
      .addArgument(
        new Argument(
          '[access]',
          'everyone: all members except guests; assigned: only those assigned to the project',
        ).choices(['everyone', 'assigned']),
      )
      .option('--assign <member...>', 'assign members: emails or ids')
      .addOption(
        new Option('--role <role>', 'their role; a viewer can only read').choices([
          'member',
          'lead',
          'viewer',
        ]),
      )
      .option('--remove <member...>', 'end the assignments of members')
      .action(async (called, access, options) =>
        (await commands()).projectAccess(withDatabase, called, access, options),
      ),
    {
      settings: [...SETTINGS],
      details: ['All or nothing, in one write that can be undone. Then it prints the access.'],
      examples: [
        ['project access Apollo', 'who sees it'],
        ['project access Apollo everyone', 'every member but guests'],
        ['project access Apollo --assign eve@client.example --role viewer', 'Eve reads it'],
      ],
      seeAlso: ['phaseboard people list', 'docs/access.md'],
    },
  )
}
