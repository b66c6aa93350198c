/** Archives hold the bytes of attachments: exactly, each once, and checked. */
import { createHash, randomBytes } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openDatabase, type SharedDatabase } from '../../src/db/client.ts'
import { CHUNK_BYTES, FileContents } from '../../src/db/file-contents.ts'
import { ArchiveSnapshot, type FileOfArchive } from '../../src/exchange/archives/archive-snapshot.ts'
import { ARCHIVED } from '../../src/exchange/archives/archive-tables.ts'
import { exportArchive } from '../../src/exchange/archives/export-archive.ts'
import { importArchive } from '../../src/exchange/archives/import-archive.ts'
import { examine, isHealthy } from '../../src/maintenance/doctor.ts'
import { build, count, createProject, signInAs } from '../helper.ts'
import { ended, upload } from '../imports.ts'
import {
  copyFolder,
  dumpOf,
  exported,
  filesOf,
  imported,
  packed,
  quiet,
  rewrite,
  withTool,
} from './archives.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Stores a content as an upload does. */
function store({ $client }: SharedDatabase, bytes: Buffer): string {
  const contents = new FileContents($client)
  let id: number | null = null
  for (let at = 0; at < bytes.length || id === null; at += CHUNK_BYTES)
    id = contents.write(id, at / CHUNK_BYTES, bytes.subarray(at, at + CHUNK_BYTES), Date.now())
  contents.complete({ content: id, size: bytes.length, sha256: sha256(bytes) })
  return sha256(bytes)
}

const BYTES = {
  large: randomBytes(2 * CHUNK_BYTES + 17),
  exact: randomBytes(CHUNK_BYTES),
  empty: Buffer.alloc(0),
  small: Buffer.from('a thumbnail'),
  deleted: Buffer.from('deleted'),
  orphaned: Buffer.from('incomplete'),
}

/** A service with attachments, its file, and its archive. */
async function prepare(t: Test) {
  const folder = t.testdir()
  const source = await build(t, { databaseUrl: `file:${join(folder, 'source.db')}` })
  const { headers } = signInAs(source, 'admin', { id: 'ada' })
  const project = await createProject(source, { name: 'Apollo', leadId: 'ada' }, headers)
  const { db } = source
  const hashes = Object.fromEntries(
    Object.entries(BYTES)
      .filter(([name]) => name !== 'orphaned')
      .map(([name, bytes]) => [name, store(db, bytes)]),
  ) as Record<keyof typeof BYTES, string>
  new FileContents(db.$client).write(null, 0, BYTES.orphaned, Date.now())
  const attach = db.$client.prepare(
    `insert into attachments (id, item_id, name, kind, media_type, size, sha256, thumbnail)
      values (?, 'card', ?, 'file', 'application/octet-stream', ?, ?, ?)`,
  )
  db.$client
    .prepare("insert into kanban_items (id, project_id, title) values ('card', ?, 'Card')")
    .run(project.id)
  for (const name of ['large', 'exact', 'empty', 'deleted'] as const)
    attach.run(name, name, BYTES[name].length, hashes[name], name === 'large' ? hashes.small : null)
  attach.run('again', 'again', BYTES.large.length, hashes.large, null)
  db.$client.exec("delete from attachments where id = 'deleted'")
  const archive = join(folder, 'archive')
  const files = await exported(db.$client, archive)
  db.$client.pragma('wal_checkpoint(truncate)')
  return { file: db.$client.name, archive, files, hashes }
}

const prepared = await prepare(t)

/** Copies of that file and its archive: tests change them. */
function setUp(t: Test) {
  const folder = t.testdir()
  const path = (name: string) => join(folder, name)
  copyFileSync(prepared.file, path('source.db'))
  copyFolder(prepared.archive, path('archive'))
  const { db, close } = openDatabase(path('source.db'))
  t.teardown(close)
  return { ...prepared, folder, db, archive: path('archive'), path }
}

