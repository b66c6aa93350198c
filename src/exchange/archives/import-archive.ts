/** Imports an archive: checks all of it first, and then writes it, everything or nothing. */
import type SQLite from 'better-sqlite3'
import { addAllTimes } from '../../attention/item-times.ts'
import { CardNumbers } from '../../board/card-numbers.ts'
import type { SharedDatabase } from '../../db/client.ts'
import { isConstraint } from '../../db/constraints.ts'
import type { DatabaseFiles } from '../../db/files.ts'
import { markQuiet } from '../../db/quiet-changes.ts'
import { indexSearch } from '../../db/search-index.ts'
import { type Steps, type WholeWrite, writeWhole } from '../../db/whole-write.ts'
import type { Counts } from '../imports/import-plan.ts'
import {
  type CheckedContent,
  checkContents,
  holdContents,
  type WrittenContents,
  writeContents,
} from './archive-contents.ts'
import { type ArchiveFacts, gather, MEMBERS_FILE, noFacts, PEOPLE_FILE, placesOf } from './archive-facts.ts'
import type { StoredValue } from './archive-lines.ts'
import { ArchiveRefused, type FileToRead } from './archive-manifest.ts'
import { type ArchivePlan, planArchive } from './archive-plan.ts'
import { ArchiveReferences } from './archive-references.ts'
import { openArchive } from './archive-source.ts'
import { CHANGES_FILE } from './archive-tables.ts'
import { ArchiveWriter } from './archive-writer.ts'
import { type OpenArchive, readFile, readHead, type Visit } from './read-archive.ts'

/** Largest archive for an in-memory database, in bytes; it is held in memory. */
const HELD_LIMIT = 128 * 1024 * 1024

/** Most files named in a refusal. */
const NAMED = 5

export interface ArchiveImportOptions {
  /** Match members by email. */
  mapMembers?: boolean | undefined
  /** Check all of it, and write nothing. */
  dryRun?: boolean | undefined
  /** The actor of additional "created" changes; none by default. */
  actorId?: string | null
  /** The most bytes of all files of the database together; unlimited by default. */
  attachmentsTotal?: number | undefined
  /** Called before the first record and after each part, with the number of records done and to do: checking counts half. */
  onProgress: (done: number, total: number) => void
  /** Called after the check: other uses of the connection must have ended once it resolves. */
  onChecked?: () => Promise<void>
  /** Called at the end of the transaction: an error rolls back everything. */
  whenWritten?: (imported: ImportedArchive) => void
  /** The files of the database. */
  files?: DatabaseFiles | undefined
  signal?: AbortSignal | undefined
}

/** The result of an import or dry run. */
export interface ImportedArchive {
  plan: ArchivePlan
  /** Records, by file. */
  counts: ReadonlyMap<string, number>
  /** Orphaned records. */
  orphans: number
}

/** Counts the records of a file that already exist in the database. */
function counter(client: SQLite.Database, of: FileToRead, found: () => void): Visit {
  const { fields, table } = of
  const places = placesOf(of, table.key)
  const conditions = places.map((place) => `"${fields[place]?.column}" = ?`).join(' and ')
  const one = client.prepare(`select 1 from ${table.table} where ${conditions}`)
  return (values) => {
    const key = places.map((place) => values[place])
    // Invalid UTF-8 is left to the write itself, which fails if the record exists.
    if (one.get(...key.map((value) => (Object(value) === value ? null : value))) !== undefined) found()
  }
}

