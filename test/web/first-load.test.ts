/** What the first visit costs, and what a foreign page cannot do with the board. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { launch, onBoard } from './browser.ts'
import { loadAfresh } from './measures.ts'

const KB = 1024

onBoard('the first visit loads little, in one round, from here alone', async (t, { url, api, person }) => {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  const { page } = await person()
  const shown = () => page.locator('#app > *').first().waitFor({ state: 'attached' })
  const loaded = await loadAfresh(page, `${url}/projects/${id}`, shown)
  const own = loaded.filter((one) => !one.url.includes('/api/'))
  const files = own.filter((one) => one.url.includes('/assets/'))
  const bytes = own.reduce((sum, one) => sum + one.bytes, 0)
  t.ok(files.length >= 2, 'a script and a style sheet, at least')
  t.ok(bytes < 90 * KB, `${bytes} bytes`)
  const late = files.filter(({ round }) => round > 1).map((one) => one.url)
  t.strictSame(late, [], 'the HTML names all that is needed')
})

/** Another site: its page, and a browser that has it open. */
async function foreignPage(t: Test, html: string) {
  const server = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Foreign</title>${html}`),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const context = await (await launch()).newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`)
  return { page, said }
}

onBoard('a foreign page can neither frame nor call it', async (t, { url, api }) => {
  const { page, said } = await foreignPage(t, `<iframe src="${url}/"></iframe>`)
  t.match(said.join('\n'), /frame-ancestors 'none'/)
  const inner = page.frames().find((frame) => frame !== page.mainFrame())
  t.equal(await inner?.locator('#app').count(), 0, 'nothing of the board is in the frame')

  /** What the foreign page's script gets of a request. */
  const ask = (path: string, init: RequestInit = {}) =>
    page.evaluate(
      ([address, options]) =>
        fetch(address as string, options as RequestInit).then(
          (response) => response.type,
          (error) => error.name,
        ),
      [`${url}${path}`, init] as const,
    )
  t.equal(await ask('/api/projects'), 'TypeError', 'it reads nothing')
  t.equal(await ask('/'), 'TypeError', 'nor the page')
  const body = JSON.stringify({ name: 'Foreign' })
  await ask('/api/projects', { method: 'POST', mode: 'no-cors', body })
  await ask('/api/projects', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  t.strictSame(await api.get('/api/projects'), [], 'it writes nothing')
  await page.addScriptTag({ url: `${url}/openapi.json` }).catch(() => undefined)
  t.match(said.join('\n'), /ERR_BLOCKED_BY_RESPONSE|blocked/, 'it includes nothing')
})
