import { parse } from 'csv-parse/sync'
import t from 'tap'
import { withoutGuard } from '../../src/board/csv-guard.ts'
import { newId } from '../../src/db/ids.ts'
import { people } from '../../src/db/schema.ts'
import type { Call } from '../../src/requests/calls.ts'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  createItem,
  createProject,
  createSubtask,
  holds,
  keepLog,
  LONG_AGO,
  send,
  signInAs,
  tokenOf,
} from '../helper.ts'

const calendarOnly = { error: 'Forbidden: only a calendar token may be in an address' }
/** Marks a whole day for Outlook. */
const ALL_DAY = ['X-MICROSOFT-CDO-ALLDAYEVENT:TRUE', 'X-MICROSOFT-MSNCALENDAR-ALLDAYEVENT:TRUE']

const CALENDAR = '/api/calendar.ics'

const HEADER =
  'id,title,description,column,priority,assigneeId,dueDate,labels,subtasks,source,createdAt,updatedAt,dismissed,assignee,number,assignees,assigneeIds'

const csvOf = (app: App, id: string, headers?: Record<string, string>) =>
  send(app, 'GET', `/api/projects/${id}/export.csv`, undefined, headers)

const rowsOf = (text: string): Record<string, string>[] => parse(text, { columns: true, bom: true })

/** Creates a member with a token. @returns the secret, and headers that carry it */
function tokenFor(app: App, role: 'admin' | 'member' | 'viewer', scope: 'read' | 'write' | 'calendar') {
  const { id } = signInAs(app, role)
  const headers = tokenOf(app, id, { scope })
  return { id, headers, secret: String(headers.authorization).slice('Bearer '.length) }
}

t.test('a board as CSV has every item with all its fields', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  t.equal((await csvOf(app, project.id)).body, `\ufeff${HEADER}\r\n`, 'an empty one is a header')
  t.equal(
    (await send(app, 'GET', `/api/projects/${project.id}/export.csv?bom=false`)).body,
    `${HEADER}\r\n`,
    'without the byte order mark',
  )
  const first = await createItem(app, project.id, {
    title: 'Say "hello", then\nleave',
    description: ' blanks ',
    column: 'Review',
    priority: 'high',
    assigneeId: 'maria',
    dueDate: '2027-03-01',
    sortOrder: 1,
  })
  const second = await createItem(app, project.id, { title: 'Grüße 🎉', dismissed: true, sortOrder: 2 })
  app.db.insert(people).values({ id: 'maria', name: 'Maria, =M', kind: 'host' }).run()
  await createSubtask(app, first.id, { title: 'One\r\nstep' })
  const done = await createSubtask(app, first.id, { title: 'Two' })
  await send(app, 'PATCH', `/api/kanban-subtasks/${done.id}`, { completed: true })
  for (const name of ['Bug', 'a, b\\c']) {
    const { body } = await send(app, 'POST', `/api/projects/${project.id}/kanban-labels`, { name })
    await send(app, 'PUT', `/api/kanban-items/${first.id}/labels/${body.id}`)
  }
  const answer = await csvOf(app, project.id)
  t.match(answer, {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': `attachment; filename="phaseboard-${project.id}.csv"`,
    },
  })
  const { body: one } = await send(app, 'GET', `/api/kanban-items/${first.id}`)
  t.strictSame(rowsOf(answer.body), [
    {
      id: first.id,
      title: 'Say "hello", then\nleave',
      description: ' blanks ',
      column: 'Review',
      priority: 'high',
      assigneeId: 'maria',
      dueDate: '2027-03-01T00:00:00.000Z',
      labels: 'Bug, a\\, b\\\\c',
      subtasks: '[ ] One step\n[x] Two',
      source: 'manual',
      createdAt: one.createdAt,
      updatedAt: one.updatedAt,
      dismissed: 'false',
      assignee: 'Maria, =M',
      number: '1',
      assignees: 'Maria\\, =M',
      assigneeIds: 'maria',
    },
    {
      ...rowsOf(answer.body)[1],
      id: second.id,
      title: 'Grüße 🎉',
      dismissed: 'true',
      labels: '',
      assignee: '',
      number: '2',
      assignees: '',
      assigneeIds: '',
    },
  ])
  t.match(await csvOf(app, project.id, { 'if-none-match': String(answer.headers.etag) }), { status: 304 })
  t.equal(
    (await app.inject({ method: 'HEAD', url: `/api/projects/${project.id}/export.csv` })).statusCode,
    200,
  )
})

