/** Archives: an import restores exactly what was exported, byte by byte. */
import { deepStrictEqual } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t from 'tap'
import { buildApp } from '../../src/app.ts'
import { openDatabase } from '../../src/db/client.ts'
import { fromLine, type StoredValue, toLine } from '../../src/exchange/archives/archive-lines.ts'
import { ARCHIVED, type ArchiveField, LISTS } from '../../src/exchange/archives/archive-tables.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { make, randomWrite } from '../changes/random-writes.ts'
import { rowsOf } from '../changes/replay.ts'
import { openTestDatabase } from '../database.ts'
import { send, signInAs } from '../helper.ts'
import { ALL_TABLES, TABLES_OF_THE_SERVICE } from '../tables.ts'
import { exported, imported, importFixture, oddFields, quiet, storedIn } from './archives.ts'

const fields: ArchiveField[] = (['plain', 'json', 'flag', 'plain'] as const).map((type, index) => ({
  name: `field${index}`,
  column: `field_${index}`,
  type,
}))

t.test('any value that SQLite can store survives writing and reading', async () => {
  const stored: fc.Arbitrary<StoredValue> = fc.oneof(
    fc.constant(null),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    fc.constantFrom(0n, 1n, Infinity, -Infinity, 1e300, -1e19, 5, 0.1 + 0.2),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    fc.string({ unit: 'binary' }),
    fc.json(),
    fc.json().map((text) => JSON.stringify(JSON.parse(text), null, 1)),
    fc.constantFrom('{"blob":"00"}', '{"text":"61"}', '{"blob":1}', '["\\\\"]', '{"}":"{"}', '[', '{}x'),
    fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    fc.uint8Array().map((bytes) => ({ text: Buffer.from(bytes) })),
  )
  fc.assert(
    fc.property(fc.tuple(stored, stored, stored, stored), (values) => {
      const line = toLine(values, fields)
      deepStrictEqual(Object.keys(JSON.parse(line)), ['field0', 'field1', 'field2', 'field3'])
      deepStrictEqual(line.indexOf('\n'), line.length - 1, 'one line')
      deepStrictEqual(fromLine(Buffer.from(line.slice(0, -1)), fields), values)
    }),
    { numRuns: 2000 },
  )
})

t.test('a record has the format of the API', async (t) => {
  t.equal(
    toLine(['a', '{"b":[1.0]}', 1n, 2.5], fields),
    '{"field0":"a","field1":{"b":[1.0]},"field2":true,"field3":2.5}\n',
  )
})

t.test('records that no export writes are refused', async (t) => {
  const first = fields.slice(0, 1)
  const flag = [{ name: 'f', column: 'f', type: 'flag' }] as const
  for (const line of [
    '',
    '{}',
    'null',
    '{"field0":1',
    '{"field0":1}}',
    '{"field0":1} ',
    '{ "field0":1}',
    '{"field1":1}',
    '{"field0":}',
    '{"field0":nope}',
    '{"field0":true}',
    '{"field0":[1]}',
    '{"field0":{"blob":"0"}}',
    '{"field0":"\\ud800"}',
    '{"field0":"open}',
    '{"field0":9223372036854775808}',
    '{"field0":1,"field1":2}',
  ]) {
    t.throws(() => fromLine(Buffer.from(line), first), SyntaxError, line)
  }
  t.throws(() => fromLine(Buffer.from([0x7b, 0xff, 0x7d]), first), SyntaxError)
  t.throws(() =>
    fromLine(Buffer.from('{"field0":{"a":nope}}'), [{ ...first[0], type: 'json' } as ArchiveField]),
  )
  t.strictSame(fromLine(Buffer.from('{"f":2}'), flag), [2n])
})

t.test('each table is in an archive, or listed as excluded', async (t) => {
  const archived = ARCHIVED.map(({ table }) => table)
  t.strictSame([...archived, ...TABLES_OF_THE_SERVICE].toSorted(), ALL_TABLES)
  const members = ARCHIVED.find(({ table }) => table === 'members')
  t.notOk(members?.fields.some(({ name }) => name === 'passwordHash'))
})

