/** The time until the service is ready, and its idle memory. */
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { get, projectPath } from './api.ts'
import { inRound, median } from './measure.ts'
import { residentBytes } from './process-usage.ts'
import type { PerServer, ServerData, ServerName, StartServer } from './servers.ts'

const STARTED: readonly ServerName[] = ['Phaseboard', 'bare Fastify']
const REMEMBERED: readonly ServerName[] = ['Phaseboard', 'bare Fastify', 'node:http']

/** The results of starts: medians in milliseconds. */
export interface StartFigures {
  /** From starting a server's process to its first response. */
  ready: PerServer
  /** The service's to that of bare Fastify, in the same turn: a median, too. */
  ratio: number
  /** The service's first response that reads the file: a project. */
  firstRead: number
}

/** The path of a project in a file. */
function someProject(database: string): string {
  const client = new SQLite(database, { readonly: true })
  try {
    return projectPath(client.prepare<[], string>('select id from projects limit 1').pluck().get() as string)
  } finally {
    client.close()
  }
}

/**
 * Measures how long servers take to start, in rounds.
 * @param service the service's data; the others have none
 */
export async function measureStarts(
  start: StartServer,
  service: ServerData,
  times: number,
  onTurn: () => void,
): Promise<StartFigures> {
  const path = someProject(service.database as string)
  const firstReads: number[] = []
  const measured = new Map(STARTED.map((name) => [name, [] as number[]]))
  // The first starts read from the disk, and load this process's own HTTP client.
  for (let turn = -1; turn < times; turn++) {
    for (const [name, values] of inRound([...measured], turn + 1)) {
      const isService = name === 'Phaseboard'
      const server = await start(name, isService ? service : {})
      const begin = performance.now()
      if (isService) await get(server.url, path)
      const firstRead = performance.now() - begin
      await server.stop()
      if (turn >= 0) {
        values.push(server.readyAfter)
        if (isService) firstReads.push(firstRead)
      }
      onTurn()
    }
  }
  const [own = [], fastify = []] = STARTED.map((name) => measured.get(name))
  return {
    ready: medians(measured),
    ratio: median(own.map((ready, turn) => ready / (fastify[turn] as number))),
    firstRead: median(firstReads),
  }
}

/** The number of turns in {@link measureStarts}. */
export const countStarts = (times: number): number => STARTED.length * (times + 1)

/**
 * Measures the memory of servers that have only started.
 * @param service the service's data; the others have none
 * @param seconds how long they are idle
 * @returns bytes, medians
 */
export async function measureIdleMemory(
  start: StartServer,
  service: ServerData,
  times: number,
  seconds: number,
  onTurn: () => void,
): Promise<PerServer> {
  const measured = new Map(REMEMBERED.map((name) => [name, [] as number[]]))
  for (let turn = 0; turn < times; turn++) {
    const servers = []
    for (const name of REMEMBERED) servers.push(await start(name, name === 'Phaseboard' ? service : {}))
    await sleep(seconds * 1000)
    for (const { name, pid } of servers) {
      const bytes = residentBytes(pid)
      if (bytes !== undefined) measured.get(name)?.push(bytes)
    }
    await Promise.all(servers.map((server) => server.stop()))
    onTurn()
  }
  return medians(measured)
}

const medians = (measured: ReadonlyMap<ServerName, number[]>): PerServer =>
  Object.fromEntries(
    [...measured].filter(([, values]) => values.length > 0).map(([name, values]) => [name, median(values)]),
  )
