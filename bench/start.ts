/** What it takes to have the service run at all: the time until it is ready, and its memory while nothing happens. */
import { setTimeout as sleep } from 'node:timers/promises'
import { median } from './measure.ts'
import { residentBytes } from './process-usage.ts'
import type { PerServer, ServerData, ServerName, StartServer } from './servers.ts'

const STARTED: readonly ServerName[] = ['Phaseboard', 'bare Fastify']
const REMEMBERED: readonly ServerName[] = ['Phaseboard', 'bare Fastify', 'node:http']

/**
 * Measures the time from starting a server's process to its first answer, by turns.
 * @param service what the service works with; the others have nothing
 * @returns milliseconds, medians
 */
export async function measureStarts(
  start: StartServer,
  service: ServerData,
  times: number,
  onTurn: () => void,
): Promise<PerServer> {
  const measured = new Map(STARTED.map((name) => [name, [] as number[]]))
  // The first ones read from the disk, and load this process's own HTTP client.
  for (let turn = -1; turn < times; turn++) {
    for (const [name, values] of measured) {
      const server = await start(name, name === 'Phaseboard' ? service : {})
      await server.stop()
      if (turn >= 0) values.push(server.readyAfter)
      onTurn()
    }
  }
  return medians(measured)
}

/** How many turns {@link measureStarts} takes. */
export const countStarts = (times: number): number => STARTED.length * (times + 1)

/**
 * Measures the memory of servers that have done nothing but start.
 * @param service what the service works with; the others have nothing
 * @param seconds for how long they are left alone
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
