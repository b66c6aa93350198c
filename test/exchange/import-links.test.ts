/** The attachments of imported boards become links: checked as the API checks them, and nothing is lost. */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { members } from '../../src/db/schema.ts'
import { planBoard } from '../../src/exchange/imports/import-board.ts'
import { rehearse } from '../../src/exchange/imports/import-plan.ts'
import type { SourceBoard } from '../../src/exchange/sources/source-board.ts'
import { holdsSequence } from '../changes/replay.ts'
import { type App, build, createItem, send, signInAs } from '../helper.ts'
import { ended, upload } from '../imports.ts'
import { exported } from './archives.ts'
import { importAtOnce } from './import-at-once.ts'
import { kanboardDatabase } from './kanboard-database.ts'
import { readAs, readFixture } from './readers.ts'

const AT = '2026-03-20T10:00:00.000Z'

/** Imports a board and reads its items, with their attachments, by source id. */
async function imported(t: Test, board: SourceBoard, before: (app: App) => void = () => undefined) {
  const app = await build(t)
  before(app)
  const plan = planBoard(board)
  importAtOnce(app.db, plan, null)
  const { projectId, lines, notes, counts, people } = plan.result(false)
  const { body } = await send(app, 'GET', `/api/projects/${projectId}`)
  const cards = new Map<
    string,
    {
      item: { id: string; metadata: Record<string, Record<string, unknown>> }
      links: Record<string, unknown>[]
    }
  >()
  for (const item of body.kanbanItems) {
    const links = (await send(app, 'GET', `/api/kanban-items/${item.id}/attachments`)).body
    cards.set(item.sourceId, { item, links })
  }
  return {
    app,
    projectId,
    lines,
    notes,
    counts,
    people,
    cards,
    all: [...cards.values()].flatMap(({ links }) => links),
  }
}

/** A Trello board of one card with attachments. */
const trello = (attachments: unknown[], more: object = {}) =>
  readAs(
    'trello',
    JSON.stringify({
      id: 'b',
      name: 'Board',
      lists: [{ id: 'l', name: 'List' }],
      cards: [{ id: 'c', name: 'Card', idList: 'l', attachments, ...more }],
      members: [{ id: 'tr-ann', fullName: 'Ann Smith' }],
    }),
  )

/** What the metadata of the card of {@link trello} has on its attachments. */
const keptIn = (cards: Awaited<ReturnType<typeof imported>>['cards']) =>
  (cards.get('c')?.item.metadata.trello?.attachments ?? []) as { name: string; url?: string }[]

const shown = ({ name, url, createdAt }: Record<string, unknown>) => [name, url, createdAt]

t.test('every format with addresses of attachments', async (t) => {
  const formats = {
    trello: [
      readFixture('trello', 'trello-board.json'),
      [['top-ten.png', 'https://trello.com/1/cards/69a7f10c5c0de50b0a4d0010/attachments/top-ten.png', AT]],
    ],
    planka: [
      readFixture('planka', 'planka-board.json'),
      [['Plan', 'https://example.org/plan', '2026-01-04T10:00:00.000Z']],
    ],
    kanboard: [
      readAs('kanboard', kanboardDatabase()),
      [['Halteverbot', 'https://example.org/antrag', '2026-01-03T02:00:00.000Z']],
    ],
    jira: [
      readFixture('jira', 'jira.csv'),
      [
        [
          'beleg.png',
          'https://example.atlassian.net/rest/api/3/attachment/content/1',
          '2026-01-15T15:05:00.000Z',
        ],
      ],
    ],
    jiraJson: [
      readFixture('jira', 'jira-search.json'),
      [
        [
          'beleg.png',
          'https://example.atlassian.net/rest/api/3/attachment/content/10001',
          '2026-01-15T14:05:00.000Z',
        ],
      ],
    ],
  } as const
  for (const [format, [board, links]] of Object.entries(formats)) {
    const { all, counts, lines } = await imported(t, await board)
    t.strictSame(all.map(shown), links, format)
    t.match(all, [{ kind: 'link', mediaType: null, size: null, sha256: null, hasThumbnail: false }], format)
    t.equal(counts.attachments, 1, format)
    t.ok(lines.includes('attachments 1 (as links)'), format)
  }
})

t.test('a link is made as the API would make it, or the attachment stays whole', async (t) => {
  const good = [
    'https://example.org/a',
    'http://example.org/b',
    ' https://example.org/c d.pdf ',
    'mailto:ann@example.org',
  ]
  const bad = [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'https://ann:secret@example.org/',
    `https://example.org/${'x'.repeat(2000)}`,
    '/attachments/7',
    'https://exa\nmple.org/',
    '',
  ]
  const attachments = [...good, ...bad].map((url, n) => ({ id: `a${n}`, name: `File ${n}`, url, date: AT }))
  const { app, all, cards, notes, projectId } = await imported(t, await trello(attachments))
  t.strictSame(
    all.map(({ url }) => url),
    [
      'https://example.org/a',
      'http://example.org/b',
      'https://example.org/c%20d.pdf',
      'mailto:ann@example.org',
    ],
  )
  t.strictSame(
    cards.get('c')?.item.metadata.trello?.attachments,
    attachments.map(({ url, date, ...rest }) => (bad.includes(url) ? { url, date, ...rest } : rest)),
  )
  t.strictSame(notes, [
    'attachments without a link 8 (no URL, or none that a link may have: kept in metadata.trello)',
  ])
  // The API agrees.
  const item = await createItem(app, projectId as string)
  for (const { url } of attachments) {
    const { status } = await send(app, 'POST', `/api/kanban-items/${item.id}/attachments`, {
      url: url.trim().replaceAll(' ', '%20'),
    })
    t.equal(status, bad.includes(url) ? 400 : 201, url.slice(0, 50))
  }
})

