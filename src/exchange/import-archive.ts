/** Importing an archive: it is checked as a whole first, and then written, everything or nothing. */
import SQLite from 'better-sqlite3'
import type { SharedDatabase } from '../db/client.ts'
import { type ArchiveFacts, gather, noFacts } from './archive-facts.ts'
import { ArchiveRefused, type FileToRead } from './archive-manifest.ts'
import { type ArchivePlan, planArchive } from './archive-plan.ts'
import { openArchive } from './archive-source.ts'
import { CHANGES_FILE } from './archive-tables.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { type OpenArchive, readFile, readHead, type Visit } from './read-archive.ts'

/** Files that are named in a refusal, at most. */
const NAMED = 5

/** Options of an import. */
export interface ArchiveImportOptions {
  /** Take members of the same email for the same people. */
  mapMembers?: boolean | undefined
  /** Check all of it, and write nothing. */
  dryRun?: boolean | undefined
  /** Called before the first record and after each part, with the number of records done and to do: checked is half done. */
  onProgress: (done: number, total: number) => void
  /** Aborts it. */
  signal?: AbortSignal | undefined
}

/** What an import has written, or would write. */
export interface ImportedArchive {
  plan: ArchivePlan
  /** Records, by file. */
  counts: ReadonlyMap<string, number>
  /** Records that point at others that do not exist. */
  orphans: number
}

/** Counts the records of a file that are in the database already. */
function counter(client: SQLite.Database, { fields, table }: FileToRead, found: () => void): Visit {
  const places = table.key.map((name) => fields.findIndex((field) => field.name === name))
  const conditions = places.map((place) => `"${fields[place]?.column}" = ?`).join(' and ')
  const one = client.prepare(`select 1 from ${table.table} where ${conditions}`)
  return (values) => {
    const key = places.map((place) => values[place])
    // Text that is no UTF-8 is left to the write itself, which fails if it is there.
    if (one.get(...key.map((value) => (Object(value) === value ? null : value))) !== undefined) found()
  }
}

