/**
 * Records the way of a PATCH through the sources: `node test/recorded-walk.ts <folder>` prints it as JSON. The service runs in this process
 * and handles the same request again and again. Once V8 counts which functions run; then a breakpoint at the beginning of each, whose
 * condition is never true, notes its stack.
 */
import { Session } from 'node:inspector'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { buildApp } from '../src/app.ts'

/** A function that has begun. */
export interface Begun {
  file: string
  /** Its name, and those of the functions that it is written in. */
  names: string[]
  /** Which {@link Visit} it is part of. */
  visit: number
}

/** The request comes into a file: a function of it begins, called by another file, by Fastify, or once a promise is resolved. */
export interface Visit {
  file: string
  /** The visit that it was called from; null for none. */
  from: number | null
}

/** The way of a request. */
export interface Walk {
  begun: Begun[]
  visits: Visit[]
}

/** Where a function is written. */
interface Place {
  file: string
  names: string[]
}

/** A function on the stack. */
interface Frame {
  file: string
  /** Where it begins. */
  at: string
}

const ROOT = pathToFileURL(`${process.cwd()}/`).href
const OURS = /^(src|plugins|routes)\//
/** What is called for each statement, or each value, like the driver: no part of the way. */
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

/** The file of a URL; undefined for those of others, and for tools. */
function fileOf(url: string | null | undefined): string | undefined {
  const file = url?.startsWith(ROOT) ? url.slice(ROOT.length) : undefined
  return file !== undefined && OURS.test(file) && !TOOLS.has(file) ? file : undefined
}

const session = new Session()

/** Asks V8, which answers at once. */
function ask<T>(method: string, params: object = {}): T {
  let failure: Error | null = null
  let result: unknown
  session.post(method, params, (error: Error | null, told: unknown) => {
    failure = error
    result = told
  })
  if (failure) throw failure
  return result as T
}

/** The stack of whoever calls this, the outermost first, as far as it is ours. */
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

/** A function, as V8 counts it. */
interface Counted {
  scriptId: string
  file: string
  name: string
  startOffset: number
  endOffset: number
  count: number
}

/** The functions of our sources, with how often each has run since the last time. */
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

/** Where a function may be stopped at its beginning; undefined for what has no statement, as the initial values of fields. */
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

/** The names of a function, and of those that it is written in. @param all functions that have run, at any time */
const namesOf = (one: Counted, all: readonly Counted[]): string[] =>
  all
    .filter(
      ({ file, startOffset, endOffset }) =>
        file === one.file && startOffset <= one.startOffset && endOffset >= one.endOffset,
    )
    .map(({ name }) => name.split('.').pop() as string)
    .filter((name) => name !== '')

/** Puts together what began, from its stacks. */
class Recorder {
  readonly walk: Walk = { begun: [], visits: [] }
  /** The latest stack, with the visit that each frame is part of. */
  #stack: (Frame & { visit: number })[] = []

  begin({ file, names }: Place, frames: readonly Frame[]): void {
    const isSame = (frame: Frame, index: number) => frame.at === this.#stack[index]?.at
    // The last one begins now, also where the same function was there before.
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
    // Called again by the same, with no other file in between.
    if (latest?.file === file && latest.from === from) return visits.length - 1
    return visits.push({ file, from }) - 1
  }
}

async function record(folder: string): Promise<Walk> {
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
  const socket = connect(Number(port), '127.0.0.1').setEncoding('utf8')

  /** Sends a request, and waits for its response. */
  async function patch(column: string): Promise<void> {
    const body = JSON.stringify({ column })
    const head = [
      `PATCH /api/kanban-items/${item.id} HTTP/1.1`,
      `Host: ${host}`,
      `Cookie: ${cookie}`,
      `Origin: ${origin}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
    const [answer] = await new Promise<string[]>((resolve) =>
      socket.once('data', (text) => resolve([String(text)])),
    )
    if (!answer?.startsWith('HTTP/1.1 200')) throw new Error(answer)
    await pause(100)
  }

  // What is made at the first use is there.
  for (const column of ['Review', 'Done']) await patch(column)
  const before = countFunctions()
  await patch('Review')
  const ran = countFunctions().filter(({ count }) => count > 0)
  const places = ran.map((one): Place => ({ file: one.file, names: namesOf(one, [...before, ...ran]) }))
  let recorder = new Recorder()
  let isOnItsWay = false
  app.server.prependListener('request', (_request, response) => {
    isOnItsWay = true
    // What comes after the last byte, logs and counts.
    response.prependOnceListener('finish', () => {
      isOnItsWay = false
    })
  })
  function note(index: number): boolean {
    if (isOnItsWay) recorder.begin(places[index] as Place, stackOf(note))
    return false
  }
  Object.assign(globalThis, { noteBegin: note })
  for (const [index, one] of ran.entries()) {
    const location = beginningOf(one)
    if (location) ask('Debugger.setBreakpoint', { location, condition: `noteBegin(${index})` })
  }
  const walks: Walk[] = []
  for (const column of ['Done', 'Review', 'Done']) {
    recorder = new Recorder()
    await patch(column)
    walks.push(recorder.walk)
  }
  session.disconnect()
  socket.destroy()
  await app.close()
  // Timers of the service may have come in between: the shortest has none of them.
  return walks.toSorted((a, b) => a.begun.length - b.begun.length)[0] as Walk
}

if (process.argv[1] === import.meta.filename) {
  console.log(JSON.stringify(await record(process.argv[2] as string)))
}
