/** TypeScript programs that use `phaseboard/client`: lines that must compile, and lines that must not. */

/** An ES module. */
export const TYPED_CLIENT = `
import { createClient, PhaseboardError, type Client, type KanbanItem } from 'phaseboard/client'

const client: Client = createClient({ baseUrl: 'https://board.example.org', token: 'pbt_...', fetch: globalThis.fetch })
const path = { id: '01900000-0000-7000-8000-000000000000' }
const { signal } = new AbortController()

export const names: string[] = (await client.get('/api/projects')).flatMap(({ kanbanItems }) => kanbanItems.map(({ title }) => title))
export const counts: number[] = (await client.get('/api/projects', { query: { view: 'summary' } })).map(({ counts }) => counts.kanbanItems)
export const changed: KanbanItem = await client.patch('/api/kanban-items/{id}', { path, body: { priority: 'odd', dueDate: null }, ifMatch: '"x"' })
const { data, etag, seq } = await client.request('post', '/api/projects', { body: { name: 'Spring campaign' }, signal })
export const made: [string, string | undefined, number | undefined] = [data.name, etag, seq]
for await (const { title } of client.pages('/api/kanban-items', { query: { column: ['To Do', 'Review'], sort: '-dueDate' } })) title.trim()
for await (const { counts } of client.pages('/api/projects', { query: { view: 'summary' } })) counts.kanbanItems.toFixed()
for await (const { snippet } of client.pages('/api/search', { query: { q: 'engine' } })) snippet.trim()
for await (const { seq, after } of client.changes({ after: 0, kinds: ['kanban-item'], signal })) console.log(seq.toFixed(), after?.title)
export const isGone = (error: unknown) => error instanceof PhaseboardError && error.status === 410

// @ts-expect-error: there is no such path
await client.get('/api/project')
// @ts-expect-error: nor such a method of it
await client.put('/api/projects', { body: { name: 'x' } })
// @ts-expect-error: a path needs its id
await client.get('/api/projects/{id}')
// @ts-expect-error: and no other
await client.get('/api/projects/{id}', { path: { projectId: 'x' } })
// @ts-expect-error: there is no such field
await client.patch('/api/kanban-items/{id}', { path, body: { titel: 'x' } })
// @ts-expect-error: it is of another type
await client.patch('/api/kanban-items/{id}', { path, body: { title: 1 } })
// @ts-expect-error: a field is missing
await client.post('/api/projects', { body: { description: 'x' } })
// @ts-expect-error: there is no such parameter
await client.get('/api/kanban-items', { query: { coulmn: 'x' } })
// @ts-expect-error: nor such a value
await client.get('/api/kanban-items', { query: { sort: 'x' } })
// @ts-expect-error: the answer has no such field
export const unknown = changed.titel
// @ts-expect-error: a summary has no items
export const items = (await client.get('/api/projects', { query: { view: 'summary' } }))[0]?.kanbanItems
// @ts-expect-error: this is no list
client.pages('/api/session')
// @ts-expect-error: the client keeps the cursor
client.pages('/api/kanban-items', { query: { cursor: 'x' } })
// @ts-expect-error: a stream is followed by changes()
await client.get('/api/changes/stream')
// @ts-expect-error: a sign-in takes no key
await client.post('/api/session', { body: { email: 'x', password: 'x' }, idempotencyKey: 'x' })
// @ts-expect-error: there is no such option
createClient({ url: 'https://board.example.org' })
`

/** A CommonJS module. */
export const TYPED_COMMONJS_CLIENT = `
import clients = require('phaseboard/client')
import service = require('phaseboard')

const projects: Promise<clients.Project[]> = clients.createClient({ baseUrl: 'http://localhost:3000' }).get('/api/projects')
const app = service.buildApp({ databaseUrl: ':memory:' })
export = [projects, app]
`
