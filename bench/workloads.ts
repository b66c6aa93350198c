/** The workloads: requests, and the order in which connections send them. */
import {
  FILTERED_PATH,
  type Item,
  itemPath,
  itemsPath,
  LIST_PATH,
  movePath,
  type Project,
  projectPath,
  searchPath,
} from './api.ts'
import { COLUMNS, PRIORITIES } from './board.ts'
import type { LoadRequest, Plan } from './load.ts'
import { seededRandom, shuffled } from './random.ts'
import { READY, SERVERS, type ServerName } from './servers.ts'

/** What a server holds when a load begins. */
export interface Contents {
  projects: Project[]
  /** The ETag of the first project, where the service sends one. */
  etag: string | null
}

/** One kind of load. */
export interface Workload {
  title: string
  connections: number
  /** Whether it changes what the server holds. */
  writes: boolean
  /** The servers that can do it. */
  servers: readonly ServerName[]
  /** The least ratio of the service's requests per second to those of node:http. */
  goal?: number
  /** The most ratio of the service's processor time per request to that of node:http. */
  cpuGoal?: number
  plan: (contents: Contents, connections: number) => Plan
}

const times = <T>(count: number, make: (position: number) => T): T[] =>
  Array.from({ length: count }, (_, position) => make(position))

const itemsOf = (projects: Project[]): Item[] => projects.flatMap(({ kanbanItems }) => kanbanItems)

const read = (path: string): LoadRequest => ({ method: 'GET', path, status: 200 })

/** Every connection asks for everything in turn; each begins elsewhere. */
const inTurn = (requests: LoadRequest[], connections: number): Plan => ({
  requests,
  lanes: times(connections, (lane) => {
    const offset = Math.floor((lane * requests.length) / connections)
    return requests.map((_, position) => (position + offset) % requests.length)
  }),
})

/** More items than this would only make plans larger. */
const MOST_ITEMS = 2000

/** At most so many items, from all over the projects. */
function spread(items: Item[]): Item[] {
  const step = Math.max(1, items.length / MOST_ITEMS)
  return times(Math.floor(items.length / step), (position) => items[Math.floor(position * step)] as Item)
}

/** The value so many steps further round. */
const after = (values: string[], value: string, steps: number) =>
  values[(values.indexOf(value) + steps) % values.length]

const write = (method: 'PATCH' | 'POST', path: string, body: object): LoadRequest => ({
  method,
  path,
  body: JSON.stringify(body),
  status: 200,
})

/**
 * Changes of items by turns: their columns go round by one, then their priorities, and so on until everything is as it
 * was. Sent in this order, over and over, every one of them changes something.
 */
function changes(items: Item[]): LoadRequest[] {
  const passes = [1, 2, 3, 4].flatMap((steps) => [
    ({ column }: Item) => ({ column: after(COLUMNS, column, steps) }),
    ({ priority }: Item) => ({ priority: after(PRIORITIES, priority, steps) }),
  ])
  return passes.flatMap((pass) => items.map((item) => write('PATCH', itemPath(item.id), pass(item))))
}

/** Moves of items to the top of the next column, and so on round the board: every one of them moves its item. */
const movesToTop = (items: Item[]): LoadRequest[] =>
  [1, 2, 3, 4].flatMap((steps) =>
    items.map(({ id, column }) =>
      write('POST', movePath(id), { column: after(COLUMNS, column, steps), position: 'top' }),
    ),
  )

/** Every connection changes items of its own, since two that meet could ask for what is so already. */
function changesOf(items: Item[], connections: number, make = changes): LoadRequest[][] {
  const own = Map.groupBy(spread(items).entries(), ([position]) => position % connections)
  return times(connections, (lane) => make((own.get(lane) ?? []).map(([, item]) => item)))
}

/** Lists of requests, one for each connection, as a plan. */
function toPlan(lists: LoadRequest[][]): Plan {
  const requests = [...new Set(lists.flat())]
  const positions = new Map(requests.map((request, position) => [request, position]))
  return { requests, lanes: lists.map((list) => list.map((request) => positions.get(request) as number)) }
}

const onlyChanges = ({ projects }: Contents, connections: number): Plan =>
  toPlan(changesOf(itemsOf(projects), connections))

/** Reads of projects for each change in a mix. */
const READS_PER_CHANGE = 19

