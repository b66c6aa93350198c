/** The manifest of an archive: its contents and checksums. */
import { hash } from 'node:crypto'
import { shippedMigrations } from '../../db/migrations.ts'
import { version } from '../../package-files.ts'
import { type ArchiveTable, CONTENTS, LISTS, type RuledField } from './archive-tables.ts'

/** The file with the manifest. */
export const MANIFEST = 'manifest.json'

/** Largest manifest, in bytes: a hundred times its usual size. */
export const MANIFEST_LIMIT = 1024 * 1024

const FORMAT = 'phaseboard-archive'
const FORMAT_VERSION = 1

/** A file in the manifest. */
export interface ArchivedFile {
  name: string
  /** The names of the fields of each line, in order. */
  fields: string[]
  records: number
  bytes: number
  /** SHA-256 of the file, hexadecimal. */
  sha256: string
}

/** A manifest. It is equal for two exports of equal data by the same version. */
export interface Manifest {
  format: string
  version: number
  /** The version of the service that wrote it. */
  service: string
  /** The latest migration of the exported database. */
  schema: number
  /** The last change in it; 0 if there is none. */
  lastSeq: number
  files: ArchivedFile[]
}

const latestMigration = (): number => shippedMigrations().at(-1)?.folderMillis ?? 0

export const manifestOf = (files: ArchivedFile[], lastSeq: number): Manifest => ({
  format: FORMAT,
  version: FORMAT_VERSION,
  service: version,
  schema: latestMigration(),
  lastSeq,
  files,
})

/** A manifest as text. Its last field is the SHA-256 of the manifest without it. */
export function manifestText(manifest: Manifest): string {
  const sha256 = hash('sha256', JSON.stringify(manifest))
  return `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`
}

/** The refusal of an archive, with its reason. */
export class ArchiveRefused extends Error {
  override readonly name = 'ArchiveRefused'
}

const altered = () => new ArchiveRefused(`it was altered: ${MANIFEST} does not match the format of exports`)

const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0

const isFile = (value: unknown): value is ArchivedFile => {
  const { name, fields, records, bytes, sha256 } = Object(value) as ArchivedFile
  const isNamed = typeof name === 'string' && Array.isArray(fields)
  return isNamed && isCount(records) && isCount(bytes) && /^[0-9a-f]{64}$/.test(sha256)
}

/**
 * Reads a manifest.
 * @throws ArchiveRefused if it is invalid, was altered, or has an unknown version
 */
export function readManifest(bytes: Buffer): Manifest {
  let parsed: Partial<Manifest & { sha256: string }>
  try {
    parsed = Object(JSON.parse(bytes.toString()))
  } catch {
    throw altered()
  }
  const { sha256: _, ...manifest } = parsed as Manifest & { sha256: string }
  if (manifest.format !== FORMAT) throw new ArchiveRefused('it is not an archive of Phaseboard')
  if (manifest.version !== FORMAT_VERSION) {
    throw new ArchiveRefused(
      `it has version ${manifest.version}, and this service supports only ${FORMAT_VERSION}`,
    )
  }
  if (Buffer.compare(bytes, Buffer.from(manifestText(manifest))) !== 0) throw altered()
  const { schema, lastSeq, files } = manifest
  if (!isCount(schema) || !isCount(lastSeq) || !Array.isArray(files) || !files.every(isFile)) throw altered()
  if (schema > latestMigration()) {
    throw new ArchiveRefused(`it was written by a newer version of Phaseboard, ${manifest.service}`)
  }
  return manifest
}

/** A file of an archive, and the table of its lines. */
export interface FileToRead {
  file: ArchivedFile
  table: ArchiveTable
  /** The fields of its lines. */
  fields: RuledField[]
}

/** Whether an archive may lack a table: a service of its schema did not have it, or did not export it. */
function mayLack({ table }: ArchiveTable, schema: number): boolean {
  if (table === CONTENTS.table) return true
  const creates = new RegExp(`create table [\`"]${table}[\`"]`, 'i')
  const migration = shippedMigrations().find(({ sql }) => sql.some((statement) => creates.test(statement)))
  return migration !== undefined && migration.folderMillis > schema
}

/** The files of lines of a manifest, in reading order. @throws ArchiveRefused if one is missing or unknown */
export function filesToRead({ files, schema }: Manifest): FileToRead[] {
  const names = new Set(files.map(({ name }) => name))
  const tables = LISTS.filter((table) => names.has(table.file) || !mayLack(table, schema))
  if (files.map(({ name }) => name).join() !== tables.map(({ file }) => file).join()) throw altered()
  return files.map((file, index) => {
    const table = tables[index] as ArchiveTable
    // An older version had fewer fields: the others get their defaults.
    const fields = table.fields.filter(({ name }) => file.fields.includes(name))
    const isKeyThere = table.key.every((name) => file.fields.includes(name))
    if (fields.map(({ name }) => name).join() !== file.fields.join() || !isKeyThere) throw altered()
    return { file, table, fields }
  })
}