t.test('no cell is a formula', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const texts = [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    "'=1",
    "'quoted",
    'a=b',
    '=HYPERLINK("http://x","y")',
  ]
  for (const title of texts) {
    await createItem(app, project.id, { title, description: title, assigneeId: title, priority: title })
  }
  const rows = rowsOf((await csvOf(app, project.id)).body)
  t.equal(rows.length, texts.length)
  for (const [index, { title, description, assigneeId, priority }] of rows.entries()) {
    const text = texts[index] ?? ''
    const expected = text === "'quoted" || text === 'a=b' ? text : `'${text}`
    t.equal(withoutGuard(expected), text)
    t.strictSame([title, description, assigneeId, priority], [expected, expected, expected, expected])
  }
  for (const format of ['linear', 'github']) {
    const { body } = await send(app, 'GET', `/api/projects/${project.id}/export.csv?format=${format}`)
    const cells = rowsOf(body).flatMap((row) => Object.values(row))
    t.strictSame(
      cells.filter((cell) => /^[=+\-@\t\r\n＝]/.test(cell)),
      [],
      format,
    )
    t.equal(cells.filter((cell) => cell === "'=1+1").length, format === 'linear' ? 2 : 3)
  }
})

t.test('unknown boards, strange ids and failures return the right errors', async (t) => {
  const app = await build(t)
  await holds(t, app, [['GET', '/api/projects/none/export.csv', 404, { error: 'Project not found' }]])
  app.db.$client.exec(`insert into projects (id, name) values ('a"b\r\n;', 'x')`)
  const { status, headers } = await csvOf(app, encodeURIComponent('a"b\r\n;'))
  t.equal(status, 200)
  t.equal(headers['content-disposition'], 'attachment; filename="phaseboard-a_b___.csv"')
  breakTable(app, 'kanban_items')
  await holds(t, app, [
    ['GET', '/api/projects/a%22b%0D%0A;/export.csv', 500, { error: 'Failed to export project' }],
    ['GET', '/api/projects/a%22b%0D%0A;/export.json', 500, { error: 'Failed to export project' }],
    ['GET', CALENDAR, 500, { error: 'Failed to fetch calendar' }],
  ])
})

t.test('the worker thread writes large boards', async (t) => {
  const app = await build(t, { databaseUrl: `file:${t.testdir()}/board.db` })
  const project = await createProject(app)
  app.db.$client.exec(`
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 6000)
    insert into kanban_items (id, project_id, title, description, sort_order, due_date, updated_at)
      select printf('i%05d', i), '${project.id}', 'Card ' || i, hex(randomblob(200)), i,
        strftime('%Y-%m-%dT00:00:00.000Z', '2020-01-01', '+' || i || ' days'), '${LONG_AGO}' from n`)
  const offloaded = t.capture(app.worker, 'read', app.worker.read)
  const rows = rowsOf((await csvOf(app, project.id)).body)
  t.equal(rows.length, 6000)
  t.strictSame([rows[0]?.title, rows[5999]?.title], ['Card 1', 'Card 6000'])
  const trello = await send(app, 'GET', `/api/projects/${project.id}/export.json`)
  t.match(trello.body.cards.slice(-1), [{ name: 'Card 6000', idShort: null }])
  t.equal(trello.body.cards.length, 6000)
  const { body } = await send(app, 'GET', CALENDAR)
  t.equal(body.match(/BEGIN:VEVENT/g)?.length, 5000, 'the calendar is bounded')
  t.ok(
    body.includes('UID:i06000@phaseboard') && !body.includes('UID:i01000@phaseboard'),
    'the latest are there',
  )
  t.strictSame(
    offloaded().map(({ args: [call] }) => (call as Call).path),
    ['board.itemCsv.ofProject', 'board.trelloJson.ofProject', 'board.itemCalendar.write'],
  )
})

