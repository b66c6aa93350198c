import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { requireCompiled } from '../../src/cli/compiled-script.ts'

/** A module with a function that V8 compiles only when it is called, and the folder for its compiled functions. */
function makeModule(t: Test) {
  const folder = t.testdir({
    kept: {},
    'module.cjs': `
      exports.file = __filename
      exports.folder = __dirname
      exports.isAbsolute = require('node:path').isAbsolute(module.id)
      exports.add = (one, other) => { /* ${'padding '.repeat(50)} */ return one + other }
      exports.sign = /＝/
      exports.fail = () => { throw new Error('no such luck') }
    `,
  })
  const file = join(folder, 'module.cjs')
  const kept = join(folder, 'kept')
  /** Loads it as in another process. */
  const load = (to: { folder?: string } = { folder: kept }) => {
    const require = createRequire(import.meta.url)
    delete require.cache[file]
    const keep = requireCompiled(file, to.folder)
    return { keep, module: require(file) }
  }
  const keptFiles = () => readdirSync(kept).map((name) => join(kept, name))
  return { folder, file, load, keptFiles }
}

t.test('a module is what require would load', async (t) => {
  const { folder, file, load } = makeModule(t)
  const { module } = load()
  t.match(module, { file, folder, isAbsolute: true })
  t.equal(module.add(1, 2), 3)
  t.ok(module.sign.test('＝'), 'in UTF-8')
  const lines = readFileSync(file, 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes('new Error'))
  const { stack } = (await t.rejects(Promise.resolve().then(module.fail))) as Error
  t.ok(
    stack?.includes(`${file}:${line + 1}:${(lines[line]?.indexOf('new Error') as number) + 1})`),
    'stack traces have its positions',
  )
})

t.test('functions that were compiled by then are kept for other processes', async (t) => {
  const { load, keptFiles } = makeModule(t)
  const first = load()
  first.keep?.()
  const [before = ''] = keptFiles()
  const sizeBefore = readFileSync(before).length
  writeFileSync(before, '')

  const second = load()
  second.module.add(1, 2)
  second.keep?.()
  t.ok(readFileSync(before).length > sizeBefore, 'a function that has been called is among them')
  t.equal(keptFiles().length, 1)

  const third = load()
  t.equal(third.keep, undefined, 'then there is nothing to keep')
  t.equal(third.module.add(1, 2), 3)
})

t.test('kept functions that do not fit are replaced', async (t) => {
  const { file, load, keptFiles } = makeModule(t)
  load().keep?.()
  const [kept = ''] = keptFiles()
  const whole = readFileSync(kept)
  const damaged = Buffer.from(whole)
  damaged.writeUInt8(damaged.readUInt8(100) ^ 1, 100)
  for (const [what, content] of [
    ['cut off', whole.subarray(0, 200)],
    ['damaged', damaged],
    ['empty', Buffer.alloc(0)],
  ] as const) {
    writeFileSync(kept, content)
    const { keep, module } = load()
    t.equal(module.add(1, 2), 3, what)
    keep?.()
    t.equal(load().keep, undefined)
  }

  writeFileSync(file, readFileSync(file, 'utf8').replace('one + other', 'one - other'))
  utimesSync(file, new Date(), new Date(Date.now() + 5000))
  t.equal(load().module.add(3, 2), 1, 'a source of the same length that was changed is compiled again')
})

t.test('without a folder that can be written to, nothing is kept', async (t) => {
  const { folder, load } = makeModule(t)
  t.equal(load({}).keep, undefined)
  const { keep, module } = load({ folder: join(folder, 'missing') })
  t.doesNotThrow(() => keep?.())
  t.equal(module.add(1, 2), 3)
})
