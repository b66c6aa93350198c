/** The page below a prefix: in a host application, and behind a proxy that strips it. */
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'
import t, { type Test } from 'tap'
import { onPreparedFile, start } from '../process.ts'
import { nginxBelowPath, noNginx } from '../reverse-proxies.ts'
import { shipped } from '../shipped.ts'
import { ADMIN, type Board, noBrowser, startBoard } from './browser.ts'

/** Navigates through the page like a user, and checks the addresses. */
async function walk(t: Test, { url, api, person, finish }: Board, signIn = false): Promise<void> {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Land' } })
  const { page, go } = await person({ signIn })
  await go('/')
  await page.getByRole('link', { name: 'Apollo', exact: true }).click()
  await page.getByRole('link', { name: 'Land', exact: true }).click()
  await page.getByRole('dialog', { name: 'Land' }).waitFor()
  t.match(page.url(), new RegExp(`^${url}/projects/${id}/items/`))
  await page.reload()
  await page.getByRole('dialog', { name: 'Land' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.equal(page.url(), `${url}/projects/${id}`)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  await page.getByRole('textbox', { name: 'Card title' }).fill('Return')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Return', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Flow', exact: true }).click()
  await page.getByRole('region', { name: 'Work in progress', exact: true }).waitFor()
  t.equal(page.url(), `${url}/projects/${id}/flow`)
  await page.goBack()
  await page.getByRole('link', { name: 'Return', exact: true }).waitFor()
  t.equal((await api.get('/api/projects/{id}', { path: { id } })).kanbanItems.length, 2)
  const shared = await api.post('/api/projects/{id}/share-links', { path: { id }, body: {} })
  await go(`/shared/${shared.secret}`)
  await page.getByRole('link', { name: 'Return', exact: true }).click()
  await page.getByRole('dialog', { name: 'Return' }).waitFor()
  t.match(page.url(), `${url}/shared/${shared.secret}?card=`)
  await finish()
}

t.test('in a host application, below its prefix', { skip: noBrowser }, async (t) => {
  const host = Fastify()
  t.teardown(() => host.close())
  const member = { id: 'ada', role: 'member' as const }
  await host.register(shipped.phaseboard, {
    prefix: '/tools/board',
    databaseUrl: ':memory:',
    resolveMember: () => member,
  })
  host.get('/', async () => 'the host')
  const address = await host.listen({ port: 0, host: '127.0.0.1' })
  await walk(t, await startBoard(t, { url: `${address}/tools/board` }))
  t.equal(await (await fetch(`${address}/`)).text(), 'the host')
})

t.test('behind a proxy that strips a prefix', { skip: noBrowser }, async (t) => {
  const service = await start(t, { ...onPreparedFile(t.testdir()), LOG_LEVEL: 'warn' })
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url?.replace(/^\/kanban(?=\/)/, '')
    const { method, headers } = incoming
    const passed = ask({ port: service.port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    passed.on('error', () => outgoing.destroy())
    outgoing.on('close', () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    proxy.closeAllConnections()
    proxy.close()
  })
  const { port } = proxy.address() as AddressInfo
  await walk(t, await startBoard(t, { url: `http://127.0.0.1:${port}/kanban` }))
})

t.test('signed in, behind nginx, below a path', { skip: noBrowser || noNginx }, async (t) => {
  const service = await start(t, {
    ...onPreparedFile(t.testdir()),
    LOG_LEVEL: 'warn',
    AUTH_MODE: 'required',
    TRUST_PROXY: '127.0.0.1',
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  })
  const url = await nginxBelowPath(t, service.port)
  await walk(t, await startBoard(t, { url, mode: 'required' }), true)
})
