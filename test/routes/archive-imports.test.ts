/** Archives over HTTP: one service imports what another one has exported. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Importer } from '../../src/exchange/imports/importer.ts'
import { Imports } from '../../src/projects/imports.ts'
import { holdsGroups, holdsSequence } from '../changes/replay.ts'
import { importFixture } from '../exchange/archives.ts'
import {
  type App,
  build,
  count,
  createItem,
  createProject,
  invalid,
  readOnly,
  send,
  signInAs,
  tokenOf,
  writeTo,
} from '../helper.ts'
import { ended, upload } from '../imports.ts'
import { isThorough } from '../rounds.ts'

const SETTINGS = { authMode: 'required', adminPassword: 'correct horse', changesKeepDays: 0 } as const

/** A service with the admin from its first start. */
async function service(t: Test, databaseUrl: string, options = {}) {
  const app = await build(t, { ...SETTINGS, databaseUrl, ...options })
  const id = app.db.$client.prepare<[], string>('select id from members').pluck().get() as string
  return { app, id, headers: tokenOf(app, id) }
}

/** A service with boards, people and history. @returns also its export */
async function source(t: Test, databaseUrl = ':memory:') {
  const { app, id, headers } = await service(t, databaseUrl)
  const ada = signInAs(app, 'member', { id: 'ada' })
  const project = await createProject(app, { leadId: 'ada' }, headers)
  await createItem(app, project.id, { assigneeId: 'ada' }, ada.headers)
  await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, ada.headers)
  await send(app, 'POST', '/api/teams', { name: 'Crew', memberIds: ['ada', id] }, headers)
  importFixture(app.db, 'trello-board')
  return { app, headers, project, archive: await exportOf(app, headers) }
}

async function exportOf(app: App, headers: Record<string, string>): Promise<Buffer> {
  const { statusCode, rawPayload } = await app.inject({ method: 'GET', url: '/api/export', headers })
  if (statusCode !== 200) throw new Error(`the export answers ${statusCode}`)
  return rawPayload
}

/** Imports, and waits for the end. */
async function imported(app: App, archive: Buffer, headers: Record<string, string>, query = '') {
  const { status, body } = await upload(app, `format=phaseboard${query}`, archive, headers)
  return status === 202 ? ended(app, body.id, headers) : { status, body }
}

t.test('an archive of one service can be imported into another, which exports the same bytes', async (t) => {
  const folder = t.testdir()
  const { project, archive } = await source(t, join(folder, 'source.db'))
  for (const databaseUrl of [join(folder, 'target.db'), ':memory:']) {
    const { app, headers } = await service(t, databaseUrl)
    const isWhole = isThorough || databaseUrl !== ':memory:'
    if (isWhole) {
      const dry = await imported(app, archive, headers, '&dryRun=true')
      t.match(dry, { status: 'done', counts: { projects: 2, kanbanItems: 9, members: 2 } })
      t.strictSame((await send(app, 'GET', '/api/projects', undefined, headers)).body, [], 'it was a dry run')
    }

    const done = await imported(app, archive, headers)
    t.match(done, {
      format: 'phaseboard',
      status: 'done',
      total: done.done,
      counts: { projects: 2, kanbanItems: 9, kanbanComments: 4, members: 2, teams: 1, personalIdeas: 1 },
      notes: [
        `history ${done.counts.changes} changes, numbered as they were`,
        'the previous admin is now the admin of the archive, with the same password',
        /^members have no password here/,
      ],
    })
    t.notHas(done, 'projectId')
    t.notHas(done, 'error')
    const found = await send(app, 'GET', `/api/projects/${project.id}`, undefined, headers)
    t.match(found, { status: 200, body: { name: project.name, kanbanItems: [{}] } })
    t.equal(
      (await send(app, 'GET', '/api/search?q=Website', undefined, headers)).body.results.length > 0,
      true,
    )
    t.ok((await exportOf(app, headers)).equals(archive), databaseUrl)
    if (!isWhole) continue

    const again = await imported(app, archive, headers)
    t.match(again, {
      status: 'failed',
      error: /^cannot import the file: \d+ of its records already exist here: 2 in team-members.jsonl, /,
    })
    t.ok((await exportOf(app, headers)).equals(archive), 'that has changed nothing')
  }
})

/** The archive of tests that only import it. */
const { archive } = await source(t)

t.test('beside other records, while others write', async (t) => {
  const { app, id, headers } = await service(t, join(t.testdir(), 'target.db'), {
    adminEmail: 'root@localhost',
  })
  signInAs(app, 'member', { id: 'ada' })
  await createProject(app, {}, headers)
  const begun = await upload(app, 'format=phaseboard', archive, headers)
  let isOver = false
  const writing = (async () => {
    for (let n = 0; !isOver; n++) await createProject(app, { name: `Project ${n}` }, headers)
  })()
  const done = await ended(app, begun.body.id, headers)
  isOver = true
  await writing
  t.match(done, {
    status: 'done',
    notes: [/after the last one here/, /^1 members already exist here/, String],
  })
  t.equal(count(app, 'kanban_items'), 9)
  t.equal(count(app, 'members', 'id = ?', id), 1)
  holdsGroups(holdsSequence(app.db.$client))
})

