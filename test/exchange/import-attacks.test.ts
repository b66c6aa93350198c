/**
 * Hostile files, sent over HTTP to the shipped build. The service keeps responding, and its memory stays within the limit. The
 * import fails with a clear error, and the next one works.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { kanboardShared, plankaShared, trelloShared } from '../../bench/stall-files.ts'
import { onNewFile, type Service, start } from '../process.ts'
import { emptyArrays, sharedChainDatabase, sharedDefaultDatabase } from './hostile-files.ts'
import { trelloExport } from './source-boards.ts'

/** The limit of the service's memory above idle, in bytes. */
const ABOVE_IDLE = 250 * 1024 * 1024

const MIB = 1024 * 1024

/** The resident memory of a process, in bytes. */
const residentOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024

async function json(service: Service, path: string, options: RequestInit = {}) {
  const response = await fetch(service.url + path, { signal: AbortSignal.timeout(30_000), ...options })
  // biome-ignore lint/suspicious/noExplicitAny: whatever it is, tests look at it
  return { status: response.status, body: (await response.json()) as any }
}

/** The process id of a service, from its log. */
const pidOf = (service: Service) => Number(/"pid":(\d+)/.exec(service.log())?.[1])

/** Imports a file. Meanwhile polls the service's health and memory. @returns the completed import */
async function imported(service: Service, format: string, body: Buffer | string) {
  const pid = pidOf(service)
  const begun = await json(service, `/api/imports?format=${format}`, {
    method: 'POST',
    body: new Blob([body]),
  })
  if (begun.status !== 202) throw new Error(`${begun.status} ${JSON.stringify(begun.body)}`)
  let most = 0
  for (;;) {
    most = Math.max(most, residentOf(pid))
    const health = await json(service, '/healthz')
    if (health.status !== 200) throw new Error(`/healthz: ${health.status}`)
    const { body: found } = await json(service, `/api/imports/${begun.body.id}`)
    if (found.status === 'done' || found.status === 'failed') return { ...found, most }
    await sleep(10)
  }
}

/** Checks that the service still works: it imports a small board. */
async function nextWorks(t: Test, service: Service) {
  t.match(await imported(service, 'trello&again=true', trelloExport(3, 'Next')), { status: 'done' })
}

/** A table of ClickUp with the comments of a task. */
const clickUpCell = (comments: string) => `Task ID,Task Name,Task Content,Comments\n1,Huge,,"[${comments}]"\n`

/** A task of Vikunja with a description. */
const vikunjaText = (html: string) =>
  JSON.stringify([
    { title: 'P', identifier: '', tasks: [{ id: 1, title: 'Huge', description: `<p>${html}` }] },
  ])

/** A table with a very long column name, which is repeated for each of its rows. */
const longNames = (name: number, rows: number) => `title,${'n'.repeat(name)}\n${'a,b\n'.repeat(rows)}`

const oneCard = (card: object, more: object = {}) =>
  JSON.stringify({ id: 'b', name: 'Board', lists: [], cards: [{ id: 'c', name: 'Huge', ...card }], ...more })

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

t.test('a file that unpacks to gigabytes fails without harm to others', async (t) => {
  const service = await start(t, onNewFile(t))
  // Memory that an ordinary import retains does not count against an attack.
  await nextWorks(t, service)
  const idle = residentOf(pidOf(service))
  const damaged =
    /^cannot import the file: its contents are larger than possible for its size: it is damaged$/
  const attacks: [string, string, Buffer | string, RegExp][] = [
    ['rows that share one chain of pages', 'kanboard', sharedChainDatabase(), damaged],
    ['the same as text', 'kanboard', sharedChainDatabase({ type: 'text' }), damaged],
    ['of comments', 'kanboard', sharedChainDatabase({ table: 'comments' }), damaged],
    ['defaults of a column', 'kanboard', sharedDefaultDatabase(), damaged],
    ['many empty arrays', 'jira', gzipSync(emptyArrays(11e6)), /more than 10000000 values/],
    ['arrays in arrays', 'planka', nested(1e6), /nested deeper than 90 levels/],
    ['the same for Trello', 'trello', nested(1e6), /nested deeper than 100 levels/],
    ['a gzip that unpacks to much', 'csv', gzipSync(Buffer.alloc(300 * MIB)), /more than 256 MiB/],
    [
      'a name put with each row',
      'csv',
      longNames(60_000, 20_000),
      /would create more than \d+ MiB of records/,
    ],
    [
      'records',
      'csv',
      `title\n${'a\n'.repeat(300_000)}`,
      /it has 300002 records, and one import may create 200000 \(IMPORT_RECORDS\)/,
    ],
    [
      'columns',
      'csv',
      `title,status\n${Array.from({ length: 1001 }, (_, n) => `a,${n}\n`).join('')}`,
      /1001 columns/,
    ],
    [
      'a card of 40 MB',
      'trello',
      oneCard({ desc: 'x'.repeat(40e6) }),
      /the card "Huge" has 40000000 characters of text/,
    ],
    [
      'steps that are of very many cards',
      'trello',
      trelloShared(3000, 3000),
      /has 3000 (subtasks|comments), and a card may have 1000/,
    ],
    ['of Planka', 'planka', plankaShared(3000, 3000), /has 3000 (subtasks|comments)/],
    ['of Kanboard', 'kanboard', kanboardShared(3000, 3000), /has 3000 (subtasks|comments)/],
    [
      'entries that are of very many checklists',
      'wekan',
      JSON.stringify({
        ...{ _id: 'b', title: 'B', lists: [], swimlanes: [], cards: [{ _id: 'c', title: 'Huge' }] },
        checklists: Array(20_000).fill({ _id: 'l', cardId: 'c' }),
        checklistItems: Array(20_000).fill({ checklistId: 'l', cardId: 'c', title: 'S' }),
      }),
      /the card "Huge" has 20000 subtasks, and a card may have 1000/,
    ],
    ['a cell of arrays', 'clickup', clickUpCell('[],'.repeat(11e6)), /more than 10000000 values/],
    ['tags that are never closed', 'vikunja', vikunjaText('<a'.repeat(1.1e6)), /characters of text/],
    [
      'a card of many subtasks',
      'trello',
      oneCard(
        {},
        { checklists: [{ id: 'l', idCard: 'c', name: 'L', checkItems: Array(150_000).fill({ name: 'S' }) }] },
      ),
      /the card "Huge" has 150000 subtasks, and a card may have 1000/,
    ],
  ]
  for (const [what, format, file, error] of attacks) {
    const { most, ...found } = await imported(service, format, file)
    t.match(found, { status: 'failed', error }, what)
    t.ok(most < idle + ABOVE_IDLE, `${what}: ${Math.round((most - idle) / MIB)} MiB above idle`)
    t.ok(!found.error?.includes('\n') && found.error?.length <= 1000)
  }
  await nextWorks(t, service)
  t.strictSame((await json(service, '/api/projects')).body.length, 2)
})
