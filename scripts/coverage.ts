/**
 * The taken branches of the sources. Node writes what V8 has counted to `NODE_V8_COVERAGE` as each process and thread ends. The tests run
 * bundles, and source maps lead from the branches to places in these.
 */
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { decode } from '@jridgewell/sourcemap-codec'
import { type Branch, branchesOf, lineOffsets } from './branches.ts'
import { type AfterOperand, afterOperands } from './skipped-awaits.ts'

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

/** A script, and where the branches are in it that no process is known to have taken. */
interface Script {
  /** In ascending order. */
  places: { offset: number; after: AfterOperand | undefined }[]
  /** Each of them at some of the places, by index. Without `begins`, it is taken if what is before ran more often than what is instead. */
  branches: { branch: Branch; begins: number[]; before: number[]; instead: number[] }[]
}

/** The branches of a source, as the tests took them. */
export interface TakenBranches {
  /** How many there are, without those that the bundler dropped. */
  total: number
  taken: number
  /** The others, in the order of the source. Those in a branch that is not taken only count. */
  untaken: { line: number; kind: string; inner: number }[]
}

const SOURCES = /^(src|plugins|routes)\//

/**
 * Finds branches in a script.
 * @param offsetOf the place in the script of a position in the source
 */
function* located(
  branches: readonly Branch[],
  offsetOf: (position: number) => number | undefined,
): Generator<Script['branches'][number]> {
  const found = (positions: readonly number[]) =>
    positions.map(offsetOf).filter((offset) => offset !== undefined)
  const firstFound = (lists: readonly number[][]) => {
    for (const positions of lists) {
      const offsets = found(positions)
      if (offsets.length > 0) return offsets
    }
    return []
  }
  for (const branch of branches) {
    const begins = firstFound(branch.begins)
    const [before, instead] =
      begins.length > 0 ? [[], []] : [found(branch.before), firstFound(branch.instead)]
    if (begins.length > 0 || (before.length > 0 && instead.length > 0))
      yield { branch, begins, before, instead }
    yield* located(branch.inner, offsetOf)
  }
}

/** Sorts the places of the branches in a script, which are its offsets until then. @param code of the script */
function asScript(branches: Script['branches'], code: string): Script {
  const all = branches.flatMap(({ begins, before, instead }) => [...begins, ...before, ...instead])
  const offsets = [...new Set(all)].sort((one, other) => one - other)
  const indexes = new Map(offsets.map((offset, index) => [offset, index]))
  const after = afterOperands(code)
  let next = 0
  const places = offsets.map((offset) => {
    while ((after[next]?.end ?? Infinity) <= offset) next++
    const found = after[next]
    return { offset, after: found && found.start <= offset ? found : undefined }
  })
  const asIndexes = (offsets: readonly number[]) => offsets.map((offset) => indexes.get(offset) as number)
  return {
    places,
    branches: branches.map(({ branch, begins, before, instead }) => ({
      branch,
      begins: asIndexes(begins),
      before: asIndexes(before),
      instead: asIndexes(instead),
    })),
  }
}

