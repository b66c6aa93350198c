/** Detects the type of a file: a table, JSON, or an SQLite database, perhaps gzipped. */
import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { parseJson } from '../../json.ts'
import { MANIFEST } from '../archives/archive-manifest.ts'
import { type Entry, fromBufferPromise, type ReadZip } from '../archives/zip.ts'
import { refuseHugeJson, TooLarge } from './source-limits.ts'
import { openTable, type Table } from './source-tables.ts'

/** A file, opened. */
export type SourceFile =
  | { kind: 'json'; value: unknown }
  | { kind: 'table'; table: Table }
  | { kind: 'database'; bytes: Uint8Array }

/** A file, opened, with its own bytes and name: those of the file in a zip archive, if it is one. */
export interface OpenedSource {
  file: SourceFile
  bytes: Uint8Array
  name: string
}

/** The maximum unpacked size of a compressed file, in bytes. Otherwise a small file could fill the memory. */
const UNPACKED_LIMIT = 256 * 1024 * 1024

/** Most files in a zip archive. */
const MOST_ENTRIES = 100_000

const starts = (bytes: Uint8Array, ...first: number[]) => first.every((byte, index) => bytes[index] === byte)

const isZip = (bytes: Uint8Array) => starts(bytes, 0x50, 0x4b, 3, 4)

/** Files that are not board exports, by their first bytes. */
const STRANGERS: { is: (bytes: Uint8Array, beginning: string) => boolean; what: string }[] = [
  { is: (bytes) => starts(bytes, 0x25, 0x50, 0x44, 0x46), what: 'it is a PDF' },
  {
    is: (_, beginning) => /^<(?:!doctype html|html)/i.test(beginning),
    what: 'it is a web page: perhaps one to sign in, saved in place of the export',
  },
  { is: (_, beginning) => beginning.startsWith('<'), what: 'it is XML: export CSV or JSON instead' },
]

const SQLITE = 'SQLite format 3\0'

/**
 * Opens a file.
 * @param levels how deeply JSON may be nested
 * @throws Error with one line if it is empty, damaged, unpacks to more than the limit, or cannot be an export
 */
export async function openSource(packed: Uint8Array, name: string, levels?: number): Promise<OpenedSource> {
  const { bytes, ...inner } = isZip(packed) ? await fileInZip(packed) : { bytes: packed, name }
  return { file: openUnzipped(bytes, levels), bytes, name: inner.name }
}

/**
 * The table or the JSON in a zip archive of exports.
 * @param isInner whether the archive was itself in one: Notion packs its parts so
 */
async function fileInZip(packed: Uint8Array, isInner = false): Promise<Pick<OpenedSource, 'bytes' | 'name'>> {
  const zip = await readable(
    fromBufferPromise(Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)),
  )
  try {
    const found = await readable(exportsIn(zip))
    if (found.some(({ fileName }) => fileName === MANIFEST))
      throw new Error('it is an archive of Phaseboard: use phaseboard')
    // Notion adds a table with all rows to that of a view.
    const all = found.filter(({ fileName }) => fileName.endsWith('_all.csv'))
    const [entry, other] = all.length > 0 ? all : found
    const isPart = entry?.fileName.endsWith('.zip') === true
    if (entry === undefined || other !== undefined || (isPart && isInner))
      throw new Error(
        'it is a zip archive: unpack it, and import the file in it (a workbook: save it as CSV)',
      )
    const bytes = await readable(bytesOf(zip, entry))
    return isPart ? await fileInZip(bytes, true) : { bytes, name: entry.fileName }
  } finally {
    zip.close()
  }
}

/** What is read from a zip archive. @throws Error with one line; TooLarge */
async function readable<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof TooLarge) throw error
    throw new Error(`it is a zip archive that cannot be read: ${(error as Error).message}`, { cause: error })
  }
}

/** The tables and JSON in a zip archive, parts of an export of Notion, and the manifest of an archive of this service. @throws TooLarge */
async function exportsIn(zip: ReadZip): Promise<Entry[]> {
  const found: Entry[] = []
  let entries = 0
  for await (const entry of zip.eachEntry()) {
    if (++entries > MOST_ENTRIES)
      throw new TooLarge(`it is a zip archive with more than ${MOST_ENTRIES} files`)
    const { fileName } = entry
    if (fileName === MANIFEST || /(?:^|\/)data\.json$|\.csv$|(?:^|\/)[^/]*-Part-\d+\.zip$/i.test(fileName))
      found.push(entry)
  }
  return found
}

/** All bytes of a file in a zip archive. @throws TooLarge */
async function bytesOf(zip: ReadZip, entry: Entry): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of await zip.openReadStreamPromise(entry)) {
    size += chunk.length
    if (size > UNPACKED_LIMIT) throw unpacksToMore()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function openUnzipped(packed: Uint8Array, levels: number | undefined): SourceFile {
  const bytes = unpack(packed)
  if (bytes.length === 0) throw new Error('it is empty')
  if (Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 16)).toString('latin1') === SQLITE) {
    return { kind: 'database', bytes }
  }
  const utf8 = toUtf8(bytes)
  const beginning = utf8.toString('utf8', 0, 200).trimStart()
  const stranger = STRANGERS.find(({ is }) => is(bytes, beginning))
  if (stranger) throw new Error(stranger.what)
  if (beginning.startsWith('{') || beginning.startsWith('[')) {
    return { kind: 'json', value: parse(utf8, levels) }
  }
  if (utf8.subarray(0, 4096).includes(0)) throw new Error('it is neither text nor a database')
  return { kind: 'table', table: openTable(utf8) }
}

const unpacksToMore = () => new TooLarge(`it unpacks to more than ${UNPACKED_LIMIT >> 20} MiB`)

/**
 * The bytes of a file that is perhaps gzipped.
 * @throws Error with one line if it is damaged, or unpacks to more than the limit
 */
function unpack(bytes: Uint8Array): Uint8Array {
  if (!starts(bytes, 0x1f, 0x8b)) return bytes
  try {
    return gunzipSync(bytes, { maxOutputLength: UNPACKED_LIMIT })
  } catch (error) {
    const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    if (isTooLarge) throw unpacksToMore()
    throw new Error('its gzip compression is damaged', { cause: error })
  }
}

/**
 * The bytes of a text as UTF-8 without a byte order mark. UTF-16 is detected by its mark; invalid UTF-8 is read as
 * Windows-1252, in which spreadsheets of Western Europe still save CSV.
 */
function toUtf8(bytes: Uint8Array): Buffer {
  if (starts(bytes, 0xff, 0xfe)) return Buffer.from(new TextDecoder('utf-16le').decode(bytes))
  if (starts(bytes, 0xfe, 0xff)) return Buffer.from(new TextDecoder('utf-16be').decode(bytes))
  if (!isUtf8(bytes)) return Buffer.from(new TextDecoder('windows-1252').decode(bytes))
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return starts(bytes, 0xef, 0xbb, 0xbf) ? buffer.subarray(3) : buffer
}

function parse(json: Buffer, levels: number | undefined): unknown {
  refuseHugeJson(json, levels)
  try {
    return parseJson(json.toString('utf8'))
  } catch (error) {
    throw new Error('it begins like JSON, but is not valid: perhaps it is truncated', { cause: error })
  }
}