t.test('names fit, and a changed one is kept', async (t) => {
  const url = 'https://example.org/x'
  const names = ['', url, '\u200b', '..', 'a/b.pdf', `${'ä'.repeat(200)}.pdf`, 'x\u202egpj.exe']
  const { all, cards } = await imported(t, await trello(names.map((name) => ({ name, url, date: AT }))))
  t.strictSame(
    all.map(({ name }) => name),
    [url, url, url, url, 'b.pdf', `${'ä'.repeat(125)}.pdf`, 'x gpj.exe'],
  )
  t.strictSame(
    keptIn(cards).map(({ name, url }) => [name, url]),
    [[url, undefined], ...names.slice(2).map((name) => [name, url])],
  )
})

t.test('an item has at most 100 links, the oldest; the others stay in its metadata', async (t) => {
  const attachments = Array.from({ length: 103 }, (_, n) => ({
    name: `File ${n}`,
    url: `https://example.org/${n}`,
    date: new Date(Date.UTC(2026, 0, 200 - n)).toISOString(),
  }))
  const { all, cards, notes } = await imported(t, await trello(attachments))
  t.equal(all.length, 100)
  t.match(all[0], { name: 'File 102' })
  const kept = keptIn(cards)
  t.strictSame(
    kept.filter(({ url }) => url !== undefined),
    attachments.slice(0, 3),
  )
  t.strictSame(notes, ['attachments left out 3 (an item has at most 100: kept in metadata.trello)'])
})

t.test(
  'creators of links are matched like other people, and a file cannot impersonate a member',
  async (t) => {
    const board = await trello(
      ['tr-ann', 'm-eve', '', undefined].map((idMember, n) => ({
        name: `${n}`,
        url: 'https://example.org/',
        idMember,
        date: AT,
      })),
    )
    const { all, people } = await imported(t, board, ({ db }) =>
      db.insert(members).values({ id: 'm-eve', name: 'Eve', email: 'eve@example.org' }).run(),
    )
    t.strictSame(
      all.map(({ createdBy }) => createdBy),
      ['tr-ann', 'trello:m-eve', null, null],
    )
    t.strictSame(people, [
      {
        id: 'tr-ann',
        name: 'Ann Smith',
        items: 0,
        comments: 0,
        attachments: 1,
        matched: null,
        memberId: null,
      },
      {
        id: 'trello:m-eve',
        name: 'm-eve',
        items: 0,
        comments: 0,
        attachments: 1,
        matched: null,
        memberId: null,
      },
    ])
  },
)

t.test('a cover stays in the metadata, beside the id and the name of its attachment', async (t) => {
  const cover = { idAttachmentCover: 'a1', cover: { idAttachment: 'a1' } }
  const { cards } = await imported(
    t,
    await trello([{ id: 'a1', name: 'x.png', url: 'https://example.org/x.png', date: AT }], cover),
  )
  t.match(cards.get('c')?.item, {
    coverId: null,
    metadata: { trello: { ...cover, attachments: [{ id: 'a1', name: 'x.png' }] } },
  })
})

t.test('a dry run counts the links, and the limit of records includes them', async (t) => {
  const app = await build(t)
  const board = await trello([1, 2].map((n) => ({ name: `${n}`, url: `https://example.org/${n}` })))
  const { counts, lines } = rehearse(app.db, planBoard(board))
  t.equal(counts.attachments, 2)
  t.ok(lines.includes('attachments 2 (as links)'))
  t.equal(app.db.$client.prepare('select count(*) from attachments').pluck().get(), 0)
  planBoard(board, { records: 5 })
  t.throws(() => planBoard(board, { records: 4 }), /it has 5 records/)
})

t.test(
  'an import over HTTP: the changes and an archive have its links, and an undo takes them away',
  async (t) => {
    const folder = t.testdir()
    const app = await build(t, { databaseUrl: `file:${folder}/board.db` })
    const begun = await upload(app, 'format=trello', readFileSync('test/fixtures/trello-board.json'))
    const { projectId, counts, status } = await ended(app, begun.body.id)
    t.match({ status, counts }, { status: 'done', counts: { attachments: 1 } })
    const [made, ...others] = holdsSequence(app.db.$client).filter(({ kind }) => kind === 'attachment')
    t.match(made, { action: 'created', project_id: projectId, actor_id: 'local' })
    t.strictSame(others, [])
    const link = (await send(app, 'GET', `/api/attachments/${made?.id}`)).body
    t.match(link, { kind: 'link', name: 'top-ten.png', createdBy: '683c08805c0de50b0a4d0002', createdAt: AT })
    t.match((await send(app, 'GET', `/api/attachments/${link.id}/content`)).status, 404)

    const files = await exported(app.db.$client, `${folder}/archive`)
    t.match(JSON.parse(files['attachments.jsonl'] as string), { id: link.id, url: link.url })

    const count = () => app.db.$client.prepare('select count(*) from attachments').pluck().get()
    const admin = signInAs(app, 'admin').headers
    const undone = await send(app, 'POST', `/api/changes/${made?.seq}/undo`, undefined, admin)
    t.equal(undone.status, 200)
    t.equal(count(), 0)
    const again = await send(app, 'POST', `/api/changes/${undone.body.group}/undo`, undefined, admin)
    t.equal(again.status, 200)
    t.strictSame((await send(app, 'GET', `/api/attachments/${link.id}`, undefined, admin)).body, link)
  },
)
