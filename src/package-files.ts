import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The package's folder: the sources run from `src/`, the bundle from `dist/`; both are right below it. */
function findRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder)
  return folder
}

const root = findRoot()

/** The absolute path of a file or folder that ships with the package. */
export const packageFile = (name: string): string => join(root, name)

/** The version in package.json. */
export const version: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version

const OWN_FOLDER = basename(dirname(fileURLToPath(import.meta.url)))

/** The commit of the running build. Undefined if it is unknown, and if the sources run. */
export function readCommit(): string | undefined {
  try {
    const { build, commit } = JSON.parse(readFileSync(packageFile('dist/build.json'), 'utf8'))
    // The file is the current build's, and an earlier one may still run.
    return build === OWN_FOLDER ? commit : undefined
  } catch {
    return undefined
  }
}

/** The version, with the commit if it is known: `1.0.0 (0123456789ab)`. */
export function fullVersion(): string {
  const commit = readCommit()
  return commit === undefined ? version : `${version} (${commit})`
}

/**
 * The module of a thread or process, beside the one that starts it: a source if the sources run, else bundled.
 * @param module the `import.meta.url` of the starting module
 */
export const moduleBeside = (name: string, module: string): URL =>
  new URL(`./${name}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module)
