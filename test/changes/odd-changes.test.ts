/** Odd changes that no trigger writes, but other tools can. They affect only themselves, never the changes around them. */
import { once } from 'node:events'
import http from 'node:http'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { buildApp } from '../../src/app.ts'
import { build, createItem, createProject, send, signInAs } from '../helper.ts'

const DEEP = `'{"metadata":' || '${'['.repeat(20_000)}${']'.repeat(20_000)}' || '}'`

/** Texts in place of a record's fields, as SQL. */
const ODD_FIELDS = [
  "'{not json'",
  "''",
  "'null'",
  "'5'",
  '\'"text"\'',
  "'[1]'",
  "x'00ff'",
  "cast(x'7bff7d' as text)",
  DEEP,
  `'{"title":{"toString":1,"valueOf":1},"id":["x"],"metadata":{"a":1},"dismissed":"no","sortOrder":{}}'`,
  `'{"__proto__":{"title":"x"},"constructor":1,"toString":2,"toJSON":3,"hasOwnProperty":4}'`,
  `'{"unknown":1,"metadata":5,"dismissed":null,"dueDate":{"blob":"zz"},"name":{"blob":"00"},"sortOrder":9e999}'`,
  `'{"metadata":"{\\"a\\":' || replace(hex(zeroblob(10000)), '00', '[') || '"}'`,
]

/** Other odd values in the columns of a change, as SQL. */
const ODD_COLUMNS: Record<string, string>[] = [
  { kind: "'unheard-of'" },
  { kind: "'__proto__'" },
  { kind: "''" },
  { kind: "x'00ff'" },
  { kind: "'leap'", after: "'{}'" },
  { id: "x'00ff'" },
  { id: "''" },
  { action: "'vanished'" },
  { action: "x'00'" },
  { action: "'updated'", before: 'null', after: 'null' },
  { action: "'deleted'", before: 'null' },
  { action: "'created'", before: `'{"a":1}'`, after: 'null' },
  { kind: "'project'", action: "'deleted'", before: 'null' },
  { kind: "'project'", action: "'deleted'", before: "'{not json'" },
  { kind: "'project'", action: "'deleted'", before: `'{"name":{"toString":1,"valueOf":2}}'` },
  { kind: "'project'", action: "'deleted'", before: DEEP },
  {
    kind: "'project'",
    action: "'deleted'",
    id: "x'00ff'",
    at: "x'00ff'",
    actor_id: "x'00ff'",
    after: 'null',
  },
  { action: "'deleted'", id: "'gone'", before: `'{"id":"gone"}'`, after: 'null' },
  { kind: "'kanban-item-label'", action: "'deleted'", before: "'{}'" },
  { at: "''" },
  { at: "'yesterday'" },
  { at: "x'00ff'" },
  { at: '5' },
  { '"group"': "'first'" },
  { '"group"': '9e999' },
  { '"group"': '-9e999' },
  { '"group"': '1.5' },
  { '"group"': "x'00'" },
  { '"group"': '9223372036854775807' },
  { '"group"': '-1' },
  { '"group"': '1' },
  { '"group"': '99999' },
  { actor_id: "x'00ff'" },
  { project_id: "x'00ff'" },
  { item_id: "x'00ff'" },
  { from_project_id: "x'00ff'" },
]

/** A service on a file, without checking responses against the document: other tools may store what no response should contain. */
async function service(t: Test) {
  const file = join(t.testdir(), 'board.db')
  const app = await buildApp({ databaseUrl: `file:${file}`, logLevel: 'silent', webhookAllowPrivate: true })
  t.teardown(() => app.close())
  const tool = new SQLite(file)
  t.teardown(() => tool.close())
  const { body: project } = await send(app, 'POST', '/api/projects', { name: 'Apollo' })
  const { body: item } = await send(app, 'POST', `/api/projects/${project.id}/kanban-items`, {
    title: 'Card',
  })
  const last = () => tool.prepare<[], number>('select max(seq) from changes').pluck().get() as number
  /** Appends a change of the item, like another tool. @returns its position */
  const append = (columns: Record<string, string>): number => {
    const all: Record<string, string> = {
      kind: "'kanban-item'",
      id: `'${item.id}'`,
      action: "'updated'",
      project_id: `'${project.id}'`,
      item_id: `'${item.id}'`,
      before: `'{"title":"Card"}'`,
      after: `'{"title":"Deck"}'`,
      ...columns,
    }
    const names = Object.keys(all)
    tool.exec(
      `insert into changes (${names.join(', ')}) values (${names.map((name) => all[name]).join(', ')})`,
    )
    return last()
  }
  return { app, tool, project, item, last, append }
}

