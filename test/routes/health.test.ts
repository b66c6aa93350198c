import t from 'tap'
import { version } from '../../src/package-files.ts'
import { build, holds } from '../helper.ts'
import { builtFrom, shipped } from '../shipped.ts'

const ok = { status: 'ok' }
const alive = { ...ok, version }
const unavailable = { error: 'Service unavailable' }

t.test('a working service is healthy and ready, for any caller', async (t) => {
  for (const authMode of ['open', 'required'] as const) {
    const app = await build(t, { authMode })
    for (const headers of [undefined, { authorization: 'Bearer worthless' }]) {
      await holds(t, app, [
        ['GET', '/healthz', undefined, headers, 200, alive],
        ['GET', '/readyz', undefined, headers, 200, ok],
        ['HEAD', '/healthz', undefined, headers, 200, ''],
        ['HEAD', '/readyz', undefined, headers, 200, ''],
      ])
    }
    await holds(t, app, [['POST', '/readyz', 405, { error: 'Method not allowed' }]])
  }
})

t.test('without its database the service is alive but not ready', async (t) => {
  const app = await build(t)
  app.db.$client.close()
  await holds(t, app, [
    ['GET', '/healthz', 200, alive],
    ['GET', '/readyz', 503, unavailable],
  ])
})

t.test('a service that is stopping is alive but not ready', async (t) => {
  const app = await shipped.buildApp({ databaseUrl: ':memory:', logLevel: 'silent' })
  t.teardown(() => app.close())
  const answers: unknown[] = []
  const ask = async (path: string) => {
    const response = await fetch(`${url}${path}`)
    answers.push([path, response.status, await response.json()])
  }
  // Runs after the service's own hooks, while connections still get responses.
  app.register(async (last) => {
    last.addHook('preClose', async () => {
      await ask('/healthz')
      await ask('/readyz')
    })
  })
  const url = await app.listen({ port: 0 })
  // Two keep-alive connections, because the service accepts no new ones while it stops.
  await Promise.all([ask('/readyz'), ask('/readyz')])
  await app.close()
  const { commit } = builtFrom()
  t.strictSame(answers, [
    ['/readyz', 200, ok],
    ['/readyz', 200, ok],
    ['/healthz', 200, { ...alive, ...(commit !== undefined && { commit }) }],
    ['/readyz', 503, unavailable],
  ])
})
