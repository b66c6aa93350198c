/** Finds the build of the board page. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../package-files.ts'

const isBundle = !import.meta.url.endsWith('.ts')
const watched = isBundle ? undefined : process.env.PHASEBOARD_WEB

/** Whether the build changes while the service runs, as with `npm run dev`. */
export const isWatched = watched !== undefined

/**
 * Finds the folder with `page.html` and `assets/`. It is in the same build as the service; a service that runs from the
 * sources uses that of `npm run dev`, or of the latest build.
 * @returns its absolute path
 */
export function findWebBuild(): string {
  if (isBundle) return join(dirname(fileURLToPath(import.meta.url)), 'web')
  const [, build = ''] = /'\.\/(\w+)\/cli\.js'/.exec(readFileSync(packageFile('dist/cli.js'), 'utf8')) ?? []
  return watched ?? packageFile(join('dist', build, 'web'))
}