/** How often a process came to each place: the count of the innermost range around it. */
function countsAt(places: Script['places'], { functions }: ScriptCoverage): Float64Array {
  const ranges = functions
    .flatMap(({ ranges, isBlockCoverage }, number) =>
      ranges.map(({ startOffset, endOffset: end, count }, index) => ({
        // What begins a function runs as the function is created, in the code around it. The first function is the whole script.
        start: number > 0 && index === 0 ? startOffset + 1 : startOffset,
        end,
        isFunction: index === 0,
        count: isBlockCoverage ? count : 0,
      })),
    )
    .sort((one, other) => one.start - other.start || other.end - one.end)
  const around: typeof ranges = []
  const leave = (offset: number) => {
    while (around.length > 0 && (around.at(-1) as (typeof ranges)[0]).end <= offset) around.pop()
  }
  let next = 0
  return Float64Array.from(places, ({ offset, after }) => {
    for (let range = ranges[next]; range && range.start <= offset; range = ranges[++next]) {
      leave(range.start)
      around.push(range)
    }
    leave(offset)
    const isAround = ({ start, isFunction }: (typeof ranges)[0]) =>
      isFunction || after === undefined || start < after.operand
    return around.findLast(isAround)?.count ?? 0
  })
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

/** Finds the branches of all sources, and where they are in scripts. */
class Sources {
  readonly branches = new Map<string, Branch[]>()
  readonly #scripts = new Map<string, Script>()
  readonly #root: string
  readonly #aside: string

  /** @param aside a folder of source maps, for bundles that ship without one */
  constructor(root: string, aside: string) {
    this.#root = root
    this.#aside = aside
  }

  /** A script, the same for each process. */
  script(url: string): Script {
    const script = this.#scripts.get(url) ?? this.#find(fileURLToPath(url))
    this.#scripts.set(url, script)
    return script
  }

  #find(file: string): Script {
    const branches = [...this.#locate(file)]
    if (branches.length === 0) return { places: [], branches }
    const code = readFileSync(file, 'utf8')
    return asScript(branches, file.endsWith('.ts') ? stripTypeScriptTypes(code) : code)
  }

  #read(source: string): string {
    return readFileSync(join(this.#root, source), 'utf8')
  }

  #branchesOf(source: string): Branch[] {
    const branches = this.branches.get(source) ?? branchesOf(this.#read(source))
    this.branches.set(source, branches)
    return branches
  }

  *#locate(file: string): Generator<Script['branches'][number]> {
    const source = relative(this.#root, file)
    const map = [`${file}.map`, join(this.#aside, `${basename(file)}.map`)].find((path) => existsSync(path))
    // Of a source, Node removes the types, but moves nothing.
    if (SOURCES.test(source)) yield* located(this.#branchesOf(source), (position) => position)
    else if (map !== undefined) yield* this.#locateInBundle(file, map)
  }

  *#locateInBundle(file: string, map: string): Generator<Script['branches'][number]> {
    const { sources, mappings }: { sources: string[]; mappings: string } = JSON.parse(
      readFileSync(map, 'utf8'),
    )
    const own = sources.map((path) => {
      const source = relative(this.#root, resolve(dirname(map), path))
      if (!SOURCES.test(source)) return undefined
      return { source, lines: lineOffsets(this.#read(source)), offsets: new Map<number, number>() }
    })
    const lines = lineOffsets(readFileSync(file, 'utf8'))
    decode(mappings).forEach((segments, index) => {
      for (const [column, number = -1, line = 0, ofLine = 0] of segments) {
        const source = own[number]
        if (!source) continue
        const position = (source.lines[line] as number) + ofLine
        if (!source.offsets.has(position)) source.offsets.set(position, (lines[index] as number) + column)
      }
    })
    for (const { source, offsets } of own.filter((each) => each !== undefined)) {
      yield* located(this.#branchesOf(source), (position) => offsets.get(position))
    }
  }
}

/**
 * Notes the branches that a process took, and forgets where they are.
 * @param taken to add them to
 */
function note(script: Script, coverage: ScriptCoverage, taken: Set<Branch>): void {
  const counts = countsAt(script.places, coverage)
  const at = (places: readonly number[]) => places.map((place) => counts[place] as number)
  script.branches = script.branches.filter(({ branch, begins, before, instead }) => {
    // The bundler moves what both arms have in common before the decision: only the place that ran least is the arm's own.
    const isTaken =
      begins.length > 0 ? Math.min(...at(begins)) > 0 : Math.max(...at(before)) > Math.min(...at(instead))
    if (isTaken) taken.add(branch)
    return !taken.has(branch)
  })
}

/** @param counted those that the bundler did not drop */
function sumUp(
  branches: readonly Branch[],
  counted: ReadonlySet<Branch>,
  taken: ReadonlySet<Branch>,
): TakenBranches {
  const sum: TakenBranches = { total: 0, taken: 0, untaken: [] }
  for (const branch of branches) {
    const { line, kind } = branch
    const inner = sumUp(branch.inner, counted, taken)
    const isTaken = taken.has(branch) || inner.taken > 0
    const count = counted.has(branch) ? 1 : 0
    sum.total += inner.total + count
    sum.taken += inner.taken + (isTaken ? count : 0)
    sum.untaken.push(...(isTaken || count === 0 ? inner.untaken : [{ line, kind, inner: inner.total }]))
  }
  sum.untaken.sort((one, other) => one.line - other.line)
  return sum
}

/**
 * Finds the branches that any process took, in any bundle.
 * @param folder that processes wrote to
 * @param bundled the folder of modules that count as a whole, also if no process loads them. A branch that has no code in any of them does not
 *   count.
 * @param aside a folder of source maps, for bundles that ship without one
 * @param root the folder of the sources
 * @returns by source, sorted
 */
export function takenBranches(
  folder: string,
  bundled: string,
  aside: string,
  root = resolve('.'),
): Map<string, TakenBranches> {
  const sources = new Sources(root, aside)
  const counted = new Set<Branch>()
  for (const file of globSync(`${bundled}/**/*.js`)) {
    for (const { branch } of sources.script(pathToFileURL(file).href).branches) counted.add(branch)
  }
  const taken = new Set<Branch>()
  for (const name of readdirSync(folder)) {
    for (const coverage of scriptsIn(join(folder, name))) {
      if (!coverage.url.startsWith('file:') || coverage.url.includes('/node_modules/')) continue
      const script = sources.script(coverage.url)
      if (script.branches.length > 0) note(script, coverage, taken)
    }
  }
  return new Map(
    [...sources.branches].sort().map(([source, branches]) => [source, sumUp(branches, counted, taken)]),
  )
}
