import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import t from 'tap'
import { mapStackTraces } from '../src/stack-traces.ts'

t.test('a stack trace has the source lines of files with a map, and is otherwise unchanged', async (t) => {
  const original = Error.prepareStackTrace
  t.teardown(() => {
    Error.prepareStackTrace = original as typeof Error.prepareStackTrace
    process.setSourceMapsEnabled(wereEnabled)
  })
  const wereEnabled = process.sourceMapsEnabled
  const folder = t.testdir({
    'thrower.ts':
      '// a comment\n\nexport function fail(): never {\n  throw new TypeError("no such luck")\n}\n',
    'broken.mjs': 'export const fail = () => { throw new Error("without a map") }\n',
    'broken.mjs.map': '{',
  })
  for (const format of ['esm', 'cjs'] as const) {
    await build({
      entryPoints: [`${folder}/thrower.ts`],
      outfile: `${folder}/out/thrower.${format === 'esm' ? 'mjs' : 'cjs'}`,
      format,
      platform: 'node',
      minify: true,
      keepNames: true,
      sourcemap: true,
    })
  }

  process.setSourceMapsEnabled(true)
  mapStackTraces()
  t.equal(Error.prepareStackTrace, original, 'where Node maps them, nothing is to be done')

  process.setSourceMapsEnabled(false)
  mapStackTraces()
  for (const [module, line] of [
    ['out/thrower.mjs', /at (.* \()?file:\/\/.*\/thrower\.ts:4:\d+/],
    ['out/thrower.cjs', /at (.* \()?file:\/\/.*\/thrower\.ts:4:\d+/],
    ['broken.mjs', /at (.* \()?file:\/\/.*\/broken\.mjs:1:\d+/],
  ] as const) {
    const { fail } = await import(pathToFileURL(`${folder}/${module}`).href)
    try {
      fail()
    } catch (error) {
      const { stack = '' } = error as Error
      t.match(stack.split('\n')[0], /^(TypeError: no such luck|Error: without a map)$/)
      t.match(stack.split('\n')[1], line)
      t.match(stack, /stack-traces\.test\.ts:\d+:\d+/)
    }
  }
})
