/** The files of the servers. */
import { copyFileSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { recordAnswers } from './answers.ts'
import { type BoardSize, seedBoard } from './board.ts'
import { FIRST_ADMIN } from './callers.ts'
import type { ServerData, ServerName, StartServer } from './servers.ts'

/** The data of each server: the same rows for servers with a database, the same bytes for servers that send recorded bytes. */
export type Data = Record<ServerName, ServerData>

/** Creates a board of a given size, or returns it if it exists. */
export type DataOf = (size: BoardSize) => Promise<Data>

/**
 * Prepares the creation of boards.
 * @param folder the run's folder; each board's files get their own subfolder
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
  const server = await start('Phaseboard', { ...service, environment: FIRST_ADMIN })
  await recordAnswers(server.url, ready.answers)
  await server.stop()
  return { Phaseboard: service, 'node:http': ready, 'bare Fastify': ready, naive }
}
