/** The stops in docs/walkthrough.md exist, and those of the PATCH are on its real path. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import type { Walk, Walks } from './recorded-walk.ts'

/** The maximum number of the PATCH's stops. */
const STOPS = 9
/** The maximum number of times that the request enters a file. */
const ENTRIES = 2
/** The maximum number of files between the handler and the response's bytes, besides those that the rule itself uses. */
const FILES = 15

/** The maximum number of files that a request enters at all: it must not grow unseen. */
const ALL_FILES: Record<keyof Walks, number> = { patch: 54, get: 33 }

const RULE = 'src/board/items.ts'

const text = readFileSync('docs/walkthrough.md', 'utf8')
const [, patch = '', get = ''] = text.split(/^## /m)

/** The stops of a table: file and function. */
const stopsOf = (part: string) =>
  [...part.matchAll(/^\| \d+ \| `([^`]+)` · `([^`]+)`/gm)].map(([, file = '', name = '']) => ({ file, name }))

/** The paths of requests, from the first byte to the last, recorded by a separate process that runs the sources. */
function record(folder: string): Walks {
  const { NODE_V8_COVERAGE: _, ...env } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, ['test/recorded-walk.ts', folder], {
    env,
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

t.test('every stop exists', async (t) => {
  t.match(patch, /^PATCH/)
  t.match(get, /^GET/)
  t.ok(stopsOf(patch).length > 5 && stopsOf(get).length > 3)
  for (const { file, name } of stopsOf(text)) {
    if (!t.ok(existsSync(file), file)) continue
    const definition = new RegExp(
      `(function|const|class) ${name}\\b|^  (override )?(async )?${name}(<.*>)?\\(`,
      'm',
    )
    t.match(readFileSync(file, 'utf8'), definition, `${file} has ${name}`)
  }
})

t.test('a PATCH takes the described path', async (t) => {
  const walks = record(t.testdir())
  for (const name of ['patch', 'get'] as const) {
    const all = [...new Set(walks[name].begun.map(({ file }) => file))]
    const isWithin = all.length > 0 && all.length <= ALL_FILES[name]
    t.ok(isWithin, `${name} enters ${all.length} files: ${all.join(', ')}`)
  }
  const { begun, visits } = walks.patch
  const stops = stopsOf(patch)
  t.ok(stops.length <= STOPS, `${stops.length} stops`)
  let at = 0
  for (const { file, name } of stops) {
    const next = begun.findIndex((one, index) => index >= at && one.file === file && one.names.includes(name))
    if (t.not(next, -1, `${file} · ${name} comes next`)) at = next + 1
  }

  const entries = Map.groupBy(visits, ({ file }) => file)
  const often = [...entries].filter(([, all]) => all.length > ENTRIES)
  t.strictSame(
    often.map(([file, all]) => `${file}: ${all.length} times`),
    [],
    'it comes into no file more often than twice',
  )

  const handler = visits.findIndex(({ file }) => file.startsWith('routes/'))
  const bytes = visits.findIndex(({ file }, index) => index > handler && file.startsWith('src/http/'))
  const isOfRule = ({ from }: Walk['visits'][number]): boolean => {
    const caller = from === null ? undefined : visits[from]
    return caller !== undefined && (caller.file === RULE || isOfRule(caller))
  }
  const way = visits.slice(handler, bytes).filter((visit) => !isOfRule(visit))
  const files = [...new Set(way.map(({ file }) => file))]
  t.ok(files.length <= FILES, `${files.length} files from the handler to the bytes: ${files.join(', ')}`)
  const named = [...patch.matchAll(/`((?:src|plugins|routes)\/[\w./-]+\.ts)`/g)].map(([, file]) => file)
  t.strictSame(
    files.filter((file) => !named.includes(file)),
    [],
    'each of them is named',
  )
})
