/** The source of an archive: a folder or a zip file. Nothing is unpacked to disk. */
import { createHash } from 'node:crypto'
import { createReadStream, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { ArchiveRefused, MANIFEST } from './archive-manifest.ts'
import { COMMENT, checkedBytes } from './archive-zip.ts'
import { CONTENT_NAME, CONTENTS_FOLDER, CONTENTS_LIMIT } from './content-names.ts'
import { type Entry, openPromise, type ReadZip } from './zip.ts'

/** The files of an archive. */
export interface ArchiveSource {
  /** Their names, and sizes in bytes. */
  sizes: ReadonlyMap<string, number>
  /** Reads one. @throws Error if it cannot be read */
  open: (name: string) => Promise<Readable>
  close: () => void
}

/** Most files of an archive, besides those of attachments: many more than it has. */
const MOST_FILES = 100

const notWhole = (reason: string) => new ArchiveRefused(`it is damaged or was altered: ${reason}`)

function openFolder(folder: string): ArchiveSource {
  const names = readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    if (name !== CONTENTS_FOLDER || !lstatSync(path).isDirectory()) return [name]
    return readdirSync(path).map((content) => `${name}/${content}`)
  })
  const sizes = new Map(
    names.map((name) => {
      const file = lstatSync(join(folder, name))
      if (!file.isFile()) throw notWhole(`${name} is not a file`)
      return [name, file.size]
    }),
  )
  return { sizes, open: async (name) => createReadStream(join(folder, name)), close: () => {} }
}

/** Checks the checksum in the comment of a zip file. Zip files packed by other programs have none. */
async function checkSeal(path: string, comment: string): Promise<void> {
  if (comment === '') return
  if (!COMMENT.test(comment)) throw notWhole('its comment is not a checksum')
  const digest = createHash('sha256')
  const end = checkedBytes(statSync(path).size) - 1
  for await (const chunk of createReadStream(path, { end })) digest.update(chunk)
  if (`sha256:${digest.digest('hex')}` !== comment) throw notWhole('its checksum does not match')
}

/** Whether an entry is only the folder of contents, which other programs list, too. */
const isFolder = ({ fileName, uncompressedSize }: Entry) =>
  fileName === `${CONTENTS_FOLDER}/` && uncompressedSize === 0

async function entriesOf(zip: ReadZip): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>()
  const tooMany = () => notWhole(`it holds ${zip.entryCount} files`)
  if (zip.entryCount > MOST_FILES + CONTENTS_LIMIT) throw tooMany()
  let others = 0
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry
    if (!CONTENT_NAME.test(fileName) && ++others > MOST_FILES) throw tooMany()
    if (isFolder(entry)) continue
    if (entries.has(fileName)) throw notWhole(`it holds ${fileName} twice`)
    if (!entry.canDecodeFileData())
      throw notWhole(`${fileName} is encrypted, or compressed in an unknown way`)
    entries.set(fileName, entry)
  }
  return entries
}

async function openZip(path: string): Promise<ArchiveSource> {
  let zip: ReadZip
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch (error) {
    throw notWhole(error instanceof Error ? error.message : String(error))
  }
  try {
    await checkSeal(path, zip.comment)
    const entries = await entriesOf(zip)
    return {
      sizes: new Map([...entries].map(([name, { uncompressedSize }]) => [name, uncompressedSize])),
      open: (name) => zip.openReadStreamPromise(entries.get(name) as Entry),
      close: () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error instanceof ArchiveRefused ? error : notWhole((error as Error).message)
  }
}

/** Whether a folder or a zip file has the manifest of an archive. */
export async function isArchive(path: string): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return readdirSync(path).includes(MANIFEST)
  try {
    const zip = await openPromise(path, { lazyEntries: true, autoClose: false })
    try {
      let others = 0
      for await (const { fileName } of zip.eachEntry()) {
        if (fileName === MANIFEST) return true
        if (++others > MOST_FILES + CONTENTS_LIMIT) return false
      }
      return false
    } finally {
      zip.close()
    }
  } catch {
    return false
  }
}

/**
 * Opens an archive.
 * @param path a folder, or a zip file
 * @throws ArchiveRefused if it cannot be one; Error if it does not exist
 */
export async function openArchive(path: string): Promise<ArchiveSource> {
  const there = statSync(path, { throwIfNoEntry: false })
  if (there === undefined) throw new Error('there is no such file or folder')
  return there.isDirectory() ? openFolder(path) : openZip(path)
}
