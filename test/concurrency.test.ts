/**
 * A hundred clients use one board at once, over HTTP and against a service process. Each records its responses. In the end the
 * file must contain exactly that.
 */
import { Agent } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { type Answer, ask } from './clients.ts'
import {
  agrees,
  type Chains,
  chainsIn,
  compare,
  type Fields,
  newChains,
  prolong,
  readState,
  type State,
} from './crash-model.ts'
import { invalid } from './helper.ts'
import { onPreparedFile, type Service, start } from './process.ts'
import { pick, seededRandom, shuffled } from './random.ts'

const CLIENTS = 100
/** The number of changes per client, besides creating cards. */
const CHANGES = 10
/** Cards that each client changes once, all at the same time. */
const SHARED_CARDS = 4
const COLUMNS = ['To Do', 'In Progress', 'Review', 'Done']
const PRIORITIES = ['low', 'medium', 'high', 'critical']
const MEMBERS = [null, 'maria', 'jonas', 'aylin']

/** A card as its owner knows it. Others change only its place in its column. */
interface Card {
  id: string
  fields: Fields
  chains: Chains
}

/** A client that sends one request after another on its own connection. */
interface Client {
  number: number
  random: () => number
  ask: (method: string, path: string, body?: Fields) => Promise<Answer>
  cards: Card[]
}

/** The board that all clients use. */
interface Board {
  service: Service
  file: string
  project: string
  clients: Client[]
  cards: Card[]
  /** The column with a limit of a few cards. */
  limited?: string
  /** The number of changes that were refused because that column was full. */
  refused: number
  /** Checks the file after each response. @returns rows that must not exist */
  look: () => unknown[]
  /** Wrong responses and rows. */
  problems: string[]
}

/** A request that changes cards. */
interface Change {
  method: 'POST' | 'PATCH'
  path: string
  body: Fields
  /** The client's own cards that it changes, in the order of the response. */
  cards?: Card[]
  sets?: Fields
}

const times = <T>(count: number, make: (position: number) => T) =>
  Array.from({ length: count }, (_, position) => make(position))

/** Starts the service with a project. @param mustNotFind a query of that project's items that must never have results */
async function createBoard(t: Test, seed: number, mustNotFind: string): Promise<Board> {
  const environment = { ...onPreparedFile(t.testdir()), ADMIN_PASSWORD: 'correct horse' }
  const service = await start(t, environment)
  const clients = times(CLIENTS, (number): Client => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    t.teardown(() => agent.destroy())
    return {
      number,
      random: seededRandom(seed + Math.imul(number + 1, 0x9e3779b1)),
      ask: (method, path, body) => ask(service.port, agent, method, path, body),
      cards: [],
    }
  })
  const { body } = await (clients[0] as Client).ask('POST', '/api/projects', { name: 'Apollo' })
  const project = String(body.id)
  const file = environment.DATABASE_URL.slice('file:'.length)
  const client = new SQLite(file)
  t.teardown(() => client.close())
  const found = client.prepare(mustNotFind)
  const look = () => found.all({ project })
  return { service, file, project, clients, cards: [], refused: 0, look, problems: [] }
}

/** Limits the number of cards of a column. */
function limitColumn(board: Board, column: string, limit: number): void {
  const client = new SQLite(board.file)
  client
    .prepare(
      `update kanban_columns set wip_limit = ?, wip_policy = 'block' where project_id = ? and name = ?`,
    )
    .run(limit, board.project, column)
  client.close()
  board.limited = column
}

/** Whether a change moves a card into the column with a limit. */
function arrives({ limited }: Board, before: Fields, after: Fields): boolean {
  const counts = ({ column, dismissed }: Fields) => column === limited && !dismissed
  return limited !== undefined && counts(after) && !counts(before)
}

/** Records a refusal that the board's limit justifies. @returns whether it is one */
function isFull(board: Board, { status, body }: Answer, before: Fields[], sets: Fields): boolean {
  const isRefusal = status === 409 && isDeepStrictEqual(body, { error: 'Column is at its WIP limit' })
  const isJust = isRefusal && before.some((fields) => arrives(board, fields, { ...fields, ...sets }))
  if (isJust) board.refused += 1
  return isJust
}

/** Whether a move was refused because its neighbour has left the column. */
const isNeighbourGone = ({ body: asked }: Change, { status, body }: Answer) =>
  status === 400 &&
  ['beforeId', 'afterId'].some(
    (field) =>
      field in asked &&
      isDeepStrictEqual(body, invalid({ [field]: ['must be the id of another item in the column'] })),
  )

/** Records rows that must not be in the file. */
function look({ look, problems }: Board): void {
  for (const found of look()) problems.push(`seen: ${JSON.stringify(found)}`)
}

