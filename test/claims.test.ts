/**
 * Ten agents claim the cards of one column over HTTP, from a service process that is killed in between. Each records its
 * claims. In the end every card must have been claimed once, and no work is lost.
 */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { newId } from '../src/db/ids.ts'
import { hashToken, newToken } from '../src/members/secrets.ts'
import { LONG_AGO } from './helper.ts'
import { onPreparedFile, type Service, start } from './process.ts'

const AGENTS = 10
const CARDS = 500
/** The number of claims after which the process is killed. */
const KILL_AFTER = 150

/** An agent that claims one card after another. */
interface Agent {
  memberId: string
  headers: Record<string, string>
  held: string[]
}

/** The current process of the service. */
interface Running {
  environment: Record<string, string>
  service: Promise<Service>
}

/** Adds a project with cards to the file, and a token for each agent. */
function seed(client: SQLite.Database, mode: string): { projectId: string; agents: Agent[] } {
  const projectId = newId()
  const agents = Array.from({ length: AGENTS }, () => {
    const memberId = newId()
    const token = `pbt_${newToken()}`
    client
      .prepare('insert into members (id, name, email) values (?, ?, ?)')
      .run(memberId, 'Agent', `${memberId}@x.test`)
    client
      .prepare(
        `insert into api_tokens (id, member_id, name, token_hash, scope) values (?, ?, 'CI', ?, 'write')`,
      )
      .run(newId(), memberId, hashToken(token))
    const isKnown = mode === 'required'
    return {
      memberId: isKnown ? memberId : 'local',
      headers: isKnown ? { authorization: `Bearer ${token}` } : {},
      held: [],
    }
  })
  client.prepare(`insert into projects (id, name) values (?, 'Apollo')`).run(projectId)
  for (const [index, name] of ['To Do', 'In Progress', 'Done'].entries()) {
    client
      .prepare('insert into kanban_columns (id, project_id, name, sort_order) values (?, ?, ?, ?)')
      .run(newId(), projectId, name, index)
  }
  const card = client.prepare(
    `insert into kanban_items (id, project_id, title, sort_order) values (?, ?, 'Card', ?)`,
  )
  for (let index = 0; index < CARDS; index++) card.run(newId(), projectId, index)
  return { projectId, agents }
}

/** Claims until no card is left. A claim without a response is retried with the same key. */
async function work(agent: Agent, projectId: string, running: Running, claimed: () => void): Promise<void> {
  for (;;) {
    const headers = { ...agent.headers, 'idempotency-key': newId() }
    const answer = await answered(running, async ({ url }) => {
      const response = await fetch(`${url}/api/projects/${projectId}/kanban-items/claim`, {
        method: 'POST',
        headers,
        signal: AbortSignal.timeout(10_000),
      })
      return { status: response.status, text: await response.text() }
    })
    if (answer.status === 204) return
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`)
    const { id, assigneeId } = JSON.parse(answer.text)
    if (assigneeId !== agent.memberId) throw new Error(`given to ${assigneeId}`)
    agent.held.push(id)
    claimed()
  }
}

/** Retries until the running process responds. */
async function answered<Answer>(
  running: Running,
  ask: (service: Service) => Promise<Answer>,
): Promise<Answer> {
  for (;;) {
    const service = running.service
    try {
      return await ask(await service)
    } catch (error) {
      // The process was killed; the next one will respond.
      if (running.service === service) throw error
    }
  }
}

/** The claims in the file. */
const holdersIn = (client: SQLite.Database) =>
  client
    .prepare<[], [string, string]>(
      `select id, assignee_id from kanban_items where "column" = 'In Progress' and claimed_until is not null
       and claimed_from like '{"column":"To Do"%' order by id`,
    )
    .raw()
    .all()

const holdersOf = (agents: readonly Agent[]) =>
  agents
    .flatMap(({ held, memberId }) => held.map((id) => [id, memberId]))
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))

/** Works through a column in one mode. */
async function drill(t: Test, mode: 'open' | 'required'): Promise<void> {
  const environment = {
    ...onPreparedFile(t.testdir()),
    AUTH_MODE: mode,
    ADMIN_PASSWORD: 'correct horse',
    RATE_LIMIT_MAX: '0',
  }
  const running: Running = { environment, service: start(t, environment) }
  const first = await running.service
  const client = new SQLite(environment.DATABASE_URL.slice('file:'.length))
  t.teardown(() => client.close())
  const { projectId, agents } = client.transaction(() => seed(client, mode)).immediate()

  let claims = 0
  const killInTheMidst = () => {
    if (++claims !== KILL_AFTER) return
    first.kill('SIGKILL')
    running.service = first.exited.then(() => start(t, environment))
  }
  await Promise.all(agents.map((agent) => work(agent, projectId, running, killInTheMidst)))
  t.not(await running.service, first, 'it was killed')
  const all = agents.flatMap(({ held }) => held)
  t.equal(all.length, CARDS, 'no card is lost')
  t.equal(new Set(all).size, CARDS, 'no card is given twice')
  t.strictSame(holdersIn(client), holdersOf(agents), 'the file knows who holds which')
  t.equal(
    client.prepare('select count(*) from kanban_activity').pluck().get(),
    2 * CARDS,
    'each has been assigned and moved once',
  )

  const [dead, alive] = [agents.slice(0, AGENTS / 2), agents.slice(AGENTS / 2)]
  const left = dead.flatMap(({ held }) => held.splice(0))
  client
    .prepare('update kanban_items set claimed_until = ? where id in (select value from json_each(?))')
    .run(LONG_AGO, JSON.stringify(left))
  await Promise.all(alive.map((agent) => work(agent, projectId, running, () => undefined)))
  t.strictSame(holdersIn(client), holdersOf(alive), 'what the others have left is taken once each')
  const service = await running.service
  service.kill('SIGTERM')
  t.equal((await service.exited).code, 0)
}

for (const mode of ['open', 'required'] as const) {
  t.test(`ten agents claim 500 items in ${mode} mode: each has one holder, whatever crashes`, (t) =>
    drill(t, mode),
  )
}
