/**
 * Every operation of the document, as every kind of caller, on projects of every kind: what one does not see does not exist. The model of
 * `model.ts` knows who sees what; the operations come from the document, so that a new one is here on its day.
 */
import t from 'tap'
import { type DocumentedOperation, documentedOperations } from '../documented.ts'
import { inTurn, isThorough } from '../rounds.ts'
import { type Call, NAMINGS, OF_PROJECTS, OTHERS, TOOLS } from './calls.ts'
import {
  forbiddenTo,
  isFullAdmin,
  PERSON_OF,
  PROJECTS,
  type Principal,
  type Project,
  type Right,
  rightOf,
} from './model.ts'
import { headersOf, type Ids, idsOf, UNKNOWN } from './world.ts'
import { buildWorld, pathOf, rollBackWrites, type World } from './world-apps.ts'

/** A response, as far as a client can see it. */
interface Seen {
  status: number
  text: string
  headers: string
}

type Extra = Record<string, string>

/** Headers that differ between any two responses. */
const OF_EACH = new Set(['date', 'connection', 'keep-alive'])

async function ask(
  { app }: World,
  principal: Principal,
  method: string,
  url: string,
  body?: unknown,
  extra: Extra = {},
): Promise<Seen> {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.inject({
    method: method as 'GET',
    url,
    headers: {
      ...headersOf(principal),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...extra,
    },
    ...(payload !== undefined && { payload }),
  })
  const headers = Object.entries(response.headers).filter(([name]) => !OF_EACH.has(name))
  return { status: response.statusCode, text: response.body, headers: JSON.stringify(headers) }
}

/** A response without the ids that its request named. */
const without = ({ status, text, headers }: Seen, word: string): Seen => {
  const blank = (all: string) => all.replaceAll(word, '·').replaceAll(/"content-length","\d+"/g, '')
  return { status, text: blank(text), headers: blank(headers) }
}

const errorOf = ({ status, text }: Seen): string => {
  try {
    const { error } = JSON.parse(text)
    return error === undefined ? `${status}` : `${status} ${error}`
  } catch {
    return `${status}`
  }
}

const idsIn = (call: Call, ids: Ids) => call.path.map((kind) => ids[kind] as string)

