/** Compresses what browsers load of the board page, as well as Brotli and gzip can. */
import { copyFile, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

const KINDS = {
  br: (content: Buffer) => toBrotli(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
  gz: (content: Buffer) => toGzip(content, { level: 9 }),
}

/** Whether a folder has a file of this name and content: a name has a hash of the content, but a short one. */
const hasSame = (folder: string, name: string, content: Buffer) =>
  readFile(join(folder, name)).then(
    (found) => found.equals(content),
    () => false,
  )

/** Takes the compressed file of an earlier build: most builds change few files, and it takes longer than all else. */
async function takeFrom(folders: readonly string[], name: string, content: Buffer, to: string) {
  for (const folder of folders) {
    if (!(await hasSame(folder, name, content))) continue
    try {
      for (const kind of Object.keys(KINDS)) {
        await copyFile(join(folder, `${name}.${kind}`), join(to, `${name}.${kind}`))
      }
      return true
    } catch {
      // It has been taken away meanwhile.
    }
  }
  return false
}

/**
 * Puts a `.br` and a `.gz` beside each file of a folder.
 * @param earlier folders that have been compressed before: what is the same there is taken from them
 * @returns the sizes after Brotli in bytes, by the files' names
 */
export async function compressAssets(
  folder: string,
  earlier: readonly string[] = [],
): Promise<Map<string, number>> {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const content = await readFile(join(folder, name))
      if (!(await takeFrom(earlier, name, content, folder))) {
        const made = Object.entries(KINDS).map(async ([kind, compress]) =>
          writeFile(join(folder, `${name}.${kind}`), await compress(content)),
        )
        await Promise.all(made)
      }
      return [name, (await stat(join(folder, `${name}.br`))).size] as const
    }),
  )
  return new Map(sizes)
}
