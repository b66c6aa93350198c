/** The commands for people: their arguments. Their implementation is loaded when one of them runs. */
import { Argument, type Command } from 'commander'
import { type CommandManual, describeCommand } from './describe-command.ts'
import type { WithDatabase } from './member-commands.ts'

/** The person that a command is about. */
const who = (name: string, description: string) =>
  new Argument(name, `${description}: the id, the email of a member, or a name that nobody else has`)

/** The manual of a command of people. */
const manual = (about: CommandManual): CommandManual => ({
  settings: ['DATABASE_URL'],
  seeAlso: ['phaseboard people list', 'docs/access.md'],
  ...about,
})

/** Adds the commands to the program. @param withDatabase opens the database for them */
export function addPeopleCommands(program: Command, withDatabase: WithDatabase): void {
  const commands = () => import('./people-commands.ts')

  const people = describeCommand(
    program
      .command('people')
      .description('list, merge and forget people, members or not, also while the service runs'),
    manual({
      examples: [
        ['people list', 'who can be assigned'],
        ['people map "Ann (Trello)" ann@example.org', 'whom an imported board calls so is Ann'],
      ],
      seeAlso: ['phaseboard member', 'docs/access.md'],
    }),
  )

  describeCommand(
    people
      .command('list')
      .description(
        'list everybody who can be assigned: members, people of a host application, and of imported boards',
      )
      .action(async () => (await commands()).listPeople(withDatabase)),
    manual({
      details: ['A line each: id, kind, where an imported one comes from, name.'],
      examples: [['people list', 'everybody, by name']],
      seeAlso: ['phaseboard member list'],
    }),
  )

  describeCommand(
    people
      .command('map')
      .description('let everything that names one person name another, in one write that can be undone')
      .addArgument(who('<from>', 'who is not to be named any more'))
      .addArgument(who('<to>', 'who is'))
      .action(async (from, to) => (await commands()).mapPerson(withDatabase, from, to)),
    manual({
      details: [
        'Assignees, leads, assignments to projects, authors of comments and owners of ideas. Logs stay as they were written. A member has to be deleted first.',
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
      .description('forget a person: the name goes from wherever the service keeps it')
      .addArgument(who('<id>', 'who is forgotten'))
      .action(async (person) => (await commands()).forgetPerson(withDatabase, person)),
    manual({
      details: [
        'Records keep the id, which says nothing then. It cannot be undone. Backups and archives that were made before keep the name. A member has to be deleted first.',
      ],
      examples: [['people forget u-18', 'somebody of the host application']],
    }),
  )
}
