/** Agents for tests: the SDK's own client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Test } from 'tap'
import type { BuildOptions, Config } from '../../src/app.ts'
import type { App } from '../helper.ts'
import { shipped } from '../shipped.ts'

// biome-ignore lint/suspicious/noExplicitAny: each tool's own; the client holds it against the tool's outputSchema
export type Result = any

/** Starts the shipped service in this process. */
export async function serve(
  t: Test,
  options: Partial<Config> & BuildOptions = {},
  port = 0,
): Promise<{ app: App; url: string }> {
  const app = await shipped.buildApp({ databaseUrl: ':memory:', logLevel: 'silent', ...options })
  t.teardown(() => app.close())
  return { app, url: await app.listen({ host: '127.0.0.1', port }) }
}

/** A connected agent. */
export interface Agent {
  client: Client
  /** The names of the listed tools. */
  tools: string[]
  /** Calls a tool. @throws Error if it is refused */
  call: (name: string, args?: object) => Promise<Result>
  /** Calls a tool that must be refused. @returns the error */
  refused: (name: string, args?: object) => Promise<Result>
}

/** Connects an agent, and lists the tools: the client validates their results from then on. */
export async function connect(t: Test, transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  t.teardown(() => client.close())
  const { tools } = await client.listTools()
  const ask = (name: string, args: object = {}) =>
    client.callTool({ name, arguments: args as Record<string, unknown> }) as Promise<Result>
  return {
    client,
    tools: tools.map(({ name }) => name),
    async call(name, args) {
      const { isError, content, structuredContent } = await ask(name, args)
      if (isError) throw new Error(`${name} was refused: ${content[0].text}`)
      t.strictSame(JSON.parse(content[0].text), structuredContent, `the text of ${name} says the same`)
      return structuredContent
    },
    async refused(name, args) {
      const { isError, content, structuredContent } = await ask(name, args)
      t.equal(isError, true, `${name} is refused`)
      t.equal(structuredContent, undefined)
      return JSON.parse(content[0].text)
    },
  }
}

/** Connects an agent over HTTP. @param url the service's, with its prefix */
export const overHttp = (t: Test, url: string, headers: Record<string, string> = {}): Promise<Agent> =>
  connect(
    t,
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }) as Transport,
  )

