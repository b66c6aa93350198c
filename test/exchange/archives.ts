/** Helpers for archives: creating and reading them, and databases to export. */
import { createHash } from 'node:crypto'
import { cpSync, createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { pipeline } from 'node:stream/promises'
import SQLite from 'better-sqlite3'
import yazl from 'yazl'
import { openDatabase, type SharedDatabase } from '../../src/db/client.ts'
import { type Manifest, manifestText } from '../../src/exchange/archives/archive-manifest.ts'
import { ARCHIVED } from '../../src/exchange/archives/archive-tables.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { type ArchiveImportOptions, importArchive } from '../../src/exchange/archives/import-archive.ts'
import { importTrelloBoard, readTrelloBoard } from './trello-imports.ts'

export const quiet = { onProgress: () => {} }

/** Imports a board from the fixtures. */
export const importFixture = (db: SharedDatabase, name: string) =>
  importTrelloBoard(db, readTrelloBoard(`test/fixtures/${name}.json`))

/** The names of the files in a folder, and in the folders in it. */
const namesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .toSorted()

/** The files in a folder, by name. */
export const filesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(namesIn(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]))

/** Exports into a folder. @returns its files */
export async function exported(client: SQLite.Database, folder: string): Promise<Record<string, string>> {
  await exportArchive(client, folder, quiet)
  return filesOf(folder)
}

/** Imports into a file like the command does. A failed import removes what it has written. */
export async function imported(file: string, archive: string, options: Partial<ArchiveImportOptions> = {}) {
  const { db, close, discard } = openDatabase(file)
  try {
    return await importArchive(db, archive, { ...quiet, ...options })
  } catch (error) {
    discard()
    throw error
  } finally {
    close()
  }
}

/** Opens a file like another tool. */
export function withTool<T>(file: string, work: (tool: SQLite.Database) => T): T {
  const tool = new SQLite(file)
  try {
    return work(tool)
  } finally {
    tool.close()
  }
}

/** Each stored value of the archived tables, byte by byte. */
export function storedIn(file: string): Record<string, unknown[]> {
  return withTool(file, (tool) =>
    Object.fromEntries(
      ARCHIVED.map(({ table, fields }) => {
        const exact = fields.map(
          ({ column }) =>
            `typeof("${column}") || ' ' || quote(cast("${column}" as blob)) || ' ' || quote("${column}")`,
        )
        return [
          table,
          tool
            .prepare(`select ${exact.join(', ')} from ${table} order by 1, 2`)
            .raw()
            .all(),
        ]
      }),
    ),
  )
}

/** The segments of the search index. They differ by the order in which the same terms were added. */
const SEGMENTS = ['search_index_data', 'search_index_idx']

/** Everything in a database, to compare before and after; the search index as its terms. */
export function dumpOf(client: SQLite.Database): unknown {
  client.exec(
    "create virtual table if not exists temp.search_terms using fts5vocab('main', 'search_index', 'instance')",
  )
  const tables = client
    .prepare<[], string>("select name from sqlite_schema where type = 'table'")
    .pluck()
    .all()
  return [...tables.filter((table) => !SEGMENTS.includes(table)), 'temp.search_terms'].map((table) => [
    table,
    client.prepare(`select * from ${table}`).raw().all(),
  ])
}

/** Values that other tools may store in any column. */
export const ODD_VALUES = [
  "x'00ff'",
  "x''",
  "cast(x'ff61fe' as text)",
  "'\uFFFD'",
  "'a' || char(0) || 'b'",
  '\'{"blob":"00"}\'',
  '\'{"text":"61"}\'',
  '\'{"a": 1.0, "b": [9e999, 12345678901234567890]}\'',
  `'{"a":1' || char(10) || '}'`,
  "'{not json'",
  "'[1]'",
  "''",
  "'true'",
  "'\"'",
  "char(8232) || '\\u0041'",
  '9007199254740993',
  '-9223372036854775808',
  '9e999',
  '-9e999',
  '1e300',
  '0.1 + 0.2',
  '5e-324',
  '1e19',
  '-0.0',
  '2',
  'null',
]

/** Those that are JSON, or null, for a text column. */
const ODD_JSON = [
  '\'{"blob":"00"}\'',
  '\'{"text":"61"}\'',
  '\'{"a": 1.0, "b": [9e999, 12345678901234567890]}\'',
  `'{"a":1' || char(10) || '}'`,
  "'[1]'",
  "''",
  "'true'",
  '9007199254740993',
  '1e300',
  '-0.0',
  '2',
  'null',
]

/** Fields with identity, references or access. No odd value is harmless there. */
const NAMES = ['id', 'projectId', 'itemId', 'labelId', 'promotedProjectId', 'ownerId', 'stage']
const NAMES_OF: Record<string, readonly string[]> = {
  members: ['email', 'role', 'disabled'],
  team_members: ['teamId', 'memberId'],
}

/** The fields of a table in which an archive may contain odd values, and these values. */
export function oddFields({ table, fields }: (typeof ARCHIVED)[number]) {
  if (table === 'changes') return []
  return fields
    .filter(({ name }) => !NAMES.includes(name) && !NAMES_OF[table]?.includes(name))
    .map((field) => ({ ...field, odd: field.type === 'json' ? ODD_JSON : ODD_VALUES }))
}

/** Rewrites the files of an archive in a folder, and its manifest accordingly. */
export function rewrite(
  folder: string,
  change: (content: Buffer, name: string) => Buffer,
  ofManifest: (manifest: Manifest) => Manifest = (manifest) => manifest,
): void {
  const { sha256: _, ...manifest } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  for (const file of manifest.files) {
    const content = change(readFileSync(join(folder, file.name)), file.name)
    writeFileSync(join(folder, file.name), content)
    file.bytes = content.length
    file.records = content.filter((byte) => byte === 10).length
    file.sha256 = createHash('sha256').update(content).digest('hex')
  }
  writeFileSync(join(folder, 'manifest.json'), manifestText(ofManifest(manifest)))
}

/** Copies an archive in a folder. */
export function copyFolder(from: string, to: string): void {
  cpSync(from, to, { recursive: true })
}

/** Zips files with another program. A name that ends in a slash is an empty folder. */
export async function packed(
  path: string,
  files: [name: string, content: Buffer][],
  comment = '',
): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of files)
    if (name.endsWith('/')) zip.addEmptyDirectory(name)
    else zip.addBuffer(content, name)
  zip.end({ forceZip64Format: false, comment })
  await pipeline(zip.outputStream, createWriteStream(path))
}
