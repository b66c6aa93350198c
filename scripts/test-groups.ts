/**
 * Groups test files that share a process in full runs: most of a file's time is loading and compiling code that
 * others need as well.
 */
import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FOLDER = '.tap/groups'

/** Files per process: few enough to keep all processors busy until the end. */
const SIZE = 10

/**
 * Files that need their own process: slow ones, and those that patch something before the application is loaded or a database
 * is created.
 */
const ALONE = [
  'test/access-matrix.test.ts',
  'test/attacks.test.ts',
  'test/black-box/*.test.ts',
  'test/builds.test.ts',
  'test/credentials.test.ts',
  'test/db/client.test.ts',
  'test/http/unsent-responses.test.ts',
  'test/package.test.ts',
  'test/power-cut.test.ts',
  'test/routes/session.test.ts',
  'test/web/board-many.test.ts',
  'test/web/serving.test.ts',
  'test/worker/offload.test.ts',
]

/** Writes a file for each group, which runs its files one after the other. @returns the groups' files, slow ones first */
export function writeGroups(): string[] {
  const all = globSync('test/**/*.test.ts', { exclude: ['test/fixtures/**'] }).sort()
  const alone = globSync(ALONE).sort()
  const shared = all.filter((file) => !alone.includes(file))
  const isOfBrowser = (file: string) => file.startsWith('test/web/')
  const groups = [
    ...alone.map((file) => [file]),
    ...inGroups(shared.filter(isOfBrowser)),
    ...inGroups(shared.filter((file) => !isOfBrowser(file))),
  ]
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  return groups.map((files, index) => {
    const file = join(FOLDER, `${String(index + 1).padStart(2, '0')}.test.ts`)
    const source = `import { runTogether } from '../../test/together.ts'\n\nrunTogether(${JSON.stringify(files, null, 2)})\n`
    writeFileSync(file, source)
    return file
  })
}

/** Neighbouring files share a group. */
function inGroups(files: readonly string[]): string[][] {
  const count = Math.ceil(files.length / SIZE)
  return Array.from({ length: count }, (_, index) =>
    files.slice(Math.floor((index * files.length) / count), Math.floor(((index + 1) * files.length) / count)),
  )
}
