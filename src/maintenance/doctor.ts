/** The doctor: checks a database, even beside a running service, and makes safe repairs. */
import { existsSync } from 'node:fs'
import SQLite from 'better-sqlite3'
import { BUSY_TIMEOUT, type Checkpoints, describe, isDamage, openDatabase, writeAs } from '../db/client.ts'
import { BY_COMMAND } from '../db/current-write.ts'
import { COMPANIONS } from '../db/files.ts'
import { refuseForeignTables } from '../db/migrations.ts'
import { StartupError } from '../errors.ts'
import { BOARD_CHECKS } from './board-checks.ts'
import type { Check, Finding, Subject } from './checks.ts'
import { CONTENT_CHECKS, DEEP_CONTENT_CHECKS } from './content-checks.ts'
import { damageIn, FILE_CHECKS, integrity } from './file-checks.ts'
import { LEFTOVER_CHECKS } from './leftover-checks.ts'
import { MAIL_CHECKS } from './mail-checks.ts'
import { PEOPLE_CHECKS } from './people-checks.ts'
import { SEARCH_CHECKS } from './search-checks.ts'
import { SEQUENCE_CHECKS } from './sequence-checks.ts'
import { VALUE_CHECKS } from './value-checks.ts'

/** All checks, in order: later ones rely on earlier ones. */
export const CHECKS: readonly Check[] = [
  ...FILE_CHECKS,
  ...SEARCH_CHECKS,
  ...BOARD_CHECKS,
  ...PEOPLE_CHECKS,
  ...SEQUENCE_CHECKS,
  ...VALUE_CHECKS,
  ...MAIL_CHECKS,
  ...CONTENT_CHECKS,
  ...LEFTOVER_CHECKS,
]

/** Checks that read all bytes of files. */
const DEEP_CHECKS = DEEP_CONTENT_CHECKS

/** The result of a check. `failed`: it could not be made. */
export interface Diagnosis {
  check: string
  status: 'ok' | 'found' | 'fixed' | 'failed'
  /** The property that holds if all is well. */
  holds: string
  count: number
  examples: string[]
  /** The repair, or advice; absent without findings. */
  note?: string
}

/** Whether all checks pass now. */
export const isHealthy = (diagnoses: readonly Diagnosis[]): boolean =>
  diagnoses.every(({ status }) => status === 'ok' || status === 'fixed')

/**
 * Opens a database without changing anything. A read-only connection never runs a checkpoint; without a log there
 * is nothing to write.
 * @throws StartupError if it cannot be opened, is no Phaseboard database, or of a newer version; SqliteError if it is damaged
 */
function openToLook(path: string): SQLite.Database {
  const hasLog = COMPANIONS.some((suffix) => existsSync(path + suffix))
  let client: SQLite.Database | undefined
  try {
    client = new SQLite(path, { readonly: hasLog, fileMustExist: true, timeout: BUSY_TIMEOUT })
    client.pragma('query_only = on')
    refuseForeignTables(client, `the database ${path}`)
    return client
  } catch (error) {
    client?.close()
    if (error instanceof StartupError || isDamage(error)) throw error
    throw new StartupError(`cannot open the database ${path}: ${describe(error)}`, { cause: error })
  }
}

/** The diagnosis of a file that is too damaged to be opened. @throws the error, if it is another one */
function diagnoseUnopened(error: unknown): Diagnosis {
  const { name: check, holds, advice: note } = integrity
  return { check, status: 'found', holds, ...damageIn(error), note }
}

function diagnose({ name, holds, advice, find }: Check, subject: Subject): Diagnosis {
  const about = { check: name, holds }
  try {
    const { count, examples }: Finding = find(subject)
    if (count === 0) return { ...about, status: 'ok', count, examples }
    return { ...about, status: 'found', count, examples, note: advice }
  } catch (error) {
    return {
      ...about,
      status: 'failed',
      count: 0,
      examples: [],
      note: `could not be checked: ${describe(error)}`,
    }
  }
}

/**
 * Runs checks in one read transaction, so that all of them see the same state of the file. Between two states, records and what belongs to
 * them would seem to be missing; and FTS5's own check reads the index by a list of segments that it remembers from its last read, which another
 * process may have merged since.
 */
