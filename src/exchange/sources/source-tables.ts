/** Text tables, separated by commas, semicolons, tabs or bars. */
import { CsvError, parse } from 'csv-parse/sync'
import type { JsonObject } from '../../json.ts'
import { lengthAboveHeader } from './column-names.ts'
import { tooManyValues, VALUES_LIMIT } from './source-limits.ts'

/** The rows of a table, read one at a time to save memory. */
export interface Table {
  /** The first row after blank lines: names of columns, trimmed. Any may be blank or repeated. */
  header: string[]
  delimiter: string
  /**
   * Calls back with each further non-blank row: its cells, and its number from 1.
   * @throws Error with one line if a quote is never closed, or there are too many non-empty cells
   */
  forEachRow: (onRow: (cells: string[], row: number) => void) => void
}

/** In order of preference, for equal counts in a line. */
const DELIMITERS = ['\t', ';', ',', '|']

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20

/** Most cells of a row: exports of many fields have hundreds. */
const CELL_LIMIT = 10_000

/** Longest header, in bytes. Exports of hundreds of fields stay far below. */
const HEADER_REACH = 1024 * 1024

/** The longest cell and row, in characters. A description may be long, but a whole file in one quote is an error. */
const ROW_LIMIT = 64 * 1024 * 1024

/** Excel's line with the separator. */
const SEPARATOR_LINE = /^"?sep=([\t;,|])"?\r?\n/i

/** The lines before the header of TickTick's backups: its date, version, and what the numbers of the status mean. */
const PREAMBLE = /^"?Date: (?:(?!"?Folder Name"?,)[^\n]*\n){1,20}(?="?Folder Name"?,)/

/** The length of either, in bytes. */
const BEGINNING = 2048

/** The length of other lines above a header and the header, in bytes. */
const ABOVE_REACH = 16 * 1024

/** Opens a table; takes UTF-8 without a byte order mark. */
export function openTable(bytes: Buffer, most = VALUES_LIMIT): Table {
  const beginning = bytes.toString('utf8', 0, BEGINNING)
  const named = SEPARATOR_LINE.exec(beginning) ?? PREAMBLE.exec(beginning)
  const above = named?.[0] ?? aboveHeader(bytes)
  const body = withoutBlankLines(bytes.subarray(Buffer.byteLength(above)))
  const delimiter = named?.[1] ?? delimiterOf(body.toString('utf8', 0, HEADER_REACH))
  const quote = delimiter === '\t' && !isQuoted(body) ? null : '"'
  const [header = []] = rowsOf(body, { delimiter, quote, only: 1 })
  refuseWide(header, 0)
  return {
    header: header.map((name) => name.trim()),
    delimiter,
    forEachRow: (onRow) => {
      let row = -1
      let values = 0
      rowsOf(body, {
        delimiter,
        quote,
        onRecord: (cells) => {
          row += 1
          refuseWide(cells, row)
          const filled = row > 0 ? cells.reduce((count, cell) => count + Number(cell !== ''), 0) : 0
          values += filled
          if (values > most) throw tooManyValues(most)
          if (filled > 0) onRow(cells, row)
        },
      })
    },
  }
}

/** The lines above the header of a tool that writes some. */
function aboveHeader(bytes: Buffer): string {
  const text = bytes.toString('utf8', 0, ABOVE_REACH)
  return text.slice(0, lengthAboveHeader(text))
}

/** The rest of a file after blank lines at its beginning. */
function withoutBlankLines(body: Buffer): Buffer {
  let lineStart = 0
  for (const [index, byte] of body.entries()) {
    if (byte === LINE_FEED || byte === CARRIAGE_RETURN) lineStart = index + 1
    else if (byte !== SPACE) break
  }
  return body.subarray(lineStart)
}

function refuseWide(cells: readonly string[], row: number): void {
  if (cells.length > CELL_LIMIT)
    throw new Error(`row ${row} has ${cells.length} cells: it is no table of tasks`)
}

