/** Checks out and builds a commit in its own folder, to compare with it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageFile } from '../src/package-files.ts'

const LOCK = 'package-lock.json'

/**
 * Builds a commit of this repository. Its packages are installed; if they are the same as here, these are used.
 * @param folder the parent of the new folder
 * @returns the folder, and the commit's short name and date (YYYY-MM-DD)
 */
export function checkOut(commit: string, folder: string): { checkout: string; name: string; date: string } {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: packageFile('.'), encoding: 'utf8', maxBuffer: 2 ** 20 }).trim()
  const [name = '', date = ''] = git('log', '-1', '--format=%h%n%cs', '--end-of-options', commit, '--').split(
    '\n',
  )
  const checkout = join(folder, name)
  mkdirSync(checkout)
  const archive = execFileSync('git', ['archive', '--format=tar', name], {
    cwd: packageFile('.'),
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x'], { cwd: checkout, input: archive })
  const isSame = readFileSync(join(checkout, LOCK)).equals(readFileSync(packageFile(LOCK)))
  if (isSame) symlinkSync(packageFile('node_modules'), join(checkout, 'node_modules'))
  else
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: checkout,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  execFileSync('npm', ['run', 'prestart'], { cwd: checkout, stdio: ['ignore', 'ignore', 'inherit'] })
  return { checkout, name, date }
}
