/** The output of `npm test` without a terminal: failures, skipped tests, the slowest files and the totals. */
import { Transform, type TransformCallback } from 'node:stream'
import { inspect } from 'node:util'
import { Parser, type Result } from 'tap-parser'

const SLOWEST = 10

/** With shared processes, file names differ from those that tap runs. */
const FILE = /^test\/.+\.test\.ts$/
const GROUP = /^\.tap\/groups\/\d+\.test\.ts > /

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
  return [`not ok: ${fullname.replace(GROUP, '')}`, ...lines, ''].join('\n')
}

/** Converts TAP to the report. tap creates its reporter from this class. */
export default class TestReport extends Transform {
  readonly #parser = new Parser()
  readonly #files: { name: string; time: number }[] = []
  readonly #skipped: string[] = []
  #passed = 0
  #failed = 0

  constructor() {
    super({ encoding: 'utf8' })
    this.#follow(this.#parser)
    this.#parser.on('bailout', (reason: string) => this.push(`bail out: ${reason}\n`))
  }

  #follow(parser: Parser): void {
    let before = { passed: 0, failed: 0 }
    parser.on('child', (child: Parser) => {
      before = { passed: this.#passed, failed: this.#failed }
      this.#follow(child)
    })
    parser.on('assert', (result: Result) => {
      const { ok, skip, name, time, fullname, closingTestPoint } = result
      if (closingTestPoint && FILE.test(name)) this.#files.push({ name, time: time ?? 0 })
      const counted = ok
        ? this.#passed + this.#failed > before.passed + before.failed
        : this.#failed > before.failed
      if (skip) this.#skipped.push(`skipped: ${fullname.replace(GROUP, '')}: ${skip}\n`)
      // Summaries of a test's assertions are not failures themselves.
      else if (closingTestPoint && counted) return
      else if (ok) this.#passed += 1
      else {
        this.#failed += 1
        this.push(`${describe(result)}\n`)
      }
    })
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#parser.write(chunk)
    done()
  }

  override _flush(done: TransformCallback): void {
    this.#parser.end()
    const slowest = this.#files.toSorted((one, other) => other.time - one.time).slice(0, SLOWEST)
    for (const line of this.#skipped) this.push(line)
    this.push(`the slowest of ${this.#files.length} files:\n`)
    for (const { name, time } of slowest) this.push(`${(time / 1000).toFixed(1).padStart(7)} s  ${name}\n`)
    this.push(`${this.#passed} passed, ${this.#failed} failed\n`)
    done()
  }
}
