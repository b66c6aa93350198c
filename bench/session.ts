/** The cost of identifying a member by session or token, relative to `/healthz`, which needs no member. */
import assert from 'node:assert/strict'
import { openDatabase } from '../src/db/client.ts'
import { newId } from '../src/db/ids.ts'
import { members as table } from '../src/db/schema.ts'
import { Members } from '../src/members/members.ts'
import { SESSION_COOKIE } from '../src/members/sessions.ts'
import { HEALTH_PATH, SESSION_PATH } from './api.ts'
import type { DataOf } from './data.ts'
import type { Generator } from './generator.ts'
import type { Plan } from './load.ts'
import { countTurns, type Effort, type Figures, inRounds, toFigures } from './measure.ts'
import type { StartServer } from './servers.ts'

/** The requests and results. Ratios are relative to the first one. */
export interface SessionRow {
  workload: string
  figures: Figures
}

const CONNECTIONS = 32

/** The requests: health, which needs no member and no statement, and the current user with each credential. */
const WORKLOADS = ['/healthz', 'the default member', 'a session', 'a token'] as const

/** Creates a member with a session and a token. @returns the headers for each workload */
function makeCredentials(database: string): Record<string, string>[] {
  const { db, close } = openDatabase(`file:${database}`)
  try {
    const id = newId()
    db.insert(table).values({ id, name: 'Maria', email: 'maria@example.test' }).run()
    const members = new Members(db)
    const session = members.sessions.start(id)
    const { token } = members.tokens.create(id, { name: 'CI' }, { id, address: null })
    return [{}, {}, { Cookie: `${SESSION_COOKIE}=${session.token}` }, { Authorization: `Bearer ${token}` }]
  } finally {
    close()
  }
}

const toPlan = (path: string, headers: Record<string, string>): Plan => ({
  requests: [{ method: 'GET', path, headers, status: 200 }],
  lanes: Array.from({ length: CONNECTIONS }, () => [0]),
})

/** Checks that the service recognizes each credential. */
async function checkAnswers(url: string, credentials: Record<string, string>[]): Promise<void> {
  const recognised: unknown[] = []
  for (const headers of credentials.slice(1)) {
    const { via } = (await (await fetch(url + SESSION_PATH, { headers })).json()) as { via: unknown }
    recognised.push(via)
  }
  assert.deepEqual(recognised, ['default', 'session', 'token'])
}

/** Measures the service with each kind of request, in alternation. */
export async function measureSession(
  start: StartServer,
  dataOf: DataOf,
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<SessionRow[]> {
  const { Phaseboard: data } = await dataOf({ projects: 1, itemsPerProject: 40 })
  const credentials = makeCredentials(data.database ?? '')
  const server = await start('Phaseboard', data)
  await checkAnswers(server.url, credentials)
  const turns = credentials.map((headers, position) => async (seconds: number) => {
    const plan = toPlan(position === 0 ? HEALTH_PATH : SESSION_PATH, headers)
    const result = await generator.send({ ...plan, port: server.port, pid: server.pid, seconds })
    onTurn()
    return result
  })
  const results = await inRounds(turns, effort)
  await server.stop()
  return WORKLOADS.map((workload, position) => ({
    workload,
    figures: toFigures(results[position] ?? [], results[0]),
  }))
}

/** The number of turns in {@link measureSession}. */
export const countSessionTurns = (effort: Effort): number => countTurns(WORKLOADS.length, effort)
