/** The commands for the access to projects. They use the same rules as requests, and may run beside the service. */
import { type SharedDatabase, writeAs } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import { StartupError } from '../errors.ts'
import { createRules, type Rules } from '../requests/rules.ts'
import type { Project } from '../schemas/records.ts'
import type { WithDatabase } from './member-commands.ts'
import { alignColumns, refuseUnknown, say } from './terminal.ts'

/** The new access to a project. */
interface AccessOptions {
  /** Emails or ids of members to assign. */
  assign?: string[]
  /** The role of each of them. */
  role?: string
  /** Emails or ids of members whose assignments end. */
  remove?: string[]
}

/** The project with this id, or this unique name. @throws Error for none and for several */
function projectCalled({ projects }: Rules, db: SharedDatabase, called: string): Project {
  const ids = db.$client
    .prepare<[string, string], string>('select id from projects where id = ? or name = ? order by id')
    .pluck()
    .all(called, called)
  if (ids.length > 1 && !ids.includes(called)) {
    throw new Error(`${ids.length} projects are called ${called}: give the id`)
  }
  const id = ids.includes(called) ? called : (ids[0] ?? refuseUnknown('Project', called))
  return projects.get(id)
}

/** The id of a member by id or email; of a person of the host application, its id. @throws Error */
const memberId = ({ members }: Rules, called: string): string =>
  members.find(called)?.id ?? members.people.named([called])[0]?.id ?? refuseUnknown('Member', called)

function assign(
  rules: Rules,
  { id, teamAssignments }: Project,
  called: string,
  role: string | undefined,
): void {
  const member = memberId(rules, called)
  const known = teamAssignments.find((one) => one.memberId === member)
  const { assignments } = rules.projects
  if (known === undefined) assignments.create(id, { memberId: member, ...(role !== undefined && { role }) })
  else if (role !== undefined) assignments.update(known.id, { role })
}

function remove(rules: Rules, { teamAssignments }: Project, called: string): void {
  const member = memberId(rules, called)
  const known = teamAssignments.find((one) => one.memberId === member)
  if (known === undefined) throw new Error(`${called} is not assigned to the project`)
  rules.projects.assignments.delete(known.id)
}

/** Prints the access to a project. */
function show(rules: Rules, { name, access, teamId, teamAssignments }: Project): void {
  const forAll = access === 'everyone'
  say(
    `${name}: ${forAll ? 'every member except guests sees it' : 'only members who are assigned to the project see it, and admins'}`,
  )
  const names = new Map(
    rules.members.people.named(teamAssignments.map((one) => one.memberId)).map((one) => [one.id, one.name]),
  )
  const rows = teamAssignments.map((one) => [one.memberId, one.role, names.get(one.memberId) ?? '-'])
  if (teamId !== null) rows.push([teamId, 'team', '-'])
  for (const row of alignColumns(rows)) say(row)
}

/** `project access`. @throws StartupError for a role without members */
export async function projectAccess(
  withDatabase: WithDatabase,
  called: string,
  access: string | undefined,
  options: AccessOptions,
): Promise<void> {
  if (options.role !== undefined && options.assign === undefined) {
    throw new StartupError('--role needs --assign: it is the role of the assigned members')
  }
  await withDatabase((db) => {
    const rules = createRules(db)
    const project = projectCalled(rules, db, called)
    writeAs(db, BY_COMMAND, () => {
      if (access !== undefined) rules.projects.update(project.id, { access })
      for (const one of options.assign ?? []) assign(rules, project, one, options.role)
      for (const one of options.remove ?? []) remove(rules, project, one)
    })
    show(rules, rules.projects.get(project.id))
  })
}
