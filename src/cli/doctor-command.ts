/** `doctor`. */
import type { Checkpoints } from '../db/client.ts'
import { backUp } from '../exchange/copies/backup.ts'
import { type Diagnosis, examine, isHealthy, needsRepair, repair } from '../maintenance/doctor.ts'
import { createProgress } from './progress.ts'
import { say } from './terminal.ts'

interface DoctorOptions {
  deep?: true
  fix?: true
  backup: boolean
  json?: true
}

const COLUMN = 15

const MEGABYTE = 1_048_576

function lineOf({ check, status, holds, count, examples, note }: Diagnosis): string {
  const state = status === 'ok' || status === 'failed' ? status : `${status} ${count}`
  const more = status === 'ok' ? holds : [examples.join('; '), note].filter(Boolean).join(': ')
  return `${check.padEnd(COLUMN)}${state.padEnd(COLUMN)}${more}`
}

/** Backs up the database before a repair. @returns the path of the backup */
async function backUpFirst(path: string): Promise<string> {
  const file = `${path}.before-fix-${new Date().toISOString().replaceAll(':', '-')}`
  try {
    await backUp(path, file, { onProgress: () => undefined })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason}: nothing was repaired. Stop the service, copy the file, then use --no-backup`)
  }
  return file
}

/**
 * Checks the database and prints a line for each check.
 * @param path the database
 * @param checkpoints which process runs them
 * @returns whether all checks passed
 */
export async function runDoctor(
  path: string,
  { deep, fix, backup, json }: DoctorOptions,
  checkpoints: Checkpoints,
): Promise<boolean> {
  const showsAtOnce = !json && !fix
  const progress = createProgress(process.stdout, 'reading', 'MB of files')
  const inMegabytes = (done: number, total: number) =>
    progress.update(Math.floor(done / MEGABYTE), Math.ceil(total / MEGABYTE))
  let diagnoses = examine(path, {
    isDeep: deep,
    onDiagnosis: (diagnosis) => {
      progress.stop()
      if (showsAtOnce) say(lineOf(diagnosis))
    },
    onProgress: json ? undefined : inMegabytes,
  })
  let saved: string | undefined
  if (fix && needsRepair(diagnoses)) {
    if (backup) saved = await backUpFirst(path)
    diagnoses = repair(path, diagnoses, checkpoints)
  }
  const isWell = isHealthy(diagnoses)
  if (json) {
    process.stdout.write(
      `${JSON.stringify({ database: path, healthy: isWell, backup: saved, checks: diagnoses }, null, 2)}\n`,
    )
    return isWell
  }
  if (!showsAtOnce) for (const diagnosis of diagnoses) say(lineOf(diagnosis))
  if (saved !== undefined) say(`the backup of the database is ${saved}`)
  return isWell
}
