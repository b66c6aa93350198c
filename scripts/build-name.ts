/** The name of a build: a hash of its inputs. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The inputs of a build. For dependencies, npm's list of installed packages: the lock file may have changed
 * without an `npm ci` since.
 */
const INPUT_FOLDERS = ['src', 'plugins', 'routes', 'web']
const INPUT_FILES = [
  'scripts/build.ts',
  'scripts/bundle.ts',
  'scripts/common-js.ts',
  'scripts/build-web.ts',
  'scripts/client-types.ts',
  'scripts/openapi-types.ts',
  'scripts/compress-assets.ts',
  'scripts/third-party.ts',
  'scripts/web-budget.ts',
  'package.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
]

/** What `scripts/client-types.ts` writes among the sources. Git ignores these files, since they follow from the others. */
export const GENERATED = ['src/client/api.d.ts', 'src/client/without-key.ts', 'src/client/of-bytes.ts']

export const root = resolve(import.meta.dirname, '..')

function hashInputs(): string {
  const hash = createHash('sha256')
  const add = (file: string) => {
    const content = readFileSync(join(root, file))
    hash.update(`${file} ${content.length}\n`).update(content)
  }
  for (const folder of INPUT_FOLDERS) {
    const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    for (const file of files.sort()) if (!GENERATED.includes(file)) add(file)
  }
  for (const file of INPUT_FILES) if (existsSync(join(root, file))) add(file)
  return hash.digest('hex').slice(0, 16)
}

/** The name of the current sources' build. */
export const build = hashInputs()
