/** The README's first command in a clean clone. The suite runs against the result of `npm start`, in both modes. */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t from 'tap'
import { environmentOf } from '../installed-package.ts'
import { walkBothModes } from './service.ts'

// In a git hook, git's variables name another folder.
const outside = Object.fromEntries(
  Object.entries(environmentOf(process.execPath)).filter(([name]) => !name.startsWith('GIT_')),
)
const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8', env: outside })

/** Clones the repository with its uncommitted changes, and links the dependencies. */
function clone(folder: string): void {
  git('clone', '--quiet', '.', folder)
  const files = (...options: string[]) =>
    git('ls-files', '-z', ...options)
      .split('\0')
      .filter(Boolean)
  for (const file of files('--modified', '--others', '--exclude-standard')) {
    if (existsSync(file)) cpSync(file, join(folder, file), { recursive: true, verbatimSymlinks: true })
  }
  for (const file of files('--deleted')) rmSync(join(folder, file), { force: true })
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
}

const skip = existsSync('.git') ? false : 'this is no git clone'

t.test("a clean clone's npm start", { skip }, async (t) => {
  const cwd = join(t.testdir({}), 'clone')
  clone(cwd)
  const env = environmentOf(process.execPath)
  await walkBothModes(t, { command: 'npm', args: ['start'], cwd, env })
})
