/**
 * Contents of archives with valid checksums. Each is refused with the number of its line, or everything in it can be read once
 * it is imported.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { openDatabase } from '../../src/db/client.ts'
import { LAST_SEQ } from '../../src/db/lost-changes.ts'
import { fromLine, toJson } from '../../src/exchange/archives/archive-lines.ts'
import { LISTS } from '../../src/exchange/archives/archive-tables.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { examine } from '../../src/maintenance/doctor.ts'
import { seeding } from '../batches.ts'
import { failedGets } from '../every-get.ts'
import { tokenOf } from '../helper.ts'
import { inTurn, rounds } from '../rounds.ts'
import { copyFolder, dumpOf, imported, importFixture, quiet, rewrite } from './archives.ts'

/** The number of archives to try. */
const ROUNDS = rounds(15)

/** Creates an archive with records of each kind, and changes of each action. */
async function archived(t: Test) {
  const folder = t.testdir()
  const { db, close } = openDatabase(join(folder, 'source.db'))
  db.$client.exec(seeding('boss'))
  db.$client.exec(
    `insert into members (id, name, email, role) values ('boss', 'Boss', 'boss@example.test', 'admin');
     insert into kanban_item_labels values ('item', 'label');
     insert into kanban_activity (id, item_id, type) values ('activity', 'second', 'status_change');
     insert into team_members values ('team', 'ada'), ('team', 'boss');
     insert into audit_log (id, action) values ('entry', 'sign-in');
     insert into kanban_columns (id, project_id, name) values ('there', 'other', 'Full');
     update kanban_items set title = 'Deck', project_id = 'other' where id = 'third';
     delete from kanban_items where id = 'second'; update teams set name = 'Cast';
     delete from personal_ideas where id = 'secret'`,
  )
  const archive = join(folder, 'archive')
  await exportArchive(db.$client, archive, quiet)
  close()
  return { folder, archive }
}

/** A line as its fields: their names, and their values as JSON. */
type Line = [name: string, json: string][]

/** The files of an archive, as lines that can be changed. */
type Files = Map<string, Line[]>

const tableOf = (name: string) => LISTS.find(({ file }) => file === name) as (typeof LISTS)[number]

/** Changes an archive, and updates its checksums. */
function change(archive: string, copy: string, work: (files: Files) => void): void {
  rmSync(copy, { recursive: true, force: true })
  copyFolder(archive, copy)
  const files: Files = new Map()
  rewrite(copy, (content, name) => {
    const { fields } = tableOf(name)
    const lines = content.toString().split('\n').slice(0, -1)
    files.set(
      name,
      lines.map((line) => {
        const values = fromLine(Buffer.from(line), fields)
        return fields.map((field, index) => [field.name, toJson(values[index] ?? null, field)])
      }),
    )
    return content
  })
  work(files)
  const last = files.get('changes.jsonl')?.at(-1)?.[0]?.[1]
  rewrite(
    copy,
    (_, name) => {
      const lines = files
        .get(name)
        ?.map((line) => `{${line.map(([key, json]) => `"${key}":${json}`).join()}}\n`)
      return Buffer.from(lines?.join('') ?? '')
    },
    (manifest) => ({ ...manifest, lastSeq: /^\d{1,15}$/.test(last ?? '') ? Number(last) : manifest.lastSeq }),
  )
}

const lineOf = (files: Files, name: string, line: number) => files.get(`${name}.jsonl`)?.[line - 1] as Line

const set = (line: Line, field: string, json: string) => {
  const place = line.findIndex(([name]) => name === field)
  line[place] = [field, json]
}

const text = (length: number) => JSON.stringify('x'.repeat(length))

