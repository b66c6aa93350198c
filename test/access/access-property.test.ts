/** Random histories of access, roles, teams, moves, deletions and undos: after each step everyone reads and writes as the model says. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { type App, build, send, tokenOf } from '../helper.ts'
import { rounds } from '../rounds.ts'
import { PROJECTS, type Principal, type Project, type Right, rightOf } from './model.ts'

const RUNS = rounds(4)

const MEMBERS = ['ann', 'bob', 'cleo'] as const
const CARDS = ['card 1', 'card 2', 'card 3'] as const
const ROLES = ['member', 'viewer', 'guest'] as const
const AS = ['lead', 'member', 'viewer'] as const
type Member = (typeof MEMBERS)[number]

/** The state that the model keeps. */
interface State {
  access: Map<Project, 'everyone' | 'assigned'>
  roles: Map<Member, (typeof ROLES)[number]>
  /** Whoever is assigned, by project and member. */
  assigned: Map<string, (typeof AS)[number]>
  /** The projects of the team, and its members. */
  ofTeam: Set<Project>
  team: Set<Member>
  /** The project of each card that exists. */
  cards: Map<string, Project>
  /** The deleted card or project that comes back with an undo. */
  gone: { seq: string; back: () => void }[]
}

type Step =
  | { what: 'access' | 'team'; project: Project; on: boolean }
  | { what: 'assign'; project: Project; member: Member; as: (typeof AS)[number] | null }
  | { what: 'role'; member: Member; role: (typeof ROLES)[number] }
  | { what: 'crew'; members: Member[] }
  | { what: 'move'; card: string; project: Project }
  | { what: 'delete'; card: string }
  | { what: 'drop'; project: Project }
  | { what: 'undo' }

const project = fc.constantFrom(...PROJECTS)
const member = fc.constantFrom(...MEMBERS)
const card = fc.constantFrom(...CARDS)
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ what: fc.constantFrom('access' as const, 'team' as const), project, on: fc.boolean() }),
  fc.record({ what: fc.constant('assign' as const), project, member, as: fc.constantFrom(...AS, null) }),
  fc.record({ what: fc.constant('role' as const), member, role: fc.constantFrom(...ROLES) }),
  fc.record({ what: fc.constant('crew' as const), members: fc.uniqueArray(member) }),
  fc.record({ what: fc.constant('move' as const), card, project }),
  fc.record({ what: fc.constant('delete' as const), card }),
  fc.record({ what: fc.constant('drop' as const), project }),
  fc.constant({ what: 'undo' as const }),
)

type Headers = Record<string, string>

interface Service {
  app: App
  admin: Headers
  /** The headers of each member, and of a token of `ann` for two projects. */
  callers: Map<string, Headers>
  foreign: SQLite.Database
}

const LIMITED = ['ozone', 'vault'] as const

async function service(t: Test, authMode: 'open' | 'required'): Promise<Service> {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: file, authMode })
  const foreign = new SQLite(file)
  t.teardown(() => foreign.close())
  for (const { pragma } of [{ pragma: 'synchronous = off' }, { pragma: 'foreign_keys = on' }]) {
    app.db.$client.pragma(pragma)
    foreign.pragma(pragma)
  }
  const add = foreign.prepare('insert into members (id, name, email, role) values (?, ?, ?, ?)')
  for (const id of ['boss', ...MEMBERS])
    add.run(id, id, `${id}@example.test`, id === 'boss' ? 'admin' : 'member')
  foreign.exec(`insert into teams (id, name) values ('crew', 'Crew')`)
  const limits = { projectIds: JSON.stringify(LIMITED) } as object
  return {
    app,
    admin: tokenOf(app, 'boss'),
    callers: new Map([
      ...MEMBERS.map((id): [string, Headers] => [id, tokenOf(app, id)]),
      ['a token of ann', tokenOf(app, 'ann', limits)],
    ]),
    foreign,
  }
}

