/** Measuring workloads: rounds in which every server has its turn, and the figures that come of them. */
import SQLite from 'better-sqlite3'
import { get, getProjects, projectPath } from './api.ts'
import type { Generator } from './generator.ts'
import type { LoadResult } from './load.ts'
import type { Server, ServerName } from './servers.ts'
import type { Contents, Workload } from './workloads.ts'

/** How thoroughly to measure. */
export interface Effort {
  rounds: number
  /** How long each turn takes. */
  seconds: number
  /** How long the turn before the first round takes. */
  warmUpSeconds: number
}

/** The results of a workload on a server: medians over the rounds. */
export interface Figures {
  requestsPerSecond: number
  /** To the reference in the same round, node:http unless said otherwise; undefined when that was not measured. */
  ratio: number | undefined
  /** Milliseconds */
  p50: number
  p99: number
  megabytesPerSecond: number
  /** Microseconds of processor time that the server took for a request. */
  cpuPerRequest: number | undefined
  /** To the reference in the same round, as `ratio` is. */
  cpuRatio: number | undefined
  /** Shares of one core's time: the server's with all its threads, and the load generator's. */
  serverLoad: number | undefined
  generatorLoad: number
}

/** The figures of the servers that did a workload. */
export type Row = ReadonlyMap<ServerName, Figures>

/** The middle of the values, or the mean of the two that are. */
export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1)
  return middle.reduce((sum, value) => sum + value, 0) / middle.length
}

/** The current contents of a server. */
export async function contentsOf({ url }: Server): Promise<Contents> {
  const projects = await getProjects(url)
  const [first] = projects
  return { projects, etag: first ? (await get(url, projectPath(first.id))).etag : null }
}

function countActivity(database: string): number {
  const client = new SQLite(database, { readonly: true })
  try {
    return client.prepare<[], number>('select count(*) from kanban_activity').pluck().get() as number
  } finally {
    client.close()
  }
}

/** Sends changes of what the server holds, and checks that each has left its activity entry. */
async function sendChanges(
  server: Server,
  database: string,
  send: (held: Contents) => Promise<LoadResult>,
): Promise<LoadResult> {
  const before = countActivity(database)
  const result = await send(await contentsOf(server))
  const entries = countActivity(database) - before
  if (entries !== result.changes) {
    throw new Error(`${result.changes} changes were answered, but ${entries} activity entries written`)
  }
  return result
}

/** A server, and what it holds; where changes are asked of it, it is looked at again before each turn. */
export interface Holder {
  server: Server
  contents: Contents
}

/**
 * Takes turns, in rounds, each of which begins with another turn, so that whatever else the machine does meets all of them.
 * @param turns each takes so many seconds
 * @returns what came of the rounds, for each turn in the same order
 */
export async function inRounds(
  turns: readonly ((seconds: number) => Promise<LoadResult>)[],
  { rounds, seconds, warmUpSeconds }: Effort,
): Promise<LoadResult[][]> {
  const all = turns.map((turn) => ({ turn, results: [] as LoadResult[] }))
  for (const turn of turns) await turn(warmUpSeconds)
  for (let round = 0; round < rounds; round++) {
    const first = round % all.length
    for (const { turn, results } of [...all.slice(first), ...all.slice(0, first)]) {
      results.push(await turn(seconds))
    }
  }
  return all.map(({ results }) => results)
}

/**
 * Sends one workload to servers, in rounds: each server has a turn.
 * @param onTurn is called after each turn
 * @returns what came of the rounds, for each server in the same order
 * @throws Error when any answer was not the expected one, or a change that was answered left no activity entry
 */
export async function sendInRounds(
  { connections, plan, writes }: Pick<Workload, 'connections' | 'plan' | 'writes'>,
  holders: readonly Holder[],
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<LoadResult[][]> {
  const turn = async ({ server, contents }: Holder, duration: number) => {
    const { name, port, pid, database } = server
    const send = (held: Contents) =>
      generator.send({ ...plan(held, connections), port, pid, seconds: duration })
    try {
      const result = writes && database ? await sendChanges(server, database, send) : await send(contents)
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
 * Measures one workload on servers, as {@link sendInRounds} sends it.
 * @param contents what all of them hold
 */
export async function measure(
  workload: Pick<Workload, 'connections' | 'plan' | 'writes'>,
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

/** How many turns {@link inRounds} takes. */
export const countTurns = (servers: number, { rounds }: Effort): number => servers * (rounds + 1)

const rateOf = ({ answers, seconds }: LoadResult) => answers / seconds
const cpuOf = ({ serverCpu = Number.NaN, answers }: LoadResult) => (serverCpu / answers) * 1e6

/** The medians. @param reference what came of the same rounds where it is compared to */
export function toFigures(results: LoadResult[], reference: LoadResult[] | undefined): Figures {
  const middle = (figure: (result: LoadResult, round: number) => number) => median(results.map(figure))
  const toReference = (figure: (result: LoadResult) => number) =>
    reference && middle((result, round) => figure(result) / figure(reference[round] as LoadResult))
  // Undefined where the system does not tell.
  const told = (figure: number | undefined) => (Number.isNaN(figure) ? undefined : figure)
  return {
    requestsPerSecond: middle(rateOf),
    ratio: toReference(rateOf),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    megabytesPerSecond: middle(({ bytes, seconds }) => bytes / seconds / 1e6),
    cpuPerRequest: told(middle(cpuOf)),
    cpuRatio: told(toReference(cpuOf)),
    serverLoad: told(middle(({ serverCpu = Number.NaN, seconds }) => serverCpu / seconds)),
    generatorLoad: middle(({ generatorCpu, seconds }) => generatorCpu / seconds),
  }
}
