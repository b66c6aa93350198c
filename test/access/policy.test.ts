/** The policy by itself: scopes of principals, when they are read again, and what a change of them adds and removes. */
import t from 'tap'
import { makesProjects, Policy, type Principal } from '../../src/access/policy.ts'
import type { Identity } from '../../src/members/identity.ts'
import { openTestDatabase } from '../database.ts'

/** A policy over one project for everyone (`all`), one for those who are assigned (`own`), and one of a team (`team`). */
function policyOn(t: Parameters<typeof openTestDatabase>[0], isLimited = true) {
  const db = openTestDatabase(t)
  const versions = { request: 1, now: 1 }
  const policy = new Policy(
    db,
    () => versions.request,
    () => versions.now,
  )
  const client = db.$client
  const change = (sql: string) => void client.exec(sql)
  change(`insert into projects (id, name, phase) values ('all', 'A', 'x'), ('own', 'O', 'x'), ('team', 'T', 'x');
    insert into teams (id, name) values ('t', 'Team')`)
  if (isLimited)
    change(`update projects set "access" = 'assigned' where id <> 'all';
      update projects set team_id = 't' where id = 'team'`)
  const rightsOf = (fields: Partial<Principal>) => {
    const scope = policy.scopeOf(principal(fields))
    return scope && Object.fromEntries([...scope.projects].toSorted())
  }
  return { policy, client, change, versions, rightsOf }
}

const principal = (fields: Partial<Principal> = {}): Principal => ({
  memberId: 'ada',
  role: 'member',
  seesAll: false,
  projectIds: null,
  projects: undefined,
  ...fields,
})

const assign = (project: string, member: string, role = 'member') =>
  `insert into team_assignments (id, project_id, member_id, role) values ('${project} ${member}', '${project}', '${member}', '${role}')`

t.test('who makes projects', async (t) => {
  const identity = (fields: object, role = 'member') =>
    ({ member: { id: 'ada', role }, via: 'session', scope: 'write', ...fields }) as unknown as Identity
  t.equal(makesProjects(identity({})), true)
  t.equal(makesProjects(identity({ projectIds: null })), true)
  for (const fields of [{ projectIds: [] }, { projectIds: ['p'] }, { projects: {} }])
    t.equal(makesProjects(identity(fields)), false, JSON.stringify(fields))
  t.equal(makesProjects(identity({}, 'guest')), false)
})

t.test('a member sees what is for everyone, its assignments and the projects of its teams', async (t) => {
  const { change, rightsOf, policy } = policyOn(t)
  t.equal(policy.scopeOf(undefined), undefined)
  t.strictSame(rightsOf({}), { all: 'write' })
  t.strictSame(rightsOf({ role: 'guest' }), {})
  change(assign('own', 'ada'))
  change(`insert into team_members (team_id, member_id) values ('t', 'bob')`)
  t.strictSame(rightsOf({}), { all: 'write', own: 'write' })
  t.strictSame(rightsOf({ role: 'guest' }), { own: 'write' })
  t.strictSame(rightsOf({ memberId: 'bob' }), { all: 'write', team: 'write' })
  t.strictSame(rightsOf({ memberId: 'bob', role: 'guest' }), { team: 'write' })
  change(`update team_assignments set role = 'viewer'`)
  t.strictSame(rightsOf({}), { all: 'write', own: 'read' })
  change(`update team_assignments set project_id = 'all'`)
  t.strictSame(rightsOf({}), { all: 'read' })
  t.strictSame(rightsOf({ role: 'guest' }), { all: 'read' })
  change(`delete from team_members; delete from team_assignments`)
  t.strictSame(rightsOf({ memberId: 'bob' }), { all: 'write' })
  change(`update projects set "access" = 'everyone'`)
  t.equal(rightsOf({}), undefined, 'nobody is limited any more')
  t.strictSame(rightsOf({ role: 'guest' }), {}, 'but a guest')
  change(assign('own', 'bob', 'viewer'))
  t.equal(rightsOf({}), undefined)
  t.strictSame(rightsOf({ memberId: 'bob' }), { all: 'write', own: 'read', team: 'write' })
})

t.test('a token or a host names the projects', async (t) => {
  const { change, rightsOf, policy } = policyOn(t)
  t.strictSame(rightsOf({ projectIds: ['all', 'own'] }), { all: 'write' })
  t.strictSame(rightsOf({ projectIds: ['all', 'own'], seesAll: true }), { all: 'write', own: 'write' })
  t.strictSame(rightsOf({ projects: { own: 'read' } }), { own: 'read' })
  t.strictSame(rightsOf({ projects: { own: 'read' }, projectIds: ['all'] }), { own: 'read' })
  change(assign('own', 'ada', 'viewer'))
  t.strictSame(rightsOf({ projectIds: ['all', 'own'] }), { all: 'write', own: 'read' })
  const of = (fields: Partial<Principal>) => policy.scopeOf(principal(fields))
  const flags = { memberId: 'ada', isGuest: false, hasIdeas: true }
  t.match(of({}), { ...flags, isByAssignment: true })
  t.match(of({ role: 'guest' }), { ...flags, isGuest: true, isByAssignment: true })
  t.match(of({ projects: {} }), { ...flags, isByAssignment: false })
  t.match(of({ projects: {}, role: 'guest' }), { isGuest: true })
  t.match(of({ projectIds: ['all'] }), { ...flags, hasIdeas: false, isByAssignment: false })
})

