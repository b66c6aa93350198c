/** The arguments of the commands for people. Their implementation is loaded lazily. */
import { Argument, type Command } from 'commander'
import { type CommandManual, describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

/** The argument for a person. */
const who = (name: string, description: string) =>
  new Argument(name, `${description}: the id, the email of a member, or a unique name`)

/** The manual of a command for people. */
const manual = (about: CommandManual): CommandManual => ({
  settings: ['DATABASE_URL'],
  seeAlso: ['phaseboard people list', 'docs/access.md'],
  ...about,
})

/** Adds the commands to the program. @param withDatabase opens the database for them */
export function addPeopleCommands(program: Command, withDatabase: WithDatabase): void {
  const commands = () => import('./people-commands.ts')

  const people = describeCommand(
    program.command('people').description('list, merge and forget people, even while the service runs'),
    manual({
      examples: [
        ['people list', 'list assignable people'],
        ['people map "Ann (Trello)" ann@example.org', 'merge this person of an imported board into Ann'],
      ],
      seeAlso: ['phaseboard member', 'docs/access.md'],
    }),
  )

  describeCommand(
    people
      .command('list')
      .description('list all assignable people: members, people of a host application and of imported boards')
      .action(async () => (await commands()).listPeople(withDatabase)),
    manual({
      details: ['A line for each: id, kind, source of an imported one, name.'],
      examples: [['people list', 'all people, by name']],
      seeAlso: ['phaseboard member list'],
    }),
  )

  describeCommand(
    people
      .command('map')
      .description('merge one person into another, in one write that can be undone')
      .addArgument(who('<from>', 'the person to replace'))
      .addArgument(who('<to>', 'who is'))
      .action(async (from, to) => (await commands()).mapPerson(withDatabase, from, to)),
    manual({
      details: [
        'It replaces assignees, leads, project assignments, comment authors and idea owners. Logs stay unchanged. A member must be deleted first.',
      ],
      examples: [
        ['people map 01234567-89ab-7cde-8f01-23456789abcd ann@example.org', 'by id'],
        ['people map "Ann (Trello)" ann@example.org', 'by name'],
      ],
    }),
  )

  describeCommand(
    people
      .command('forget')
      .description('forget a person: erase the name wherever the service stores it')
      .addArgument(who('<id>', 'the person to forget'))
      .action(async (person) => (await commands()).forgetPerson(withDatabase, person)),
    manual({
      details: [
        'Records keep the id. It cannot be undone. Earlier backups and archives keep the name. A member must be deleted first.',
      ],
      examples: [['people forget u-18', 'a person of the host application']],
    }),
  )
}
