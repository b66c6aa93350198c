/** The board behind a share link, in a browser whose user has no account. */
import type { Page } from 'playwright-core'
import { png } from '../attachments.ts'
import { card, link, projectWith, titlesIn } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { HTML, madeOf, makeHostile } from './hostile.ts'
import { loadAfresh } from './measures.ts'

const REQUIRED = { mode: 'required' } as const
const GONE = 'This link does not work: it was revoked or has expired, or the project was deleted.'

/** The paths of the page's requests to the API so far. */
function requestsOf(page: Page): string[] {
  const paths: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.includes('/api/')) paths.push(`${request.method()} ${pathname}`)
  })
  return paths
}

onBoard(
  'whoever has the link reads the board and its cards, and changes nothing',
  async (t, { url, api, person }) => {
    const [me] = await api.get('/api/members')
    const { id, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'], Waiting: ['Permit'] })
    const flyer = cards.get('Flyer') ?? ''
    await api.patch('/api/kanban-items/{id}', {
      path: { id: flyer },
      body: { description: 'Some **bold** words', dueDate: '2031-02-03', assigneeId: me?.id ?? '' },
    })
    await api.post('/api/kanban-items/{id}/subtasks', { path: { id: flyer }, body: { title: 'Print it' } })
    const [cover] = [
      await api.post('/api/kanban-items/{id}/attachments', {
        path: { id: flyer },
        query: { name: 'Front.png' },
        body: png(8, 8),
      }),
    ].flat()
    await api.patch('/api/kanban-items/{id}', { path: { id: flyer }, body: { coverId: cover?.id ?? '' } })
    const shared = await api.post('/api/projects/{id}/share-links', { path: { id }, body: {} })
    const { page, go, check } = await person()
    const requests = requestsOf(page)
    await go(shared.url.slice(url.length))
    await page.getByRole('heading', { name: 'Website relaunch', level: 1 }).waitFor()
    await page.getByText('Shared with you, read-only.').waitFor()
    t.strictSame(await titlesIn(page, 'To Do'), ['Flyer', 'Poster'])
    t.strictSame(await titlesIn(page, 'Waiting'), ['Permit'])
    await card(page, 'Flyer').getByText(`Assigned to ${me?.name}`).waitFor({ state: 'attached' })
    const gap = await page.locator('.page-head').evaluate((head) => {
      const title = head.querySelector('h1')?.getBoundingClientRect().top ?? 0
      return title - head.getBoundingClientRect().top
    })
    t.ok(gap >= 8, `${gap} px above the title`)
    await check()
    // Nothing to write with, by mouse or by keyboard.
    t.equal(await page.getByRole('textbox').count(), 0)
    t.equal(await page.getByRole('button', { name: /add|menu|actions/i }).count(), 0)
    t.equal(await page.getByRole('navigation', { name: 'Main' }).count(), 0)
    await link(page, 'Flyer').focus()
    for (const key of ['n', 'x', 'm', 'Space', 'g', 'p', '/']) await page.keyboard.press(key)
    t.equal(await page.getByRole('dialog').count(), 0)

    await link(page, 'Flyer').click()
    const dialog = page.getByRole('dialog', { name: 'Flyer' })
    await dialog.locator('strong', { hasText: 'bold' }).waitFor()
    await dialog.getByText('3 February 2031').waitFor()
    await dialog.getByText(me?.name ?? '', { exact: true }).waitFor()
    t.ok(await dialog.getByRole('checkbox', { name: 'Print it' }).isDisabled())
    t.equal(page.url(), `${shared.url}?card=${flyer}`)
    t.equal(await page.title(), 'Flyer · Website relaunch · Phaseboard')
    await check()
    await page.reload()
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.equal(page.url(), shared.url)
    t.strictSame([...new Set(requests)], [`GET /api/shared/${shared.secret}`], 'it asks for nothing else')
  },
  REQUIRED,
)

onBoard('what changes shows by itself, until the link ends', async (t, { url, api, person }) => {
  const { id } = await projectWith(api, { 'To Do': ['Flyer'] })
  const shared = await api.post('/api/projects/{id}/share-links', { path: { id }, body: {} })
  const { page, go, check } = await person()
  const statuses: number[] = []
  page.on('response', (response) => {
    if (response.url().includes('/api/shared/')) statuses.push(response.status())
  })
  await page.clock.install()
  await go(shared.url.slice(url.length))
  await link(page, 'Flyer').waitFor()
  const later = async () => {
    const answer = page.waitForResponse(/\/api\/shared\//)
    await page.clock.fastForward(31_000)
    await answer
  }
  await later()
  await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Poster' } })
  await later()
  await link(page, 'Poster').waitFor()
  t.strictSame(statuses, [200, 304, 200])
  await api.delete('/api/share-links/{id}', { path: { id: shared.id } })
  await later()
  await page.getByRole('alert').getByText(GONE).waitFor()
  t.equal(await link(page, 'Poster').count(), 0, 'nothing of it stays')
  await check()
  await page.clock.fastForward(120_000)
  await page.clock.fastForward(120_000)
  t.equal(statuses.length, 4, 'it is not asked for again')
})

onBoard('a link that does not work says so', async (t, { person }) => {
  const { page, go, check } = await person()
  await go('/shared/nothing')
  await page.getByRole('alert').getByText(GONE).waitFor()
  t.equal(await page.title(), 'Shared board · Phaseboard')
  await check()
})

onBoard(
  'hostile text is text there, too',
  async (t, { url, api, person }) => {
    const { projectId, itemId, name, title } = await makeHostile(api)
    const shared = await api.post('/api/projects/{id}/share-links', {
      path: { id: projectId },
      body: { name },
    })
    const { page, go, check } = await person()
    page.on('dialog', (dialog) => t.fail(`a script has run: ${dialog.message()}`))
    await go(shared.url.slice(url.length))
    await page.locator('main').getByText(HTML).filter({ visible: true }).first().waitFor()
    t.equal(await page.title(), `${name} · Phaseboard`)
    t.equal(await madeOf(page), 0, 'nothing but text')
    await check()
    await go(`${shared.url.slice(url.length)}?card=${itemId}`)
    await page.getByRole('dialog').getByText(HTML).first().waitFor()
    t.equal(await page.title(), `${title} · ${name} · Phaseboard`)
    t.equal(await madeOf(page), 0, 'nothing but text')
  },
  REQUIRED,
)

onBoard('the first visit loads little', async (t, { api, person }) => {
  const { id } = await projectWith(api, { 'To Do': ['Flyer'] })
  const shared = await api.post('/api/projects/{id}/share-links', { path: { id }, body: {} })
  const { page } = await person()
  const loaded = await loadAfresh(page, shared.url, () => link(page, 'Flyer').waitFor())
  const own = loaded.filter((one) => !one.url.includes('/api/'))
  const bytes = own.reduce((sum, one) => sum + one.bytes, 0)
  t.ok(bytes < 95 * 1024, `${bytes} bytes`)
  const html = await page.request.get(shared.url)
  t.match(html.headers(), {
    'cache-control': 'private, no-cache',
    'x-robots-tag': 'noindex',
    'referrer-policy': 'no-referrer',
    'content-security-policy': /frame-ancestors 'none'/,
  })
  t.notMatch(await html.text(), shared.secret, 'the HTML is the same for all')
})

onBoard('a link is made and revoked on the overview of its project', async (t, { url, api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
  const { page, go, check } = await person()
  await go(`${path}/overview`)
  const section = page.getByRole('region', { name: 'Share links' })
  const make = async (name: string, day: string) => {
    await section.getByRole('button', { name: 'New share link' }).click()
    await page.getByLabel('Name (optional)').fill(name)
    await page.getByLabel('Expires').fill(day)
    await page.getByRole('button', { name: 'Create link' }).click()
  }
  await make(HTML, '2999-12-31')
  const address = page.getByRole('textbox', { name: 'Address of the board' })
  const link = await address.inputValue()
  t.match(link, new RegExp(`^${url}/shared/[\\w-]{43}$`))
  await check()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  t.notMatch(await page.content(), link.slice(-43), 'nothing of it stays')
  await section.getByText(HTML).waitFor()
  t.match(await api.get('/api/projects/{id}/share-links', { path: { id } }), [
    { name: HTML, expiresAt: /^(?:2999|3000)-/ },
  ])
  await check()
  const reader = await person()
  await reader.go(link.slice(url.length))
  await reader.page.getByRole('link', { name: 'Flyer' }).waitFor()
  await section.getByRole('button', { name: `Revoke ${HTML}` }).click()
  await page.getByRole('status').getByText('Share link revoked').waitFor()
  t.equal(await section.getByRole('listitem').count(), 0)
  await reader.page.reload()
  await reader.page.getByRole('alert').getByText(GONE).waitFor()

  await section.getByLabel('Who may create them').selectOption('Nobody: links do not work')
  await section.getByRole('button', { name: 'New share link' }).waitFor({ state: 'detached' })
  await section.getByText('Nobody: links do not work').waitFor()
  t.equal(await section.getByRole('combobox').count(), 0, 'only an admin changes it again')
  await check()
})

onBoard(
  'where they are turned off, nothing offers them',
  async (t, { url, api, person }) => {
    const { path } = await projectWith(api, {})
    const { page, go } = await person()
    const asked = page.waitForResponse(/share-links/)
    await go(`${path}/overview`)
    t.equal((await asked).status(), 404)
    await page.getByRole('region', { name: 'Metrics' }).waitFor()
    t.equal(await page.getByRole('region', { name: 'Share links' }).count(), 0)
    t.equal((await page.request.get(`${url}/shared/nothing`)).status(), 404)
  },
  { environment: { SHARE_LINKS: 'false' } },
)