const ODD: Record<string, string>[] = [
  ...ODD_COLUMNS,
  ...ODD_FIELDS.flatMap((text) => [
    { before: text },
    { after: text },
    { action: "'deleted'", id: "'gone'", item_id: "'gone'", before: text, after: 'null' },
    {
      kind: "'project'",
      action: "'deleted'",
      id: "'past'",
      project_id: "'past'",
      before: text,
      after: 'null',
    },
    { kind: "'unheard-of'", after: text },
  ]),
]

const named = (columns: Record<string, string>) => JSON.stringify(columns).slice(0, 100)

t.test(
  'the feed, histories, the trash and an undo handle any invalid row, and those around it',
  async (t) => {
    const { app, project, item, append } = await service(t)
    for (const odd of ODD) {
      const before = append({ after: `'{"title":"before"}'` })
      const seq = append(odd)
      const after = append({ after: `'{"title":"after"}'` })
      const feed = await send(app, 'GET', `/api/changes?after=${before - 1}`)
      t.equal(feed.status, 200, named(odd))
      t.strictSame(
        feed.body.changes?.map((change: { seq: number }) => change.seq),
        [before, seq, after],
        named(odd),
      )
      for (const { before, after } of feed.body.changes ?? []) {
        t.ok(
          [before, after].every(
            (fields) => fields === null || (Object(fields) === fields && !Array.isArray(fields)),
          ),
          named(odd),
        )
      }
      for (const url of [
        `/api/projects/${project.id}/changes?limit=3`,
        `/api/kanban-items/${item.id}/changes?limit=3`,
        '/api/trash',
        `/api/projects/${project.id}/flow`,
        '/api/projects',
        `/api/changes?after=0&limit=1000&projectId=${project.id}`,
      ]) {
        t.equal((await send(app, 'GET', url)).status, 200, `${url} ${named(odd)}`)
      }
      const undone = await send(app, 'POST', `/api/changes/${seq}/undo`)
      t.ok(undone.status < 500, `undo ${undone.status} ${JSON.stringify(undone.body)} ${named(odd)}`)
    }
  },
)

t.test('the stream continues after any invalid row, and a webhook gets all', async (t) => {
  const { app, append, last } = await service(t)
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as { port: number }
  const received: number[] = []
  const receiver = http.createServer((request, response) => {
    request.resume().on('end', () => {
      received.push(Number(String(request.headers['webhook-id']).split('.').at(-1)))
      response.end()
      receiver.emit('received')
    })
  })
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  t.teardown(() => receiver.close())
  const { port: hook } = receiver.address() as { port: number }
  const { headers } = signInAs(app, 'admin')
  const made = await send(app, 'POST', '/api/webhooks', { url: `http://127.0.0.1:${hook}/` }, headers)
  t.equal(made.status, 201)

  const follow = http.get({ port, path: `/api/changes/stream?after=${last()}`, host: '127.0.0.1' })
  const [response] = await once(follow, 'response')
  t.teardown(() => follow.destroy())
  let text = ''
  response.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  const seqs = ODD.map((odd) => append(odd))
  const end = append({ after: `'{"title":"the end"}'` })
  while (!text.includes(`id: ${end}\n`) && !response.closed) await once(response, 'data')
  const events = [...text.matchAll(/id: (\d+)\nevent: change\ndata: (.*)\n\n/g)]
  t.strictSame(
    events.map(([, id]) => Number(id)),
    [...seqs, end],
  )
  for (const [, id, data = ''] of events) t.equal(JSON.parse(data).seq, Number(id))
  while (!received.includes(end)) await once(receiver, 'received')
  t.strictSame(received, [...seqs, end])
})

t.test('an idea with an invalid owner in its change is visible to nobody else', async (t) => {
  const { app, append } = await service(t)
  const seq = append({ kind: "'personal-idea'", owner_id: "x'00ff'" })
  const { status, body } = await send(app, 'GET', `/api/changes?after=${seq - 1}`)
  t.match({ status, body }, { status: 200, body: { changes: [], last: seq } })
})

t.test('a change that the file rejects cannot be undone', async (t) => {
  const app = await build(t)
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const deleted = await send(app, 'DELETE', `/api/kanban-items/${item.id}`)
  const seq = deleted.headers['phaseboard-seq']
  app.db.$client.exec(
    "create trigger tool before insert on kanban_items begin select raise(abort, 'another tool minds'); end",
  )
  t.match(await send(app, 'POST', `/api/changes/${seq}/undo`), {
    status: 400,
    body: { details: { formErrors: [/cannot be undone$/] } },
  })
  t.equal((await send(app, 'GET', `/api/kanban-items/${item.id}`)).status, 404)
  app.db.$client.exec('drop trigger tool')
  t.equal((await send(app, 'POST', `/api/changes/${seq}/undo`)).status, 200)
})