/** A change of a line, and the error about it. */
const REFUSED: [file: string, field: string, json: string, reason: string][] = [
  ['members', 'role', '"owner"', 'role must be one of admin, member, viewer'],
  ['members', 'role', 'null', 'role must not be null'],
  ['members', 'disabled', '2', 'disabled must be true or false'],
  ['members', 'disabled', '"no"', 'disabled must be true or false'],
  ['members', 'email', '{"blob":"00"}', 'email must be text'],
  ['members', 'email', '""', 'email must not be empty'],
  ['projects', 'id', '{"blob":"00"}', 'id must be text'],
  ['projects', 'id', '""', 'id must not be empty'],
  ['projects', 'id', text(1001), 'id must not have more than 1000 characters'],
  ['projects', 'name', 'null', 'name must not be null'],
  ['projects', 'name', '5', 'name must be text'],
  ['projects', 'description', text(2 * 1024 * 1024 + 1), 'description must not have more than 2097152 bytes'],
  [
    'projects',
    'description',
    JSON.stringify('ö'.repeat(1024 * 1024 + 1)),
    'description must not have more than 2097152 bytes',
  ],
  ['projects', 'metadata', '"{not json"', 'metadata must be JSON'],
  ['projects', 'metadata', '5', 'metadata must be JSON'],
  ['projects', 'metadata', '{"blob":"7B7D"}', 'metadata must be JSON'],
  ['projects', 'metadata', JSON.stringify(`${'['.repeat(1500)}${']'.repeat(1500)}`), 'metadata must be JSON'],
  ['kanban-items', 'projectId', '{"text":"FF"}', 'projectId must be text'],
  ['kanban-columns', 'stage', '"never"', 'stage must be one of todo, doing, done'],
  ['changes', 'seq', '0', `seq must be an integer from 1 to ${LAST_SEQ}`],
  ['changes', 'seq', '1.0', `seq must be an integer from 1 to ${LAST_SEQ}`],
  ['changes', 'seq', String(LAST_SEQ + 1), `seq must be an integer from 1 to ${LAST_SEQ}`],
  ['changes', 'seq', '"1"', `seq must be an integer from 1 to ${LAST_SEQ}`],
  ['changes', 'at', '"yesterday"', 'at must be a time'],
  ['changes', 'at', 'null', 'at must be a time'],
  ['changes', 'group', '2', 'group must be null, or a seq up to its own'],
  ['changes', 'group', '9e999', 'group must be null, or a seq up to its own'],
  ['changes', 'kind', '"unheard-of"', 'kind must be one that changes have'],
  ['changes', 'kind', 'null', 'kind must be one that changes have'],
  ['changes', 'id', '{"blob":"00"}', 'id must be text'],
  ['changes', 'actorId', '5', 'actorId must be text'],
  ['changes', 'projectId', '""', 'projectId must not be empty'],
  ['changes', 'action', '"vanished"', 'action must be one that its kind has'],
  ['changes', 'action', '{"blob":"00"}', 'action must be one that its kind has'],
  ['changes', 'action', '"deleted"', 'before must be a JSON object'],
  ['changes', 'before', '{}', 'before must be null where it is created'],
  ['changes', 'after', 'null', 'after must be a JSON object'],
  ['changes', 'after', '"{not json"', 'after must be a JSON object'],
  ['changes', 'after', '[1]', 'after must be a JSON object'],
  ['changes', 'after', '"5"', 'after must be a JSON object'],
  ['changes', 'after', '5', 'after must be a JSON object'],
  ['changes', 'after', '{"secret":1}', 'after has a field that a project has not: secret'],
  ['changes', 'after', '{"id":"project","name":{"a":1}}', 'after has a value that name cannot have'],
  ['changes', 'after', '{"id":"project","name":true}', 'after has a value that name cannot have'],
  ['changes', 'after', '{"id":"project","name":{"blob":"0"}}', 'after has a value that name cannot have'],
  [
    'changes',
    'after',
    '{"id":"project","name":{"blob":"00","a":1}}',
    'after has a value that name cannot have',
  ],
  ['changes', 'after', '{"id":"another"}', 'after must be of the record that the change is of'],
  ['changes', 'after', '{}', 'after must be of the record that the change is of'],
  ['changes', 'after', `{"id":${text(4 * 1024 * 1024)}}`, 'after must not have more than 4194304 bytes'],
]

