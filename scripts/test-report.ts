/** The output of `npm test`: failures, skipped tests, the slowest files and the totals. */
import { inspect } from 'node:util'
import { Parser, type Result } from 'tap-parser'

const SLOWEST = 10

/** The room of a test file: its folder, e.g. `test/web`, or `test`. */
const roomOf = (file: string): string => /^test\/[^/]+(?=\/)/.exec(file)?.[0] ?? 'test'

/** Redundant fields of tap's failures. */
const REDUNDANT = new Set(['at', 'diff', 'externalID', 'source', 'stack', 'stdio', 'test'])

const indent = (text: string) => text.trimEnd().replaceAll(/^/gm, '    ')

/** A failure in full: assertion, test, file, and diagnostics. */
function describe({ fullname, diag, tapError }: Result): string {
  const { diff, stack, ...rest } = { diff: undefined, stack: undefined, ...diag }
  const fields = Object.entries(rest).filter(([key]) => !REDUNDANT.has(key))
  const shown =
    diff === undefined ? fields : fields.filter(([key]) => !/^(expected|actual|found|wanted)$/.test(key))
  const details = shown.map(
    ([key, value]) =>
      `${key}: ${typeof value === 'string' ? value : inspect(value, { depth: 8, breakLength: 110 })}`,
  )
  const lines = [tapError, diff, ...details, stack].filter((text) => text).map((text) => indent(String(text)))
  return [`not ok: ${fullname.replace(/^files > /, '')}`, ...lines, ''].join('\n')
}

/** The results of a test file. */
interface FileResult {
  passed: number
  failed: number
  /** Milliseconds. */
  time: number
}

/** Reads the results of test files, and writes each failure as it comes. */
export class TestReport {
  readonly #files = new Map<string, FileResult>()
  readonly #skipped: string[] = []
  readonly #write: (text: string) => void

  /** @param write writes to the output */
  constructor(write: (text: string) => void) {
    this.#write = write
  }

  #of(file: string): FileResult {
    const result = this.#files.get(file) ?? { passed: 0, failed: 0, time: 0 }
    this.#files.set(file, result)
    return result
  }

  /** Reads what a process of `test/together.ts` writes: TAP with one test, in which each file is a test. Resolves at its end. */
  follow(tap: NodeJS.ReadableStream): Promise<void> {
    const parser = new Parser()
    parser.on('child', (files: Parser) => {
      files.on('child', (file: Parser) => this.#read(file, file.name))
      files.on('assert', ({ name, time }: Result) => {
        this.#of(name).time = time ?? 0
      })
    })
    parser.on('bailout', (reason: string) => this.#write(`bail out: ${reason}\n`))
    tap.on('data', (chunk) => parser.write(chunk))
    return new Promise((resolve) => {
      tap.once('close', () => {
        parser.end()
        resolve()
      })
    })
  }

  #read(parser: Parser, file: string): void {
    const results = this.#of(file)
    let before = { ...results }
    parser.on('child', (child: Parser) => {
      before = { ...results }
      this.#read(child, file)
    })
    parser.on('assert', (result: Result) => {
      const { ok, skip, fullname, closingTestPoint } = result
      const counted = ok
        ? results.passed + results.failed > before.passed + before.failed
        : results.failed > before.failed
      if (skip) this.#skipped.push(`skipped: ${fullname.replace(/^files > /, '')}: ${skip}\n`)
      // Summaries of a test's assertions are not failures themselves.
      else if (closingTestPoint && counted) return
      else if (ok) results.passed += 1
      else {
        results.failed += 1
        this.#write(`${describe(result)}\n`)
      }
    })
  }

  /** Notes that a file's process ended before the file did. @param how its exit code, or the signal that ended it */
  lost(file: string, how: number | string | null): void {
    this.#of(file).failed += 1
    this.#write(`not ok: ${file}: its process ended early, with ${how}\n`)
  }

  /** The files with failures. */
  failing(): string[] {
    return [...this.#files].filter(([, { failed }]) => failed > 0).map(([file]) => file)
  }

  /** Takes the results of files from a later run. */
  replace(files: readonly string[], later: TestReport): void {
    for (const file of files) this.#files.set(file, later.#of(file))
  }

  /** Writes where the time is: each room's seconds, files and assertions, most first. */
  #writeRooms(): void {
    const rooms = [...Map.groupBy(this.#files, ([file]) => roomOf(file))].map(([room, files]) => ({
      room,
      files: files.length,
      time: files.reduce((sum, [, { time }]) => sum + time, 0),
      passed: files.reduce((sum, [, { passed }]) => sum + passed, 0),
    }))
    if (rooms.length < 2) return
    this.#write('by room:\n')
    for (const { room, files, time, passed } of rooms.sort((one, other) => other.time - one.time))
      this.#write(`${(time / 1000).toFixed(1).padStart(7)} s  ${room}: ${files} files, ${passed} passed\n`)
  }

  /** Writes the skipped tests, where the time is, the slowest files, the flaky ones and the totals. @param flaky files that only passed when they ran once more */
  close(flaky: readonly string[]): void {
    const slowest = [...this.#files].sort(([, one], [, other]) => other.time - one.time).slice(0, SLOWEST)
    for (const line of this.#skipped) this.#write(line)
    this.#writeRooms()
    this.#write(`the slowest of ${this.#files.size} files:\n`)
    for (const [name, { time }] of slowest)
      this.#write(`${(time / 1000).toFixed(1).padStart(7)} s  ${name}\n`)
    if (flaky.length > 0) this.#write(`flaky:\n${flaky.map((file) => `  ${file}\n`).join('')}`)
    const total = (count: 'passed' | 'failed') =>
      [...this.#files.values()].reduce((sum, result) => sum + result[count], 0)
    this.#write(`${total('passed')} passed, ${total('failed')} failed\n`)
  }
}
