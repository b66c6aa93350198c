/** Cold reads: the first requests to newly started servers. */
import type { DataOf } from './data.ts'
import type { Generator } from './generator.ts'
import type { LoadResult } from './load.ts'
import { contentsOf, inRound, median } from './measure.ts'
import { SERVERS, type ServerData, type ServerName, type StartServer } from './servers.ts'
import { type Contents, everyProjectOnce, listOnce } from './workloads.ts'

/** The results of a newly started server: medians. */
export interface ColdFigures {
  /** While every project is read exactly once */
  projectsPerSecond: number
  /** To node:http, in the same turn */
  ratio: number
  /** Milliseconds */
  p50: number
  p99: number
  /** Milliseconds of the first request, for the list, on another new server */
  firstList: number
}

const SIZE = { projects: 1000, itemsPerProject: 40 }
const CONNECTIONS = 32

/** Measures cold reads in rounds, each on newly started servers. */
export async function measureCold(
  start: StartServer,
  dataOf: DataOf,
  generator: Generator,
  times: number,
  onTurn: () => void,
): Promise<ReadonlyMap<ServerName, ColdFigures>> {
  const data = await dataOf(SIZE)
  const contents = await readContents(start, data.Phaseboard)
  const plans = { projects: everyProjectOnce(contents, CONNECTIONS), list: listOnce }
  const results = new Map(
    SERVERS.map((name) => [name, { projects: [] as LoadResult[], list: [] as LoadResult[] }]),
  )
  for (let turn = 0; turn < times; turn++) {
    for (const [name, own] of inRound([...results], turn)) {
      for (const what of ['projects', 'list'] as const) {
        const server = await start(name, data[name])
        own[what].push(await generator.send({ ...plans[what], port: server.port, pid: server.pid }))
        await server.stop()
        onTurn()
      }
    }
  }
  const rates = (all: LoadResult[] = []) => all.map(({ answers, seconds }) => answers / seconds)
  const reference = rates(results.get('node:http')?.projects)
  return new Map(
    [...results].map(([name, { projects, list }]) => [
      name,
      {
        projectsPerSecond: median(rates(projects)),
        ratio: median(rates(projects).map((rate, turn) => rate / (reference[turn] as number))),
        p50: median(projects.map(({ p50 }) => p50)),
        p99: median(projects.map(({ p99 }) => p99)),
        firstList: median(list.map(({ p50 }) => p50)),
      },
    ]),
  )
}

/** The number of turns in {@link measureCold}. */
export const countColdTurns = (times: number): number => SERVERS.length * times * 2

async function readContents(start: StartServer, data: ServerData): Promise<Contents> {
  const server = await start('Phaseboard', data)
  const contents = await contentsOf(server)
  await server.stop()
  return contents
}
