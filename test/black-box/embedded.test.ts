/** The shipped build inside a listening host application, under a prefix, in both modes. */
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { shipped } from '../shipped.ts'
import { blackBox } from './suite.ts'

const admin = { email: 'ada@example.test', password: 'correct horse' }

for (const mode of ['open', 'required'] as const) {
  t.test(`inside a host, in ${mode} mode`, async (t) => {
    const host = Fastify()
    t.teardown(() => host.close())
    host.get('/', async () => 'the host')
    await host.register(shipped.phaseboard, {
      prefix: '/tools/board',
      databaseUrl: `file:${join(t.testdir(), 'board.db')}`,
      authMode: mode,
      rateLimitMax: 6000,
      adminEmail: admin.email,
      adminPassword: admin.password,
    })
    const url = await host.listen({ port: 0, host: '127.0.0.1' })
    await blackBox(t, { url: `${url}/tools/board`, mode, admin })
    t.equal(await (await fetch(url)).text(), 'the host')
  })
}
