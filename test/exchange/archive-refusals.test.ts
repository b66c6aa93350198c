/** Refused archives. They leave nothing behind. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { openDatabase, type SharedDatabase } from '../../src/db/client.ts'
import type { Manifest } from '../../src/exchange/archives/archive-manifest.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { isThorough, rounds } from '../rounds.ts'
import { copyFolder, dumpOf, imported, importFixture, packed, quiet, rewrite, withTool } from './archives.ts'

/** A folder with an archive in both forms, `archive` and `archive.zip`, and a database with other records. */
async function setUp(t: Test) {
  const folder = t.testdir()
  const { db, close } = openDatabase(join(folder, 'source.db'))
  db.$client.exec(
    "insert into members (id, name, email) values ('ada', 'Ada', 'ada@example.test'), ('bob', 'Bob', 'bob@example.test')",
  )
  importFixture(db, 'trello-board')
  await exportArchive(db.$client, join(folder, 'archive'), quiet)
  await exportArchive(db.$client, join(folder, 'archive.zip'), quiet)
  close()
  const file = join(folder, 'target.db')
  const filled = openDatabase(file)
  t.teardown(filled.close)
  importFixture(filled.db, 'trello-board-2012')
  const empty = openDatabase(':memory:')
  t.teardown(empty.close)
  const targets = [filled.db, empty.db]
  return { folder, file, targets, archive: join(folder, 'archive'), zip: join(folder, 'archive.zip') }
}

/** Imports into an empty database, and into one with other records. */
async function refused(
  t: Test,
  targets: readonly SharedDatabase[],
  archive: string,
  message: RegExp,
  name = String(message),
) {
  for (const db of targets) {
    const before = dumpOf(db.$client)
    await t.rejects(importArchive(db, archive, quiet), { message }, name)
    t.notOk(db.$client.inTransaction)
    t.strictSame(dumpOf(db.$client), before, `${name}: nothing has changed`)
  }
}

t.test('an archive with any changed or missing byte is refused', async (t) => {
  const { folder, targets, archive, zip } = await setUp(t)
  const [target] = targets as [SharedDatabase]
  const before = dumpOf(target.$client)
  const bytes = readFileSync(zip)
  const altered = join(folder, 'altered.zip')
  const isRefused = async (path: string) => {
    const result = await importArchive(target, path, quiet).then(
      () => 'imported',
      (error: Error) => error.name,
    )
    if (result !== 'ArchiveRefused') throw new Error(`it was ${result}`)
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (place, bits) => {
      const other = Buffer.from(bytes)
      other[place] = (other[place] as number) ^ bits
      writeFileSync(altered, other)
      await isRefused(altered)
      writeFileSync(altered, bytes.subarray(0, place))
      await isRefused(altered)
    }),
    { numRuns: rounds(8) },
  )
  // A zip file is read from its end.
  for (let place = bytes.length - 110; place < bytes.length; place += isThorough ? 3 : 11) {
    const other = Buffer.from(bytes)
    other[place] = (other[place] as number) ^ 1
    writeFileSync(altered, other)
    await isRefused(altered)
  }
  appendFileSync(altered, 'x')
  await isRefused(altered)

  const names = readdirSync(archive).filter((name) => readFileSync(join(archive, name)).length > 0)
  const copy = join(folder, 'copy')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      async (name, share) => {
        copyFolder(archive, copy)
        const content = readFileSync(join(copy, name))
        const place = Math.floor(share * content.length)
        writeFileSync(join(copy, name), content.subarray(0, place))
        await isRefused(copy)
        content[place] = (content[place] as number) ^ 4
        writeFileSync(join(copy, name), content)
        await isRefused(copy)
        rmSync(copy, { recursive: true })
      },
    ),
    { numRuns: rounds(5) },
  )
  t.strictSame(dumpOf(target.$client), before)
  t.match(await importArchive(target, zip, quiet), { plan: { kind: 'beside' } }, 'as it is, it is taken')
})

t.test('missing, additional and invalid files are refused', async (t) => {
  const { folder, targets, archive } = await setUp(t)
  const other = (change: (path: (name: string) => string) => void) => {
    const copy = join(folder, 'copy')
    rmSync(copy, { recursive: true, force: true })
    copyFolder(archive, copy)
    change((name) => join(copy, name))
    return copy
  }
  const without = (name: string) => other((path) => rmSync(path(name)))
  await refused(t, targets, without('teams.jsonl'), /teams.jsonl is missing$/)
  await refused(
    t,
    targets,
    without('manifest.json'),
    /^it has no manifest.json: it is incomplete, or no archive$/,
  )
  await refused(
    t,
    targets,
    other((path) => writeFileSync(path('notes.txt'), '')),
    /notes.txt does not belong to it$/,
  )
  await refused(
    t,
    targets,
    other((path) => mkdirSync(path('more'))),
    /more is not a file$/,
  )
  const linked = other((path) => {
    rmSync(path('teams.jsonl'))
    symlinkSync('/dev/zero', path('teams.jsonl'))
  })
  await refused(t, targets, linked, /teams.jsonl is not a file$/)
  await refused(t, targets, join(folder, 'none'), /^there is no such file or folder$/)
  const huge = other((path) => writeFileSync(path('manifest.json'), Buffer.alloc(1024 * 1024 + 1)))
  await refused(t, targets, huge, /manifest.json is too large$/)
  for (const text of ['', 'null', '{}', '[1]', '{"format":"zip"}']) {
    const copy = other((path) => writeFileSync(path('manifest.json'), text))
    await refused(
      t,
      targets,
      copy,
      /does not match the format of exports$|^it is not an archive of Phaseboard$/,
      text,
    )
  }
})