/** @throws ArchiveRefused if records already exist */
function refuseKnown(found: ReadonlyMap<string, number>): void {
  const total = [...found.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return
  const named = [...found].filter(([, count]) => count > 0).map(([name, count]) => `${count} in ${name}`)
  const more = named.length > NAMED ? ', ...' : ''
  throw new ArchiveRefused(
    `${total} of its records already exist here: ${named.slice(0, NAMED).join(', ')}${more}`,
  )
}

/** A checked archive, and its plan. */
interface Checked {
  facts: ArchiveFacts
  plan: ArchivePlan
  counts: ReadonlyMap<string, number>
}

/** Checks all of an archive, and plans the write. @throws ArchiveRefused */
async function check(
  archive: OpenArchive,
  client: SQLite.Database | undefined,
  { mapMembers = false }: ArchiveImportOptions,
  onRecords: (count: number) => void,
): Promise<Omit<Checked, 'counts'>> {
  const facts = noFacts()
  const references = new ArchiveReferences()
  const found = new Map<string, number>()
  for (const of of archive.files) {
    const { name } = of.file
    const gathered = gather(of, facts)
    const counted =
      client && !gathered ? counter(client, of, () => found.set(name, (found.get(name) ?? 0) + 1)) : undefined
    const followed = references.file(of)
    const visit: Visit = (values) => {
      gathered?.(values)
      followed?.(values)
      counted?.(values)
    }
    await readFile(archive, of, visit, onRecords)
  }
  if (facts.last !== archive.manifest.lastSeq)
    throw new ArchiveRefused('its last change differs from the manifest')
  const plan = planArchive(client, facts, mapMembers)
  found.set(PEOPLE_FILE, plan.strangers)
  refuseKnown(found)
  // Beside other records it must have no references to outside; alone it is restored, orphans included.
  if (isAmongOthers(plan) && references.problem) throw new ArchiveRefused(references.problem)
  return { facts, plan }
}

/** The error if a checked archive cannot be written any more. */
const OTHERS_WROTE = 'another process has written to the database meanwhile: try again'

/** Whether the plan of a checked archive is still valid. Beside other records, more of them make no difference. */
const isSame = (one: ArchivePlan, other: ArchivePlan) =>
  one.kind === other.kind &&
  one.admin?.id === other.admin?.id &&
  (one.kind === 'beside' || one.lastSeq === other.lastSeq)

/** Whether an archive is written beside other records. */
const isAmongOthers = ({ kind, admin }: ArchivePlan): boolean => kind === 'beside' && admin === undefined

/** Passes all records of a file to a visitor: synchronously, or until a promise resolves. */
type Feed = (of: FileToRead, visit: Visit) => Promise<void> | undefined

/** The records from the file itself, while reading. */
const read =
  (archive: OpenArchive, onRecords: (count: number) => void): Feed =>
  (of, visit) =>
    readFile(archive, of, visit, onRecords)

/**
 * The records from memory, read beforehand, so that writing has no pauses. An in-memory database needs this,
 * since the service uses the same connection meanwhile.
 */
async function held(archive: OpenArchive, onRecords: (count: number) => void): Promise<Feed> {
  const records = new Map<FileToRead, StoredValue[][]>()
  for (const of of archive.files) {
    const all: StoredValue[][] = []
    await readFile(archive, of, (values) => all.push(values), onRecords)
    records.set(of, all)
  }
  return (of, visit) => {
    records.get(of)?.forEach(visit)
    return undefined
  }
}

/** Entries of the search that a step indexes: some milliseconds. */
const INDEXED_AT_ONCE = 200

/** The steps of writing a checked archive. */
function* writing(
  { db, archive, checked }: Place,
  { mapMembers = false, actorId = null, whenWritten }: ArchiveImportOptions,
  feed: Feed,
  contents: WrittenContents,
): Steps<ImportedArchive> {
  const { $client: client } = db
  const { facts, plan, counts } = checked
  const now = planArchive(client, facts, mapMembers)
  if (!isSame(plan, now)) throw new Error(OTHERS_WROTE)
  const writer = new ArchiveWriter(client, now, facts, actorId)
  // A team comes after its members.
  client.pragma('defer_foreign_keys = on')
  writer.begin()
  for (const of of archive.files) {
    const reading = feed(of, writer.file(of))
    if (reading) yield reading
  }
  writer.end()
  new CardNumbers(db).noteGiven()
  const isWhole = now.kind === 'whole'
  const orphans = isWhole ? (client.pragma('foreign_key_check') as unknown[]).length : 0
  contents.complete()
  markQuiet(db, isWhole ? 0 : now.lastSeq)
  if (isWhole) addAllTimes(db)
  while (indexSearch(db, INDEXED_AT_ONCE)) yield
  const imported = { plan: now, counts, orphans }
  whenWritten?.(imported)
  return imported
}

/** A checked archive, and its target. */
interface Place extends WholeWrite {
  db: SharedDatabase
  archive: OpenArchive
  checked: Checked
  /** The files of its attachments. */
  list: readonly CheckedContent[]
  /** The most bytes of all files. */
  most: number
  onRecords: (count: number) => void
}

/** Writes a checked archive, in one transaction; only the bytes of its attachments come before. */
async function write(place: Place, options: ArchiveImportOptions): Promise<ImportedArchive> {
  const { db, archive, checked, list, onRecords } = place
  const { $client: client } = db
  const contents = await (client.memory ? holdContents : writeContents)(place, archive, list, place)
  try {
    const feed = client.memory ? await held(archive, onRecords) : read(archive, onRecords)
    client.pragma(`foreign_keys = ${isAmongOthers(checked.plan) ? 'on' : 'off'}`)
    return await writeWhole(place, () => writing(place, options, feed, contents))
  } catch (error) {
    if (!isConstraint(error)) throw error
    throw new ArchiveRefused(`it conflicts with the records here: ${error.message}`, { cause: error })
  } finally {
    client.pragma('foreign_keys = on')
    // If that fails, the service removes them later.
    await contents.end().catch(() => undefined)
  }
}

/**
 * Imports an archive, everything or nothing.
 * @param db the database; undefined for a dry run without one
 * @param path a folder, or a zip file
 * @throws Error with the reason in one line; nothing has changed then
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
    const bytes = [...source.sizes.values()].reduce((sum, size) => sum + size, 0)
    if (client?.memory && bytes > HELD_LIMIT)
      throw new ArchiveRefused(`it has more than ${HELD_LIMIT} bytes, too many for a database in memory`)
    const lists = [...archive.files, ...(archive.contents ? [archive.contents] : [])]
    const counts = new Map(lists.map(({ file }) => [file.name, file.records]))
    const records = [...counts.values()].reduce((sum, count) => sum + count, 0)
    const readings = options.dryRun ? 1 : 2
    let done = 0
    const onRecords = (count: number) => {
      options.signal?.throwIfAborted()
      done += count
      options.onProgress(Math.floor(done / readings), records)
    }
    options.onProgress(0, records)
    const checked = { ...(await check(archive, client, options, onRecords)), counts }
    const { attachmentsTotal: most = Number.POSITIVE_INFINITY } = options
    const list = await checkContents(archive, client, most, onRecords)
    if (options.dryRun || db === undefined) return { plan: checked.plan, counts, orphans: 0 }
    await options.onChecked?.()
    const { files, signal } = options
    return await write({ db, files, signal, archive, checked, list, most, onRecords }, options)
  } finally {
    source.close()
  }
}

/** Counts by kind, in the plural: `kanbanItems`. */
export const countsOf = ({ counts }: Pick<ImportedArchive, 'counts'>): Counts =>
  Object.fromEntries(
    [...counts].map(([name, count]) => [
      name.replace('.jsonl', '').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
      count,
    ]),
  )

/** Notes on history, members and orphans, in lines. */
export function notesOf({ plan, counts, orphans }: ImportedArchive): string[] {
  const changes = counts.get(CHANGES_FILE) ?? 0
  const brought = (counts.get(MEMBERS_FILE) ?? 0) - plan.known.size
  const heir = plan.admin?.heirId
  return [
    plan.kind === 'whole'
      ? `history ${changes} changes, numbered as they were`
      : `history ${changes} changes, after the last one here, ${plan.lastSeq}`,
    ...(plan.knownPeople.size > 0
      ? [`${plan.knownPeople.size} people without an account already exist here and do not change`]
      : []),
    ...(plan.known.size > 0 ? [`${plan.known.size} members already exist here and do not change`] : []),
    ...(heir === undefined
      ? []
      : ['the previous admin is now the admin of the archive, with the same password']),
    ...(brought > (heir === undefined ? 0 : 1)
      ? ['members have no password here: set one with phaseboard member reset-password <email>']
      : []),
    ...(orphans > 0 ? [`${orphans} records refer to records that do not exist, as before the export`] : []),
  ]
}

/** The summary of an import, in lines. @param isDryRun whether nothing was written */
export function describeArchive(imported: ImportedArchive, isDryRun = false): string[] {
  return [
    ...[...imported.counts]
      .filter(([name, count]) => count > 0 && name !== CHANGES_FILE)
      .map(([name, count]) => `${name.replace('.jsonl', '').replaceAll('-', ' ')} ${count}`),
    ...notesOf(imported),
    ...(isDryRun ? ['nothing was written: this was a dry run'] : []),
  ]
}