/** Each content, by its hash. */
function contentsIn({ $client: client }: SharedDatabase) {
  const contents = new FileContents(client)
  const rows = client
    .prepare<[], { id: number; sha256: string; size: number }>(
      'select id, sha256, size from file_contents where sha256 is not null order by sha256',
    )
    .all()
  return rows.map(({ id, sha256: hash, size }) => {
    const chunks: Buffer[] = []
    for (let nth = 0, bytes = contents.read(id, 0); bytes; bytes = contents.read(id, ++nth))
      chunks.push(bytes)
    const bytes = Buffer.concat(chunks)
    return { hash, size, length: bytes.length, isRight: sha256(bytes) === hash, chunks: chunks.length }
  })
}

t.test('an archive has each content once, and its import restores them all', async (t) => {
  const { folder, db, archive, files, hashes, path } = setUp(t)
  const named = Object.values(hashes).toSorted()
  t.strictSame(readdirSync(join(archive, 'files')), named, 'also of a deletion that can be undone')
  t.ok(readFileSync(join(archive, 'files', hashes.large)).equals(BYTES.large))
  await exportArchive(db.$client, path('archive.zip'), quiet)
  for (const from of ['archive', 'archive.zip']) {
    const copy = path(`${from}.db`)
    t.match(await imported(copy, path(from)), { plan: { kind: 'whole' }, orphans: 0 })
    const again = openDatabase(copy)
    t.strictSame(contentsIn(again.db), contentsIn(db), from)
    t.equal(again.db.$client.prepare('select count(*) from file_contents').pluck().get(), named.length)
    const contents = new FileContents(again.db.$client)
    while (contents.hasToExamine()) contents.examineSome()
    t.strictSame(contents.forgotten(), [], 'an undo may still need them')
    t.strictSame(await exported(again.db.$client, path(`${from}-again`)), files)
    await exportArchive(again.db.$client, path(`${from}-again.zip`), quiet)
    t.ok(readFileSync(path(`${from}-again.zip`)).equals(readFileSync(path('archive.zip'))))
    await exportArchive(again.db.$client, path(`${from}-again`), { ...quiet, force: true })
    again.close()
    t.ok(isHealthy(examine(copy)))
  }
  const memory = openDatabase(':memory:')
  await importArchive(memory.db, path('archive.zip'), quiet)
  t.strictSame(contentsIn(memory.db), contentsIn(db), 'in memory')
  t.strictSame(await exported(memory.db.$client, path('from-memory')), files)
  memory.close()
  const service = await build(t, {
    databaseUrl: `file:${path('service.db')}`,
    adminPassword: 'correct horse',
  })
  const { headers } = signInAs(service, 'admin', { id: 'root' })
  const { status, body } = await upload(
    service,
    'format=phaseboard&mapMembers=true',
    readFileSync(path('archive.zip')),
    headers,
  )
  t.equal(status, 202)
  t.match(await ended(service, body.id, headers), { status: 'done', counts: { files: named.length } })
  t.strictSame(contentsIn(service.db), contentsIn(db), 'over HTTP')
  t.strictSame(
    readdirSync(folder).filter((name) => name.includes('.tmp')),
    [],
  )
})

t.test('beside other records a service serves the imported files, and an equal one is kept', async (t) => {
  const { archive, path, hashes } = setUp(t)
  const app = await build(t, { databaseUrl: `file:${path('target.db')}` })
  await createProject(app, { name: 'Gemini' })
  store(app.db, BYTES.exact)
  const tool = openDatabase(app.db.$client.name)
  t.teardown(tool.close)
  t.match(await importArchive(tool.db, archive, { ...quiet, mapMembers: true }), { plan: { kind: 'beside' } })
  t.equal(count(app, 'file_contents'), Object.keys(hashes).length)
  t.equal(contentsIn(app.db).filter(({ isRight }) => isRight).length, Object.keys(hashes).length)
  const { statusCode, rawPayload } = await app.inject({
    method: 'GET',
    url: '/api/attachments/large/content',
  })
  t.equal(statusCode, 200)
  t.ok(rawPayload.equals(BYTES.large))
  await t.rejects(importArchive(tool.db, archive, { ...quiet, mapMembers: true }), {
    message: /already exist here/,
  })
  t.equal(count(app, 'file_contents'), Object.keys(hashes).length)
})