/** @throws ArchiveRefused where records are there already */
function refuseKnown(found: ReadonlyMap<string, number>): void {
  const total = [...found.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return
  const named = [...found].filter(([, count]) => count > 0).map(([name, count]) => `${count} in ${name}`)
  const more = named.length > NAMED ? ', ...' : ''
  throw new ArchiveRefused(
    `${total} of its records are here already: ${named.slice(0, NAMED).join(', ')}${more}`,
  )
}

/** Checks all of an archive, and plans how it is written. @throws ArchiveRefused */
async function check(
  archive: OpenArchive,
  client: SQLite.Database | undefined,
  { mapMembers = false }: ArchiveImportOptions,
  onRecords: (count: number) => void,
): Promise<{ facts: ArchiveFacts; plan: ArchivePlan }> {
  const facts = noFacts()
  const found = new Map<string, number>()
  for (const of of archive.files) {
    const { name } = of.file
    const gathered = gather(of, facts)
    const counted =
      client && !gathered ? counter(client, of, () => found.set(name, (found.get(name) ?? 0) + 1)) : undefined
    const visit: Visit = (values) => {
      gathered?.(values)
      counted?.(values)
    }
    await readFile(archive, of, visit, onRecords)
  }
  if (facts.last !== archive.manifest.lastSeq)
    throw new ArchiveRefused('its last change is not the one it names')
  const plan = planArchive(client, facts, mapMembers)
  refuseKnown(found)
  return { facts, plan }
}

/** Runs work as one write transaction, also over turns of the event loop: the connection does nothing else meanwhile. */
async function inTransaction(client: SQLite.Database, work: () => Promise<void>): Promise<void> {
  client.exec('begin immediate')
  try {
    await work()
    client.exec('commit')
  } catch (error) {
    if (client.inTransaction) client.exec('rollback')
    if (error instanceof SQLite.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT')) {
      throw new ArchiveRefused(`it does not fit what is here: ${error.message}`, { cause: error })
    }
    throw error
  }
}

const isSame = (one: ArchivePlan, other: ArchivePlan) =>
  one.kind === other.kind && one.lastSeq === other.lastSeq && one.admin?.id === other.admin?.id

async function write(
  archive: OpenArchive,
  client: SQLite.Database,
  { facts, plan }: { facts: ArchiveFacts; plan: ArchivePlan },
  { mapMembers = false, signal }: ArchiveImportOptions,
  onRecords: (count: number) => void,
): Promise<void> {
  // Among other records it must refer to none that is not its own; alone it is what it was, orphans included.
  client.pragma(`foreign_keys = ${plan.kind === 'beside' && plan.admin === undefined ? 'on' : 'off'}`)
  try {
    await inTransaction(client, async () => {
      if (!isSame(plan, planArchive(client, facts, mapMembers))) {
        throw new Error('somebody else has written to the database meanwhile: try again')
      }
      const writer = new ArchiveWriter(client, plan, facts)
      // A team comes after its members.
      client.pragma('defer_foreign_keys = on')
      writer.begin()
      for (const of of archive.files) {
        signal?.throwIfAborted()
        await readFile(archive, of, writer.file(of), onRecords)
      }
      writer.end()
    })
  } finally {
    client.pragma('foreign_keys = on')
  }
}

/**
 * Imports an archive, everything or nothing.
 * @param db the database; undefined for a dry run where there is none yet
 * @param path a folder, or a zip file
 * @throws Error that says why it is refused, in one line: then nothing has changed
 */
export async function importArchive(
  db: SharedDatabase | undefined,
  path: string,
  options: ArchiveImportOptions,
): Promise<ImportedArchive> {
  const source = await openArchive(path)
  try {
    const archive = await readHead(source)
    const client = db?.$client
    const counts = new Map(archive.files.map(({ file }) => [file.name, file.records]))
    const records = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const readings = options.dryRun ? 1 : 2
    let done = 0
    const onRecords = (count: number) => {
      options.signal?.throwIfAborted()
      done += count
      options.onProgress(Math.floor(done / readings), records)
    }
    options.onProgress(0, records)
    const checked = await check(archive, client, options, onRecords)
    if (options.dryRun || client === undefined) return { plan: checked.plan, counts, orphans: 0 }
    await write(archive, client, checked, options, onRecords)
    const orphans =
      checked.plan.kind === 'whole' ? (client.pragma('foreign_key_check') as unknown[]).length : 0
    return { plan: checked.plan, counts, orphans }
  } finally {
    source.close()
  }
}

/** The summary of an import, in lines. @param isDryRun whether nothing was written */
export function describeArchive({ plan, counts, orphans }: ImportedArchive, isDryRun = false): string[] {
  const changes = counts.get(CHANGES_FILE) ?? 0
  const brought = (counts.get('members.jsonl') ?? 0) - plan.known.size
  const heir = plan.admin?.heirId
  return [
    ...[...counts]
      .filter(([name, count]) => count > 0 && name !== CHANGES_FILE)
      .map(([name, count]) => `${name.replace('.jsonl', '').replaceAll('-', ' ')} ${count}`),
    plan.kind === 'whole'
      ? `history ${changes} changes, numbered as they were`
      : `history ${changes} changes, after the ${plan.lastSeq} that are here`,
    ...(plan.known.size > 0 ? [`${plan.known.size} members were here already, and stay as they are`] : []),
    ...(heir === undefined
      ? []
      : ['the admin who was here is that of the archive now, with the same password']),
    ...(brought > (heir === undefined ? 0 : 1)
      ? ['members have no password here: phaseboard member reset-password <email> gives them one']
      : []),
    ...(orphans > 0 ? [`${orphans} records point at others that do not exist, as they did`] : []),
    ...(isDryRun ? ['nothing was written: this was a dry run'] : []),
  ]
}
