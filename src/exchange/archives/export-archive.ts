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
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type SQLite from 'better-sqlite3'
import { syncFolder } from '../../db/files.ts'
import { MANIFEST, type Manifest, manifestText } from './archive-manifest.ts'
import { ArchiveSnapshot } from './archive-snapshot.ts'
import { LISTS } from './archive-tables.ts'
import { zipArchive } from './archive-zip.ts'
import { CONTENT_HASH, CONTENTS_FOLDER, contentName } from './content-names.ts'

interface ExportOptions {
  /** Replace a zip file, or a folder that contains only an archive. */
  force?: boolean | undefined
  /** Called before the first record and after each part, with the number of records written and to write. */
  onProgress: (done: number, total: number) => void
  signal?: AbortSignal | undefined
}

const isZip = (path: string) => /\.zip$/i.test(path)

const FILES = new Set([...LISTS.map(({ file }) => file), MANIFEST])

/** Whether a file or folder in a folder belongs to an archive. */
function isArchived(folder: string, name: string): boolean {
  if (name !== CONTENTS_FOLDER) return FILES.has(name)
  const path = join(folder, name)
  return lstatSync(path).isDirectory() && readdirSync(path).every((content) => CONTENT_HASH.test(content))
}

/** Checks that the export overwrites no other data. @throws Error */
function ensureRoom(target: string, force = false): void {
  const there = statSync(target, { throwIfNoEntry: false })
  if (there === undefined) return
  if (isZip(target)) {
    if (!there.isFile()) throw new Error(`${target} is not a file`)
    if (!force) throw new Error(`${target} already exists: use --force to replace it`)
    return
  }
  if (!there.isDirectory()) throw new Error(`${target} is a file: name a folder, or a file that ends in .zip`)
  const names = readdirSync(target)
  if (names.some((name) => !isArchived(target, name))) throw new Error(`${target} holds other files`)
  if (names.length > 0 && !force) throw new Error(`${target} is not empty: use --force to replace it`)
}

/** Writes a file, mode 0600, and syncs it. */
async function writeFile(path: string, content: Readable, signal: AbortSignal | undefined): Promise<void> {
  await pipeline(content, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal })
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
  const write = (name: string, content: Readable) => writeFile(join(folder, name), content, signal)
  for (const table of LISTS) await write(table.file, Readable.from(snapshot.lines(table, onRecords)))
  if (snapshot.contents.length > 0) mkdirSync(join(folder, CONTENTS_FOLDER), { mode: 0o700 })
  for (const content of snapshot.contents)
    await write(contentName(content), Readable.from(snapshot.content(content)))
  if (snapshot.contents.length > 0) syncFolder(join(folder, CONTENTS_FOLDER))
  await write(MANIFEST, Readable.from([manifestText(snapshot.manifest())]))
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
 * @returns a summary
 * @throws Error if the target exists and `force` is not set, or it cannot be written
 */
export async function exportArchive(
  client: SQLite.Database,
  path: string,
  { force, onProgress, signal }: ExportOptions,
): Promise<Manifest> {
  const target = resolve(path)
  if (!existsSync(dirname(target))) throw new Error(`there is no folder ${dirname(target)}`)
  ensureRoom(target, force)
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
    ensureRoom(target, force)
    putInPlace(written, target)
    return snapshot.manifest()
  } finally {
    if (!isZip(target)) snapshot.close()
    rmSync(written, { recursive: true, force: true })
  }
}
