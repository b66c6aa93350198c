/** The files that servers work with. */
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { recordAnswers } from './answers.ts'
import { type BoardSize, seedBoard } from './board.ts'
import type { ServerData, ServerName, StartServer } from './servers.ts'

/** The data of each server: the same rows for servers with a database, the same bytes for those that send ready ones. */
export type Data = Record<ServerName, ServerData>

/** Makes a board of the given size, or gives the one that was made. */
export type DataOf = (size: BoardSize) => Promise<Data>

/**
 * Prepares for making boards.
 * @param folder the run's; each board's files go into a folder of their own there
 */
export function dataIn(folder: string, start: StartServer): DataOf {
  const made = new Map<string, Promise<Data>>()
  return (size) => {
    const key = JSON.stringify(size)
    const data = made.get(key) ?? makeData(mkdtempSync(join(folder, 'data-')), size, start)
    made.set(key, data)
    return data
  }
}

async function makeData(folder: string, size: BoardSize, start: StartServer): Promise<Data> {
  const service = { database: join(folder, 'service.db') }
  const naive = { database: join(folder, 'naive.db') }
  const ready = { answers: join(folder, 'answers') }
  seedBoard(`file:${service.database}`, size)
  copyFileSync(service.database, naive.database)
  const server = await start('Phaseboard', service)
  await recordAnswers(server.url, ready.answers)
  await server.stop()
  return { Phaseboard: service, 'node:http': ready, 'bare Fastify': ready, naive }
}
