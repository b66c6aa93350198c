/** Growth: the effect of more data in the file, on requests for this data and on other requests. */
import type { BoardSize } from './board.ts'
import type { DataOf } from './data.ts'
import type { Generator } from './generator.ts'
import { contentsOf, countTurns, type Effort, measure, type Row } from './measure.ts'
import type { Server, ServerName, StartServer } from './servers.ts'
import { WORKLOADS } from './workloads.ts'

/** A workload on a file of one size. */
export interface GrowthRow {
  /** The part of the data that grows. */
  of: 'projects in the file' | 'items in the project'
  workload: string
  size: BoardSize
  row: Row
}

const PROJECTS = [10, 100, 1000].map((projects) => ({ projects, itemsPerProject: 40 }))
const ITEMS = [40, 400, 4000].map((itemsPerProject) => ({ projects: 1, itemsPerProject }))

const SINGLE = [WORKLOADS.project, WORKLOADS['patch-32']]
/** Few, because 1,000 projects are 19 MB each, and the service refuses requests once more than 128 MB are unsent. */
export const LIST_CONNECTIONS = 4
const LIST = { ...WORKLOADS.list, connections: LIST_CONNECTIONS }

const GROWTH = [
  { of: 'projects in the file', sizes: PROJECTS, workloads: [LIST, ...SINGLE] },
  { of: 'items in the project', sizes: ITEMS, workloads: SINGLE },
] as const

const MEASURED: readonly ServerName[] = ['Phaseboard', 'node:http']

/** Measures the growth of the service, and of node:http with the same responses. */
export async function measureGrowth(
  start: StartServer,
  dataOf: DataOf,
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = []
  for (const { of, sizes, workloads } of GROWTH) {
    for (const size of sizes) {
      const data = await dataOf(size)
      const servers: Server[] = []
      for (const name of MEASURED) servers.push(await start(name, data[name]))
      const contents = await contentsOf(servers[0] as Server)
      for (const workload of workloads) {
        const row = await measure(workload, servers, contents, generator, effort, onTurn)
        rows.push({ of, workload: workload.title, size, row })
      }
      await Promise.all(servers.map((server) => server.stop()))
    }
  }
  return rows
}

/** The number of turns in {@link measureGrowth}. */
export const countGrowthTurns = (effort: Effort): number =>
  GROWTH.reduce((sum, { sizes, workloads }) => sum + sizes.length * workloads.length, 0) *
  countTurns(MEASURED.length, effort)