/** Another tool stores odd values wherever they do no harm. */
function writeOddly(tool: SQLite.Database, pick: (count: number) => number): void {
  tool.pragma('foreign_keys = off')
  for (const of of ARCHIVED) {
    const { table } = of
    const columns = oddFields(of)
    if (columns.length === 0) continue
    const one = `rowid = (select rowid from ${table} order by rowid desc limit 1 offset ${pick(3)})`
    for (let times = 0; times < 3; times++) {
      const { column, odd } = columns[pick(columns.length)] as (typeof columns)[number]
      try {
        tool.exec(`update ${table} set "${column}" = ${odd[pick(odd.length)]} where ${one}`)
      } catch (error) {
        if (!(error instanceof SQLite.SqliteError) || !isRefused(error)) throw error
      }
    }
  }
}

/** Whether the file cannot hold such a value: because of a constraint, or because a team's members are recorded as JSON. */
const isRefused = ({ code, message }: InstanceType<typeof SQLite.SqliteError>): boolean =>
  code.startsWith('SQLITE_CONSTRAINT') || message === 'JSON cannot hold BLOB values'

t.test('export, import into an empty database and another export give identical bytes', async (t) => {
  const folder = t.testdir()
  const file = join(folder, 'board.db')
  // Without checking responses against the document: another tool stores what no response should contain.
  const app = await buildApp({
    databaseUrl: `file:${file}`,
    adminPassword: 'correct horse',
    logLevel: 'silent',
  })
  t.teardown(() => app.close())
  const foreign = new SQLite(file)
  t.teardown(() => foreign.close())
  const { headers } = signInAs(app, 'admin', { id: 'admin' })
  const seeded: [string, object][] = [
    ['/api/teams', { name: 'Crew', memberIds: ['ada', 'admin'] }],
    ['/api/personal-ideas', { title: 'Fly' }],
    ['/api/members', { name: 'Ada', email: 'ada@example.test' }],
  ]
  for (const [url, body] of seeded) await send(app, 'POST', url, body, headers)
  const RUNS = 6
  let run = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(randomWrite(), { minLength: 20, maxLength: 40 }),
      fc.infiniteStream(fc.nat(1000)),
      async (writes, numbers) => {
        run++
        for (const write of writes) await make(write, { app, headers, foreign })
        const { seq } = rowsOf(foreign).at(-3) ?? { seq: 1 }
        await send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)
        // The service itself fails on some of these, so they come last.
        for (let odd = 0; run === RUNS && odd < 4; odd++) {
          writeOddly(foreign, (count) => (numbers.next().value as number) % count)
        }

        const [one, two] = [join(folder, `one-${run}`), join(folder, `two-${run}`)]
        const first = await exported(app.db.$client, one)
        const copy = join(folder, `copy-${run}.db`)
        await imported(copy, one)
        const { db, close } = openDatabase(copy)
        deepStrictEqual(await exported(db.$client, two), first)
        close()
        deepStrictEqual(storedIn(copy), storedIn(file))
      },
    ),
    { numRuns: RUNS, endOnFailure: true, includeErrorInReport: true },
  )
  t.ok(rowsOf(foreign).length > 50)
})

t.test('imported boards survive, in a folder and in a zip file, which are equal', async (t) => {
  const folder = t.testdir()
  const db = openTestDatabase(t, join(folder, 'board.db'))
  for (const name of ['trello-board', 'trello-board-2012']) {
    importFixture(db, name)
  }
  const [one, zip] = [join(folder, 'one'), join(folder, 'one.zip')]
  const first = await exported(db.$client, one)
  await exportArchive(db.$client, zip, quiet)
  const manifest = JSON.parse(String(first['manifest.json']))
  t.strictSame(
    manifest.files.map(({ name }: { name: string }) => name),
    LISTS.map(({ file }) => file),
  )
  t.match(manifest, { format: 'phaseboard-archive', version: 1, lastSeq: rowsOf(db.$client).length })
  for (const [index, archive] of [one, zip].entries()) {
    const copy = join(folder, `copy-${index}.db`)
    t.match(await imported(copy, archive), { plan: { kind: 'whole' }, orphans: 0 })
    const again = openDatabase(copy)
    t.strictSame(await exported(again.db.$client, join(folder, `two-${index}`)), first)
    await exportArchive(again.db.$client, join(folder, `two-${index}.zip`), quiet)
    t.ok(readFileSync(zip).equals(readFileSync(join(folder, `two-${index}.zip`))))
    t.strictSame(
      again.db.$client
        .prepare("select count(*) from search_index where search_index match 'website'")
        .pluck()
        .get(),
      db.$client
        .prepare("select count(*) from search_index where search_index match 'website'")
        .pluck()
        .get(),
    )
    again.close()
  }
})
