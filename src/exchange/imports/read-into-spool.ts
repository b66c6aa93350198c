/** The work of the reader process. */
import { statSync } from 'node:fs'
import { readSource, type SourceOptions } from '../sources/read-source.ts'
import { TooLarge } from '../sources/source-limits.ts'
import { lineOf } from './failures.ts'
import { rowsOfBoard } from './import-board.ts'
import { spoolBoard, spoolError } from './spool.ts'

/** The file to read. */
export interface ReaderTask extends SourceOptions {
  /** The path of the file. */
  file: string
  /** Its name in messages. */
  name: string
  /** The name of the project, instead of the board's. */
  projectName?: string | undefined
  /** Maximum number of records of one import. */
  records: number
}

/**
 * Limit of the created records in bytes: a base, and a multiple of the file's size. Otherwise data that a file has once, but
 * that is copied to each card that refers to it, could fill the disk.
 */
const MIB = 1024 * 1024
const bytesOfRecords = (bytesOfFile: number) => Math.min(128 * MIB + 8 * bytesOfFile, 1024 * MIB)

/**
 * Reads a file into a spool: all rows, or the error.
 * @param descriptor of the spool
 */
export async function readIntoSpool(
  { file, name, projectName, records, ...options }: ReaderTask,
  descriptor: number,
): Promise<void> {
  try {
    const board = await readSource(file, name, options)
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
