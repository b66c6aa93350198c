/** Common requirements of every page: titles, long and large text, both writing directions, and hostile text everywhere. */
import type { Page } from 'playwright-core'
import { onBoard } from './browser.ts'
import { HTML, madeOf, makeHostile } from './hostile.ts'
import { until } from './until.ts'

/** Waits until a page is completely loaded. */
async function untilShown(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
}

/** Elements that overflow the viewport horizontally, outside of areas that scroll by themselves, like a board's columns and wide tables. */
const stickingOut = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isOut = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 0 && (left < -1 || right > innerWidth + 1)
    }
    const isHeld = (element: Element) => {
      for (let one = element.parentElement; one && one !== document.body; one = one.parentElement) {
        if (getComputedStyle(one).overflowX !== 'visible' && !isOut(one)) return true
      }
      return false
    }
    const out = [...document.querySelectorAll('body *')].filter(
      (one) =>
        isOut(one) && one.checkVisibility() && !one.closest('.visually-hidden, .skip, svg') && !isHeld(one),
    )
    const { scrollWidth, clientWidth } = document.documentElement
    return [
      ...(scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px too wide`] : []),
      ...out.map((one) => `${one.tagName} ${one.className}`),
    ]
  })

const setRoot = (page: Page, { dir = '', size = '' }) =>
  page.evaluate(
    ([direction, fontSize]) => {
      document.documentElement.dir = direction ?? ''
      document.documentElement.style.fontSize = fontSize ?? ''
    },
    [dir, size],
  )

const SIZES = [
  [1280, '100%'],
  [320, '100%'],
  [1280, '200%'],
  [390, '200%'],
] as const

onBoard(
  'every page',
  async (t, { url, api, person }) => {
    const { projectId, itemId, name, title } = await makeHostile(api)
    const project = `/projects/${projectId}`
    const { page, context, go, check } = await person({ signIn: true })
    await context.request.post(`${url}/api/tokens`, { data: { name, scope: 'read' } })
    page.on('dialog', (dialog) => t.fail(`a script has run: ${dialog.message()}`))
    const other = await api.post('/api/projects', { body: { name: 'Apollo' } })
    const body = `Title,Assignee\nLift off,"${name.replaceAll('"', '""')}"`
    const { id: importId } = await api.post('/api/imports', { query: { format: 'csv' }, body })
    await until(
      () => api.get('/api/imports/{id}', { path: { id: importId } }),
      ({ status }) => status === 'done',
    )
    const [self] = await api.get('/api/members')
    await api.post('/api/projects/{id}/kanban-items', {
      path: { id: other.id },
      body: { title: 'Land', assigneeId: self?.id ?? '' },
    })
    const untilTitled = (named: string) =>
      page.waitForFunction((wanted) => document.title === wanted, `${named} · Phaseboard`)

    await t.test('shows hostile text as text, in every size, width and direction', async (t) => {
      const pages: readonly [path: string, title: string][] = [
        ['/', 'Projects'],
        [project, name],
        [`${project}/items/${itemId}`, `${title} · ${name}`],
        [`${project}/overview`, name],
        [`${project}/flow`, name],
        [`${project}/trash`, name],
        ['/trash', 'Trash'],
        ['/mine', 'My work'],
        ['/ideas', 'Ideas'],
        ['/search?q=bold', 'Search'],
        ['/account', 'Account'],
        ['/admin/members', 'Members'],
        ['/admin/people', 'Other people'],
        ['/admin/teams', 'Teams'],
        ['/admin/webhooks', 'Webhooks'],
        ['/admin/audit', 'Audit log'],
      ]
      for (const [path, named] of pages) {
        await page.setViewportSize({ width: 1280, height: 720 })
        await go(path)
        await untilShown(page)
        await page.locator('main, dialog').getByText(HTML).filter({ visible: true }).first().waitFor()
        await untilTitled(named)
        t.equal(await madeOf(page), 0, `${path}: nothing but text`)
        await check()
        for (const dir of ['ltr', 'rtl']) {
          for (const [width, size] of SIZES) {
            await page.setViewportSize({ width, height: 720 })
            await setRoot(page, { dir, size })
            t.strictSame(await stickingOut(page), [], `${path}: ${dir}, ${width} px, ${size}`)
          }
        }
      }
    })

    await t.test('opens by its link, gets the focus, and works with back, forward and reload', async (t) => {
      await page.setViewportSize({ width: 1280, height: 720 })
      const main = page.getByRole('navigation', { name: 'Main' })
      const ofProject = page.getByRole('navigation', { name: 'Pages of the project' })
      const follow = (within: typeof main, label: string) => () =>
        within.getByRole('link', { name: label, exact: true }).click()
      const choose = (label: string) => async () => {
        await main.getByRole('button', { name: /^Menu of / }).click()
        await page.getByRole('menuitem', { name: label, exact: true }).click()
      }
      const search = async () => {
        await page.keyboard.press('/')
        await page.getByRole('combobox', { name: 'Search' }).fill('bold')
        await page.getByRole('option').first().waitFor()
        await page.keyboard.press('Enter')
      }
      const steps: readonly [act: () => Promise<unknown>, path: string, title: string, heading?: string][] = [
        [() => page.getByRole('link', { name, exact: true }).click(), project, name],
        [follow(ofProject, 'Overview'), `${project}/overview`, name],
        [follow(ofProject, 'Flow'), `${project}/flow`, name],
        [follow(ofProject, 'Trash'), `${project}/trash`, name],
        [search, '/search?q=bold', 'Search'],
        [follow(main, 'Ideas'), '/ideas', 'Ideas'],
        [choose('Account'), '/account', 'Account'],
        [choose('Members'), '/admin/members', 'Members'],
        [choose('Teams'), '/admin/teams', 'Teams'],
        [choose('Webhooks'), '/admin/webhooks', 'Webhooks'],
        [choose('Audit log'), '/admin/audit', 'Audit log'],
        [choose('Trash'), '/trash', 'Trash'],
        [follow(main, 'My work'), '/mine', 'My work'],
        [
          () => page.getByRole('main').getByRole('link', { name: title }).click(),
          `${project}/items/${itemId}`,
          `${title} · ${name}`,
          title,
        ],
      ]
      await go('/')
      await untilTitled('Projects')
      for (const [act, path, named, heading = named] of steps) {
        await act()
        await untilTitled(named)
        t.match(page.url(), new RegExp(`${path.replace('?', '\\?')}$`))
        await page.waitForFunction(
          (wanted) =>
            /^H[12]$/.test(document.activeElement?.tagName ?? '') &&
            document.activeElement?.textContent === wanted,
          heading,
        )
      }
      const there = steps.map(([, , named]) => named)
      for (const named of ['Projects', ...there.slice(0, -1)].reverse()) {
        await page.goBack()
        await untilTitled(named)
      }
      for (const named of there) {
        await page.goForward()
        await untilTitled(named)
        await untilShown(page)
      }
      // A loaded page is one that was opened by its link, as each was above.
      await page.reload()
      await page.getByRole('dialog', { name: title }).waitFor()
    })
  },
  // More pages than a user opens within a minute.
  { mode: 'required', environment: { RATE_LIMIT_MAX: '10000' } },
)
