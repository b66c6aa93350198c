/** The common frame of all pages: keys, the skip link, the connection, and display preferences. */
import type { Page } from 'playwright-core'
import { card, column, link, projectWith, titlesIn, untilFocused, untilShown } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { drag, hold } from './gestures.ts'

onBoard('around every page', async (t, { api, person, url }) => {
  const { path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three', 'Four'], Done: ['Old'] })
  const { page, context, problems, go } = await person()
  const isLive = (on: Page) => on.getByText('Live', { exact: true }).waitFor()

  await t.test('the first Tab stop skips the navigation', async () => {
    await go(path)
    await card(page, 'One').waitFor()
    await page.keyboard.press('Tab')
    await page.getByRole('link', { name: 'Skip to the board' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.locator('main :focus').waitFor()
  })

  await t.test('? lists the shortcuts, and a switch turns single letters off', async (t) => {
    await go(path)
    await link(page, 'One').focus()
    await page.keyboard.press('?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const key of ['/', '?', 'Ctrl+Z', 'g p', 'f', 'n', 'm', 'x']) {
      await list.getByRole('rowheader', { name: key, exact: true }).waitFor()
    }
    const single = list.getByRole('checkbox', { name: 'Single-letter shortcuts' })
    await single.uncheck()
    await page.keyboard.press('Escape')
    await untilFocused(page, 'One')
    const nothingHappens = async () => {
      for (const key of ['x', '/', '?', 'n', 'e', 'g', 'p']) await page.keyboard.press(key)
      t.equal(await page.getByRole('dialog').count(), 0)
      t.equal(await page.getByRole('textbox', { name: 'Card title' }).count(), 0)
      t.equal(new URL(page.url()).pathname, path)
      t.strictSame(await titlesIn(page, 'To Do'), ['One', 'Two', 'Three', 'Four'])
    }
    await nothingHappens()
    await page.reload()
    await link(page, 'One').focus()
    await nothingHappens()
    await page.keyboard.press('ArrowDown')
    await untilFocused(page, 'Two')
    await page.getByRole('button', { name: /^Menu of / }).click()
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
    await single.check()
    await page.keyboard.press('Escape')
    for (const [keys, heading] of [
      ['gp', 'Projects'],
      ['gm', 'My work'],
      ['gi', 'Ideas'],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1, name: heading }).and(page.locator(':focus')).waitFor()
    }
  })

  await t.test('Ctrl+Z undoes typing in a field, and a change elsewhere', async (t) => {
    await go(path)
    await card(page, 'Four').getByRole('button', { name: 'Actions for Four' }).click()
    await page.getByRole('menuitem', { name: 'Archive' }).click()
    await page.getByText('“Four” archived.').waitFor()
    await page.keyboard.press('f')
    const field = page.getByRole('searchbox', { name: 'Filter cards' })
    // What is typed before the field is there is no edit of it.
    await field.and(page.locator(':focus')).waitFor()
    await page.keyboard.type('?/nx')
    t.equal(await field.inputValue(), '?/nx', 'keys are letters there')
    await page.keyboard.press('Control+z')
    t.not(await field.inputValue(), '?/nx')
    await field.fill('')
    await page.keyboard.press('Escape')
    t.strictSame(await untilShown(page, 'To Do', ['One', 'Two', 'Three']), ['One', 'Two', 'Three'])
    // From another page, by the same key.
    await page.getByRole('link', { name: 'My work' }).click()
    await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    await go(path)
    const all = ['One', 'Two', 'Three', 'Four']
    t.strictSame(await untilShown(page, 'To Do', all), all)
  })

  await t.test('Ctrl+Shift+Z and Ctrl+Y redo what was undone, in order', async (t) => {
    await go(path)
    for (const title of ['One', 'Two']) {
      await link(page, title).focus()
      await page.keyboard.press('x')
      await link(page, title).waitFor({ state: 'detached' })
    }
    const all = ['One', 'Two', 'Three', 'Four']
    const press = async (keys: readonly string[], titles: string[], what: string) => {
      for (const key of keys) await page.keyboard.press(key)
      t.strictSame(await untilShown(page, 'To Do', titles), titles, what)
    }
    await press(['Control+z', 'Control+z'], all, 'both undone')
    await press(['Control+Shift+z'], ['Two', 'Three', 'Four'], 'the first redone')
    await press(['Control+y'], ['Three', 'Four'], 'and the second')
    await page.getByText('Redone.').first().waitFor()
    await press(['Control+y'], ['Three', 'Four'], 'nothing more')
    await page.getByText('There is nothing to redo.').waitFor()
    await press(
      ['Control+z', 'Control+Shift+z', 'Control+z', 'Control+z'],
      all,
      'without a pause between the keys',
    )
    await link(page, 'Three').focus()
    await page.keyboard.press('x')
    await page.getByText('“Three” archived.').waitFor()
    await press(['Control+Shift+z'], ['One', 'Two', 'Four'], 'another change ends redoing')
    await press(['Control+z'], all, 'undone')
  })

  await t.test('closing a message restores the focus', async () => {
    await go(path)
    for (const name of ['Close', 'Undo']) {
      await link(page, 'Four').focus()
      await page.keyboard.press('x')
      await page.getByText('“Four” archived.').waitFor()
      await link(page, 'One').focus()
      await page.locator('.toast').getByRole('button', { name, exact: true }).press('Enter')
      await untilFocused(page, 'One')
      if (name === 'Close') await page.keyboard.press('Control+z')
      await card(page, 'Four').waitFor()
    }
  })

  await t.test("an own change shows without a response, another's by itself", async (t) => {
    const other = await person()
    await Promise.all([go(path), other.go(path)])
    await Promise.all([isLive(page), isLive(other.page)])
    const shown = Promise.withResolvers<void>()
    let writes = 0
    await page.route('**/api/kanban-items/**', async (route) => {
      writes++
      await shown.promise
      await route.continue()
    })
    await link(page, 'Two').focus()
    await page.keyboard.press('x')
    await link(page, 'Two').waitFor({ state: 'detached' })
    t.equal(await link(other.page, 'Two').count(), 1, 'the service does not know yet')
    shown.resolve()
    await link(other.page, 'Two').waitFor({ state: 'detached' })
    t.ok(writes > 0)
    await page.unrouteAll()
    await other.context.close()
  })

  await t.test('right-to-left mirrors the page', async (t) => {
    await go(path)
    await card(page, 'One').waitFor()
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl'
    })
    const left = async (name: string) => (await column(page, name).boundingBox())?.x ?? 0
    t.ok((await left('To Do')) > (await left('In Progress')), 'the first column is on the right')
    await drag(page, card(page, 'One'), column(page, 'In Progress'))
    t.strictSame(await untilShown(page, 'In Progress', ['One']), ['One'])
    await page.getByText('“One” moved to In Progress.').waitFor()
    await link(page, 'One').focus()
    await page.keyboard.press('ArrowLeft')
    await untilFocused(page, 'Old')
    const head = (name: string) => column(page, name).getByRole('heading', { level: 2 })
    await drag(page, head('Done'), column(page, 'To Do'), { at: { x: 0.9, y: 0.5 } })
    await page.getByText('Moved Done.').waitFor()
    t.equal(
      await page.getByRole('heading', { level: 2 }).first().innerText(),
      'Done',
      'the right edge is the first',
    )
  })

  await t.test('a file that is missing after an update is reported, and nothing is lost', async (t) => {
    await go(path)
    await page.getByRole('button', { name: 'Add a card to To Do' }).click()
    await page.getByRole('textbox', { name: 'Card title' }).fill('Half a tit')
    problems.expect(/(overview-page|404)/)
    await page.route('**/assets/overview-page-*', (route) => route.fulfill({ status: 404 }))
    // The page of another build names another script.
    await page.route(`${url}/`, async (route) => {
      const response = await route.fetch()
      await route.fulfill({
        response,
        body: (await response.text()).replaceAll(/main-\w+\.js/g, 'main-NEW.js'),
      })
    })
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    const alert = page.getByRole('alert').filter({ hasText: 'Phaseboard was updated. Reload to continue.' })
    await alert.waitFor()
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Reload' }).click()
    await page.getByRole('heading', { level: 2, name: 'Objectives' }).waitFor()
    await page.getByRole('link', { name: 'Board', exact: true }).click()
    await page.getByRole('button', { name: 'Add a card to To Do' }).click()
    t.equal(await page.getByRole('textbox', { name: 'Card title' }).inputValue(), 'Half a tit')
  })

  await t.test('seven visible tabs share one stream, and any of them may be closed', async (t) => {
    const streams: unknown[] = []
    const tabs = await Promise.all(Array.from({ length: 7 }, () => context.newPage()))
    for (const tab of tabs)
      tab.on('request', (request) => /changes\/stream/.test(request.url()) && streams.push(tab))
    await page.goto('about:blank')
    await Promise.all(tabs.map((tab) => go(path, tab)))
    for (const tab of tabs) {
      await card(tab, 'Old').waitFor()
      await isLive(tab)
    }
    t.equal(streams.length, 1, 'one stream')
    const id = (await link(tabs[0] as Page, 'Old').getAttribute('href'))?.split('/').at(-1) ?? ''
    const rename = (title: string) => api.patch('/api/kanban-items/{id}', { path: { id }, body: { title } })
    await rename('New')
    for (const tab of tabs) await card(tab, 'New').waitFor()
    // The one that reads it is closed.
    const reader = streams[0] as Page
    await reader.close()
    const rest = tabs.filter((tab) => tab !== reader)
    await rename('Newer')
    for (const tab of rest) await card(tab, 'Newer').waitFor()
    t.equal(streams.length, 2, 'another one reads it')
    // Another one leaves for a while: it gets what it has missed, without reading everything again.
    const [away] = rest.filter((tab) => tab !== streams[1])
    if (away === undefined) return
    await away.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await rename('Newest')
    for (const tab of rest) if (tab !== away) await card(tab, 'Newest').waitFor()
    const readings: string[] = []
    away.on('request', (request) => readings.push(new URL(request.url()).pathname))
    await away.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await card(away, 'Newest').waitFor()
    t.notOk(readings.includes(new URL(away.url()).pathname.replace('/projects', '/api/projects')))
    await rename('New')
    for (const tab of rest) await tab.close()
  })

  await t.test('an unknown address shows a page with a message', async () => {
    problems.expect(/404/)
    for (const address of ['/nothing', '/projects/7/nothing/else/']) {
      await go(address)
      await page.getByRole('heading', { level: 1, name: 'There is no such page.' }).waitFor()
      await page.getByRole('link', { name: 'My work' }).waitFor()
    }
    await page.getByRole('button', { name: 'Go to projects' }).click()
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
  })

  await t.test('reduced motion has no animation; forced colours keep all marks', async (t) => {
    const calm = await person({ reducedMotion: 'reduce', forcedColors: 'active' })
    await calm.go(path)
    const marks = (selector: string, pseudo = '') =>
      calm.page
        .locator(selector)
        .first()
        .evaluate((element, part) => {
          const { borderTopWidth, borderTopColor, borderBottomWidth, backgroundColor } = getComputedStyle(
            element,
            part,
          )
          return {
            top: borderTopWidth !== '0px' && borderTopColor,
            bottom: borderBottomWidth !== '0px',
            backgroundColor,
          }
        }, pseudo)
    const { backgroundColor: ground } = await marks('body')
    await link(calm.page, 'One').waitFor()
    for (const [what, selector] of [
      ['a column', '.column'],
      ['a card', '.card'],
    ] as const) {
      const { top } = await marks(selector)
      t.ok(top && top !== ground, `${what} has a border: ${top}`)
    }
    t.ok((await marks('.project-tabs [aria-current]')).bottom, 'the page one is on is marked')
    const held = await hold(calm.page, card(calm.page, 'One'))
    await held.moveTo(card(calm.page, 'Old').or(card(calm.page, 'New')), { x: 0.5, y: 0.2 })
    await calm.page.locator('.drop-before').waitFor()
    const { backgroundColor: line } = await marks('.drop-before', '::before')
    t.not(line, ground, 'the line where it would be dropped is seen')
    await held.drop()
    await link(calm.page, 'One').click()
    await calm.page.getByRole('dialog').waitFor()
    t.equal(await calm.page.evaluate(() => document.getAnimations().length), 0)
    await calm.context.close()
  })
})
