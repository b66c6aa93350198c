/** Compresses the files of the board page, with the best compression of Brotli and gzip. */
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

/** Whether a folder has a file with this name and content. The name alone is not enough, because its hash is short. */
const hasSame = (folder: string, name: string, content: Buffer) =>
  readFile(join(folder, name)).then(
    (found) => found.equals(content),
    () => false,
  )

/** Reuses the compressed file of an earlier build: most builds change few files, and compression is the slowest step. */
async function takeFrom(folders: readonly string[], name: string, content: Buffer, to: string) {
  for (const folder of folders) {
    if (!(await hasSame(folder, name, content))) continue
    try {
      for (const kind of Object.keys(KINDS)) {
        await copyFile(join(folder, `${name}.${kind}`), join(to, `${name}.${kind}`))
      }
      return true
    } catch {
      // The file was removed in the meantime.
    }
  }
  return false
}

/**
 * Puts a `.br` and a `.gz` beside each file of a folder.
 * @param earlier compressed folders of earlier builds, to reuse equal files
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