t.test('contents that a service cannot use are refused with their line', async (t) => {
  const { folder, archive } = await archived(t)
  const copy = join(folder, 'copy')
  const filled = openDatabase(join(folder, 'target.db'))
  t.teardown(filled.close)
  importFixture(filled.db, 'trello-board')
  const before = dumpOf(filled.db.$client)
  const targets = [
    () => imported(join(folder, 'empty.db'), copy),
    () => importArchive(filled.db, copy, quiet),
  ]
  for (const [turn, [file, field, json, reason]] of REFUSED.entries()) {
    change(archive, copy, (files) => set(lineOf(files, file, 1), field, json))
    const message = `${file}.jsonl, line 1: ${reason}`
    const name = `${file} ${field} ${json.slice(0, 60)}`
    // A line is read before it matters where it would be stored.
    for (const into of inTurn(targets, turn))
      await t.rejects(into(), { name: 'ArchiveRefused', message }, name)
    t.notOk(existsSync(join(folder, 'empty.db')), 'there is no database')
  }
  t.strictSame(dumpOf(filled.db.$client), before)

  const later: [(files: Files) => void, RegExp][] = [
    [
      (files) => set(lineOf(files, 'changes', 7), 'kind', '"leap"'),
      /^changes.jsonl, line 7: after has a field/,
    ],
    [
      (files) => {
        const lines = files.get('kanban-columns.jsonl') as Line[]
        set(lines[1] as Line, 'projectId', lines[0]?.find(([name]) => name === 'projectId')?.[1] ?? '')
        set(lines[1] as Line, 'name', lines[0]?.find(([name]) => name === 'name')?.[1] ?? '')
      },
      /^kanban-columns.jsonl, line 2: it conflicts with the records here: UNIQUE constraint failed/,
    ],
  ]
  for (const [work, message] of later) {
    change(archive, copy, work)
    await t.rejects(imported(join(folder, 'empty.db'), copy), { message })
  }
})

t.test('a sequence jump has the form that a takeover writes', async (t) => {
  const { folder, archive } = await archived(t)
  const jumping = (fields: Record<string, string>) => {
    const copy = join(folder, 'copy')
    change(archive, copy, (files) => {
      const lines = files.get('changes.jsonl') as Line[]
      const last = lines.at(-1) as Line
      const all: Record<string, string> = {
        seq: `${lines.length + 1000}`,
        group: `${lines.length + 1000}`,
        kind: '"leap"',
        action: '"created"',
        projectId: 'null',
        itemId: 'null',
        before: 'null',
        after: `{"last":${lines.length},"lastAt":"2026-01-31T00:00:00.000Z"}`,
        ...fields,
      }
      lines.push(last.map(([name, json]) => [name, all[name] ?? json]))
    })
    return copy
  }
  t.match(await imported(join(folder, 'leaped.db'), jumping({})), { plan: { kind: 'whole' } })
  t.strictSame(
    examine(join(folder, 'leaped.db')).filter(({ status }) => status !== 'ok'),
    [],
  )
  await t.rejects(imported(join(folder, 'other.db'), jumping({ action: '"updated"' })), {
    message: /line \d+: action must be one that its kind has$/,
  })
})

/** What the doctor may report in an imported file: harmless findings that already applied to the exporting service. */
const HARMLESS = ['references', 'order', 'columns', 'sequence', 'times']
/** The same for a reference that is not a foreign key. */
const DANGLING = / is merged into nobody$/

/** JSON that replaces another value. */
const JSON_VALUES = [
  'null',
  'true',
  'false',
  '0',
  '-1',
  '5',
  '2.5',
  '9e999',
  '-9e999',
  '9007199254740993',
  '9223372036854775807',
  '""',
  '"x"',
  '"\\u0000\\n\\""',
  '"2026-01-31T00:00:00.000Z"',
  '"created"',
  '"deleted"',
  '"{not json"',
  '{"blob":"00FF"}',
  '{"text":"FF61"}',
  '{"a":1}',
  '{}',
  '[]',
  '[[1]]',
  text(100_000),
  JSON.stringify(`${'['.repeat(3000)}${']'.repeat(3000)}`),
]

const mutation = fc.record({
  what: fc.constantFrom('set', 'swap', 'copy', 'inner', 'drop', 'add'),
  file: fc.nat(100),
  line: fc.nat(1000),
  other: fc.nat(1000),
  field: fc.nat(20),
  value: fc.constantFrom(...JSON_VALUES),
})

type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never