t.test('a scope stays the same until access changes', async (t) => {
  const { change, client, policy, versions } = policyOn(t)
  const limited = principal({ projectIds: ['all'] })
  const ofHost = principal({ projects: { own: 'read' } })
  const numbers = () => [principal(), limited, ofHost].map((one) => Number(policy.scopeOf(one)?.number))
  const first = numbers()
  t.equal(new Set(first).size, 3, 'each has its own')
  t.strictSame(numbers(), first)
  const { generation } = policy
  change(`update projects set name = 'Other'`)
  t.equal(policy.generation, generation)
  t.strictSame(numbers(), first)
  for (const sql of [
    assign('own', 'cal'),
    `update team_assignments set role = 'viewer'`,
    'delete from team_assignments',
    `update projects set team_id = null`,
    `delete from projects where id = 'team'`,
    `insert into projects (id, name, phase) values ('new', 'N', 'x')`,
    `insert into team_members (team_id, member_id) values ('t', 'cal')`,
    'delete from team_members',
  ]) {
    const [before, count] = [numbers(), policy.generation]
    change(sql)
    t.ok(policy.generation > count, sql)
    const after = numbers()
    t.ok(
      after.every((number, index) => number > Number(before[index])),
      sql,
    )
    t.strictSame(numbers(), after, 'and then again')
  }
  const kept = numbers()
  versions.request++
  t.notSame(numbers(), kept, 'another connection may have changed access')
  const count = policy.generation
  t.equal(policy.generation, count)
  versions.request++
  t.ok(policy.generation > count)
  const settled = numbers()
  client.exec('begin')
  change(assign('own', 'ada'))
  t.strictSame([...(policy.scopeOf(principal())?.projects.keys() ?? [])].sort(), ['all', 'new', 'own'])
  const [one, other] = [numbers(), numbers()]
  t.ok(
    one.every((number, index) => number !== other[index]),
    'what a transaction sees is not kept',
  )
  client.exec('rollback')
  t.strictSame([...(policy.scopeOf(principal())?.projects.keys() ?? [])].sort(), ['all', 'new'])
  t.notSame(numbers(), settled)
  t.strictSame(numbers(), numbers())
})

t.test('inside a transaction its own version counts', async (t) => {
  const { policy, versions } = policyOn(t)
  const before = policy.scopeNow(principal())?.number
  t.equal(policy.scopeNow(principal())?.number, before)
  versions.now++
  t.not(policy.scopeNow(principal())?.number, before)
})

t.test('as long as nobody is limited, new projects and assignments change nothing', async (t) => {
  const { change, policy, rightsOf } = policyOn(t, false)
  t.equal(rightsOf({}), undefined)
  const { generation } = policy
  change(`insert into projects (id, name, phase) values ('new', 'N', 'x')`)
  change(assign('all', 'ada'))
  change(`update projects set team_id = 't'`)
  change('delete from team_assignments')
  t.equal(policy.generation, generation)
  change(assign('all', 'ada', 'viewer'))
  t.ok(policy.generation > generation)
  t.strictSame(rightsOf({}), { all: 'read', own: 'write', new: 'write', team: 'write' })
  change('delete from team_assignments')
  t.equal(rightsOf({}), undefined)
  const free = policy.generation
  change(assign('own', 'ada'))
  t.equal(policy.generation, free, 'again')
  rightsOf({ projects: {} })
  change('delete from team_assignments')
  t.ok(policy.generation > free, 'a host has limited someone')
})

t.test('what a change of scope adds and removes', async (t) => {
  const { change, policy, client } = policyOn(t)
  const scope = (...ids: string[]) =>
    policy.scopeOf(principal({ projects: Object.fromEntries(ids.map((id) => [id, 'read' as const])) }))
  const last = client.prepare<[], number>('select max(seq) from changes').pluck().get() as number
  change(`insert into projects (id, name, phase) values ('later', 'L', 'x')`)
  const difference = (before: Parameters<typeof policy.difference>[0], after: typeof before) =>
    policy
      .difference(before, after, last)
      .map(({ projectId, visible }) => `${visible ? '+' : '-'}${projectId}`)
      .sort()
  t.strictSame(difference(scope('all', 'own', 'gone'), scope('own', 'team')), ['+team', '-all'])
  t.strictSame(difference(scope('all'), scope('all')), [])
  t.strictSame(difference(scope('all'), undefined), ['+later', '+own', '+team'])
  t.strictSame(difference(undefined, scope('all')), ['-own', '-team'], 'not one created since')
  t.strictSame(difference(undefined, undefined), [])
})