/** Without times and entity tags, which are of the moment. */
const normal = (seen: Seen): Seen => {
  const blank = (text: string) =>
    text
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T')
      .replaceAll(/\\?"etag\\?":\\?"[^,}]*/g, '')
      .replaceAll(/"etag","[^\]]*/g, '')
  return { ...seen, text: blank(seen.text), headers: blank(seen.headers) }
}

/** The forbidden word in a response. Its ETags are left out: any short word occurs in a hash in base64 now and then. */
function found(seen: Seen, forbidden: RegExp | undefined): string | undefined {
  const { text, headers } = normal(seen)
  return forbidden?.exec(text)?.[0] ?? forbidden?.exec(headers)?.[0]
}

const isSafe = ({ method }: DocumentedOperation) => method === 'GET'

/** What a caller may not do, whatever the project. */
function refusalOf(
  operation: DocumentedOperation,
  { isForWriters = false, isOwn = false }: Call,
  { role, token, mode }: Principal,
): string | undefined {
  if (isSafe(operation) && !isForWriters) return undefined
  if (token?.isReadOnly && !isSafe(operation)) return '403 Forbidden: read-only token'
  return role === 'viewer' && mode !== 'open' && !isOwn ? '403 Forbidden: read-only role' : undefined
}

const READ_ONLY = '403 Forbidden: read-only in this project'

/** What the contract has a request on a project's record answer; undefined: success, or another reason. */
function demandedOf(
  operation: DocumentedOperation,
  call: Call,
  principal: Principal,
  right: Right,
): string | undefined {
  if (call.isForAdmins && !isFullAdmin(principal)) return '403 Forbidden: admin access required'
  const refusal = refusalOf(operation, call, principal)
  if (refusal !== undefined) return refusal
  if (right === 'none') return call.unknown ?? '404'
  if (right === 'read' && !call.isOwn && (call.isForWriters || !isSafe(operation))) return READ_ONLY
  return call.isNotForGuests && principal.role === 'guest'
    ? '403 Forbidden: guests cannot share projects'
    : undefined
}

/** Requests on a record that is not there, with all that is checked before it is looked for. */
const VARIANTS: readonly { extra?: Extra; body?: unknown; method?: string; isOfReads?: boolean }[] = [
  { extra: { 'if-match': '"none"' } },
  { extra: { 'if-match': '*' } },
  { extra: { 'if-none-match': '*' } },
  { extra: { prefer: 'handling=strict' } },
  { extra: { 'idempotency-key': 'key' } },
  { body: { title: 5, name: 5, items: 5, role: 5, leaseSeconds: 1 } },
  { body: '{oops' },
  { method: 'HEAD', isOfReads: true },
]

/** Those with the most different ways to a scope. */
const THOROUGH = [
  'a member of nothing',
  'a guest of nothing',
  'a token for one project',
  "a host's member with given projects",
]

/**
 * The projects on which a principal calls an operation: one for each right, in turn. Operations know only the right, and with the next
 * operation it is another project's.
 */
function projectsFor(principal: Principal, turn: number): readonly Project[] {
  const rights: Right[] = ['none', 'read', 'write']
  return rights.flatMap((right) =>
    inTurn(
      PROJECTS.filter((project) => rightOf(principal, project) === right),
      turn,
    ),
  )
}

/** Problems of a principal, each once: thousands of assertions would cost more than the requests. */
class Problems {
  readonly all: string[] = []
  add(what: string): void {
    if (this.all.length < 40) this.all.push(what)
  }
}

/** Calls an operation on the record of a project. */
async function checkOnProject(
  world: World,
  operation: DocumentedOperation,
  principal: Principal,
  project: Project,
  turn: number,
  problems: Problems,
): Promise<void> {
  const call = OF_PROJECTS[operation.operationId] as Call
  const ids = world.ids[project]
  const right = rightOf(principal, project)
  const named = idsIn(call, ids)
  const url = pathOf(operation, named, call.query)
  const answer = await ask(world, principal, operation.method, url, call.body?.(ids))
  const what = `${operation.method} ${url}`
  const demanded = demandedOf(operation, call, principal, right)
  const said = errorOf(answer)
  if (demanded === undefined) {
    const isRight = answer.status < 300 || call.also?.includes(said)
    if (!isRight) problems.add(`${what}: ${said} ${answer.text.slice(0, 200)}`)
  } else if (demanded === READ_ONLY && !call.isForWriters) {
    if (said !== READ_ONLY && !call.also?.includes(said)) problems.add(`${what}: ${said}, not ${demanded}`)
  } else if (demanded === '404' ? answer.status !== 404 : said !== demanded) {
    problems.add(`${what}: ${said}, not ${demanded}`)
  }
  if (right !== 'none') {
    const leak = found(answer, forbiddenTo(principal))
    if (leak) problems.add(`${what} tells of ${leak}: ${answer.text.slice(0, 300)}`)
    return
  }
  await compare(world, operation, principal, project, call, {}, answer, problems)
  // Each operation gets every variant, from one of them.
  const thorough = THOROUGH.filter((name) => world.principals.some((other) => other.name === name))
  if (!inTurn(thorough, turn).includes(principal.name) || (isThorough && project !== 'vault')) return
  for (const { isOfReads = false, ...variant } of VARIANTS) {
    if (isOfReads && !isSafe(operation)) continue
    if (variant.body !== undefined && !['POST', 'PUT', 'PATCH'].includes(operation.method)) continue
    await compare(world, operation, principal, project, call, variant, undefined, problems)
  }
  await compareInBatch(world, operation, principal, project, call, problems)
}

const UNKNOWN_SEQ = '8888888'
const nothing: Ids = { ...UNKNOWN, seq: UNKNOWN_SEQ }

/** Compares the answer about a hidden record with that about an unknown one. */
async function compare(
  world: World,
  operation: DocumentedOperation,
  principal: Principal,
  project: Project,
  call: Call,
  { extra, body, method = operation.method }: { extra?: Extra; body?: unknown; method?: string },
  known: Seen | undefined,
  problems: Problems,
): Promise<void> {
  const answerTo = (ids: Ids) =>
    ask(
      world,
      principal,
      method,
      pathOf(operation, idsIn(call, ids), call.query),
      body === undefined || method === 'HEAD' ? call.body?.(ids) : body,
      extra,
    )
  const ids = world.ids[project]
  const hidden = without(known ?? (await answerTo(ids)), project)
  const unknown = without(await answerTo(nothing), UNKNOWN.project as string)
  report(
    hidden,
    unknown,
    `${method} ${pathOf(operation, idsIn(call, ids))} ${JSON.stringify(extra ?? body ?? '')}`,
    principal,
    problems,
  )
}

function report(hidden: Seen, unknown: Seen, what: string, principal: Principal, problems: Problems): void {
  if (JSON.stringify(hidden) !== JSON.stringify(unknown))
    problems.add(
      `${what}: ${JSON.stringify(hidden).slice(0, 300)} instead of ${JSON.stringify(unknown).slice(0, 300)}`,
    )
  const leak = found(hidden, forbiddenTo(principal))
  if (leak) problems.add(`${what} tells of ${leak}: ${hidden.text.slice(0, 300)}`)
}

async function compareInBatch(
  world: World,
  operation: DocumentedOperation,
  principal: Principal,
  project: Project,
  call: Call,
  problems: Problems,
): Promise<void> {
  const answerTo = (ids: Ids) =>
    ask(world, principal, 'POST', '/api/batch', {
      requests: [
        { method: 'GET', path: '/api/teams' },
        {
          method: operation.method,
          path: pathOf(operation, idsIn(call, ids), call.query),
          ...(call.body && { body: call.body(ids) }),
        },
      ],
    })
  const hidden = without(await answerTo(world.ids[project]), project)
  const unknown = without(await answerTo(nothing), UNKNOWN.project as string)
  report(hidden, unknown, `${operation.operationId} of ${project} in a batch`, principal, problems)
}

/** Names hidden records in bodies and queries. */
async function checkNamings(
  world: World,
  operations: ReadonlyMap<string, DocumentedOperation>,
  principal: Principal,
  problems: Problems,
): Promise<void> {
  const writable = PROJECTS.find((project) => rightOf(principal, project) === 'write')
  const own = writable ? world.ids[writable] : idsOf('other')
  const hidden = PROJECTS.filter((project) => rightOf(principal, project) === 'none')
  for (const [turn, { operation: id, path, body, query }] of NAMINGS.entries()) {
    const operation = operations.get(id) as DocumentedOperation
    for (const project of inTurn(hidden, turn)) {
      const answerTo = async (other: Ids) => {
        const ids = own
        const named = (path?.(ids) ?? []).map((one) =>
          one === '' ? (other['kanban-label'] as string) : one === 'idea' ? `idea of ${principal.name}` : one,
        )
        return await ask(
          world,
          principal,
          operation.method,
          pathOf(operation, named, query?.(other, ids)),
          body?.(other, ids),
        )
      }
      const stable = (seen: Seen) => ({
        ...seen,
        // What a success has made.
        ...(seen.status === 201 && { text: '', headers: '' }),
      })
      const answer = await answerTo(world.ids[project])
      const unknown = await answerTo(nothing)
      const what = `${id} naming ${project}: ${JSON.stringify(body?.(world.ids[project], own) ?? query?.(world.ids[project], own))}`
      if (answer.status >= 500) problems.add(`${what}: ${answer.text}`)
      report(
        stable(normal(without(answer, project))),
        stable(normal(without(unknown, UNKNOWN.project as string))),
        what,
        principal,
        problems,
      )
    }
  }
}

/** The ids to call an operation with that is of no project. */
function idsFor({ path }: DocumentedOperation, principal: Principal): string[] {
  const own: Record<string, string[]> = {
    tokens: [`t ${principal.name}`, `u ${principal.name}`],
    teams: PROJECTS.map((project) => `${PERSON_OF[project]}-team`),
    members: PROJECTS.map((project) => PERSON_OF[project]),
    people: PROJECTS.map((project) => PERSON_OF[project]),
    imports: [`import of ${principal.name}`],
    'personal-ideas': [`idea of ${principal.name}`],
    webhooks: ['webhook'],
  }
  const [, collection = ''] = /\/([\w-]+)\/\{id\}/.exec(path) ?? []
  return path.includes('{') ? (own[collection] ?? ['none']) : ['']
}

/** Lists that show something of each project that one sees: a query of each. */
const LISTS: Readonly<Record<string, string>> = {
  listProjects: '',
  listAllKanbanItems: '',
  getCalendar: '',
  listTrash: '',
  listChanges: 'limit=1000',
  search: 'q=words',
}

/** What one sees is in every list. */
async function checkLists(
  world: World,
  operations: ReadonlyMap<string, DocumentedOperation>,
  principal: Principal,
  problems: Problems,
): Promise<void> {
  for (const [id, query] of Object.entries(LISTS)) {
    const { text } = await ask(
      world,
      principal,
      'GET',
      pathOf(operations.get(id) as DocumentedOperation, [], query),
    )
    for (const project of PROJECTS) {
      const isSeen = rightOf(principal, project) !== 'none'
      if (text.includes(project) !== isSeen)
        problems.add(`${id} ${isSeen ? 'does not show' : 'shows'} ${project}`)
    }
  }
}

/** Calls all other operations, and searches what they answer. */
async function checkOthers(
  world: World,
  operations: readonly DocumentedOperation[],
  principal: Principal,
  problems: Problems,
): Promise<void> {
  const forbidden = forbiddenTo(principal)
  for (const operation of operations) {
    const other = OTHERS[operation.operationId]
    if (other === undefined) continue
    // Who sees everything is told everything.
    if (forbidden === undefined && other.isForAdmins) continue
    for (const id of idsFor(operation, principal)) {
      for (const query of other.queries ?? ['']) {
        for (const body of other.bodies ?? [undefined]) {
          const url = pathOf(operation, [id], query)
          const answer = await ask(world, principal, operation.method, url, body)
          const what = `${operation.method} ${url} ${body === undefined ? '' : JSON.stringify(body).slice(0, 100)}`
          if (answer.status >= 500) problems.add(`${what}: ${errorOf(answer)}`)
          if (other.isForAdmins && answer.status !== 403) problems.add(`${what}: ${errorOf(answer)}, not 403`)
          const said = /ids=|valda/.test(url) ? { ...answer, headers: '' } : answer
          const leak = found(without(said, `${id || 'no id'}`), forbidden)
          if (leak) problems.add(`${what} tells of ${leak}: ${around(answer, leak)}`)
        }
      }
    }
  }
}

const around = ({ text, headers }: Seen, word: string): string => {
  const all = `${text} ${headers}`
  const at = all.indexOf(word)
  return all.slice(Math.max(0, at - 150), at + 100)
}

for (const mode of [undefined, 'host', 'open'] as const) {
  t.test(`with ${mode ?? 'its own'} members, invisible records do not exist for the caller`, async (t) => {
    const world = await buildWorld(t, mode)
    rollBackWrites(t, world)
    const operations = await documentedOperations(world.app)
    const byId = new Map(operations.map((operation) => [operation.operationId, operation]))
    const unknown = operations.filter(
      ({ operationId }) => !(operationId in OF_PROJECTS || operationId in OTHERS),
    )
    t.strictSame(unknown, [], 'test/access/calls.ts says how to call each operation')
    for (const principal of world.principals) {
      const problems = new Problems()
      const ofProjects = operations.filter(({ operationId }) => operationId in OF_PROJECTS)
      for (const [turn, operation] of ofProjects.entries()) {
        for (const project of projectsFor(principal, turn))
          await checkOnProject(world, operation, principal, project, turn, problems)
      }
      await checkLists(world, byId, principal, problems)
      await checkOthers(world, operations, principal, problems)
      await checkNamings(world, byId, principal, problems)
      t.strictSame(problems.all, [], principal.name)
    }
  })
}

t.test('every tool of agents is called', async (t) => {
  const world = await buildWorld(t, undefined)
  const [admin] = world.principals
  const { text } = await ask(world, admin as Principal, 'POST', '/mcp', {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/list',
  })
  const tools = JSON.parse(text).result.tools.map(({ name }: { name: string }) => name)
  t.strictSame([...new Set(TOOLS.filter(Boolean))].toSorted(), tools.toSorted())
})
