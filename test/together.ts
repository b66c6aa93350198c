/**
 * Runs the test files that the scheduler (`scripts/test-processes.ts`) sends, one after another, in one process. They share what each
 * process would load and compile: tap, the application, its schemas, the response checker, a browser.
 *
 * Each file is a test: its import of `tap` is that test, which ends with its teardowns before the next file starts. Shared
 * modules import tap itself, whose teardowns run at the end; those that add tests use `current-test.ts`.
 */
import { EventEmitter, on } from 'node:events'
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

/** What the scheduler sends: paths such as `test/time.test.ts`, and null at the end. */
const sender = new EventEmitter()
const sent = on(sender, 'file')
process.on('message', (file: string) => sender.emit('file', file))
process.on('disconnect', () => sender.emit('file', null))

/** The running tests, the innermost last: those of a process run one after another. */
const running = new Set<Test>()

function follow(test: Test): void {
  test.on('subtestStart', (inner) => {
    running.add(inner as Test)
    follow(inner as Test)
  })
  test.on('subtestEnd', (inner) => running.delete(inner as Test))
}

follow(root)

// An error that nothing catches fails the running test, and ends no process, unless a test itself waits for it.
process.on('uncaughtExceptionMonitor', (error, origin) => {
  const test = [...running].at(-1)
  const isOthers =
    process.hasUncaughtExceptionCaptureCallback() || process.listenerCount('uncaughtException') > 0
  if (isOthers || test === undefined) return
  process.setUncaughtExceptionCaptureCallback(() => process.setUncaughtExceptionCaptureCallback(null))
  test.threw(Object.assign(Object(error), { tapCaught: origin }))
})

// Waiting for a file keeps no process alive, once tap has used the channel itself.
const alive = setInterval(() => undefined, 1 << 30)

// tap ends as soon as it has nothing to do. A test around all files is never idle.
root.test('files', { timeout: 0 }, async (files) => {
  for await (const [file] of sent as AsyncIterable<(string | null)[]>) {
    if (file == null) break
    await files.test(file, { timeout: TIMEOUT }, async (t) => {
      const { href } = pathToFileURL(resolve(file))
      testOf.set(href, t)
      beginFile(t)
      t.teardown(() => {
        if (t.counts.total === 0) throw new Error(`${file} has no test`)
      })
      await import(href)
    })
    process.send?.({ done: file })
  }
  clearInterval(alive)
})
