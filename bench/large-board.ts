/** A large board: how its size affects requests of constant size. */
import assert from 'node:assert/strict'
import { get, itemPath } from './api.ts'
import type { DataOf } from './data.ts'
import type { Generator } from './generator.ts'
import {
  contentsOf,
  countTurns,
  type Effort,
  type Figures,
  type Holder,
  sendInRounds,
  toFigures,
} from './measure.ts'
import type { StartServer } from './servers.ts'
import { BOARD_WORKLOADS, type Contents, PART, RARE_WORDS } from './workloads.ts'

/** The numbers of items. Each board has its own file and server. */
export const BOARD_SIZES = { small: 200, large: 20_000 }

/** A workload on both boards. The large board's ratios are relative to the small one. */
export interface LargeBoardRow {
  workload: string
  small: Figures
  large: Figures
}

/** Measures the service with a small and a large board in alternation. */
export async function measureLargeBoard(
  start: StartServer,
  dataOf: DataOf,
  generator: Generator,
  effort: Effort,
  onTurn: () => void,
): Promise<LargeBoardRow[]> {
  const holders: Holder[] = []
  for (const itemsPerProject of Object.values(BOARD_SIZES)) {
    const data = await dataOf({ projects: 1, itemsPerProject })
    const server = await start('Phaseboard', data.Phaseboard)
    await nameSomeAlike(server.url, await contentsOf(server))
    holders.push({ server, contents: await contentsOf(server) })
  }
  const rows: LargeBoardRow[] = []
  for (const workload of BOARD_WORKLOADS) {
    if (!workload.writes) for (const holder of holders) await checkAnswers(holder, workload.plan)
    const [small = [], large = []] = await sendInRounds(workload, holders, generator, effort, onTurn)
    rows.push({
      workload: workload.title,
      small: toFigures(small, undefined),
      large: toFigures(large, small),
    })
  }
  await Promise.all(holders.map(({ server }) => server.stop()))
  return rows
}

/** The number of turns in {@link measureLargeBoard}. */
export const countLargeBoardTurns = (effort: Effort): number =>
  BOARD_WORKLOADS.length * countTurns(Object.keys(BOARD_SIZES).length, effort)

/** Gives a few items, spread over the board, a title with unique words. Their number is the same on any board. */
async function nameSomeAlike(url: string, { projects: [project] }: Contents): Promise<void> {
  const items = project?.kanbanItems ?? []
  for (let count = 0; count < PART; count++) {
    const item = items[Math.floor((count * items.length) / PART)]
    const response = await fetch(url + itemPath(item?.id ?? ''), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Ask the ${RARE_WORDS}` }),
    })
    assert.equal(response.status, 200)
  }
}

/** Checks that each request has as many results on one board as on the other, and the right ones. */
async function checkAnswers(
  { server, contents }: Holder,
  plan: (typeof BOARD_WORKLOADS)[number]['plan'],
): Promise<void> {
  for (const { path } of plan(contents, 1).requests) {
    const answer = JSON.parse((await get(server.url, path)).text)
    const { searchParams } = new URL(path, server.url)
    const records: Record<string, string>[] = Array.isArray(answer) ? answer : answer.results
    assert.equal(records.length, PART, path)
    for (const record of records) {
      for (const field of ['column', 'priority']) {
        assert.equal(record[field], searchParams.get(field) ?? record[field], path)
      }
      if (searchParams.has('q')) assert.match(record.title ?? '', new RegExp(RARE_WORDS), path)
    }
  }
}
