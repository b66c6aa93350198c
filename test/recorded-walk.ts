/**
 * Records the paths of a PATCH and a GET through the sources: `node test/recorded-walk.ts <folder>` prints them as JSON. The service runs in
 * this process and handles the same request repeatedly. First V8 counts which functions run. Then a breakpoint at the start of
 * each, whose condition is never true, records its stack.
 */
import { Session } from 'node:inspector'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { buildApp } from '../src/app.ts'

/** A call of a function. */
export interface Begun {
  file: string
  /** Its name, and those of its enclosing functions. */
  names: string[]
  /** The number of its {@link Visit}. */
  visit: number
}

/** The request enters a file: one of its functions is called by another file, by Fastify, or after a promise. */
export interface Visit {
  file: string
  /** The visit that called it; null for none. */
  from: number | null
}

/** The path of a request. */
export interface Walk {
  begun: Begun[]
  visits: Visit[]
}

/** The recorded paths: of an item's PATCH by session, and of a cached project's GET by token. */
export interface Walks {
  patch: Walk
  get: Walk
}

/** The position of a function in the source. */
interface Place {
  file: string
  names: string[]
}

/** A function on the stack. */
interface Frame {
  file: string
  /** The position of its start. */
  at: string
}

const ROOT = pathToFileURL(`${process.cwd()}/`).href
const OURS = /^(src|plugins|routes)\//
/** Functions that run for each statement or value, like the driver. They are not part of the path. */
const TOOLS = new Set([
  'src/db/ids.ts',
  'src/db/json-text.ts',
  'src/db/statements.ts',
  'src/distribution.ts',
  'src/json.ts',
  'src/once.ts',
  'src/schemas/serialization.ts',
  'src/time.ts',
])
const PASSWORD = 'correct horse battery'

/** The file of a URL; undefined for foreign files and tools. */
function fileOf(url: string | null | undefined): string | undefined {
  const file = url?.startsWith(ROOT) ? url.slice(ROOT.length) : undefined
  return file !== undefined && OURS.test(file) && !TOOLS.has(file) ? file : undefined
}

const session = new Session()

/** Sends a command to V8, which responds at once. */
function ask<T>(method: string, params: object = {}): T {
  let failure: Error | null = null
  let result: unknown
  session.post(method, params, (error: Error | null, answer: unknown) => {
    failure = error
    result = answer
  })
  if (failure) throw failure
  return result as T
}

/** The stack of the caller, outermost first, with only our functions. */
function stackOf(caller: (...args: never[]) => unknown): Frame[] {
  const { prepareStackTrace, stackTraceLimit } = Error
  const holder: { stack?: NodeJS.CallSite[] } = {}
  Error.stackTraceLimit = 100
  Error.prepareStackTrace = (_error, sites) => sites
  Error.captureStackTrace(holder, caller)
  const sites = (holder.stack ?? []) as (NodeJS.CallSite & {
    getEnclosingLineNumber: () => number
    getEnclosingColumnNumber: () => number
  })[]
  Object.assign(Error, { prepareStackTrace, stackTraceLimit })
  return sites.toReversed().flatMap((site) => {
    const file = fileOf(site.getFileName())
    const at = `${file}:${site.getEnclosingLineNumber()}:${site.getEnclosingColumnNumber()}`
    return file === undefined ? [] : [{ file, at }]
  })
}

/** A function in V8's counts. */
interface Counted {
  scriptId: string
  file: string
  name: string
  startOffset: number
  endOffset: number
  count: number
}

/** Our functions, with the number of calls since the previous count. */
function countFunctions(): Counted[] {
  const { result } = ask<{
    result: {
      scriptId: string
      url: string
      functions: { functionName: string; ranges: Pick<Counted, 'startOffset' | 'endOffset' | 'count'>[] }[]
    }[]
  }>('Profiler.takePreciseCoverage')
  return result.flatMap(({ scriptId, url, functions }) => {
    const file = fileOf(url)
    if (file === undefined) return []
    return functions.flatMap(({ functionName, ranges: [range] }) =>
      range === undefined || range.startOffset === 0
        ? []
        : [{ scriptId, file, name: functionName, ...range }],
    )
  })
}

/** Where a breakpoint at a function's start is possible; undefined if it has no statement, like the initial values of fields. */
function beginningOf({ scriptId, startOffset, endOffset }: Counted): object | undefined {
  const { scriptSource } = ask<{ scriptSource: string }>('Debugger.getScriptSource', { scriptId })
  const positionOf = (offset: number) => {
    const lines = scriptSource.slice(0, offset).split('\n')
    return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 }
  }
  const { locations } = ask<{ locations: object[] }>('Debugger.getPossibleBreakpoints', {
    start: positionOf(startOffset + 1),
    end: positionOf(endOffset),
    restrictToFunction: true,
  })
  return locations[0]
}

/** The names of a function and its enclosing functions. @param all all functions that have ever run */
const namesOf = (one: Counted, all: readonly Counted[]): string[] =>
  all
    .filter(
      ({ file, startOffset, endOffset }) =>
        file === one.file && startOffset <= one.startOffset && endOffset >= one.endOffset,
    )
    .map(({ name }) => name.split('.').pop() as string)
    .filter((name) => name !== '')