/** Creates a card. @returns the response */
async function create(board: Board, client: Client, fields: Fields): Promise<Answer> {
  const path = `/api/projects/${board.project}/kanban-items`
  const answer = await client.ask('POST', path, fields)
  const { status, body } = answer
  const { id, title, column, priority, assigneeId, dismissed } = body
  if (status === 201 && agrees(body, fields)) {
    const card = {
      id: String(id),
      fields: { title, column, priority, assigneeId, dismissed },
      chains: newChains(body),
    }
    client.cards.push(card)
    board.cards.push(card)
  } else if (!isFull(board, answer, [{}], fields)) {
    board.problems.push(`a new card ${JSON.stringify(fields)}: ${status} ${JSON.stringify(body)}`)
  }
  look(board)
  return answer
}

/** Sends a change, and records the response. */
async function send(board: Board, client: Client, change: Change): Promise<void> {
  const { method, path, body, cards = [], sets = {} } = change
  const answer = await client.ask(method, path, body)
  const records = [answer.body].flat()
  const isWrong = () => {
    board.problems.push(
      `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(records)}`,
    )
  }
  if (answer.status === 200) {
    for (const [index, card] of cards.entries()) {
      const before = card.fields
      card.fields = { ...before, ...sets }
      prolong(card.chains, before, card.fields)
      if (!agrees(records[index] ?? {}, card.fields)) isWrong()
    }
  } else if (!isNeighbourGone(change, answer)) {
    const before = cards.map(({ fields }) => fields)
    if (!isFull(board, answer, before, sets)) isWrong()
  }
  look(board)
}

const itemPath = ({ id }: { id: string }) => `/api/kanban-items/${id}`
const movePath = (card: { id: string }) => `${itemPath(card)}/move`

/** A place in a column: at an end, or beside a card, which its owner may be moving away. */
function somewhere({ cards }: Board, { random }: Client, card: Card, column: unknown): Fields {
  const others = cards.filter(({ id, fields }) => id !== card.id && fields.column === column)
  const at = pick(random, ['top', 'bottom', 'beforeId', 'afterId'])
  if (at === 'top' || at === 'bottom') return { position: at }
  return others.length > 0 ? { [at]: pick(random, others).id } : {}
}

/** Random fields for a client's own card. If the limit is tested, they include the fields that the limit counts by. */
function someFields({ limited }: Board, { random }: Client): Fields {
  const fields = {
    priority: pick(random, PRIORITIES),
    assigneeId: pick(random, MEMBERS),
    ...(limited && { column: pick(random, COLUMNS), dismissed: random() < 0.2 }),
  }
  const some = Object.entries(fields).filter(() => random() < 0.7)
  return some.length > 0 ? Object.fromEntries(some) : fields
}

/** The possible actions of a client. */
const KINDS: ((board: Board, client: Client) => Change)[] = [
  function shiftAnybodys(board, client) {
    const card = pick(client.random, board.cards)
    return {
      method: 'POST',
      path: movePath(card),
      body: somewhere(board, client, card, card.fields.column),
    }
  },
  function moveToColumn(board, client) {
    const card = pick(client.random, client.cards)
    const column = pick(client.random, COLUMNS)
    const body = { column, ...somewhere(board, client, card, column) }
    return { method: 'POST', path: movePath(card), body, cards: [card], sets: { column } }
  },
  function edit(board, client) {
    const card = pick(client.random, client.cards)
    const sets = { ...someFields(board, client), title: `card ${client.number}, ${client.random()}` }
    return { method: 'PATCH', path: itemPath(card), body: sets, cards: [card], sets }
  },
  function editSeveral(board, client) {
    const cards = client.cards.filter(() => client.random() < 0.7)
    const chosen = cards.length > 0 ? cards : client.cards
    const sets = someFields(board, client)
    const body = { ids: chosen.map(({ id }) => id), update: sets }
    return { method: 'PATCH', path: '/api/kanban-items', body, cards: chosen, sets }
  },
]

const someChanges = (board: Board, client: Client) =>
  times(CHANGES, () => () => pick(client.random, KINDS)(board, client))

/** What is wrong with a file: its integrity, or differences from the clients' responses. */
function problemsIn(board: Board, state: State, shown: Fields): string[] {
  const problems = compare(state, [shown, ...(shown.kanbanItems as Fields[])])
  for (const { id, fields, chains } of board.cards) {
    const stored = state.rows.get(id)?.fields
    if (stored === undefined || !agrees(stored, fields)) {
      problems.push(`not as acknowledged: ${JSON.stringify(stored)}, not ${JSON.stringify(fields)}`)
    }
    const found = stored && chainsIn(state, id, stored, problems)
    if (!isDeepStrictEqual(found, chains)) {
      problems.push(`not as acknowledged: ${JSON.stringify(found)}, not ${JSON.stringify(chains)}`)
    }
  }
  return problems
}

