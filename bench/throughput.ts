/** The workloads on one board, with all servers running. */
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { FILTERED_PATH, get, LIST_PATH } from './api.ts'
import { createMember, REQUIRED } from './callers.ts'
import type { Data } from './data.ts'
import { showRate, showRatio } from './format.ts'
import type { Generator } from './generator.ts'
import { contentsOf, countTurns, type Effort, measure, type Row } from './measure.ts'
import { residentBytes } from './process-usage.ts'
import { type PerServer, SERVERS, type Server, type ServerData, type StartServer } from './servers.ts'
import type { Stages } from './stages.ts'
import { WORKLOADS, type Workload } from './workloads.ts'

/** The results of the workloads. */
export interface Throughput {
  /** By the titles of the workloads. */
  workloads: Map<string, Row>
  /** Resident bytes after the workloads that read; undefined if there were none. */
  loadedMemory: PerServer | undefined
  /** Failed measurements, with reasons. */
  remarks: string[]
}

/**
 * Measures the selected workloads.
 * @param data the data of each server
 */
export async function measureThroughput(
  only: ReadonlySet<string>,
  start: StartServer,
  data: Data,
  generator: Generator,
  effort: Effort,
  inStage: Stages,
): Promise<Throughput> {
  const result: Throughput = { workloads: new Map(), loadedMemory: undefined, remarks: [] }
  const workloads = Object.entries<Workload>(WORKLOADS).filter(([name]) => only.has(name))
  if (workloads.length === 0) return result

  const signedIn = await startRequired(start, data.Phaseboard)
  const servers: Server[] = []
  for (const name of SERVERS) servers.push(await start(name, data[name]))
  await compareAnswers(servers)
  const contents = await contentsOf(servers[0] as Server)
  const [, ...baselines] = servers

  for (const [name, workload] of workloads) {
    if (name === 'not-modified' && contents.etag === null) {
      result.remarks.push('304 is not measured: the service sends no ETag.')
      continue
    }
    const all = workload.by === undefined ? servers : [signedIn.server, ...baselines]
    const held = workload.by === undefined ? contents : signedIn.contents
    const able = all.filter((server) => workload.servers.includes(server.name))
    const row = await inStage(workload.title, countTurns(able.length, effort), (onTurn) =>
      measure(workload, able, held, generator, effort, onTurn),
    )
    print(row)
    result.workloads.set(workload.title, row)
    if (!workload.writes) result.loadedMemory = memoryOf(servers)
  }
  await Promise.all([...servers, signedIn.server].map((server) => server.stop()))
  return result
}

/** The service with a member, on a copy of its data: it requires sign-in. */
async function startRequired(start: StartServer, { database }: ServerData) {
  const own = `${database}.required`
  copyFileSync(database as string, own)
  const server = await start('Phaseboard', { database: own, environment: REQUIRED })
  return { server, contents: await contentsOf(server, await createMember(server.url)) }
}

/** Checks that all servers respond with the same bytes. Only then is the comparison fair. */
async function compareAnswers(servers: readonly Server[]): Promise<void> {
  for (const path of [LIST_PATH, FILTERED_PATH]) {
    const answers: unknown[] = []
    for (const { url } of servers) answers.push(JSON.parse((await get(url, path)).text))
    for (const [position, { name }] of servers.entries()) {
      assert.deepEqual(answers[position], answers[0], `${name} answers ${path} differently`)
    }
  }
}

/** The resident bytes of each server, if the system reports them. */
function memoryOf(servers: readonly Server[]): PerServer {
  const memory: PerServer = {}
  for (const { name, pid } of servers) {
    const bytes = residentBytes(pid)
    if (bytes !== undefined) memory[name] = bytes
  }
  return memory
}

function print(row: Row): void {
  const figures = [...row].map(
    ([server, { requestsPerSecond, ratio }]) =>
      `${server} ${showRate(requestsPerSecond)}/s (${showRatio(ratio)})`,
  )
  console.log(`  ${figures.join(' · ')}`)
}