function inOneSnapshot<T>(client: SQLite.Database, work: () => T): T {
  client.exec('begin')
  try {
    return work()
  } finally {
    // Some errors, such as one of the disk, have ended it.
    if (client.inTransaction) client.exec('rollback')
  }
}

/** The examined database, and the receiver of results. */
interface Examination {
  /** Whether all bytes of files are read, too. */
  isDeep?: boolean | undefined
  /** Called with each result. */
  onDiagnosis?: (diagnosis: Diagnosis) => void
  /** Called with the number of read and all bytes of files. */
  onProgress?: ((done: number, total: number) => void) | undefined
}

/**
 * Runs all checks in order; of a file that is too damaged to be opened, only the first.
 * @param path the database, which must exist
 * @throws StartupError if it cannot be opened, is no Phaseboard database, or of a newer version
 */
export function examine(
  path: string,
  { isDeep = false, onDiagnosis = () => undefined, onProgress }: Examination = {},
): Diagnosis[] {
  let client: SQLite.Database
  try {
    client = openToLook(path)
  } catch (error) {
    const diagnosis = diagnoseUnopened(error)
    onDiagnosis(diagnosis)
    return [diagnosis]
  }
  const diagnoseBy = (check: Check) => {
    const diagnosis = diagnose(check, { client, path, onProgress })
    onDiagnosis(diagnosis)
    return diagnosis
  }
  try {
    const diagnoses = inOneSnapshot(client, () => CHECKS.map(diagnoseBy))
    // These may take minutes, and each chunk is a read of its own: the log would grow meanwhile.
    return isDeep ? [...diagnoses, ...DEEP_CHECKS.map(diagnoseBy)] : diagnoses
  } finally {
    client.close()
  }
}

/** Whether a finding can be repaired. */
const isRepairable = ({ check, status }: Diagnosis): boolean =>
  status === 'found' && CHECKS.some(({ name, fix }) => name === check && fix !== undefined)

/** Whether there is something to repair. A damaged file gets worse with every write, so nothing is. */
export const needsRepair = (diagnoses: readonly Diagnosis[]): boolean =>
  diagnoses.some(isRepairable) &&
  diagnoses.every(({ check, status }) => check !== integrity.name || status === 'ok')

/**
 * Repairs the findings, each check's in one transaction, and checks again. The sequence of changes records the repairs.
 * If the file itself is damaged, nothing is repaired.
 * @param path the database; it is migrated as at startup
 * @param diagnoses the findings
 * @param checkpoints which process runs them
 * @returns the diagnoses after the repair
 */
export function repair(
  path: string,
  diagnoses: readonly Diagnosis[],
  checkpoints?: Checkpoints,
): Diagnosis[] {
  if (!needsRepair(diagnoses)) return [...diagnoses]
  /** What each repair has done, or its error. */
  const repairs = new Map<string, { done: string } | { error: unknown }>()
  const { db, close } = openDatabase(path, checkpoints)
  try {
    for (const { name, fix } of CHECKS) {
      if (fix === undefined || !diagnoses.some((one) => one.check === name && isRepairable(one))) continue
      try {
        const subject: Subject = { client: db.$client, path }
        repairs.set(name, { done: writeAs(db, BY_COMMAND, () => fix(db, subject)).value })
      } catch (error) {
        repairs.set(name, { error })
      }
    }
  } finally {
    close()
  }
  const client = openToLook(path)
  try {
    return inOneSnapshot(client, () =>
      diagnoses.map((diagnosis) => {
        const repair = repairs.get(diagnosis.check)
        const check = CHECKS.find(({ name }) => name === diagnosis.check)
        if (repair === undefined || check === undefined) return diagnosis
        if ('error' in repair)
          return { ...diagnosis, note: `could not be repaired: ${describe(repair.error)}` }
        const after = diagnose(check, { client, path })
        if (after.status !== 'ok') return { ...after, note: `${repair.done}; still: ${after.note}` }
        return { ...diagnosis, status: 'fixed', note: repair.done }
      }),
    )
  } finally {
    client.close()
  }
}