/** Ends the service. @returns the contents of its file, and all problems with that and with responses */
async function end(board: Board): Promise<{ state: State; items: Fields[]; problems: string[] }> {
  const { service, file, project, clients } = board
  const { body: shown } = await (clients[0] as Client).ask('GET', `/api/projects/${project}`)
  service.kill('SIGTERM')
  const { code, stderr } = await service.exited
  const ending = code === 0 && stderr === '' ? [] : [`the service ended with ${code}: ${stderr}`]
  const { state, problems } = readState(file)
  const items = [...state.rows.values()].flatMap(({ kind, fields }) => (kind === 'item' ? [fields] : []))
  return {
    state,
    items,
    problems: [...board.problems, ...ending, ...problems, ...problemsIn(board, state, shown)],
  }
}

const newSeed = () => Math.ceil(Math.random() * 1e8)
const lane = ({ number }: Client) => `lane ${number}`
const member = ({ number }: Client) => `member ${number}`

/**
 * Changes of cards that all clients change at the same time. Each sets a unique value, so each must create an activity entry,
 * whatever the others do before and after.
 */
function changesOfShared(client: Client, shared: Card[]): (() => Change)[] {
  const [alone, together] = [shared.slice(0, SHARED_CARDS / 2), shared.slice(SHARED_CARDS / 2)]
  const [column, assigneeId] = [lane(client), member(client)]
  return [
    ...shared.map((card) => ({
      method: 'POST' as const,
      path: movePath(card),
      body: { column, position: pick(client.random, ['top', 'bottom']) },
    })),
    ...alone.map((card) => ({ method: 'PATCH' as const, path: itemPath(card), body: { assigneeId } })),
    {
      method: 'PATCH' as const,
      path: '/api/kanban-items',
      body: { ids: together.map(({ id }) => id), update: { assigneeId } },
    },
  ].map((change) => () => change)
}

t.test('a hundred simultaneous clients lose no write, and no two items get the same place', async (t) => {
  const seed = newSeed()
  const inOnePlace = `select "column", sort_order, count(*) from kanban_items where project_id = @project
    group by "column", sort_order having count(*) > 1`
  const board = await createBoard(t, seed, inOnePlace)
  const { clients } = board
  await Promise.all(
    times(SHARED_CARDS, (position) => create(board, clients[position] as Client, { title: 'shared' })),
  )
  // By then nobody owns them.
  const shared = board.cards.splice(0)
  for (const client of clients) client.cards = []

  await Promise.all(
    clients.map(async (client) => {
      const { random } = client
      for (const column of COLUMNS) await create(board, client, { title: `card ${client.number}`, column })
      const changes = [...someChanges(board, client), ...changesOfShared(client, shared)]
      for (const change of shuffled(changes, random)) await send(board, client, change())
    }),
  )

  const { state, items, problems } = await end(board)
  t.strictSame(problems, [], `seed ${seed}`)
  t.equal(items.length, SHARED_CARDS + CLIENTS * COLUMNS.length)
  t.strictSame(state.columns.get(board.project)?.toSorted(), [...COLUMNS, ...clients.map(lane)].toSorted())
  for (const { id } of shared) {
    const broken: string[] = []
    const chains = chainsIn(state, id, state.rows.get(id)?.fields ?? {}, broken)
    t.strictSame(broken, [])
    t.strictSame(chains.column.toSorted(), ['To Do', ...clients.map(lane)].toSorted())
    t.strictSame(chains.assigneeId.toSorted(), ['', ...clients.map(member)].toSorted())
    t.strictSame(chains.priority, ['medium'])
  }
})

t.test('a blocking column never exceeds its limit, however many clients write', async (t) => {
  const seed = newSeed()
  const limit = 5
  const tooMany = `select count(*) from kanban_items where project_id = @project and "column" = 'Review' and not dismissed
    having count(*) > ${limit}`
  const board = await createBoard(t, seed, tooMany)
  limitColumn(board, 'Review', limit)
  await Promise.all(
    board.clients.map((client) => create(board, client, { title: 'first', column: 'Review' })),
  )
  t.equal(board.cards.length, limit)
  t.equal(board.refused, CLIENTS - limit)

  await Promise.all(
    board.clients.map(async (client) => {
      for (const title of ['second', 'third']) await create(board, client, { title })
      for (const change of someChanges(board, client)) await send(board, client, change())
    }),
  )

  const { items, problems } = await end(board)
  t.strictSame(problems, [], `seed ${seed}`)
  t.equal(items.length, board.cards.length)
})
