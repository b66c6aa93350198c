/** Reads a file to import. */
import { readFileSync } from 'node:fs'
import { isTimeZone } from '../../time-zones.ts'
import { dayIn } from './days.ts'
import { FORMATS, type Format } from './formats.ts'
import { mergeLabels } from './merge-labels.ts'
import type { ReadingOptions, SourceBoard } from './source-board.ts'
import { openSource } from './source-files.ts'
import { notOfFormat, recognise } from './source-formats.ts'
import { TooLarge } from './source-limits.ts'

const READ_FAILURES = new Map([
  ['ENOENT', 'there is no such file'],
  ['EISDIR', 'it is a directory'],
  ['EACCES', 'permission denied'],
])

function whyUnreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return READ_FAILURES.get(code ?? '') ?? message
}

/** The bytes of a file. @throws Error with one clear line if it cannot be read */
function readBytes(file: string, name = file): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new Error(`cannot read ${name}: ${whyUnreadable(error)}`, { cause: error })
  }
}

/** @throws Error with one clear line: the file has another format, or is too large, with the reason */
function throwMisread(error: unknown, format: Format | undefined, name: string): never {
  const why = error instanceof Error ? error.message : String(error)
  if (error instanceof TooLarge || format === undefined)
    throw new Error(`cannot import ${name}: ${why}`, { cause: error })
  throw new Error(`${name} is not ${format.what}: ${why}`, { cause: error })
}

/** What to read, and how. */
export interface SourceOptions extends Pick<ReadingOptions, 'columns'> {
  /** The name of its format; without one, the file tells. */
  format?: string | undefined
  /** The time zone in which midnight is a day: an instant at midnight there becomes that day. */
  timeZone?: string | undefined
}

/**
 * Reads the bytes of a file.
 * @param name of the file
 * @throws Error with a brief reason for another format
 */
export async function readBoard(
  packed: Uint8Array,
  name: string,
  { format, columns = [], timeZone }: SourceOptions,
): Promise<SourceBoard> {
  const wanted = format === undefined ? undefined : FORMATS[format]
  const { file, ...opened } = await openSource(packed, name, wanted?.levels)
  const found = recognise(file, opened.name)
  // A table of whatever tool, whose columns are named.
  const isNamed = file.kind === 'table' && columns.length > 0 && (format ?? 'csv') === 'csv'
  if (columns.length > 0 && !isNamed) throw new Error('only columns of a table (csv) can be named')
  const isTable = found === undefined && file.kind === 'table'
  const chosen = format ?? (isNamed || isTable ? 'csv' : found?.format)
  if (chosen === undefined) throw new Error('it is of no tool that is known here: see docs/importing.md')
  const { accepts, from, expected = from, load } = FORMATS[chosen] as Format
  if (chosen !== found?.format && !isNamed && !accepts?.(file, found?.format))
    throw notOfFormat(file, found, expected)
  const read = await load()
  const board = mergeLabels(await read(file, { ...opened, columns }))
  if (timeZone === undefined) return board
  if (!isTimeZone(timeZone)) throw new Error(`there is no time zone ${timeZone}`)
  for (const card of board.cards) card.dueDate &&= dayIn(card.dueDate, timeZone)
  return board
}

/**
 * Reads a file.
 * @param name of the file, for messages and the name of the board
 * @throws Error with one clear line if it cannot be read or has another format
 */
export async function readSource(file: string, name: string, options: SourceOptions): Promise<SourceBoard> {
  const bytes = readBytes(file, name)
  try {
    return await readBoard(bytes, name, options)
  } catch (error) {
    throwMisread(error, options.format === undefined ? undefined : FORMATS[options.format], name)
  }
}
