/**
 * Scripts that are loaded together with the functions that V8 has compiled of them in an earlier process
 * (docs/decisions/080-compiled-functions.md).
 */
import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { createRequire, Module } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const OPENING = '(function (exports, require, module, __filename, __dirname) {'

/** The code that a file holds after its CRC-32, four bytes. Undefined if there is none, or it was cut off. */
function readCode(path: string): Buffer | undefined {
  try {
    const file = readFileSync(path)
    const code = file.subarray(4)
    return file.readUInt32LE(0) === crc32(code) ? code : undefined
  } catch {
    return undefined
  }
}

function writeCode(path: string, code: Buffer): void {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32LE(crc32(code))
  const aside = `${path}.${randomUUID()}`
  try {
    writeFileSync(aside, Buffer.concat([checksum, code]))
    renameSync(aside, path)
  } catch {
    // The folder is read-only or full: the next process compiles again.
  }
}

/**
 * Loads a CommonJS module as `require` would, so that later calls of `require` find it.
 * @param file its absolute path
 * @param folder where compiled functions are kept for other processes with the same version and flags of V8; undefined for nowhere
 * @returns keeps the functions compiled by now; undefined if there is nothing to do, because the module was loaded with such functions
 */
export function requireCompiled(file: string, folder: string | undefined): (() => void) | undefined {
  // V8 itself refuses code for other versions and flags, or for a source of another length.
  const path = folder && join(folder, `${basename(file)}-${Math.floor(statSync(file).mtimeMs)}`)
  const cachedData = path && readCode(path)
  const script = new Script(`${OPENING}${readFileSync(file, 'utf8')}\n})`, {
    filename: file,
    columnOffset: -OPENING.length,
    ...(cachedData && { cachedData }),
  })
  const require = createRequire(file)
  const module = new Module(file)
  module.filename = file
  require.cache[file] = module
  script.runInThisContext()(module.exports, require, module, file, dirname(file))
  module.loaded = true
  if (!path || script.cachedDataRejected === false) return undefined
  return () => writeCode(path, script.createCachedData())
}