/** The separator of the header: the most frequent one outside quotes. */
function delimiterOf(beginning: string): string {
  const counts = new Map(DELIMITERS.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  for (const character of beginning) {
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '\n' || character === '\r') break
    const count = counts.get(character)
    if (count !== undefined) counts.set(character, count + 1)
  }
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best), [',', 0])[0]
}

/** Whether a tab-separated table uses quotes: many tools do not quote there. */
function isQuoted(body: Buffer): boolean {
  if (!body.includes('"')) return true
  try {
    parseRows(body, { delimiter: '\t', quote: '"', onRecord: () => undefined })
    return true
  } catch {
    return false
  }
}

interface RowOptions {
  delimiter: string
  quote: '"' | null
  only?: number
  onRecord?: (cells: string[]) => void
}

function rowsOf(body: Buffer, options: RowOptions): string[][] {
  try {
    return parseRows(body, options)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Error(
      error.code === 'CSV_QUOTE_NOT_CLOSED'
        ? `a quote is opened and never closed (line ${error.lines} is the last)`
        : `its rows cannot be read: ${error.code}`,
      { cause: error },
    )
  }
}

const parseRows = (body: Buffer, { delimiter, quote, only, onRecord }: RowOptions): string[][] =>
  parse(body, {
    delimiter,
    quote,
    escape: quote,
    relax_quotes: true,
    relax_column_count: true,
    max_record_size: ROW_LIMIT,
    ...(only !== undefined && { to: only }),
    ...(onRecord && {
      on_record: (cells: string[]) => {
        onRecord(cells)
        return null
      },
    }),
  }) as unknown as string[][]

/** Most names in a line of the summary. */
const MOST_NAMED = 500

/** The cells of some columns, as fields by column name; several columns with one name become a list of non-empty cells. */
export class Cells {
  readonly #names: string[]
  readonly #known: ReadonlySet<number>
  readonly #unknown = new Map<string, number>()

  /**
   * Takes the header of the table.
   * @param known the columns with a field here: the others count for {@link note}
   */
  constructor(header: readonly string[], known: Iterable<number>) {
    this.#names = header.map((name, index) => keyOf(name, index))
    this.#known = new Set(known)
  }

  /** The line of the summary with the columns without a field here, and their numbers of cells. */
  note(format: string): string[] {
    const named = [...this.#unknown].map(
      ([name, count]) => `${name.replace(/\s+/g, ' ').slice(0, 60).toWellFormed()} ${count}`,
    )
    if (named.length === 0) return []
    const more = named.length > MOST_NAMED ? `, and ${named.length - MOST_NAMED} more` : ''
    return [
      `columns without a field here ${named.length} (cells kept in metadata.${format}): ${named.slice(0, MOST_NAMED).join(', ')}${more}`,
    ]
  }

  /**
   * The non-empty cells of a row, except those of the named columns. Cells beyond the header are named by position.
   */
  rest(cells: readonly string[], used: ReadonlySet<number>): JsonObject {
    return this.pick(
      cells,
      [...cells.keys()].filter((index) => !used.has(index)),
    )
  }

  /** The non-empty cells at the given positions. */
  pick(cells: readonly string[], places: readonly number[]): JsonObject {
    const fields = new Map<string, string[]>()
    for (const index of places) {
      const cell = cells[index] ?? ''
      if (cell === '') continue
      const name = this.#names[index] ?? keyOf('', index)
      if (!this.#known.has(index)) this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + 1)
      const before = fields.get(name)
      if (before) before.push(cell.toWellFormed())
      else fields.set(name, [cell.toWellFormed()])
    }
    return Object.fromEntries(
      [...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
    )
  }
}

/** Keys must not reach a prototype. */
const keyOf = (name: string, index: number): string =>
  name === '' ? `column ${index + 1}` : name === '__proto__' ? '(__proto__)' : name.toWellFormed()
