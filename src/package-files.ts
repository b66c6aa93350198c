import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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

/**
 * The module of a thread or process, beside the one that starts it: a source if the sources run, else bundled.
 * @param module the `import.meta.url` of the starting module
 */
export const moduleBeside = (name: string, module: string): URL =>
  new URL(`./${name}.${module.endsWith('.ts') ? 'ts' : 'js'}`, module)