t.test('an import fails as a whole if a file that is here is removed meanwhile', async (t) => {
  const { archive, path, hashes } = setUp(t)
  const { db, close } = openDatabase(path('target.db'))
  t.teardown(close)
  store(db, BYTES.exact)
  const before = dumpOf(db.$client)
  // The records are written last, after the files.
  const onProgress = (done: number, total: number) => {
    if (done < total - 1) return
    db.$client.exec(`update file_contents set sha256 = null where sha256 = '${hashes.exact}'`)
  }
  await t.rejects(importArchive(db, archive, { onProgress }), {
    message: 'a file was removed from the database meanwhile: try again',
  })
  t.strictSame(dumpOf(db.$client), before)
})

t.test('an export leaves out damaged files, and the archive is imported without them', async (t) => {
  const { db, hashes, path } = setUp(t)
  await exportArchive(db.$client, path('whole.zip'), quiet)
  const file = path('damaged.db')
  await imported(file, path('whole.zip'))
  const places = `select place from file_contents join file_chunks on place / 65536 = id where sha256`
  withTool(file, (tool) => {
    tool.exec(`delete from file_chunks where place = (${places} = '${hashes.large}' limit 1 offset 1);
      update file_chunks set bytes = zeroblob(length(bytes)) where place in (${places} = '${hashes.small}');
      pragma wal_checkpoint(truncate)`)
  })
  // The first page with only bytes of this content begins with the number of the next one.
  const pages = readFileSync(file)
  const inside = pages.indexOf(BYTES.exact.subarray(50_000, 50_100))
  pages.writeUInt32BE(0, inside - (inside % 4096))
  writeFileSync(file, pages)
  const { db: broken, close } = openDatabase(file)
  t.teardown(close)
  const damaged = [
    { sha256: hashes.exact, attachments: ['exact'] },
    { sha256: hashes.large, attachments: ['again', 'large'] },
    { sha256: hashes.small, attachments: ['large'] },
  ].toSorted((one, other) => (one.sha256 < other.sha256 ? -1 : 1))
  for (const name of ['less', 'less.zip']) {
    const { manifest, damaged: found } = await exportArchive(broken.$client, path(name), quiet)
    t.strictSame(found, damaged)
    t.match(manifest.files.at(-1), { name: 'files.jsonl', records: 2 })
    t.match(await imported(path(`${name}.db`), path(name)), { plan: { kind: 'whole' } })
    const { db: restored, close } = openDatabase(path(`${name}.db`))
    t.equal(restored.$client.prepare('select count(*) from attachments').pluck().get(), 4)
    t.strictSame(
      contentsIn(restored).map(({ hash, isRight }) => [hash, isRight]),
      [hashes.empty, hashes.deleted].toSorted().map((hash) => [hash, true]),
    )
    const { damaged: none } = await exportArchive(restored.$client, path(`${name}.again`), quiet)
    t.strictSame(none, [])
    t.strictSame(filesOf(path(`${name}.again`)), filesOf(path('less')))
    close()
  }
})