/** Every connection mixes its own changes into reads of all projects, in an order of its own. */
function mixed({ projects }: Contents, connections: number): Plan {
  const random = seededRandom(connections)
  const reads = projects.map(({ id }) => read(projectPath(id)))
  const lists = changesOf(itemsOf(projects), connections).map((own) => {
    const kinds = own.flatMap(() => ['change', ...times(READS_PER_CHANGE, () => 'read')])
    // The changes keep their order among themselves; the reads are all projects, shuffled again and again.
    const nextChange = own.values()
    let upcoming: LoadRequest[] = []
    return shuffled(kinds, random).map((kind) => {
      if (kind === 'change') return nextChange.next().value as LoadRequest
      if (upcoming.length === 0) upcoming = shuffled(reads, random)
      return upcoming.pop() as LoadRequest
    })
  })
  return toPlan(lists)
}

/** A project that has not changed since the client got it. */
function notModified({ projects: [first], etag }: Contents, connections: number): Plan {
  if (!first || !etag) throw new Error('the service sends no ETag')
  const headers = { 'If-None-Match': etag }
  return inTurn([{ method: 'GET', path: projectPath(first.id), headers, status: 304 }], connections)
}

const allProjects = ({ projects }: Contents, connections: number): Plan =>
  inTurn(
    projects.map(({ id }) => read(projectPath(id))),
    connections,
  )

const reading = { connections: 32, writes: false, servers: SERVERS }
const changing = { writes: true, servers: SERVERS, plan: onlyChanges }

/** The workloads by their names on the command line; those that change data come last. */
export const WORKLOADS = {
  project: { ...reading, title: 'one project', cpuGoal: 1.35, plan: allProjects },
  list: {
    ...reading,
    title: 'list',
    goal: 0.8,
    plan: (_, connections) => inTurn([read(LIST_PATH)], connections),
  },
  filtered: {
    ...reading,
    title: 'filtered list',
    goal: 0.7,
    cpuGoal: 1.4,
    plan: (_, connections) => inTurn([read(FILTERED_PATH)], connections),
  },
  'not-modified': {
    ...reading,
    title: '304',
    servers: ['Phaseboard', ...READY],
    cpuGoal: 1.35,
    plan: notModified,
  },
  'patch-1': { ...changing, title: 'PATCH, 1 connection', connections: 1 },
  'patch-32': { ...changing, title: 'PATCH, 32 connections', connections: 32, cpuGoal: 5 },
  'patch-128': { ...changing, title: 'PATCH, 128 connections', connections: 128, cpuGoal: 3 },
  mix: {
    title: '95 % reads, 5 % PATCH',
    connections: 32,
    writes: true,
    servers: SERVERS,
    goal: 0.45,
    plan: mixed,
  },
} as const satisfies Record<string, Workload>

/** Reads of all projects, each exactly once when every lane is sent once. */
export function everyProjectOnce({ projects }: Contents, connections: number): Plan {
  const requests = projects.map(({ id }) => read(projectPath(id)))
  const lanes = times(connections, (lane) =>
    requests.map((_, position) => position).filter((position) => position % connections === lane),
  )
  return { requests, lanes }
}

/** One request for the list. */
export const listOnce: Plan = { requests: [read(LIST_PATH)], lanes: [[0]] }

/** How many of a board's items have this in their titles, and how many a part of the list has. */
export const PART = 20
export const RARE_WORDS = 'lighthouse keeper'

/** Parts of the list of a project's items, by each column and each priority. */
function parts({ projects: [project] }: Contents): LoadRequest[] {
  const filters = [...COLUMNS.map((column) => ({ column })), ...PRIORITIES.map((priority) => ({ priority }))]
  return filters.map((filter) => read(itemsPath(project?.id ?? '', { ...filter, limit: String(PART) })))
}

/** The requests to boards of different sizes; their size does not depend on the board's. */
export const BOARD_WORKLOADS: readonly Pick<Workload, 'title' | 'connections' | 'writes' | 'plan'>[] = [
  {
    title: `${PART} items by column or priority`,
    connections: 32,
    writes: false,
    plan: (contents, connections) => inTurn(parts(contents), connections),
  },
  {
    title: `search that finds ${PART}`,
    connections: 32,
    writes: false,
    plan: (_, connections) => inTurn([read(searchPath(RARE_WORDS))], connections),
  },
  WORKLOADS['patch-32'],
  {
    title: 'move to the top',
    connections: 32,
    writes: true,
    plan: ({ projects }, connections) => toPlan(changesOf(itemsOf(projects), connections, movesToTop)),
  },
]