/** Changes an archive at random. */
function mutate(files: Files, { what, file, line, other, field, value }: Mutation): void {
  const names = [...files.keys()].filter((name) => (files.get(name)?.length ?? 0) > 0)
  // Half of the changes are in the file of changes.
  const name = file % 2 === 0 ? 'changes.jsonl' : (names[file % names.length] as string)
  const lines = files.get(name) as Line[]
  const at = line % lines.length
  const one = lines[at] as Line
  const two = lines[other % lines.length] as Line
  const place = field % one.length
  const [key, json] = one[place] as Line[number]
  const put = (place: number, value: string) => {
    one[place] = [(one[place] as Line[number])[0], value]
  }
  if (what === 'set') put(place, value)
  else if (what === 'swap') {
    const next = (place + 1) % one.length
    const there = (one[next] as Line[number])[1]
    put(next, json)
    put(place, there)
  } else if (what === 'copy') put(place, (two[place] as Line[number])[1])
  else if (what === 'drop') lines.splice(at, 1)
  else if (what === 'add') {
    lines.splice(at + 1, 0, [...one])
    if (name === 'changes.jsonl')
      for (const [index, row] of lines.entries()) set(row, 'seq', String(index + 1))
    else
      set(lines[at + 1] as Line, lines[at]?.[0]?.[0] ?? '', `${(one[0] as Line[number])[1].slice(0, -1)}~"`)
  } else if (json.startsWith('{"') && !key.startsWith('meta')) {
    const fields = Object.keys(JSON.parse(json))
    const inner = JSON.stringify(fields[other % fields.length])
    put(
      place,
      json.replace(new RegExp(`${inner}:(?:"(?:[^"\\\\]|\\\\.)*"|[^,}]*)`), () => `${inner}:${value}`),
    )
  } else put(place, value)
}

t.test('any archive is either refused, or imported so that the doctor finds no problem', async (t) => {
  const { folder, archive } = await archived(t)
  const copy = join(folder, 'copy')
  const filled = openDatabase(join(folder, 'filled.db'))
  t.teardown(filled.close)
  importFixture(filled.db, 'trello-board')
  const before = JSON.stringify(dumpOf(filled.db.$client))
  const outcomes = { refused: 0, imported: 0 }
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
      const file = join(folder, `copy-${++run}.db`)
      change(archive, copy, (files) => {
        for (const one of mutations) mutate(files, one)
      })
      const error = await imported(file, copy).then(
        () => undefined,
        (error: Error) => error,
      )
      if (error) {
        if (error.name !== 'ArchiveRefused') throw error
        if (!/line \d+/.test(error.message) && !/^its last change differs/.test(error.message)) throw error
        if (existsSync(file)) throw new Error('there is a database')
        const beside = await importArchive(filled.db, copy, quiet).then(
          () => 'imported',
          (error: Error) => error.name,
        )
        if (beside !== 'ArchiveRefused') throw new Error(`beside other records it is ${beside}`)
        if (JSON.stringify(dumpOf(filled.db.$client)) !== before) throw new Error('something was written')
        outcomes.refused++
        return
      }
      outcomes.imported++
      const found = examine(file).filter(
        ({ status, check, examples }) =>
          status !== 'ok' && !HARMLESS.includes(check) && !examples.every((one) => DANGLING.test(one)),
      )
      if (found.length > 0) throw new Error(`the doctor finds ${JSON.stringify(found)}`)
      const app = await buildApp({
        databaseUrl: `file:${file}`,
        logLevel: 'silent',
        adminPassword: 'correct horse',
        changesKeepDays: 0,
      })
      try {
        const client = new SQLite(file)
        client.exec(
          "insert or ignore into members (id, name, email, role) values ('reader', '', 'r@example.test', 'admin')",
        )
        const failed = await failedGets(app, client, tokenOf(app, 'reader'))
        client.close()
        if (failed.length > 0) throw new Error(failed.join('\n'))
      } finally {
        await app.close()
        rmSync(file)
      }
    }),
    { numRuns: ROUNDS, endOnFailure: true, includeErrorInReport: true },
  )
  t.ok(outcomes.refused > 0, `${outcomes.refused} are refused`)
  t.ok(outcomes.imported > 0, `${outcomes.imported} are imported`)
})
