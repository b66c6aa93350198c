/**
 * The rows of an import, passed from the process that reads a file to the one that writes them: an unnamed file with a line of
 * JSON for each. The writer holds one row at a time.
 */
import { fstatSync, ftruncateSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { getTableName } from 'drizzle-orm'
import {
  attachments,
  kanbanColumns,
  kanbanComments,
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
} from '../../db/schema.ts'
import { TooLarge } from '../sources/source-limits.ts'
import type { BoardFacts, BoardRows } from './import-board.ts'
import type { PlannedRows } from './import-plan.ts'

/** Bytes written or read at a time. */
const CHUNK = 256 * 1024

/** Digits of the last line's position, which is in the first line. */
const PLACE_DIGITS = 16

const NEWLINE = 0x0a

const TABLES: ReadonlyMap<string, PlannedRows['table']> = new Map(
  [
    kanbanColumns,
    kanbanLabels,
    kanbanItems,
    kanbanItemLabels,
    kanbanSubtasks,
    kanbanComments,
    attachments,
  ].map((table) => [getTableName(table), table] as const),
)

/** A range of lines of a spool. */
interface Section {
  begin: number
  end: number
}

/** The last line: data that exists once. */
interface Contents {
  facts: BoardFacts
  projectIds: readonly string[]
  projects: BoardRows['projects']
  cardIds: Section
  tables: (Section & { name: string; count: number })[]
}

/** The result of reading: everything in the spool, or an error in one clear line. */
type Outcome = { contents: Contents } | { error: string }

/**
 * Creates a spool: an unlinked file, which disappears with the last process that has it open, however it ends.
 * @param path of the file until it is unlinked; beside the source file, on a disk with free space
 * @returns its descriptor
 */
export function createSpool(path: string): number {
  const descriptor = openSync(path, 'wx+', 0o600)
  rmSync(path, { force: true })
  return descriptor
}

class LineWriter {
  readonly #descriptor: number
  readonly #most: number
  #chunk: string[] = []
  #length = 0
  #written = 0

  constructor(descriptor: number, most: number) {
    this.#descriptor = descriptor
    this.#most = most
  }

  /** The position of the next line, in bytes. */
  place(): number {
    this.flush()
    return this.#written
  }

  /** @throws TooLarge if the spool would exceed its limit */
  add(line: string): void {
    this.#chunk.push(line, '\n')
    this.#length += line.length
    if (this.#length >= CHUNK) this.flush()
  }

  flush(): void {
    const bytes = Buffer.from(this.#chunk.join(''))
    this.#chunk = []
    this.#length = 0
    this.#written += bytes.length
    if (this.#written > this.#most) {
      throw new TooLarge(`it would create more than ${Math.floor(this.#most / 1024 / 1024)} MiB of records`)
    }
    writeAll(this.#descriptor, bytes, this.#written - bytes.length)
  }
}

function writeAll(descriptor: number, bytes: Buffer, place: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(descriptor, bytes, done, bytes.length - done, place + done)
  }
}

function section(lines: LineWriter, values: Iterable<unknown>): Section {
  const begin = lines.place()
  for (const value of values) lines.add(JSON.stringify(value))
  return { begin, end: lines.place() }
}

/** The first line, of fixed length. */
const firstLine = (place: number) => `${String(place).padStart(PLACE_DIGITS, '0')}\n`

/** Writes the result of reading at the end. */
function conclude(descriptor: number, place: number, outcome: Outcome): void {
  writeAll(descriptor, Buffer.from(`${JSON.stringify(outcome)}\n`), place)
  // Last, so that a partial spool is never taken for a complete one.
  writeAll(descriptor, Buffer.from(firstLine(place)), 0)
}

/**
 * Writes all rows of a board to a spool.
 * @param most size limit in bytes
 * @throws TooLarge
 */
export function spoolBoard(
  descriptor: number,
  { rows, facts }: { rows: BoardRows; facts: BoardFacts },
  most: number,
): void {
  const lines = new LineWriter(descriptor, most)
  lines.add(firstLine(0).trimEnd())
  const { projectIds, projects } = rows
  const tables = rows.tables.map(({ table, count, rows }) => ({
    name: getTableName(table),
    count,
    ...section(lines, rows()),
  }))
  const cardIds = section(lines, rows.cardIds())
  const contents = { facts, projectIds, projects, cardIds, tables }
  conclude(descriptor, lines.place(), { contents })
}

/** Replaces the contents of a spool by an error, since the disk may be full. */
export function spoolError(descriptor: number, error: string): void {
  ftruncateSync(descriptor)
  conclude(descriptor, firstLine(0).length, { error })
}

function* linesOf(descriptor: number, { begin, end }: Section): Generator<string> {
  const buffer = Buffer.allocUnsafe(CHUNK)
  let parts: Buffer[] = []
  for (let place = begin; place < end; ) {
    const bytes = buffer.subarray(0, readSync(descriptor, buffer, 0, Math.min(CHUNK, end - place), place))
    if (bytes.length === 0) throw new Error('the spool of an import was cut off')
    place += bytes.length
    let from = 0
    for (let to = bytes.indexOf(NEWLINE); to >= 0; to = bytes.indexOf(NEWLINE, from)) {
      parts.push(bytes.subarray(from, to))
      yield Buffer.concat(parts).toString()
      parts = []
      from = to + 1
    }
    // The buffer is reused.
    parts.push(Buffer.from(bytes.subarray(from)))
  }
}

/** The values of a section's lines. */
function* valuesOf<T extends object>(descriptor: number, section: Section): Generator<T> {
  for (const line of linesOf(descriptor, section)) yield JSON.parse(line)
}

/**
 * The contents of a spool; undefined if reading did not finish. It stays open while its rows are read.
 * @throws Error with the error line of the reader
 */
export function readSpool(descriptor: number): { rows: BoardRows; facts: BoardFacts } | undefined {
  const end = fstatSync(descriptor).size
  if (end <= PLACE_DIGITS) return undefined
  const [place = ''] = linesOf(descriptor, { begin: 0, end: PLACE_DIGITS + 1 })
  if (Number(place) === 0) return undefined
  const [last = ''] = linesOf(descriptor, { begin: Number(place), end })
  const outcome: Outcome = JSON.parse(last)
  if ('error' in outcome) throw new Error(outcome.error)
  const { facts, projectIds, projects, cardIds, tables } = outcome.contents
  return {
    facts,
    rows: {
      projectIds,
      projects,
      cardIds: () => valuesOf(descriptor, cardIds),
      tables: tables.map(
        ({ name, count, ...lines }): PlannedRows => ({
          table: TABLES.get(name) as PlannedRows['table'],
          count,
          rows: () => valuesOf(descriptor, lines),
        }),
      ),
    },
  }
}
