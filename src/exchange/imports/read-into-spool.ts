/** What the reader's process does. */
import { statSync } from 'node:fs'
import { FORMATS, type Format } from '../sources/formats.ts'
import { readSource } from '../sources/read-source.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { lineOf } from './failures.ts'
import { rowsOfBoard } from './import-board.ts'
import { spoolBoard, spoolError } from './spool.ts'

/** What is to be read. */
export interface ReaderTask {
  format: string
  /** Where the file is. */
  file: string
  /** What it is called in messages. */
  name: string
  /** What the project is called, in place of the board's own name. */
  projectName?: string | undefined
  /** Records that one import may make. */
  records: number
}

/**
 * Bytes of records that a file may make: some, and a multiple of its own. What a file says once, and what is put with each
 * card that refers to it, would otherwise fill the disk.
 */
const MIB = 1024 * 1024
const bytesOfRecords = (bytesOfFile: number) => Math.min(128 * MIB + 8 * bytesOfFile, 1024 * MIB)

/**
 * Reads a file into a spool: all rows that it would make, or why there are none.
 * @param descriptor of the spool
 */
export async function readIntoSpool(
  { format, file, name, projectName, records }: ReaderTask,
  descriptor: number,
): Promise<void> {
  try {
    const board = await readSource(FORMATS[format] as Format, file, name)
    try {
      spoolBoard(
        descriptor,
        rowsOfBoard(board, { records, name: projectName }),
        bytesOfRecords(statSync(file).size),
      )
    } catch (error) {
      throw error instanceof TooLarge ? new Error(`cannot import ${name}: ${error.message}`) : error
    }
  } catch (error) {
    spoolError(descriptor, lineOf(error))
  }
}