t.test('valid checksums with contents that no export writes are refused', async (t) => {
  const { folder, file, targets, archive } = await setUp(t)
  const rewritten = (
    change: (content: string, name: string) => string,
    ofManifest?: (manifest: Manifest) => Manifest,
  ) => {
    const copy = join(folder, 'copy')
    rmSync(copy, { recursive: true, force: true })
    copyFolder(archive, copy)
    rewrite(copy, (content, name) => Buffer.from(change(content.toString(), name)), ofManifest)
    return copy
  }
  const same = (content: string) => content
  const ofFile = (wanted: string, change: (content: string) => string) =>
    rewritten((content, name) => (name === wanted ? change(content) : content))
  const lines = (content: string) => content.split('\n').slice(0, -1)
  const joined = (all: string[]) => all.map((line) => `${line}\n`).join('')

  t.match(
    await imported(`${file}.fine`, rewritten(same)),
    { plan: { kind: 'whole' } },
    'unchanged, it is taken',
  )
  const reordered = ofFile('kanban-items.jsonl', (content) => joined(lines(content).toReversed()))
  await refused(t, targets, reordered, /kanban-items.jsonl is not in order in line 2$/)
  const twice = ofFile('members.jsonl', (content) => joined([...lines(content), ...lines(content).slice(-1)]))
  await refused(t, targets, twice, /members.jsonl is not in order in line 3$/)
  for (const key of ['{"blob":"02"}', '{"text":"FF"}', '7']) {
    const odd = ofFile('files.jsonl', () => `{"sha256":${key},"size":1}\n`)
    await refused(t, targets, odd, /files.jsonl, line 1: sha256 must be text$/, key)
  }
  const open = ofFile('kanban-items.jsonl', (content) => content.slice(0, -1))
  await refused(t, targets, open, /kanban-items.jsonl ends within a line$/)
  const other = ofFile('projects.jsonl', (content) => content.replace('"name":', '"Name":'))
  await refused(
    t,
    targets,
    other,
    /projects.jsonl does not match the format of exports in line 1: name is missing or out of order$/,
  )
  const nameless = ofFile('projects.jsonl', (content) => content.replace(/"name":"[^"]*"/, '"name":null'))
  await refused(t, targets, nameless, /^projects.jsonl, line 1: name must not be null$/)
  const shortened = ofFile('changes.jsonl', (content) => joined(lines(content).slice(0, -1)))
  await refused(t, targets, shortened, /^its last change differs from the manifest$/)

  const ofManifest = (change: (manifest: Manifest) => object) =>
    rewritten(same, (manifest) => ({ ...manifest, ...change(manifest) }))
  const ofItems = (change: object) =>
    ofManifest(({ files }) => ({
      files: files.map((one) => (one.name === 'kanban-items.jsonl' ? { ...one, ...change } : one)),
    }))
  const refusals: [() => string, RegExp][] = [
    [() => ofManifest(() => ({ version: 2 })), /^it has version 2, and this service supports only 1$/],
    [
      () => ofManifest(() => ({ schema: 9e15, service: '9.9.9' })),
      /^it was written by a newer version of Phaseboard, 9.9.9$/,
    ],
    [() => ofManifest(() => ({ lastSeq: -1 })), /does not match the format of exports$/],
    [() => ofManifest(({ files }) => ({ files: files.slice(1) })), /does not match the format of exports$/],
    [
      () => ofManifest(({ files }) => ({ files: files.toReversed() })),
      /does not match the format of exports$/,
    ],
    [() => ofItems({ records: 9 }), /kanban-items.jsonl has 8 records, not 9$/],
    [() => ofItems({ records: 7 }), /kanban-items.jsonl has more than 7 records$/],
    [() => ofItems({ records: 10_000_001 }), /^it has more than 10000000 records$/],
    [
      () =>
        ofManifest(({ files }) => ({
          files: files.map((one) => (one.name === 'members.jsonl' ? { ...one, records: 100_001 } : one)),
        })),
      /^it has more than 100000 members$/,
    ],
    [
      () =>
        ofFile('projects.jsonl', (content) =>
          content.replace('"name":"', `"name":"${'x'.repeat(2 ** 24 + 2 ** 20)}`),
        ),
      /^projects.jsonl, line 1: it has more than 16777216 bytes$/,
    ],
    [() => ofItems({ bytes: 9 }), /kanban-items.jsonl has \d+ bytes, not 9$/],
    [() => ofItems({ bytes: 2 ** 50 }), /^it is too large$/],
    [() => ofItems({ sha256: '0'.repeat(64) }), /kanban-items.jsonl has another checksum$/],
    [() => ofItems({ sha256: 'none' }), /does not match the format of exports$/],
    [() => ofItems({ fields: ['title'] }), /does not match the format of exports$/],
    [() => ofItems({ fields: ['id', 'unknown'] }), /does not match the format of exports$/],
  ]
  for (const [archiveOf, message] of refusals) await refused(t, targets, archiveOf(), message, `${archiveOf}`)
})

t.test('parts that are held in memory must fit into it', async (t) => {
  const { folder, targets, archive } = await setUp(t)
  const copy = join(folder, 'copy')
  copyFolder(archive, copy)
  const bytes = 128 * 1024 * 1024
  rewrite(
    copy,
    (content) => content,
    (manifest) => ({
      ...manifest,
      files: manifest.files.map((one) => (one.name === 'teams.jsonl' ? { ...one, bytes } : one)),
    }),
  )
  truncateSync(join(copy, 'teams.jsonl'), bytes)
  const message = /^it has more than 134217728 bytes, too many for a database in memory$/
  await refused(t, targets.slice(1), copy, message)
})

t.test('an archive of an older version gets defaults for newer fields', async (t) => {
  const { folder, archive } = await setUp(t)
  const copy = join(folder, 'copy')
  copyFolder(archive, copy)
  const without = (content: Buffer) =>
    content.toString().replace(/,"claimedUntil":null,"claimedFrom":""/g, '')
  const known = (fields: string[]) => fields.filter((name) => !name.startsWith('claimed'))
  rewrite(
    copy,
    (content, name) => (name === 'kanban-items.jsonl' ? Buffer.from(without(content)) : content),
    (manifest) => ({
      ...manifest,
      schema: manifest.schema - 1,
      files: manifest.files.map((one) => ({ ...one, fields: known(one.fields) })),
    }),
  )
  const file = join(folder, 'older.db')
  t.match(await imported(file, copy), { plan: { kind: 'whole' } })
  const claims = withTool(file, (tool) =>
    tool.prepare('select distinct claimed_until, claimed_from from kanban_items').raw().all(),
  )
  t.strictSame(claims, [[null, '']])
})

t.test('zip files of other programs and invalid ones are refused', async (t) => {
  const { folder, file, targets, archive } = await setUp(t)
  const files = readdirSync(archive).map((name): [string, Buffer] => [
    name,
    readFileSync(join(archive, name)),
  ])
  const path = join(folder, 'packed.zip')
  const pack = async (entries: [string, Buffer][], comment?: string) => {
    await packed(path, entries, comment)
    return path
  }
  t.match(
    await imported(`${file}.packed`, await pack(files)),
    { plan: { kind: 'whole' } },
    'without a checksum',
  )
  await refused(t, targets, await pack(files, 'hello'), /its comment is not a checksum$/)
  await refused(t, targets, await pack(files, `sha256:${'0'.repeat(64)}`), /its checksum does not match$/)
  const [first] = files as [[string, Buffer]]
  await refused(t, targets, await pack([...files, first]), /it holds attachments.jsonl twice$/)
  const many = Array.from({ length: 101 }, (_, index): [string, Buffer] => [`${index}`, Buffer.from('')])
  await refused(t, targets, await pack(many), /it holds 101 files$/)
  await refused(t, targets, await pack(files.slice(1)), /attachments.jsonl is missing$/)
  await pack([...files, ['xx/etc/passwd', Buffer.from('')]])
  const bytes = readFileSync(path)
  for (let at = bytes.indexOf('xx/etc'); at !== -1; at = bytes.indexOf('xx/etc', at)) bytes.write('..', at)
  writeFileSync(path, bytes)
  await refused(t, targets, path, /invalid relative path: \.\.\/etc\/passwd$/)

  /** Sets the general purpose flag of an encrypted file. */
  await pack(files)
  const encrypted = readFileSync(path)
  const entry = encrypted.indexOf('PK\x01\x02')
  encrypted[entry + 8] = (encrypted[entry + 8] as number) | 1
  writeFileSync(path, encrypted)
  await refused(t, targets, path, /attachments.jsonl is encrypted, or compressed in an unknown way$/)

  /** A file whose announced size is too small. */
  const bomb: [string, Buffer][] = files.map(([name, content]) => [
    name,
    name === 'kanban-items.jsonl' ? Buffer.concat([content, Buffer.alloc(10_000_000)]) : content,
  ])
  await refused(t, targets, await pack(bomb), /kanban-items.jsonl has \d+ bytes, not \d+$/)

  writeFileSync(path, 'no zip file')
  await refused(t, targets, path, /^it is damaged or was altered: /)
})