/** Builds the calls and visits from the stacks. */
class Recorder {
  readonly walk: Walk = { begun: [], visits: [] }
  /** The latest stack, with the visit of each frame. */
  #stack: (Frame & { visit: number })[] = []

  begin({ file, names }: Place, frames: readonly Frame[]): void {
    const isSame = (frame: Frame, index: number) => frame.at === this.#stack[index]?.at
    // The last frame starts now, even if the same function was there before.
    const known = frames.findIndex((frame, index) => index === frames.length - 1 || !isSame(frame, index))
    this.#stack = this.#stack.slice(0, known)
    for (const frame of frames.slice(known)) this.#stack.push({ ...frame, visit: this.#visitOf(frame) })
    this.walk.begun.push({ file, names, visit: this.#stack.at(-1)?.visit ?? 0 })
  }

  #visitOf({ file }: Frame): number {
    const { visits } = this.walk
    const caller = this.#stack.at(-1)
    if (caller?.file === file) return caller.visit
    const from = caller?.visit ?? null
    const latest = visits.at(-1)
    // Called again by the same visit, with no other file in between.
    if (latest?.file === file && latest.from === from) return visits.length - 1
    return visits.push({ file, from }) - 1
  }
}

async function record(folder: string): Promise<Walks> {
  session.connect()
  ask('Debugger.enable')
  ask('Profiler.enable')
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const app = await buildApp({
    databaseUrl: `file:${join(folder, 'board.db')}`,
    authMode: 'required',
    adminPassword: PASSWORD,
    logLevel: 'silent',
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const { host, port } = new URL(origin)
  let cookie = ''
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json', cookie, origin }
    const response = await fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (cookie === '') cookie = String(response.headers.get('set-cookie')).split(';', 1)[0] ?? ''
    return (await response.json()) as { id: string }
  }
  await post('/api/session', { email: 'admin@localhost', password: PASSWORD })
  const project = await post('/api/projects', { name: 'Apollo' })
  const item = await post(`/api/projects/${project.id}/kanban-items`, { title: 'Land' })
  const { token } = Object(await post('/api/tokens', { name: 'CI' }))
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')

  /** Sends a request, and waits for its response. */
  async function send(line: string, lines: readonly string[], body = ''): Promise<void> {
    const head = [`${line} HTTP/1.1`, `Host: ${host}`, ...lines]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    const [answer] = await new Promise<string[]>((resolve) =>
      socket.once('data', (text) => resolve([String(text)])),
    )
    if (!answer?.startsWith('HTTP/1.1 200')) throw new Error(answer)
    await pause(100)
  }
  const columns = ['Review', 'Done']
  /** Each changes the item. */
  function patch(): Promise<void> {
    const column = columns.shift() as string
    columns.push(column)
    const body = JSON.stringify({ column })
    const ofBody = ['Content-Type: application/json', `Content-Length: ${body.length}`]
    return send(
      `PATCH /api/kanban-items/${item.id}`,
      [`Cookie: ${cookie}`, `Origin: ${origin}`, ...ofBody],
      body,
    )
  }
  const get = () => send(`GET /api/projects/${project.id}`, [`Authorization: Bearer ${token}`])

  // Lazily created values exist by now, and the project is cached.
  for (const request of [patch, patch, get, get]) await request()
  const known = countFunctions()
  let places: Place[] = []
  let recorder = new Recorder()
  let isOnItsWay = false
  app.server.prependListener('request', (_request, response) => {
    isOnItsWay = true
    // Work after the last byte, such as logging and counting.
    response.prependOnceListener('finish', () => {
      isOnItsWay = false
    })
  })
  function note(index: number): boolean {
    if (isOnItsWay) recorder.begin(places[index] as Place, stackOf(note))
    return false
  }
  Object.assign(globalThis, { noteBegin: note })

  /** The path of a request: the shortest of several, since timers of the service may run in between. */
  async function walkOf(request: () => Promise<void>): Promise<Walk> {
    countFunctions()
    await request()
    const ran = countFunctions().filter(({ count }) => count > 0)
    places = ran.map((one) => ({ file: one.file, names: namesOf(one, [...known, ...ran]) }))
    const set = ran.flatMap((one, index) => {
      const location = beginningOf(one)
      const condition = `noteBegin(${index})`
      return location
        ? [ask<{ breakpointId: string }>('Debugger.setBreakpoint', { location, condition })]
        : []
    })
    const walks: Walk[] = []
    for (let round = 0; round < 3; round++) {
      recorder = new Recorder()
      await request()
      walks.push(recorder.walk)
    }
    for (const { breakpointId } of set) ask('Debugger.removeBreakpoint', { breakpointId })
    return walks.toSorted((a, b) => a.begun.length - b.begun.length)[0] as Walk
  }
  const recorded = { get: await walkOf(get), patch: await walkOf(patch) }
  session.disconnect()
  socket.destroy()
  await app.close()
  return recorded
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await record(process.argv[2] as string)))
}
