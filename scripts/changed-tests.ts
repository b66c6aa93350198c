/**
 * The tests that a change can affect, by imports and names. The whole application imports every source, and would lead from each to
 * every test: imports are not followed through it. Tests of a folder's or resource's behaviour then count by their place instead.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'

/** Modules that import nearly everything, to put it together. */
const WHOLES = /^(src\/(app|server)\.ts|src\/cli\/program\.ts|plugins\/.*|routes\/.*|web\/main\.tsx)$/

const IMPORT = /(?:from|import\(|import) ?'(\.[^']+)'/g

/** The paths that a module imports. */
const importsOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, path = '']) =>
    normalize(join(dirname(file), path)),
  )

/** The files that differ from a commit, or are new. */
export function changedFiles(commit: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '')
  return [...git('diff', '--name-only', commit), ...git('ls-files', '--others', '--exclude-standard')]
}

/** Whether a test is named like a source: `kanban-item-moves.test.ts` is of `kanban-items.ts`. */
const isNamedLike = (source: string, test: string) => {
  const name = basename(source).replace(/s?\.tsx?$/, '')
  return new RegExp(`^${name}s?[.-]`).test(basename(test))
}

/**
 * The tests of a source by place and name: those of a folder of `src` or `web` are in the folder of that name, or have its name, and
 * those of a rule are also those of the routes that use it, by `app.board` and the rule's name.
 */
function standingFor(source: string, files: readonly string[], tests: readonly string[]): string[] {
  const [top = '', folder = ''] = source.split('/')
  const inFolder = top === 'web' ? `test/web/${folder.replace(/s$/, '')}` : `test/${folder}/`
  if (top !== 'src' && top !== 'web') {
    return tests.filter((test) => test.startsWith(`test/${top}/`) && isNamedLike(source, test))
  }
  if (folder === basename(source)) return tests.filter((test) => isNamedLike(source, test))
  const rule = basename(source, '.ts').replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  const routes = files.filter((file) => {
    const text = file.startsWith('routes/') ? readFileSync(file, 'utf8') : ''
    return text.includes(`app.${folder}`) && new RegExp(`\\b${rule}\\b`).test(text)
  })
  return tests.filter(
    (test) =>
      test.startsWith(inFolder) ||
      routes.some((route) => test.startsWith('test/routes/') && isNamedLike(route, test)),
  )
}

/**
 * Finds tests for changed files.
 * @param changed their paths
 * @returns paths of tests, in alphabetical order
 */
export function testsOf(changed: readonly string[]): string[] {
  const files = globSync('{src,plugins,routes,web,test,scripts,bench}/**/*.{ts,tsx}', {
    exclude: ['test/fixtures/**'],
  })
  const tests = files.filter((file) => file.endsWith('.test.ts'))
  const importers = new Map<string, string[]>()
  for (const file of files) {
    for (const imported of importsOf(file))
      importers.set(imported, [...(importers.get(imported) ?? []), file])
  }
  const reached = new Set<string>(changed)
  for (const file of reached) {
    if (WHOLES.test(file)) continue
    for (const importer of importers.get(file) ?? []) reached.add(importer)
  }
  const standing = changed.flatMap((file) => standingFor(file, files, tests))
  return [...new Set([...tests.filter((test) => reached.has(test)), ...standing])]
    .filter((test) => existsSync(test))
    .sort()
}
