/** Measures workloads in rounds, in which every server has a turn, and computes the results. */
import SQLite from 'better-sqlite3'
import { get, getProjects, projectPath } from './api.ts'
import type { Credentials } from './callers.ts'
import type { Generator } from './generator.ts'
import type { LoadResult, Plan } from './load.ts'
import type { Server, ServerName } from './servers.ts'
import type { Contents, Workload } from './workloads.ts'

/** How thoroughly to measure. */
export interface Effort {
  rounds: number
  /** The duration of each turn. */
  seconds: number
  /** The duration of the turn before the first round. */
  warmUpSeconds: number
}

/** The results of a workload on a server: medians over the rounds. */
export interface Figures {
  requestsPerSecond: number
  /** Relative to the reference in the same round, node:http by default; undefined if that was not measured. */
  ratio: number | undefined
  /** Milliseconds */
  p50: number
  p99: number
  megabytesPerSecond: number
  /** Microseconds of the server's processor time per request. */
  cpuPerRequest: number | undefined
  /** Relative to the reference in the same round, like `ratio`. */
  cpuRatio: number | undefined
  /** Shares of one core: the server's with all its threads, and the load generator's. */
  serverLoad: number | undefined
  generatorLoad: number
}

/** The results of the servers that ran a workload. */
export type Row = ReadonlyMap<ServerName, Figures>

/** The median. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** The current contents of a server. @param credentials if it requires sign-in */
export async function contentsOf({ url }: Server, credentials?: Credentials): Promise<Contents> {
  const projects = await getProjects(url, credentials?.token)
  const [first] = projects
  const etag = first ? (await get(url, projectPath(first.id), credentials?.token)).etag : null
  return { projects, etag, credentials }
}

/** A plan with additional headers for each request. */
const withHeaders = ({ requests, lanes }: Plan, headers: Record<string, string> | undefined): Plan => ({
  requests: requests.map((request) => ({ ...request, headers: { ...request.headers, ...headers } })),
  lanes,
})

function countActivity(database: string): number {
  const client = new SQLite(database, { readonly: true })
  try {
    return client.prepare<[], number>('select count(*) from kanban_activity').pluck().get() as number
  } finally {
    client.close()
  }
}

/** Sends changes of the server's records, and checks that each has created its activity entry. */
async function sendChanges(
  server: Server,
  database: string,
  { credentials }: Contents,
  send: (held: Contents) => Promise<LoadResult>,
): Promise<LoadResult> {
  const before = countActivity(database)
  const result = await send(await contentsOf(server, credentials))
  const entries = countActivity(database) - before
  if (entries !== result.changes) {
    throw new Error(`${result.changes} changes were answered, but ${entries} activity entries written`)
  }
  return result
}

/** A server and its contents. If the workload changes them, they are read again before each turn. */
export interface Holder {
  server: Server
  contents: Contents
}

/** The list of a round. Each round starts with another element, so that other load on the machine affects all of them. */
export function inRound<T>(list: readonly T[], round: number): T[] {
  const first = round % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

/**
 * Runs turns in rounds.
 * @param turns each takes a given number of seconds
 * @returns the results of the rounds, for each turn in the same order
 */
export async function inRounds(
  turns: readonly ((seconds: number) => Promise<LoadResult>)[],
  { rounds, seconds, warmUpSeconds }: Effort,
): Promise<LoadResult[][]> {
  const all = turns.map((turn) => ({ turn, results: [] as LoadResult[] }))
  for (const turn of turns) await turn(warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    for (const { turn, results } of inRound(all, round)) results.push(await turn(seconds))
  }
  return all.map(({ results }) => results)
}

/**
 * Sends one workload to servers in rounds, with one turn for each server.
 * @param onTurn called after each turn
 * @returns the results of the rounds, for each server in the same order
 * @throws Error if any response was not the expected one, or an acknowledged change created no activity entry
 */
export async function sendInRounds(
  { connections, plan, writes, by }: Pick<Workload, 'connections' | 'plan' | 'writes' | 'by'>,
  holders: readonly Holder[],
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<LoadResult[][]> {
  const turn = async ({ server, contents }: Holder, duration: number) => {
    const { name, port, pid, database } = server
    const send = (held: Contents) => {
      const headers = by && held.credentials?.[by]
      return generator.send({
        ...withHeaders(plan(held, connections), headers),
        port,
        pid,
        seconds: duration,
      })
    }
    try {
      const result =
        writes && database ? await sendChanges(server, database, contents, send) : await send(contents)
      onTurn()
      return result
    } catch (error) {
      throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error })
    }
  }
  return inRounds(
    holders.map((holder) => (duration) => turn(holder, duration)),
    effort,
  )
}

/**
 * Measures one workload on servers, sent by {@link sendInRounds}.
 * @param contents the records of all servers
 */
export async function measure(
  workload: Pick<Workload, 'connections' | 'plan' | 'writes' | 'by'>,
  servers: readonly Server[],
  contents: Contents,
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<Row> {
  const holders = servers.map((server) => ({ server, contents }))
  const results = await sendInRounds(workload, holders, generator, effort, onTurn)
  const reference = results[servers.findIndex(({ name }) => name === 'node:http')]
  return new Map(servers.map(({ name }, index) => [name, toFigures(results[index] ?? [], reference)]))
}

/** The number of turns in {@link inRounds}. */
export const countTurns = (servers: number, { rounds }: Effort): number => servers * (rounds + 1)

const rateOf = ({ answers, seconds }: LoadResult) => answers / seconds
const cpuOf = ({ serverCpu = Number.NaN, answers }: LoadResult) => (serverCpu / answers) * 1e6

/** The medians. @param reference the results of the same rounds to compare with */
export function toFigures(results: LoadResult[], reference: LoadResult[] | undefined): Figures {
  const middle = (figure: (result: LoadResult, round: number) => number) => median(results.map(figure))
  const toReference = (figure: (result: LoadResult) => number) =>
    reference && middle((result, round) => figure(result) / figure(reference[round] as LoadResult))
  // Undefined if the system does not report it.
  const defined = (figure: number | undefined) => (Number.isNaN(figure) ? undefined : figure)
  return {
    requestsPerSecond: middle(rateOf),
    ratio: toReference(rateOf),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    megabytesPerSecond: middle(({ bytes, seconds }) => bytes / seconds / 1e6),
    cpuPerRequest: defined(middle(cpuOf)),
    cpuRatio: defined(toReference(cpuOf)),
    serverLoad: defined(middle(({ serverCpu = Number.NaN, seconds }) => serverCpu / seconds)),
    generatorLoad: middle(({ generatorCpu, seconds }) => generatorCpu / seconds),
  }
}
