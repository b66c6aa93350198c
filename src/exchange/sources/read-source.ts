/** Reads a file to import. */
import { readFileSync } from 'node:fs'
import type { Format } from './formats.ts'
import type { SourceBoard } from './source-board.ts'
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
function throwMisread(error: unknown, { what }: Pick<Format, 'what'>, name: string): never {
  const why = error instanceof Error ? error.message : String(error)
  if (error instanceof TooLarge) throw new Error(`cannot import ${name}: ${why}`, { cause: error })
  throw new Error(`${name} is not ${what}: ${why}`, { cause: error })
}

/**
 * Reads a file of a format.
 * @param name of the file, for messages and the name of the board
 * @throws Error with one clear line if it cannot be read or has another format
 */
export async function readSource(format: Format, file: string, name: string): Promise<SourceBoard> {
  const bytes = readBytes(file, name)
  const read = await format.load()
  try {
    return await read(bytes, name)
  } catch (error) {
    throwMisread(error, format, name)
  }
}
