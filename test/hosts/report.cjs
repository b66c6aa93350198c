// What a host application does with the package, however it loads it; prints what it found.
module.exports = async ({ Fastify, board, client }) => {
  // After a stream, `fetch` opens a connection that Node 22 waits for, although it has no request.
  const host = Fastify({ forceCloseConnections: true })
  await host.register(board.default, {
    prefix: '/board',
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) =>
      headers['x-user'] ? { id: String(headers['x-user']), role: 'member' } : null,
  })
  const service = await board.buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
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
  const reader = client.createClient({ baseUrl: `${address}/board`, headers: { 'x-user': 'ada' } })
  const names = []
  for await (const { name } of reader.pages('/api/projects')) names.push(name)
  let followed
  for await (const { after } of reader.changes({ after: 0, kinds: ['project'] })) {
    followed = after?.name
    break
  }
  const refused = await reader
    .get('/api/projects/{id}', { path: { id: 'unknown' } })
    .catch((error) => (error instanceof client.PhaseboardError ? [error.status, error.error] : error))
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
        board.default === board.phaseboard,
        new board.ApiError(404, 'x') instanceof Error,
        new board.StartupError('x') instanceof Error,
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
}
