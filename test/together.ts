/**
 * Runs several test files in one process, one after another. They share what each process would load and compile: tap, the
 * application, its schemas, the response checker, a browser. `scripts/test-groups.ts` chooses the files.
 *
 * Each file is a test: its import of `tap` is that test, which ends with its teardowns before the next file starts. Shared
 * modules import tap itself, whose teardowns run at the end; those that add tests use `current-test.ts`.
 */
import { registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import root, { type Test } from 'tap'
import { beginFile } from './current-test.ts'

/** The timeout of a file in milliseconds. It is generous, because it is only for hanging tests. */
const TIMEOUT = 900_000
const SCHEME = 'tap-of:'

/** The test of each file, by the file's URL. */
export const testOf = new Map<string, Test>()

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context
    return specifier === 'tap' && testOf.has(parentURL)
      ? { url: `${SCHEME}${parentURL}`, format: 'module', shortCircuit: true }
      : next(specifier, context)
  },
  load(url, context, next) {
    if (!url.startsWith(SCHEME)) return next(url, context)
    const file = JSON.stringify(url.slice(SCHEME.length))
    const source = `import { testOf } from '${import.meta.url}'; export default testOf.get(${file})`
    return { format: 'module', source, shortCircuit: true }
  },
})

/** @param files their paths in the project, e.g. `test/time.test.ts` */
export function runTogether(files: readonly string[]): void {
  // Without the plan, a process that ends early would pass.
  root.plan(files.length)
  for (const file of files) {
    root.test(file, { timeout: TIMEOUT }, async (t) => {
      const { href } = pathToFileURL(resolve(file))
      testOf.set(href, t)
      beginFile(t)
      t.teardown(() => {
        if (t.counts.total === 0) throw new Error(`${file} has no test`)
      })
      await import(href)
    })
  }
}