t.test('a content that is replaced or removed while an export reads', async (t) => {
  const { db, hashes } = setUp(t)
  const client = db.$client
  const contents = new FileContents(client)
  const inFirst = (sha256: string) =>
    `place = (select id * 65536 from file_contents where sha256 = '${sha256}')`
  const drain = async (parts: FileOfArchive['parts']) => {
    const chunks: Buffer[] = []
    for await (const part of parts) chunks.push(part)
    return Buffer.concat(chunks)
  }
  const begin = async () => {
    const snapshot = new ArchiveSnapshot(client)
    t.teardown(() => snapshot.close())
    const files = snapshot.files()
    for (const _ of ARCHIVED) await drain((await files.next()).value?.parts ?? [])
    return { snapshot, files }
  }
  const isContent = ({ name }: FileOfArchive) => name.startsWith('files/')
  const replace = (damaged: number | undefined) => {
    let id: number | null = null
    for (const chunk of [0, 1, 2])
      id = contents.write(id, chunk, BYTES.large.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES), 0)
    contents.complete({ content: id as number, size: BYTES.large.length, sha256: hashes.large, damaged })
  }
  const remove = () => client.exec(`update file_contents set sha256 = null where sha256 = '${hashes.large}'`)

  const { snapshot, files } = await begin()
  client.exec(`delete from file_chunks where ${inFirst(hashes.large)}`)
  replace(await contents.damaged(hashes.large))
  let number = 0
  for await (const file of files) {
    const bytes = await drain(file.parts)
    if (!isContent(file)) continue
    t.equal(`files/${sha256(bytes)}`, file.name)
    number++
  }
  t.equal(number, Object.keys(hashes).length, 'the replaced one is there')
  t.strictSame(snapshot.damaged, [])

  const message = `the file ${hashes.large} was removed meanwhile: try again`
  const reading = await begin()
  await t.rejects(
    async () => {
      for await (const { name, parts } of reading.files) {
        if (name === `files/${hashes.large}`) remove()
        await drain(parts)
      }
    },
    { message },
  )
  replace(undefined)
  const checking = await begin()
  remove()
  await t.rejects(
    async () => {
      for await (const _ of checking.files);
    },
    { message },
  )
})

t.test('an import repairs damaged files that the archive has', async (t) => {
  const { archive, db, path } = setUp(t)
  const held = openDatabase(':memory:')
  t.teardown(held.close)
  for (const open of [
    () => openDatabase(path('beside.db')),
    () => openDatabase(path('whole.db')),
    () => ({ ...held, close: () => {} }),
  ]) {
    const { db: target, close } = open()
    const { $client: client } = target
    if (client.name.endsWith('beside.db'))
      client.exec("insert into projects (id, name) values ('other', 'Other')")
    for (const name of ['large', 'exact', 'small'] as const) store(target, BYTES[name])
    const kept = client.prepare('select id from file_contents where sha256 = ?').pluck()
    const exact = kept.get(sha256(BYTES.exact))
    client.exec(`delete from file_chunks where place = (select min(place) from file_chunks);
      update file_chunks set bytes = zeroblob(length(bytes)) where place = (select max(place) from file_chunks)`)
    const options = { ...quiet, attachmentsTotal: 2 * BYTES.large.length + BYTES.exact.length + 100 }
    const dry = { ...options, dryRun: true }
    await importArchive(target, archive, dry)
    await t.rejects(importArchive(target, archive, { ...dry, attachmentsTotal: 2 * BYTES.large.length }), {
      message: /its files have \d+ bytes/,
    })
    await importArchive(target, archive, options)
    t.equal(kept.get(sha256(BYTES.exact)), exact, 'a whole one stays')
    t.strictSame(contentsIn(target), contentsIn(db))
    new FileContents(client).leftovers(Number.MAX_SAFE_INTEGER).forEach((content) => {
      t.ok(client.memory, 'removed at the end of the import, or by the service')
      while (new FileContents(client).removeSome(content));
    })
    t.equal(client.prepare('select count(*) from file_contents').pluck().get(), contentsIn(db).length)
    const chunks = client.prepare('select count(*) from file_chunks').pluck().get()
    t.equal(
      chunks,
      contentsIn(db).reduce((sum, { chunks }) => sum + chunks, 0),
    )
    close()
  }
})