t.test('members with the same email are merged only if asked', async (t) => {
  const { app, headers } = await service(t, ':memory:')
  await createProject(app, {}, headers)
  t.match(await imported(app, archive, headers), {
    status: 'failed',
    error:
      'cannot import the file: 1 members have the email of another member here: admin@localhost: use mapMembers=true to treat them as the same people',
  })
  t.match(await imported(app, archive, headers, '&mapMembers=true'), { status: 'done' })
  holdsGroups(holdsSequence(app.db.$client))
})

t.test('records whose creation is not in the archive are attributed to the importing admin', async (t) => {
  const { app: from, headers: there } = await source(t)
  from.db.$client.exec('delete from changes')
  const { app, id, headers } = await service(t, ':memory:', { adminEmail: 'root@localhost' })
  await createProject(app, {}, headers)
  const last = count(app, 'changes')
  t.match(await imported(app, await exportOf(from, there), headers), { status: 'done' })
  const changes = holdsSequence(app.db.$client).filter(({ seq }) => seq > last)
  t.strictSame(
    new Set(changes.map(({ actor_id, group }) => `${actor_id} ${group}`)),
    new Set([`${id} ${last + 1}`]),
  )
})

t.test('a file that is not an archive, or was altered, changes nothing', async (t) => {
  const folder = t.testdir()
  for (const databaseUrl of [join(folder, 'target.db'), ':memory:']) {
    const { app, headers } = await service(t, databaseUrl)
    const before = await exportOf(app, headers)
    const altered = Buffer.from(archive)
    altered[1000] = (altered[1000] as number) ^ 1
    const bodies = [altered, archive.subarray(0, -1), archive.subarray(0, 1000), Buffer.from('{}')]
    for (const body of isThorough || databaseUrl !== ':memory:' ? bodies : [altered]) {
      t.match(await imported(app, body, headers), {
        status: 'failed',
        error: /^cannot import the file: it is damaged or was altered: [^\n]+$/,
      })
    }
    t.ok((await exportOf(app, headers)).equals(before), databaseUrl)
  }
})

t.test('a check that takes too long is stopped, and changes nothing', async (t) => {
  const databaseUrl = join(t.testdir(), 'target.db')
  const { app, id, headers } = await service(t, databaseUrl)
  const warn = (error: unknown) => t.fail(String(error))
  const importer = new Importer({
    db: app.db,
    databaseUrl,
    checkpoints: 'service',
    warn,
    limits: { time: 0 },
  })
  writeTo(app.db, () => new Imports(app.db).create('slow', 'phaseboard', id))
  const place = importer.reserve('slow', id)
  writeFileSync(place.file, archive)
  place.start({ format: 'phaseboard', name: 'the file', memberId: id, again: false, isDryRun: false })
  t.match(await ended(app, 'slow', headers), {
    status: 'failed',
    error: 'cannot import the file: Reading the file took too long',
  })
  t.equal(count(app, 'projects'), 0)
  await importer.close()
})

t.test('only admins with a write credential import archives, with their own options', async (t) => {
  const { app, id, headers } = await service(t, ':memory:', { adminEmail: 'root@localhost' })
  const adminRequired = { status: 403, body: { error: 'Forbidden: admin access required' } }
  t.match(await imported(app, archive, signInAs(app, 'member').headers), adminRequired)
  t.match(await imported(app, archive, signInAs(app, 'member').headers, '&again=true'), adminRequired)
  const isReadOnly = { status: 403, body: readOnly }
  t.match(await imported(app, archive, signInAs(app, 'viewer').headers), isReadOnly)
  t.match(await imported(app, archive, tokenOf(app, id, { scope: 'read' })), { status: 403 })
  t.equal((await upload(app, 'format=phaseboard', archive)).status, 401)
  t.match(await imported(app, archive, headers, '&again=true'), {
    status: 400,
    body: invalid({ again: ['is not for phaseboard: a record is there once'] }),
  })
  for (const option of ['name=x', 'matchNames=true', 'map=a=local']) {
    const [name = ''] = option.split('=')
    t.match(await imported(app, archive, headers, `&${option}`), {
      status: 400,
      body: invalid({ [name]: ['is not for phaseboard'] }),
    })
  }
  t.match(await upload(app, 'format=csv&mapMembers=true', 'title', headers), {
    status: 400,
    body: invalid({ mapMembers: ['is only for phaseboard'] }),
  })
  t.equal(count(app, 'imports'), 0)

  const key = { ...headers, 'idempotency-key': 'once' }
  const first = await upload(app, 'format=phaseboard', archive, key)
  t.match(await ended(app, first.body.id, headers), { status: 'done' })
  const second = await upload(app, 'format=phaseboard', archive, key)
  t.match(second, { status: 202, body: first.body, headers: { 'idempotent-replayed': 'true' } })
  t.equal(count(app, 'imports'), 1)
})