/** Makes the beginning of each history, by another process. */
function begin({ foreign }: Service): State {
  foreign.exec(
    `delete from projects; delete from team_members; update members set role = 'member' where id <> 'boss'`,
  )
  for (const id of PROJECTS) foreign.prepare('insert into projects (id, name) values (?, ?)').run(id, id)
  const addCard = foreign.prepare('insert into kanban_items (id, project_id, title) values (?, ?, ?)')
  for (const id of CARDS) addCard.run(id, 'ozone', id)
  return {
    access: new Map(PROJECTS.map((id) => [id, 'everyone'])),
    roles: new Map(MEMBERS.map((id) => [id, 'member'])),
    assigned: new Map(),
    ofTeam: new Set(),
    team: new Set(),
    cards: new Map(CARDS.map((id) => [id, 'ozone'])),
    gone: [],
  }
}

const keyOf = (project: Project, member: Member) => `${project} ${member}`

/** Takes a step: as the admin or, where another process can, as one. It changes the model, too. */
async function take(
  { app, admin, foreign }: Service,
  state: State,
  step: Step,
  isForeign: boolean,
): Promise<void> {
  const ask = (method: string, path: string, body?: object) => send(app, method, path, body, admin)
  if (step.what === 'access' || step.what === 'team') {
    const { project, on, what } = step
    if (!state.access.has(project)) return
    const body = what === 'access' ? { access: on ? 'assigned' : 'everyone' } : { teamId: on ? 'crew' : null }
    if (isForeign) {
      const [column, value] = what === 'access' ? ['access', body.access] : ['team_id', body.teamId]
      foreign.prepare(`update projects set "${column}" = ? where id = ?`).run(value, project)
    } else await ask('PATCH', `/api/projects/${project}`, body)
    if (what === 'access') state.access.set(project, on ? 'assigned' : 'everyone')
    else if (on) state.ofTeam.add(project)
    else state.ofTeam.delete(project)
  } else if (step.what === 'assign') {
    const { project, member, as } = step
    if (!state.access.has(project)) return
    const members = MEMBERS.flatMap((id) => {
      const role = id === member ? as : state.assigned.get(keyOf(project, id))
      return role ? [{ memberId: id, role }] : []
    })
    await ask('PUT', `/api/projects/${project}/team-assignments`, { members })
    if (as === null) state.assigned.delete(keyOf(project, member))
    else state.assigned.set(keyOf(project, member), as)
  } else if (step.what === 'role') {
    if (isForeign) foreign.prepare('update members set role = ? where id = ?').run(step.role, step.member)
    else await ask('PATCH', `/api/members/${step.member}`, { role: step.role })
    state.roles.set(step.member, step.role)
  } else if (step.what === 'crew') {
    await ask('PATCH', '/api/teams/crew', { memberIds: step.members })
    state.team = new Set(step.members)
  } else if (step.what === 'move') {
    if (!state.cards.has(step.card) || !state.access.has(step.project)) return
    await ask('POST', `/api/kanban-items/${encodeURIComponent(step.card)}/move`, { projectId: step.project })
    state.cards.set(step.card, step.project)
  } else if (step.what === 'delete') {
    const from = state.cards.get(step.card)
    if (from === undefined) return
    const { headers } = await ask('DELETE', `/api/kanban-items/${encodeURIComponent(step.card)}`)
    state.cards.delete(step.card)
    state.gone.push({ seq: String(headers['phaseboard-seq']), back: () => state.cards.set(step.card, from) })
  } else if (step.what === 'drop') await drop(state, step.project, ask)
  else {
    const { seq, back } = state.gone.pop() ?? {}
    if (seq !== undefined && (await ask('POST', `/api/changes/${seq}/undo`)).status === 200) back?.()
  }
}