t.test('an archive with a damaged, missing or additional file is refused, and leaves nothing', async (t) => {
  const { archive, path, hashes } = setUp(t)
  const place = (name: string) => join(path('altered'), 'files', name)
  const alter = (name: string, change: (bytes: Buffer) => Buffer) =>
    writeFileSync(place(name), change(readFileSync(place(name))))
  const empty = openDatabase(path('empty.db'))
  const memory = openDatabase(':memory:')
  const filled = openDatabase(path('filled.db'))
  for (const { close } of [empty, memory, filled]) t.teardown(close)
  filled.db.$client.exec("insert into projects (id, name) values ('other', 'Other')")
  for (const [message, change] of [
    [
      /files\/\w+ has another checksum/,
      () => alter(hashes.large, (bytes) => bytes.fill(bytes[9] as number, 8, 9)),
    ],
    [/files\/\w+ has 262143 bytes, not 262144/, () => alter(hashes.exact, (bytes) => bytes.subarray(1))],
    [/files\/\w+ is missing/, () => rmSync(place(hashes.small))],
    [/files\/0+ does not belong to it/, () => writeFileSync(place('0'.repeat(64)), '')],
    [/files\/passwd does not belong to it/, () => writeFileSync(place('passwd'), '')],
    [
      /files.jsonl, line 1: it must have a SHA-256 and a size/,
      () =>
        rewrite(path('altered'), (content, name) =>
          name === 'files.jsonl' ? Buffer.from('{"sha256":"../../etc/passwd","size":1}\n') : content,
        ),
    ],
  ] as const) {
    copyFolder(archive, path('altered'))
    change()
    for (const { db } of [empty, memory, filled]) {
      await t.rejects(importArchive(db, path('altered'), quiet), { message }, String(message))
      t.equal(db.$client.prepare('select count(*) from file_contents').pluck().get(), 0)
      t.equal(db.$client.prepare('select count(*) from file_chunks').pluck().get(), 0)
      t.equal(db.$client.prepare('select count(*) from kanban_items').pluck().get(), 0)
    }
    rmSync(path('altered'), { recursive: true })
  }
})

t.test(
  'a folder zipped by another program, with an entry for the folder of files, is imported',
  async (t) => {
    const { archive, db, path } = setUp(t)
    const files = Object.entries(filesOf(archive)).map(([name, content]): [string, Buffer] => [
      name,
      Buffer.from(content, 'latin1'),
    ])
    const zip = path('packed.zip')
    await packed(zip, [['files/', Buffer.alloc(0)], ...files])
    t.match(await imported(path('packed.db'), zip), { plan: { kind: 'whole' } })
    const { db: target, close } = openDatabase(path('packed.db'))
    t.strictSame(contentsIn(target), contentsIn(db))
    close()
    await packed(zip, [...files, ['other/', Buffer.alloc(0)]])
    await t.rejects(imported(path('no.db'), zip), { message: /other\/ does not belong to it/ })
    await packed(zip, [...files, ['files_', Buffer.from('hidden')]])
    const bytes = readFileSync(zip)
    for (let at = bytes.indexOf('files_'); at !== -1; at = bytes.indexOf('files_', at))
      bytes.write('files/', at)
    writeFileSync(zip, bytes)
    await t.rejects(imported(path('no.db'), zip), { message: /files\/ does not belong to it/ })
  },
)

t.test('an import that fails after the files were written removes them', async (t) => {
  const { archive, path } = setUp(t)
  for (const kind of ['whole', 'beside']) {
    const { db, close } = openDatabase(path(`${kind}.db`))
    if (kind === 'beside') db.$client.exec("insert into projects (id, name) values ('other', 'Other')")
    let seen = 0
    const whenWritten = () => {
      seen = contentsIn(db).length
      throw new Error('no')
    }
    await t.rejects(importArchive(db, archive, { ...quiet, whenWritten }), { message: 'no' })
    t.ok(seen > 0, 'they were complete within the write')
    for (const table of ['file_contents', 'file_chunks', 'attachments'])
      t.equal(db.$client.prepare(`select count(*) from ${table}`).pluck().get(), 0, `${kind}: ${table}`)
    close()
  }
})

