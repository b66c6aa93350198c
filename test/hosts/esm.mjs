// A host application written in ES modules.
import Fastify from 'fastify'
import phaseboard, { ApiError, buildApp, phaseboard as byName, StartupError } from 'phaseboard'
import { createClient, PhaseboardError } from 'phaseboard/client'

// After a stream, `fetch` opens a connection that Node 22 waits for, although it has no request.
const host = Fastify({ forceCloseConnections: true })
await host.register(phaseboard, {
  prefix: '/board',
  databaseUrl: ':memory:',
  resolveMember: ({ headers }) =>
    headers['x-user'] ? { id: String(headers['x-user']), role: 'member' } : null,
})
const service = await buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
const { json, statusCode } = await host.inject({
  method: 'POST',
  url: '/board/api/projects',
  headers: { 'x-user': 'ada' },
  body: { name: 'Spring campaign', type: 'business' },
})
const unknown = await host.inject('/board/api/projects')
const docs = await host.inject('/board/docs/')
const own = await service.inject('/api/projects')
const address = await host.listen({ host: '127.0.0.1', port: 0 })
const client = createClient({ baseUrl: `${address}/board`, headers: { 'x-user': 'ada' } })
const names = []
for await (const { name } of client.pages('/api/projects')) names.push(name)
let followed
for await (const { after } of client.changes({ after: 0, kinds: ['project'] })) {
  followed = after?.name
  break
}
const refused = await client
  .get('/api/projects/{id}', { path: { id: 'unknown' } })
  .catch((error) => (error instanceof PhaseboardError ? [error.status, error.error] : error))
// The import reader is a process of the package, wherever that is installed.
const begun = await service.inject({
  method: 'POST',
  url: '/api/imports?format=csv',
  payload: 'title\nOne\n',
})
let imported = { status: 'waiting' }
while (!['done', 'failed'].includes(imported.status)) {
  await new Promise((resolve) => setTimeout(resolve, 20))
  imported = (await service.inject(begun.headers.location)).json()
}
console.log(
  JSON.stringify({
    names: [
      phaseboard === byName,
      new ApiError(404, 'x') instanceof Error,
      new StartupError('x') instanceof Error,
    ],
    created: [statusCode, json().name],
    unknown: unknown.statusCode,
    docs: docs.statusCode,
    own: own.statusCode,
    imported: [imported.status, imported.error],
    client: [names, followed, refused],
  }),
)
await host.close()
await service.close()