t.test('a calendar has an event for each item with a due date', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id, headers, secret } = tokenFor(app, 'member', 'calendar')
  const { headers: writer } = tokenFor(app, 'member', 'write')
  const project = await createProject(app, { name: 'Moon, Mars; and beyond' }, writer)
  const make = (fields: object) => createItem(app, project.id, fields, writer)
  const day = await make({
    title: 'All day',
    dueDate: '2028-02-29',
    assigneeId: id,
    description: 'x'.repeat(400),
  })
  const timed = await make({ title: 'At noon, sharp; \\o/\nreally', dueDate: '2027-03-01T13:00:00+01:00' })
  const done = await make({ title: `Füße ${'🎉'.repeat(30)}`, dueDate: '2027-01-01', column: 'Done' })
  await make({ title: 'Some day' })
  await make({ title: 'Gone', dueDate: '2027-01-01', dismissed: true })
  const strange = await make({ title: 'Strange', dueDate: '2027-01-01' })
  app.db.$client.exec(`update kanban_items set due_date = 'soon' where id = '${strange.id}'`)
  const label = await send(app, 'POST', `/api/projects/${project.id}/kanban-labels`, { name: 'a,b' }, writer)
  await send(app, 'PUT', `/api/kanban-items/${timed.id}/labels/${label.body.id}`, undefined, writer)
  for (const item of [day, timed, done]) age(app, 'kanban_items', item.id)

  const answer = await send(app, 'GET', `${CALENDAR}?token=${secret}`)
  t.match(answer, {
    status: 200,
    headers: { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private, no-cache' },
  })
  for (const line of answer.body.split('\r\n')) t.ok(Buffer.byteLength(line) <= 75, line)
  const unfolded: string = answer.body.replaceAll('\r\n ', '')
  t.notMatch(unfolded, /\n(?<!\r\n)/, 'lines end with CRLF')
  const events = unfolded.split('BEGIN:VEVENT\r\n').slice(1)
  t.strictSame(
    events.map((event) => event.split('\r\n').slice(0, event.split('\r\n').indexOf('END:VEVENT'))),
    [
      [
        `UID:${day.id}@phaseboard`,
        'SEQUENCE:0',
        'DTSTAMP:20010101T000000Z',
        'DTSTART;VALUE=DATE:20280229',
        ...ALL_DAY,
        'SUMMARY:All day',
        'TRANSP:TRANSPARENT',
        `DESCRIPTION:Moon\\, Mars\\; and beyond · To Do · medium\\n\\n${'x'.repeat(300)} …`,
        'LAST-MODIFIED:20010101T000000Z',
      ],
      [
        `UID:${timed.id}@phaseboard`,
        'SEQUENCE:0',
        'DTSTAMP:20010101T000000Z',
        'DTSTART:20270301T120000Z',
        'SUMMARY:At noon\\, sharp\\; \\\\o/\\nreally',
        'TRANSP:TRANSPARENT',
        'DESCRIPTION:Moon\\, Mars\\; and beyond · To Do · medium',
        'CATEGORIES:a\\,b',
        'LAST-MODIFIED:20010101T000000Z',
      ],
      [
        `UID:${done.id}@phaseboard`,
        'SEQUENCE:0',
        'DTSTAMP:20010101T000000Z',
        'DTSTART;VALUE=DATE:20270101',
        ...ALL_DAY,
        `SUMMARY:✓ Füße ${'🎉'.repeat(30)}`,
        'TRANSP:TRANSPARENT',
        'DESCRIPTION:Moon\\, Mars\\; and beyond · Done · medium',
        'LAST-MODIFIED:20010101T000000Z',
      ],
    ],
  )
  const shown = async (query: string) => {
    const { body } = await send(app, 'GET', `${CALENDAR}?${query}`, undefined, headers)
    return body.match(/(?<=UID:)[\w-]+/g) ?? []
  }
  t.strictSame(await shown('assigneeId=me'), [day.id])
  t.strictSame(await shown(`assigneeId=${id}&projectId=${project.id}`), [day.id])
  t.strictSame(await shown('projectId=none'), [])
  t.equal((await shown('projectId=&assigneeId=')).length, 3)
  const etag = String(answer.headers.etag)
  t.match(await send(app, 'GET', `${CALENDAR}?token=${secret}`, undefined, { 'if-none-match': etag }), {
    status: 304,
    headers: { 'cache-control': 'private, no-cache' },
  })
})