/** Calls every tool, including those that write, like an agent working on a board. */
export async function callEveryTool(t: Test, { call, refused, tools }: Agent): Promise<void> {
  const called = new Set<string>()
  const use: Agent['call'] = (name, args) => {
    called.add(name)
    return call(name, args)
  }
  const {
    results: [{ body: project }],
  } = await use('batch', { requests: [{ method: 'POST', path: '/api/projects', body: { name: 'Apollo' } }] })
  const projectId = project.id
  const { projects } = await use('list_projects', { limit: 100 })
  t.match(
    projects.find(({ id }: { id: string }) => id === projectId),
    { name: 'Apollo', columns: { 'To Do': 0, Done: 0 } },
  )

  const made = await use('create_item', {
    projectId,
    title: 'Build {{the.engine}}',
    description: 'x'.repeat(5000),
    subtasks: ['Draw it', 'Weld it'],
  })
  t.match(made, { item: { title: 'Build {{the.engine}}', subtasks: { done: 0, total: 2 } }, seq: Number })
  const itemId = made.item.id

  const claimed = await use('claim', { projectId, leaseSeconds: 60 })
  t.match(claimed, { item: { id: itemId, column: 'In Progress', claimedUntil: /Z$/ } })
  t.equal(claimed.item.description.length, 4000)
  t.match(claimed.notes, [/description was cut: 4000 of 5000.*read_item/])
  t.strictSame(await use('claim', { projectId }), { item: null }, 'there is no other')
  t.ok((await use('renew', { itemId })).item.claimedUntil > claimed.item.claimedUntil)

  const [first] = claimed.item.subtasks
  const ticked = await use('tick_subtask', { subtaskId: first.id })
  t.match(ticked, { subtask: { title: 'Draw it', completed: true }, item: { subtasks: { done: 1 } } })
  await use('comment', { itemId, content: 'Welding takes {{longer.than}} I thought' })
  const { attachment } = await use('attach_file', { itemId, name: 'notes.md', text: '{{weld}} it' })
  t.match(attachment, { itemId, name: 'notes.md', mediaType: 'text/markdown', size: 11 })
  const changed = await use('change_item', { itemId, assigneeId: 'me', addSubtasks: ['Paint it'] })
  t.match(changed.item, { assigneeId: claimed.item.assigneeId, subtasks: { total: 3 } })
  t.match(await use('move_item', { itemId, column: 'Review' }), { item: { column: 'Review' } })

  const read = await use('read_item', { itemId, textLimit: 10, latest: 1 })
  t.match(read, {
    item: { description: 'xxxxxxxxxx', column: 'Review' },
    etag: /^"/,
    comments: [{ content: 'Welding ta' }],
    attachments: [{ id: attachment.id, name: 'notes.md', kind: 'file', size: 11, uri: attachment.uri }],
    activity: [{ type: 'status_change' }],
    notes: [/activity/, /description/, /comment/],
  })
  t.equal(read.activity.length, 1)
  const stale = await refused('change_item', { itemId, title: 'Late', ifMatch: made.etag })
  t.match(stale, { status: 412, error: 'Precondition failed', etag: /^"/, next: /read_item/ })
  t.match(await use('change_item', { itemId, priority: 'high', ifMatch: read.etag }), {
    item: { priority: 'high' },
  })

  const finished = await use('finish', { itemId, comment: 'Welded and painted' })
  t.match(finished, { item: { column: 'Done' } })
  t.equal(finished.item.claimedUntil, undefined)
  const { comments } = await use('read_item', { itemId })
  t.match(comments, [{}, { content: 'Welded and painted' }])

  const taken = await use('ingest', {
    projectId,
    transcript: { title: 'Stand-up', date: '2026-01-31', actionItems: ['Order steel', 'Call Ada'] },
    metrics: [{ name: 'Thrust', value: 7 }],
  })
  t.match(taken, {
    transcript: { title: 'Stand-up' },
    items: [{ title: 'Order steel' }, { title: 'Call Ada' }],
    metrics: [{ name: 'Thrust', value: 7 }],
  })
  await call('change_item', { itemId: taken.items[0].id, approved: true })
  const again = await use('claim', { projectId })
  t.match(await use('release', { itemId: again.item.id }), { item: { column: 'To Do', assigneeId: null } })

  const first2 = await use('find_items', { projectId, column: ['To Do', 'Done'], limit: 2, sort: 'title' })
  t.strictSame(
    first2.items.map(({ title }: { title: string }) => title),
    ['Build {{the.engine}}', 'Call Ada'],
  )
  const { items, nextCursor } = await use('find_items', {
    projectId,
    column: ['To Do', 'Done'],
    limit: 2,
    sort: 'title',
    cursor: first2.nextCursor,
  })
  t.match(items, [{ title: 'Order steel' }])
  t.equal(nextCursor, undefined)
  t.match(await use('find_items', { assigneeId: 'me', projectId, q: 'ENGINE' }), { items: [{ id: itemId }] })
  t.type((await use('notifications', { unread: false, kind: 'moved', limit: 5 })).notifications, Array)
  const { people } = await use('find_people', { limit: 1 })
  t.match(await use('find_people', { ids: people.map(({ id }: { id: string }) => id) }), { people })
  t.match(await use('search', { q: 'weld', projectId }), { results: [{ projectId }] })

  const board = await use('read_board', { projectId, limit: 1 })
  t.match(board.columns, [
    { name: 'To Do', items: [{ title: 'Order steel' }], nextCursor: String },
    { name: 'In Progress', items: [] },
    { name: 'Review' },
    { name: 'Done', items: [{ id: itemId }] },
  ])
  const cursor = board.columns[0].nextCursor
  t.match(await use('read_board', { projectId, column: 'To Do', cursor }), {
    columns: [{ name: 'To Do', items: [{ title: 'Call Ada' }] }],
  })
  const flow = await use('flow', { projectId, lists: ['days', 'finished'], limit: 2 })
  t.match(flow, { now: { 'To Do': 2, Done: 1 }, finished: [{ id: itemId }], days: { length: 2 } })
  t.match(
    flow.notes,
    ['perWeek: 2 of', 'days: 2 of 90'].map((text) => new RegExp(text)),
  )
  t.strictSame([...called].sort(), [...tools].sort(), 'every tool was called')
}
