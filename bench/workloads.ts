/** The workloads: requests, and the order in which each connection sends them. */

import { seededRandom, shuffled } from '../test/random.ts'
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
import type { Credential, Credentials } from './callers.ts'
import type { LoadRequest, Plan } from './load.ts'
import { READY, SERVERS, type ServerName } from './servers.ts'
import { times } from './times.ts'

/** The contents of a server at the start of a load. */
export interface Contents {
  projects: Project[]
  /** The ETag of the first project, if the service sends one. */
  etag: string | null
  /** Those of a member, where the service requires sign-in. */
  credentials?: Credentials | undefined
}

/** One kind of load. */
export interface Workload {
  title: string
  connections: number
  /** Whether it changes the contents of the server. */
  writes: boolean
  /** The servers that support it. */
  servers: readonly ServerName[]
  /** The credential of its requests, to a service that requires sign-in; open mode by default. The baselines get the same headers. */
  by?: Credential
  /** The minimum ratio of the service's requests per second to those of node:http. */
  goal?: number
  /** The maximum ratio of the service's processor time per request to that of node:http. */
  cpuGoal?: number
  plan: (contents: Contents, connections: number) => Plan
}

const itemsOf = (projects: Project[]): Item[] => projects.flatMap(({ kanbanItems }) => kanbanItems)

const read = (path: string): LoadRequest => ({ method: 'GET', path, status: 200 })

/** Every connection sends all requests in turn. Each starts at another one. */
const inTurn = (requests: LoadRequest[], connections: number): Plan => ({
  requests,
  lanes: times(connections, (lane) => {
    const offset = Math.floor((lane * requests.length) / connections)
    return requests.map((_, position) => (position + offset) % requests.length)
  }),
})

/** More items than this would only make plans larger. */
const MOST_ITEMS = 2000

/** At most this many items, spread over the projects. */
function spread(items: Item[]): Item[] {
  const step = Math.max(1, items.length / MOST_ITEMS)
  return times(Math.floor(items.length / step), (position) => items[Math.floor(position * step)] as Item)
}

/** The value this many steps later, in a cycle. */
const after = (values: string[], value: string, steps: number) =>
  values[(values.indexOf(value) + steps) % values.length]

const write = (method: 'PATCH' | 'POST', path: string, body: object): LoadRequest => ({
  method,
  path,
  body: JSON.stringify(body),
  status: 200,
})

/**
 * Changes of items in turn: their columns move on by one, then their priorities, and so on until everything is as it was. Sent
 * repeatedly in this order, each request changes something.
 */
function changes(items: Item[]): LoadRequest[] {
  const passes = [1, 2, 3, 4].flatMap((steps) => [
    ({ column }: Item) => ({ column: after(COLUMNS, column, steps) }),
    ({ priority }: Item) => ({ priority: after(PRIORITIES, priority, steps) }),
  ])
  return passes.flatMap((pass) => items.map((item) => write('PATCH', itemPath(item.id), pass(item))))
}

/** Moves of items to the top of the next column, and around the board. Each request moves its item. */
const movesToTop = (items: Item[]): LoadRequest[] =>
  [1, 2, 3, 4].flatMap((steps) =>
    items.map(({ id, column }) =>
      write('POST', movePath(id), { column: after(COLUMNS, column, steps), position: 'top' }),
    ),
  )

/** Every connection changes its own items. Two connections on the same item could request what is already so. */
function changesOf(items: Item[], connections: number, make = changes): LoadRequest[][] {
  const own = Map.groupBy(spread(items).entries(), ([position]) => position % connections)
  return times(connections, (lane) => make((own.get(lane) ?? []).map(([, item]) => item)))
}

/** A plan from lists of requests, one for each connection. */
function toPlan(lists: LoadRequest[][]): Plan {
  const requests = [...new Set(lists.flat())]
  const positions = new Map(requests.map((request, position) => [request, position]))
  return { requests, lanes: lists.map((list) => list.map((request) => positions.get(request) as number)) }
}

const onlyChanges = ({ projects }: Contents, connections: number): Plan =>
  toPlan(changesOf(itemsOf(projects), connections))

/** Reads of projects per change in a mix. */
const READS_PER_CHANGE = 19

/** Every connection mixes its own changes into reads of all projects, in its own order. */
function mixed({ projects }: Contents, connections: number): Plan {
  const random = seededRandom(connections)
  const reads = projects.map(({ id }) => read(projectPath(id)))
  const lists = changesOf(itemsOf(projects), connections).map((own) => {
    const kinds = own.flatMap(() => ['change', ...times(READS_PER_CHANGE, () => 'read')])
    // The changes keep their order. The reads are all projects, shuffled again and again.
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

/** A conditional request for a project that has not changed. */
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
/** The naive server knows no credentials. */
const signedIn = { servers: ['Phaseboard', ...READY] as readonly ServerName[] }

/** The workloads by their command-line names. Those that change data are last. */
export const WORKLOADS = {
  project: { ...reading, title: 'one project', cpuGoal: 1.5, plan: allProjects },
  'project-session': {
    ...reading,
    ...signedIn,
    title: 'one project by session',
    by: 'session',
    cpuGoal: 1.6,
    plan: allProjects,
  },
  'project-token': {
    ...reading,
    ...signedIn,
    title: 'one project by token',
    by: 'token',
    cpuGoal: 1.6,
    plan: allProjects,
  },
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
    cpuGoal: 1.6,
    plan: notModified,
  },
  'patch-1': { ...changing, title: 'PATCH, 1 connection', connections: 1 },
  'patch-32': { ...changing, title: 'PATCH, 32 connections', connections: 32 },
  'patch-128': { ...changing, title: 'PATCH, 128 connections', connections: 128 },
  'patch-token-32': {
    ...changing,
    ...signedIn,
    title: 'PATCH by token, 32 connections',
    connections: 32,
    by: 'token',
    cpuGoal: 5,
  },
  'patch-token-128': {
    ...changing,
    ...signedIn,
    title: 'PATCH by token, 128 connections',
    connections: 128,
    by: 'token',
    cpuGoal: 4.5,
  },
  mix: {
    title: '95 % reads, 5 % PATCH',
    connections: 32,
    writes: true,
    servers: SERVERS,
    goal: 0.45,
    plan: mixed,
  },
} as const satisfies Record<string, Workload>

/** Reads of all projects. If every lane is sent once, each project is read exactly once. */
export function everyProjectOnce({ projects }: Contents, connections: number): Plan {
  const requests = projects.map(({ id }) => read(projectPath(id)))
  const lanes = times(connections, (lane) =>
    requests.map((_, position) => position).filter((position) => position % connections === lane),
  )
  return { requests, lanes }
}

/** One request for the list. */
export const listOnce: Plan = { requests: [read(LIST_PATH)], lanes: [[0]] }

/** How many of a board's items have this in their titles, and the page size of the list. */
export const PART = 20
export const RARE_WORDS = 'lighthouse keeper'

/** Pages of a project's items, for each column and each priority. */
function parts({ projects: [project] }: Contents): LoadRequest[] {
  const filters = [...COLUMNS.map((column) => ({ column })), ...PRIORITIES.map((priority) => ({ priority }))]
  return filters.map((filter) => read(itemsPath(project?.id ?? '', { ...filter, limit: String(PART) })))
}

/** The requests to boards of different sizes. The size of their responses does not depend on the board's. */
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