t.test('a calendar token only reads the calendar', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    const { headers, secret } = tokenFor(app, 'admin', 'calendar')
    await holds(t, app, [
      ['GET', '/api/projects', undefined, headers, 401, authenticationRequired],
      ['GET', '/api/session', undefined, headers, 401, authenticationRequired],
      ['GET', '/api/changes/stream', undefined, headers, 401, authenticationRequired],
      ['POST', '/api/projects', { name: 'x' }, headers, 401, authenticationRequired],
      [
        'POST',
        '/api/batch',
        { requests: [{ method: 'GET', path: '/api/projects' }] },
        headers,
        401,
        authenticationRequired,
      ],
      ['GET', '/metrics', undefined, headers, 401, authenticationRequired],
    ])
    t.equal((await send(app, 'GET', CALENDAR, undefined, headers)).status, 200)
    t.equal((await send(app, 'GET', `${CALENDAR}?token=${secret}`)).status, 200)
    if (authMode === 'required')
      t.equal((await send(app, 'GET', `/api/projects?token=${secret}`)).status, 401, 'no query elsewhere')
  }
})

t.test('other tokens in an address are refused', async (t) => {
  const app = await build(t, { authMode: 'required' })
  const calendar = tokenFor(app, 'member', 'calendar')
  for (const scope of ['read', 'write'] as const) {
    const { headers, secret } = tokenFor(app, 'member', scope)
    await holds(t, app, [
      ['GET', `${CALENDAR}?token=${secret}`, 403, calendarOnly],
      ['GET', `${CALENDAR}?token=${secret}`, undefined, headers, 403, calendarOnly],
    ])
    t.equal((await send(app, 'GET', CALENDAR, undefined, headers)).status, 200, `${scope} as Bearer`)
    t.equal((await send(app, 'GET', `${CALENDAR}?token=`, undefined, headers)).status, 200)
  }
  await holds(t, app, [
    ['GET', CALENDAR, 401, authenticationRequired],
    ['GET', `${CALENDAR}?token=pbt_none`, 401, authenticationRequired],
    ['GET', `${CALENDAR}?token=${calendar.secret}&token=${calendar.secret}`, 401, authenticationRequired],
  ])
  app.db.$client.exec(`update members set disabled = 1 where id = '${calendar.id}'`)
  await holds(t, app, [['GET', `${CALENDAR}?token=${calendar.secret}`, 401, authenticationRequired]])
})

t.test('the token in an address is not logged', async (t) => {
  const { logStream, log } = keepLog()
  const app = await build(t, { authMode: 'required', logLevel: 'trace', logStream })
  const { secret } = tokenFor(app, 'member', 'calendar')
  await send(app, 'GET', `${CALENDAR}?token=${secret}`)
  breakTable(app, 'kanban_items')
  t.equal((await send(app, 'GET', `${CALENDAR}?token=${secret}`)).status, 500)
  await send(app, 'GET', `/nowhere?token=${secret}`)
  t.match(log(), /calendar\.ics/)
  t.notOk(log().includes(secret))
})

t.test('inside a host, its members and calendar tokens can read the calendar', async (t) => {
  const app = await build(t, {
    authMode: 'required',
    resolveMember: ({ headers }) => {
      if (headers['x-user'] === undefined) throw Object.assign(new Error('who?'), { statusCode: 401 })
      return { id: String(headers['x-user']), role: 'member' }
    },
  })
  const { secret } = tokenFor(app, 'member', 'calendar')
  t.equal((await send(app, 'GET', CALENDAR, undefined, { 'x-user': 'ada' })).status, 200)
  t.equal((await send(app, 'GET', `${CALENDAR}?token=${secret}`)).status, 200)
  t.equal((await send(app, 'GET', CALENDAR)).status, 401)
  t.equal(
    (await send(app, 'GET', `${CALENDAR}?token=${newId()}`, undefined, { 'x-user': 'ada' })).status,
    401,
  )
})
