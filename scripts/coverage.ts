/**
 * The executed lines of the sources. Node writes what V8 has counted to `NODE_V8_COVERAGE` as each process and thread ends. The tests run
 * bundles, and source maps lead from these to the lines.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode } from '@jridgewell/sourcemap-codec'

/** What V8 counted in a script: https://chromedevtools.github.io/devtools-protocol/v8/Profiler/#type-ScriptCoverage */
interface ScriptCoverage {
  url: string
  functions: {
    /** Whether blocks were counted. With code from a compile cache only calls are. */
    isBlockCoverage: boolean
    /** That of the function, and those of its blocks whose count differs. The end is exclusive. */
    ranges: { startOffset: number; endOffset: number; count: number }[]
  }[]
}

/** A place in a script that comes from a line of the sources. */
interface Place {
  offset: number
  source: string
  line: number
  isExecuted: boolean
}

/** For each source, its lines with code, and whether a process executed them. */
export type ExecutedLines = Map<string, Map<number, boolean>>

const SOURCES = /^(src|plugins|routes)\//

/** The offset of each line in a text. */
function lineOffsets(text: string): number[] {
  const offsets = [0]
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) offsets.push(end + 1)
  return offsets
}

/** The places of a bundle, by offset. */
function placesOf(file: string, map: string, root: string): Place[] {
  const { sources, mappings }: { sources: string[]; mappings: string } = JSON.parse(readFileSync(map, 'utf8'))
  const names = sources.map((source) => relative(root, resolve(dirname(map), source)))
  const offsets = lineOffsets(readFileSync(file, 'utf8'))
  return decode(mappings).flatMap((segments, index) =>
    segments.flatMap(([column, source = -1, line = 0]) => {
      const name = names[source] ?? ''
      const offset = (offsets[index] as number) + column
      return SOURCES.test(name) ? [{ offset, source: name, line: line + 1, isExecuted: false }] : []
    }),
  )
}

/** The lines of a source that a process executed itself: Node removes its types, but moves nothing. */
const placesOfSource = (file: string, source: string): Place[] =>
  lineOffsets(readFileSync(file, 'utf8')).map((offset, index) => ({
    offset,
    source,
    line: index + 1,
    isExecuted: false,
  }))

/**
 * Marks the executed places. The innermost range at a place has its count. What begins a function is executed as the function is created, by
 * the code around it. The first function is the whole script.
 */
function mark(places: readonly Place[], { functions }: ScriptCoverage): void {
  const ranges = functions
    .flatMap(({ ranges, isBlockCoverage }, number) =>
      ranges.map(({ startOffset, endOffset: end, count }, index) => ({
        start: number > 0 && index === 0 ? startOffset + 1 : startOffset,
        end,
        isExecuted: isBlockCoverage && count > 0,
      })),
    )
    .sort((one, other) => one.start - other.start || other.end - one.end)
  const around: typeof ranges = []
  const leave = (offset: number) => {
    while (around.length > 0 && (around.at(-1) as (typeof ranges)[0]).end <= offset) around.pop()
  }
  let next = 0
  for (const place of places) {
    for (let range = ranges[next]; range && range.start <= place.offset; range = ranges[++next]) {
      leave(range.start)
      around.push(range)
    }
    leave(place.offset)
    if (around.at(-1)?.isExecuted) place.isExecuted = true
  }
}

/** The scripts that a process counted; none if it was killed while it wrote them. */
function scriptsIn(file: string): ScriptCoverage[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).result
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}

/**
 * Finds the executed lines.
 * @param folder that processes wrote to
 * @param bundled the folder of modules that count as a whole, also if no process loads them
 * @param aside a folder of source maps, for bundles that ship without one
 * @param root the folder of the sources
 */
export function executedLines(
  folder: string,
  bundled: string,
  aside: string,
  root = resolve('.'),
): ExecutedLines {
  const scripts = new Map<string, Place[]>()
  const find = (file: string): Place[] => {
    const source = relative(root, file)
    if (SOURCES.test(source)) return placesOfSource(file, source)
    const map = [`${file}.map`, join(aside, `${basename(file)}.map`)].find((path) => existsSync(path))
    return map === undefined ? [] : placesOf(file, map, root)
  }
  const placesIn = (url: string): Place[] => {
    const places = scripts.get(url) ?? find(fileURLToPath(url))
    scripts.set(url, places)
    return places
  }
  const lines: ExecutedLines = new Map()
  for (const file of globSync(`${bundled}/**/*.js`)) {
    for (const { source, line } of placesIn(pathToFileURL(file).href)) {
      lines.set(source, (lines.get(source) ?? new Map<number, boolean>()).set(line, false))
    }
  }
  for (const [source, numbers] of lines) {
    // The end of a block never executes after a return.
    const hasCode = readFileSync(join(root, source), 'utf8')
      .split('\n')
      .map((text) => /\w/.test(text))
    for (const number of numbers.keys()) if (!hasCode[number - 1]) numbers.delete(number)
  }
  for (const name of readdirSync(folder)) {
    for (const script of scriptsIn(join(folder, name))) {
      if (!script.url.startsWith('file:') || script.url.includes('/node_modules/')) continue
      mark(placesIn(script.url), script)
    }
  }
  for (const { source, line, isExecuted } of [...scripts.values()].flat()) {
    const numbers = lines.get(source)
    if (isExecuted && numbers?.has(line)) numbers.set(line, true)
  }
  return lines
}
