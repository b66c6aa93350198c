/**
 * Random histories of writes by many members against a model of who is told of what, with kills of the service: each once, nothing of what one
 * does not see, nothing lost.
 */
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { hashToken } from '../../src/members/secrets.ts'
import { ask } from '../clients.ts'
import { type Service, start } from '../process.ts'
import { pick, seededRandom } from '../random.ts'
import { rounds } from '../rounds.ts'

const ROUNDS = rounds(4)
const WRITES = 40
const MEMBERS = ['a0', 'b0', 'c0', 'd0', 'e0'] as const
const EVERYBODY = ['boss', ...MEMBERS, 'guest']
const COLUMNS = ['To Do', 'In Progress', 'Review']

/** What somebody is told, as text. */
type Told = string

/** An item of the model. */
interface Item {
  id: string
  project: string
  column: string
  assignee: string | null
  /** Who watches it, or does not want to. */
  watches: Map<string, boolean>
}

/** The model: an independent account of the rules. */
class Model {
  readonly items: Item[] = []
  /** Who may see a project; undefined: everybody but guests, and those assigned. */
  readonly assigned = new Map<string, { isClosed: boolean; members: Set<string> }>()
  readonly watchers = new Map<string, Set<string>>()
  readonly told = new Map<string, Told[]>(EVERYBODY.map((one) => [one, []]))

  sees(member: string, project: string): boolean {
    const { isClosed, members } = this.assigned.get(project) as { isClosed: boolean; members: Set<string> }
    return member === 'boss' || members.has(member) || (!isClosed && member !== 'guest')
  }

  /** What one write tells: the kinds by member, of each item in order. */
  write(actor: string, effects: readonly (readonly [item: Item, member: string, kind: string])[]): void {
    const ofMembers = new Map<string, (readonly [Item, string])[]>()
    for (const [item, member, kind] of effects) {
      if (member === actor || !this.sees(member, item.project)) continue
      ofMembers.set(member, [...(ofMembers.get(member) ?? []), [item, kind]])
    }
    for (const [member, all] of ofMembers) {
      const told = this.told.get(member) as Told[]
      if (all.length > 10) told.push(`${all[0]?.[1]} of ${all.length}`)
      else told.push(...all.map(([{ id }, kind]) => `${kind} ${id}`))
    }
  }

  watch(item: Item, member: string): void {
    if (!item.watches.has(member)) item.watches.set(member, true)
  }

  watchersOf(item: Item, projects: readonly string[] = [item.project]): string[] {
    const own = [...item.watches].filter(([, watching]) => watching).map(([member]) => member)
    const ofProjects = projects.flatMap((project) => [...(this.watchers.get(project) ?? [])])
    return [...own, ...new Set(ofProjects.filter((member) => !item.watches.has(member)))]
  }
}

