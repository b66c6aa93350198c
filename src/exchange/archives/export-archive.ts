/** Exports everything but credentials, into a folder or a zip file. */
import {
  closeSync,
  createWriteStream,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type SQLite from 'better-sqlite3'
import { syncFolder } from '../../db/files.ts'
import { MANIFEST, type Manifest } from './archive-manifest.ts'
import { ArchiveSnapshot, type DamagedFile } from './archive-snapshot.ts'
import { LISTS } from './archive-tables.ts'
import { zipArchive } from './archive-zip.ts'
import { CONTENT_HASH, CONTENT_NAME, CONTENTS_FOLDER } from './content-names.ts'
import { openPromise, type ReadZip } from './zip.ts'

interface ExportOptions {
  /** Replace a zip file or a folder that contains only an archive, complete or not. */
  force?: boolean | undefined
  /** Called before the first record and after each part, with the number of records written and to write. */
  onProgress: (done: number, total: number) => void
  signal?: AbortSignal | undefined
}

/** The result of an export. */
export interface ExportedArchive {
  manifest: Manifest
  /** The files whose bytes are damaged, so that the archive lacks them. */
  damaged: readonly DamagedFile[]
}

const isZip = (path: string) => /\.zip$/i.test(path)

const FILES = new Set([...LISTS.map(({ file }) => file), MANIFEST])

/** Whether a file or folder in a folder belongs to an archive. */
function isArchived(folder: string, name: string): boolean {
  if (name !== CONTENTS_FOLDER) return FILES.has(name)
  const path = join(folder, name)
  return lstatSync(path).isDirectory() && readdirSync(path).every((content) => CONTENT_HASH.test(content))
}

/** A file in a zip file begins with these bytes, and has the length of its name and the name at these places. */
const ENTRY_BEGIN = 0x04034b50
const NAME_LENGTH_AT = 26
const NAME_AT = 30

/** Whether a file is the beginning of an archive, as an interrupted download leaves it. An empty one is, too. */
function beginsArchive(path: string): boolean {
  const head = Buffer.alloc(NAME_AT + 255)
  const descriptor = openSync(path, 'r')
  try {
    if (readSync(descriptor, head) === 0) return true
  } finally {
    closeSync(descriptor)
  }
  const name = head.toString('latin1', NAME_AT, NAME_AT + head.readUInt16LE(NAME_LENGTH_AT))
  // The manifest comes last, and files of other programs have its name, too.
  return head.readUInt32LE() === ENTRY_BEGIN && LISTS.some(({ file }) => file === name)
}

/** Whether a zip file has only files of an archive, or begins like one if it is incomplete. */
async function isArchiveZip(path: string): Promise<boolean> {
  let zip: ReadZip
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch {
    return beginsArchive(path)
  }
  try {
    for await (const { fileName } of zip.eachEntry())
      if (!FILES.has(fileName) && !CONTENT_NAME.test(fileName) && fileName !== `${CONTENTS_FOLDER}/`)
        return false
    return true
  } catch {
    return false
  } finally {
    zip.close()
  }
}

/** Checks that the export overwrites no other data. @throws Error */
async function ensureRoom(target: string, force = false): Promise<void> {
  const there = statSync(target, { throwIfNoEntry: false })
  if (there === undefined) return
  if (isZip(target)) {
    if (!there.isFile()) throw new Error(`${target} is not a file`)
    if (!(await isArchiveZip(target))) throw new Error(`${target} is not an archive: name another file`)
    if (!force) throw new Error(`${target} already exists: use --force to replace it`)
    return
  }
  if (!there.isDirectory()) throw new Error(`${target} is a file: name a folder, or a file that ends in .zip`)
  const names = readdirSync(target)
  if (names.some((name) => !isArchived(target, name))) throw new Error(`${target} holds other files`)
  if (names.length > 0 && !force) throw new Error(`${target} is not empty: use --force to replace it`)
}

/** Writes a file, mode 0600, and syncs it. @throws Error with the reason of the signal if that aborts it */
async function writeFile(path: string, content: Readable, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function writeFolder(
  folder: string,
  snapshot: ArchiveSnapshot,
  onRecords: (count: number) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  mkdirSync(folder, { mode: 0o700 })
  for await (const { name, parts } of snapshot.files(onRecords)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    await writeFile(path, Readable.from(parts), signal)
  }
  const contents = join(folder, CONTENTS_FOLDER)
  if (existsSync(contents)) syncFolder(contents)
  syncFolder(folder)
}

/** Renames the written archive into place. A folder cannot replace another one atomically. */
function putInPlace(written: string, target: string): void {
  if (isZip(target) || !existsSync(target)) {
    renameSync(written, target)
  } else {
    const replaced = `${written}.replaced`
    renameSync(target, replaced)
    renameSync(written, target)
    rmSync(replaced, { recursive: true })
  }
  syncFolder(dirname(target))
}

/**
 * Exports a consistent snapshot of a database while others write. The archive is renamed into place once it is complete and
 * synced, readable only by its owner: it contains data that only admins may see, e.g. private ideas.
 * @param client a connection to the database
 * @param path the target: a zip file if it ends in `.zip`, else a folder
 * @throws Error if the target exists and `force` is not set, or it cannot be written
 */
export async function exportArchive(
  client: SQLite.Database,
  path: string,
  { force, onProgress, signal }: ExportOptions,
): Promise<ExportedArchive> {
  const target = resolve(path)
  if (!existsSync(dirname(target))) throw new Error(`there is no folder ${dirname(target)}`)
  await ensureRoom(target, force)
  const written = `${target}.${process.pid}.tmp`
  const snapshot = new ArchiveSnapshot(client)
  try {
    const total = snapshot.count()
    let done = 0
    const onRecords = (count: number) => {
      done += count
      onProgress(done, total)
    }
    onProgress(0, total)
    if (isZip(target)) await writeFile(written, zipArchive(snapshot, onRecords), signal)
    else await writeFolder(written, snapshot, onRecords, signal)
    signal?.throwIfAborted()
    // The target may have been created meanwhile.
    await ensureRoom(target, force)
    putInPlace(written, target)
    return { manifest: snapshot.manifest(), damaged: snapshot.damaged }
  } finally {
    if (!isZip(target)) snapshot.close()
    rmSync(written, { recursive: true, force: true })
  }
}