async function drop(
  state: State,
  project: Project,
  ask: (method: string, path: string) => ReturnType<typeof send>,
): Promise<void> {
  const access = state.access.get(project)
  if (access === undefined) return
  const { headers } = await ask('DELETE', `/api/projects/${project}`)
  const cards = [...state.cards].filter(([, of]) => of === project)
  const assigned = [...state.assigned].filter(([key]) => key.startsWith(`${project} `))
  state.access.delete(project)
  for (const [id] of cards) state.cards.delete(id)
  for (const [key] of assigned) state.assigned.delete(key)
  const isOfTeam = state.ofTeam.delete(project)
  const back = () => {
    state.access.set(project, access)
    for (const [id, of] of cards) state.cards.set(id, of)
    for (const [key, as] of assigned) state.assigned.set(key, as)
    if (isOfTeam) state.ofTeam.add(project)
  }
  state.gone.push({ seq: String(headers['phaseboard-seq']), back })
}

/** A caller as the model's table takes it. */
function principalOf(state: State, name: string): Principal {
  const isToken = name === 'a token of ann'
  const id: Member = isToken ? 'ann' : (name as Member)
  const assigned = Object.fromEntries(
    PROJECTS.flatMap((project) => {
      const as = state.assigned.get(keyOf(project, id))
      return as ? [[project, as]] : []
    }),
  )
  const role = state.roles.get(id) ?? 'member'
  const teams = state.team.has(id) ? [...state.ofTeam] : []
  return { name, role, assigned, teams, ...(isToken && { token: { only: LIMITED } }) }
}

/** The status of a write, in a batch that is rolled back. */
function statusOf({ role }: Principal, right: Right, isRequired: boolean, isReadHere: boolean): number {
  if (role === 'viewer' && isRequired) return 403
  if (right === 'none') return 404
  return isReadHere ? 403 : 200
}

/** Compares what everyone reads and may write with the model. */
async function check(service: Service, state: State, isRequired: boolean): Promise<void> {
  const { app, callers } = service
  for (const [name, headers] of callers) {
    const principal = principalOf(state, name)
    const rights = new Map(
      [...state.access].map(([id, access]) => [id, rightOf(principal, id, access === 'everyone')]),
    )
    const seen = [...rights].flatMap(([id, right]) => (right === 'none' ? [] : [id])).toSorted()
    const cards = [...state.cards].flatMap(([id, of]) => (seen.includes(of) ? [id] : [])).toSorted()
    const idsIn = async (path: string) =>
      (await send(app, 'GET', path, undefined, headers)).body.map(({ id }: { id: string }) => id).toSorted()
    const said = {
      projects: await idsIn('/api/projects'),
      cards: await idsIn('/api/kanban-items'),
    }
    const expected = { projects: seen, cards }
    if (JSON.stringify(said) !== JSON.stringify(expected))
      throw new Error(`${name} sees ${JSON.stringify(said)}, not ${JSON.stringify(expected)}`)
    for (const id of PROJECTS) {
      const right = rights.get(id) ?? 'none'
      const { status } = await send(app, 'GET', `/api/projects/${id}`, undefined, headers)
      if (status !== (right === 'none' ? 404 : 200)) throw new Error(`${name} gets ${status} for ${id}`)
      const requests = [{ method: 'POST', path: `/api/projects/${id}/objectives`, body: { title: 'New' } }]
      const written = await send(app, 'POST', '/api/batch', { requests, dryRun: true }, headers)
      const isViewer = principal.assigned?.[id] === 'viewer'
      const wanted = statusOf(principal, right, isRequired, isViewer)
      if (written.status !== wanted)
        throw new Error(`${name} gets ${written.status}, not ${wanted}, for a write to ${id}`)
    }
  }
}

for (const authMode of ['required', 'open'] as const) {
  t.test(`in ${authMode} mode, after any history the access of everyone matches the model`, async (t) => {
    const writer = await service(t, authMode)
    const history = fc.array(fc.tuple(step, fc.boolean()), { minLength: 3, maxLength: 14 })
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const state = begin(writer)
        for (const [one, isForeign] of steps) {
          await take(writer, state, one, isForeign)
          await check(writer, state, authMode === 'required')
        }
      }),
      { numRuns: RUNS },
    )
    t.pass(`${RUNS} histories`)
  })
}