t.test(
  'each notification is created once, none is lost, and none is about an invisible project',
  async (t) => {
    const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
    t.comment(`seed ${seed}`)
    const random = seededRandom(seed)
    const file = join(t.testdir(), 'board.db')
    const environment = {
      DATABASE_URL: `file:${file}`,
      AUTH_MODE: 'required',
      ADMIN_PASSWORD: 'correct horse',
    }
    let service: Service = await start(t, environment)
    const tool = new SQLite(file)
    t.teardown(() => tool.close())
    for (const id of [...EVERYBODY, 'canary']) {
      const role = id === 'boss' ? 'admin' : id === 'guest' ? 'guest' : 'member'
      tool
        .prepare('insert into members (id, name, email, role, handle) values (?, ?, ?, ?, ?)')
        .run(id, id, `${id}@example.test`, role, id)
      tool
        .prepare(
          "insert into api_tokens (id, member_id, name, scope, token_hash) values (?, ?, 'CI', 'write', ?)",
        )
        .run(`t ${id}`, id, hashToken(`pbt_${id}`))
    }
    let agent = new Agent({ keepAlive: true })
    async function send(member: string, method: string, path: string, body?: object) {
      const authorization = { authorization: `Bearer pbt_${member}` }
      const answer = await ask(service.port, agent, method, path, body, '', authorization)
      if (answer.status >= 300)
        throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer
    }

    const model = new Model()
    const projects: string[] = []
    for (const name of ['One', 'Two', 'Three', 'Canary']) {
      const { body } = await send('boss', 'POST', '/api/projects', { name })
      const id = String(body.id)
      model.assigned.set(id, { isClosed: false, members: new Set() })
      model.watchers.set(id, new Set())
      projects.push(id)
    }
    const home = projects.pop() as string
    const canary = String(
      (await send('boss', 'POST', `/api/projects/${home}/kanban-items`, { title: 'Canary' })).body.id,
    )
    await send('canary', 'PUT', `/api/kanban-items/${canary}/watch`)
    let sung = 0
    const canaries = tool.prepare("select count(*) from notifications where member_id = 'canary'").pluck()

    /** Waits until everything so far is worked off. */
    async function drained(): Promise<void> {
      await send('boss', 'POST', `/api/kanban-items/${canary}/comments`, { content: 'x' })
      sung++
      while (Number(canaries.get()) < sung) await wait(10)
    }

    for (let index = 0; index < 30; index++) {
      const project = pick(random, projects)
      const { body } = await send('boss', 'POST', `/api/projects/${project}/kanban-items`, {
        title: `Card ${index}`,
      })
      const watches = new Map([['boss', true]])
      model.items.push({ id: String(body.id), project, column: 'To Do', assignee: null, watches })
    }

    /** A member who may write a project. */
    const writerOf = (...ids: string[]) =>
      pick(
        random,
        ['boss', ...MEMBERS].filter((one) => ids.every((id) => model.sees(one, id))),
      )

    const writes: (() => Promise<void>)[] = [
      async function assign() {
        const item = pick(random, model.items)
        const [actor, to] = [writerOf(item.project), pick(random, EVERYBODY)]
        await send(actor, 'PATCH', `/api/kanban-items/${item.id}`, { assigneeId: to })
        if (item.assignee === to) return
        item.assignee = to
        model.watch(item, to)
        model.write(actor, [[item, to, 'assigned']])
      },
      async function comment() {
        const item = pick(random, model.items)
        const [actor, named] = [writerOf(item.project), pick(random, EVERYBODY)]
        const content = random() < 0.5 ? 'Hm' : `Look, @${named}`
        const before = model.watchersOf(item)
        await send(actor, 'POST', `/api/kanban-items/${item.id}/comments`, { content })
        model.watch(item, actor)
        const mentioned = content.includes('@') && model.sees(named, item.project) ? [named] : []
        for (const one of mentioned) model.watch(item, one)
        const others = before.filter((one) => !mentioned.includes(one))
        model.write(actor, [
          ...mentioned.map((one) => [item, one, 'mentioned'] as const),
          ...others.map((one) => [item, one, 'commented'] as const),
        ])
      },
      async function moveMany() {
        const project = pick(random, projects)
        const some = model.items.filter((item) => item.project === project).slice(0, Math.ceil(random() * 15))
        if (some.length === 0) return
        const [actor, column] = [writerOf(project), pick(random, COLUMNS)]
        await send(actor, 'PATCH', '/api/kanban-items', { ids: some.map(({ id }) => id), update: { column } })
        const moved = some.filter((item) => item.column !== column)
        for (const item of moved) item.column = column
        model.write(
          actor,
          moved.flatMap((item) => model.watchersOf(item).map((one) => [item, one, 'moved'] as const)),
        )
      },
      async function undo() {
        const item = pick(random, model.items)
        const actor = writerOf(item.project)
        const column = pick(random, COLUMNS)
        const { headers } = await send(actor, 'PATCH', `/api/kanban-items/${item.id}`, { column })
        if (column === item.column) return
        model.write(
          actor,
          model.watchersOf(item).map((one) => [item, one, 'moved'] as const),
        )
        await send(actor, 'POST', `/api/changes/${headers['phaseboard-seq']}/undo`)
      },
      async function moveAway() {
        const [item, to] = [pick(random, model.items), pick(random, projects)]
        if (to === item.project) return
        const actor = writerOf(item.project, to)
        await drained()
        const from = item.project
        const column = item.column
        await send(actor, 'POST', `/api/kanban-items/${item.id}/move`, { projectId: to, column })
        item.project = to
        model.write(
          actor,
          model.watchersOf(item, [from, to]).map((one) => [item, one, 'moved'] as const),
        )
        await drained()
      },
      async function watchItem() {
        const item = pick(random, model.items)
        const member = pick(random, EVERYBODY)
        if (!model.sees(member, item.project)) return
        await drained()
        const watching = random() < 0.6
        await send(member, watching ? 'PUT' : 'DELETE', `/api/kanban-items/${item.id}/watch`)
        item.watches.set(member, watching)
      },
      async function watchProject() {
        const [project, member] = [pick(random, projects), pick(random, EVERYBODY)]
        if (!model.sees(member, project)) return
        const watchers = model.watchers.get(project) as Set<string>
        if (random() < 0.7) {
          await send(member, 'PUT', `/api/projects/${project}/watch`)
          watchers.add(member)
          return
        }
        await drained()
        await send(member, 'DELETE', `/api/projects/${project}/watch`)
        watchers.delete(member)
      },
      async function changeAccess() {
        const project = pick(random, projects)
        const access = model.assigned.get(project) as { isClosed: boolean; members: Set<string> }
        await drained()
        if (random() < 0.4) {
          access.isClosed = !access.isClosed
          const body = { access: access.isClosed ? 'assigned' : 'everyone' }
          await send('boss', 'PATCH', `/api/projects/${project}`, body)
          return
        }
        const member = pick(random, [...MEMBERS, 'guest'])
        if (!access.members.delete(member)) access.members.add(member)
        const members = [...access.members].map((memberId) => ({ memberId }))
        await send('boss', 'PUT', `/api/projects/${project}/team-assignments`, { members })
      },
    ]

    const stored = tool
      .prepare(
        "select iif(count > 1, kind || ' of ' || count, kind || ' ' || item_id) from notifications where member_id = ? order by id",
      )
      .pluck()
    await drained()
    for (let round = 0; round < ROUNDS; round++) {
      for (let count = 0; count < WRITES; count++) {
        await pick(random, writes)()
        if (random() > 0.08) continue
        await wait(random() * 300)
        service.kill('SIGKILL')
        await service.exited
        agent.destroy()
        agent = new Agent({ keepAlive: true })
        service = await start(t, environment)
      }
      await drained()
      for (const member of EVERYBODY)
        t.strictSame(stored.all(member), model.told.get(member), `${member}, seed ${seed}`)
    }
  },
)
