/** A database file that several tests start from. Copying it takes a fraction of the time of filling it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openDatabase, type SharedDatabase } from '../src/db/client.ts'

/**
 * @param t the file's test
 * @param fill fills it
 * @returns a function that makes a copy in the folder of a test, and returns its path
 */
export function prepareFile(t: Test, fill: (db: SharedDatabase) => void): (t: Test) => string {
  const prepared = join(t.testdir(), 'prepared.db')
  const { db, close } = openDatabase(prepared)
  fill(db)
  db.$client.pragma('wal_checkpoint(truncate)')
  close()
  const bytes = readFileSync(prepared)
  return (test) => {
    const path = join(test.testdir(), 'board.db')
    writeFileSync(path, bytes)
    return path
  }
}