t.test('an import that fails between two files removes those that it has written', async (t) => {
  const { archive, path } = setUp(t)
  const { db, close } = openDatabase(path('between.db'))
  const chunks = db.$client.prepare('select count(*) from file_chunks').pluck()
  const onProgress = () => {
    if (Number(chunks.get()) > 1) throw new Error('no')
  }
  await t.rejects(importArchive(db, archive, { onProgress }), { message: 'no' })
  for (const table of ['file_contents', 'file_chunks', 'projects'])
    t.equal(db.$client.prepare(`select count(*) from ${table}`).pluck().get(), 0, table)
  close()
})

t.test('files beyond ATTACHMENTS_TOTAL are refused before anything is written', async (t) => {
  const { archive, path, db } = setUp(t)
  const total = contentsIn(db).reduce((sum, { size }) => sum + size, 0)
  for (const dryRun of [true, false]) {
    const { db: target, close } = openDatabase(path(`limited-${dryRun}.db`))
    const options = { ...quiet, dryRun, attachmentsTotal: total - 1 }
    await t.rejects(importArchive(target, archive, options), {
      name: 'ArchiveRefused',
      message: `its files have ${total} bytes: with the files here, ATTACHMENTS_TOTAL allows ${total - 1}`,
    })
    t.equal(target.$client.prepare('select count(*) from file_contents').pluck().get(), 0)
    await importArchive(target, archive, { ...options, attachmentsTotal: total })
    close()
  }
})

t.test('an archive from before there were attachments is imported', async (t) => {
  const { archive, path } = setUp(t)
  const old = path('old')
  copyFolder(archive, old)
  rmSync(join(old, 'files'), { recursive: true })
  const NEWER: Record<string, readonly string[]> = {
    'kanban-items.jsonl': ['coverId', 'reminders'],
    'members.jsonl': ['handle'],
  }
  const isOld = ({ name }: { name: string }) => !/^(attachments|files)\.jsonl$/.test(name)
  rewrite(
    old,
    (content, name) => {
      if (name === 'changes.jsonl')
        return Buffer.from(String(content).replace(/^.*"kind":"attachment".*\n/gm, ''))
      if (!(name in NEWER)) return content
      return Buffer.from(
        String(content).replace(/^.+$/gm, (line) => {
          const record = JSON.parse(line)
          for (const field of NEWER[name] ?? []) delete record[field]
          return JSON.stringify(record)
        }),
      )
    },
    (manifest) => {
      const files = manifest.files.filter(isOld).map((file) => ({
        ...file,
        fields: file.fields.filter((field) => !NEWER[file.name]?.includes(field)),
      }))
      const lines = readFileSync(join(old, 'changes.jsonl'), 'utf8').trimEnd().split('\n')
      return { ...manifest, files, schema: 1795341826643, lastSeq: JSON.parse(lines.at(-1) as string).seq }
    },
  )
  for (const name of ['attachments.jsonl', 'files.jsonl']) rmSync(join(old, name))
  t.match(await imported(path('from-old.db'), old), { plan: { kind: 'whole' }, orphans: 0 })
  const { db, close } = openDatabase(path('from-old.db'))
  t.equal(db.$client.prepare('select count(*) from kanban_items').pluck().get(), 1)
  t.match(Object.keys(await exported(db.$client, path('from-old'))), /attachments\.jsonl/)
  t.notOk(existsSync(join(path('from-old'), 'files')))
  close()
  rewrite(
    old,
    (content) => content,
    (manifest) => ({ ...manifest, schema: 1e13 - 1 }),
  )
  await t.rejects(imported(path('no.db'), old), { message: /newer version/ })
  const { schema } = JSON.parse(filesOf(archive)['manifest.json'] as string)
  rewrite(
    old,
    (content) => content,
    (manifest) => ({ ...manifest, schema }),
  )
  await t.rejects(imported(path('no.db'), old), { message: /it was altered/ }, 'it cannot lack them')
})
