/** Reads an archive: each record once, checking it against the manifest. */
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MEMBERS_FILE, placesOf } from './archive-facts.ts'
import { fromLine, type StoredValue } from './archive-lines.ts'
import {
  ArchiveRefused,
  type FileToRead,
  filesToRead,
  MANIFEST,
  MANIFEST_LIMIT,
  type Manifest,
  readManifest,
} from './archive-manifest.ts'
import type { ArchiveSource } from './archive-source.ts'
import { CONTENTS } from './archive-tables.ts'
import { CONTENT_NAME } from './content-names.ts'
import { recordCheck } from './record-checks.ts'

/** Limits of the total size in bytes, and of records: a small zip file can contain any number. */
const SIZE_LIMIT = 4 * 1024 ** 3
const RECORDS_LIMIT = 10_000_000

/** Most members of an archive: all are held in memory. */
const MEMBERS_LIMIT = 100_000

/** Longest line, in bytes: it is read as a whole. Larger than any valid record. */
const LINE_LIMIT = 16 * 1024 * 1024

/** Milliseconds after which reading yields to the event loop. */
const SLICE = 8

/** A visitor of records; values are in the order of the file's fields. */
export type Visit = (values: StoredValue[]) => void

/** An archive whose manifest was read. */
export interface OpenArchive {
  source: ArchiveSource
  manifest: Manifest
  /** The files of records. */
  files: FileToRead[]
  /** The list of the files of attachments; undefined for an archive from before there were any. */
  contents: FileToRead | undefined
}

export const altered = (name: string, reason: string) =>
  new ArchiveRefused(`it is damaged or was altered: ${name} ${reason}`)

async function readAll(source: ArchiveSource, name: string): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of await source.open(name)) parts.push(part)
  return Buffer.concat(parts)
}

/** Reads the manifest, and compares the names and sizes of the files with it. @throws ArchiveRefused */
export async function readHead(source: ArchiveSource): Promise<OpenArchive> {
  const size = source.sizes.get(MANIFEST)
  if (size === undefined) throw new ArchiveRefused(`it has no ${MANIFEST}: it is incomplete, or no archive`)
  if (size > MANIFEST_LIMIT) throw altered(MANIFEST, 'is too large')
  const manifest = readManifest(await readAll(source, MANIFEST))
  const files = filesToRead(manifest)
  const known = new Set([MANIFEST, ...files.map(({ file }) => file.name)])
  const contents = files.find(({ table }) => table === CONTENTS)
  const isKnown = (name: string) => known.has(name) || (contents !== undefined && CONTENT_NAME.test(name))
  for (const name of source.sizes.keys()) if (!isKnown(name)) throw altered(name, 'does not belong to it')
  if (files.reduce((sum, { file }) => sum + file.bytes, 0) > SIZE_LIMIT)
    throw new ArchiveRefused('it is too large')
  if (files.reduce((sum, { file }) => sum + file.records, 0) > RECORDS_LIMIT)
    throw new ArchiveRefused(`it has more than ${RECORDS_LIMIT} records`)
  if (files.some(({ file }) => file.name === MEMBERS_FILE && file.records > MEMBERS_LIMIT))
    throw new ArchiveRefused(`it has more than ${MEMBERS_LIMIT} members`)
  for (const { file } of files) {
    const found = source.sizes.get(file.name)
    if (found === undefined) throw altered(file.name, 'is missing')
    if (found !== file.bytes) throw altered(file.name, `has ${found} bytes, not ${file.bytes}`)
  }
  return { source, manifest, files: files.filter((of) => of !== contents), contents }
}

/** Compares two keys, which are numbers, or text in the order of its bytes. NaN for others. */
const compare = (one: StoredValue, other: StoredValue): number =>
  typeof one === 'string' && typeof other === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other))
    : Number(one) - Number(other)

/** Checks that each record comes after the one before it. */
function orderOf(of: FileToRead): (values: StoredValue[]) => boolean {
  const places = placesOf(of, of.table.key)
  let last: StoredValue[] | undefined
  return (values) => {
    const key = places.map((place) => values[place] as StoredValue)
    const before = last
    last = key
    if (before === undefined) return true
    const difference = key
      .map((value, index) => compare(before[index] as StoredValue, value))
      .find((order) => order !== 0)
    return difference !== undefined && difference < 0
  }
}

/**
 * Reads all records of a file, and checks them: size, number, checksum, order, and the form of each.
 * @param visit called for each record, before the whole file is checked
 * @param onRecords called with the number of records of each part: reading waits until it resolves
 * @throws ArchiveRefused
 */
export async function readFile(
  { source }: OpenArchive,
  of: FileToRead,
  visit: Visit,
  onRecords: (count: number) => void | Promise<void>,
): Promise<void> {
  const { name, bytes, records, sha256 } = of.file
  const digest = createHash('sha256')
  const isInOrder = orderOf(of)
  const problemOf = recordCheck(of)
  let [size, count] = [0, 0]
  /** The beginning of a line that continues in the next part. */
  let begun: Buffer[] = []
  let length = 0

  function take(line: Buffer): void {
    count++
    if (count > records) throw altered(name, `has more than ${records} records`)
    let values: StoredValue[]
    try {
      values = fromLine(line, of.fields)
    } catch (error) {
      const { message } = error as Error
      if (error instanceof RangeError) throw new ArchiveRefused(`${name}, line ${count}: ${message}`)
      throw altered(name, `does not match the format of exports in line ${count}: ${message}`)
    }
    const problem = problemOf(values)
    if (problem) throw new ArchiveRefused(`${name}, line ${count}: ${problem}`)
    if (!isInOrder(values)) throw altered(name, `is not in order in line ${count}`)
    visit(values)
  }

  function takeLines(part: Buffer): void {
    let from = 0
    for (let end = part.indexOf(10); end !== -1; end = part.indexOf(10, from)) {
      const rest = part.subarray(from, end)
      take(begun.length === 0 ? rest : Buffer.concat([...begun, rest]))
      begun = []
      length = 0
      from = end + 1
    }
    if (from === part.length) return
    begun.push(part.subarray(from))
    length += part.length - from
    if (length > LINE_LIMIT)
      throw new ArchiveRefused(`${name}, line ${count + 1}: it has more than ${LINE_LIMIT} bytes`)
  }

  let turnBegan = performance.now()
  for await (const part of (await source.open(name)) as AsyncIterable<Buffer>) {
    const before = count
    size += part.length
    if (size > bytes) throw altered(name, `has more than ${bytes} bytes`)
    digest.update(part)
    takeLines(part)
    await onRecords(count - before)
    if (performance.now() - turnBegan < SLICE) continue
    await nextTurn()
    turnBegan = performance.now()
  }
  if (length > 0) throw altered(name, 'ends within a line')
  if (count !== records) throw altered(name, `has ${count} records, not ${records}`)
  if (digest.digest('hex') !== sha256) throw altered(name, 'has another checksum')
}
