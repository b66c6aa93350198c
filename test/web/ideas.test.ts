/** Ideas and My work: add, reorder, promote; complete. */
import type { Page, Route } from 'playwright-core'
import { onBoard } from './browser.ts'
import { drag } from './gestures.ts'
import { until } from './until.ts'

const titles = (page: Page, list = 'Open ideas') =>
  page.getByRole('list', { name: list }).getByRole('heading').allInnerTexts()
const act = async (page: Page, title: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${title}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

onBoard('ideas are added, edited, reordered and deleted', async (t, { api, person }) => {
  const { page, go } = await person()
  await go('/ideas')
  const field = page.getByLabel('New idea')
  for (const title of ['One', 'Two', 'Three']) {
    await field.fill(title)
    await field.press('Enter')
    await page.getByRole('heading', { name: title }).waitFor()
  }
  t.strictSame(await titles(page), ['One', 'Two', 'Three'])

  t.comment('a draft is kept')
  await field.fill('Half an idea')
  await page.evaluate(() => dispatchEvent(new Event('pagehide')))
  await page.reload()
  await page.getByRole('heading', { name: 'One' }).waitFor()
  t.equal(await field.inputValue(), 'Half an idea')
  await field.fill('')

  t.comment('in order by the menu, by the keyboard, and by dragging')
  await act(page, 'Three', 'Move to top')
  await page.getByText('Moved Three to position 1 of 3.').waitFor()
  t.strictSame(await titles(page), ['Three', 'One', 'Two'])
  await page.getByRole('button', { name: 'Actions for Three' }).press('ArrowDown')
  await page.locator('[role=menuitem]:focus').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText('Moved Three to position 2 of 3.').waitFor()
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title })
  await drag(page, row('Two').locator('.idea-handle'), row('One'), { at: { x: 0.2, y: 0.2 } })
  await page.getByText('Moved Two to position 1 of 3.').waitFor()
  t.strictSame(await titles(page), ['Two', 'One', 'Three'])
  const stored = await api.get('/api/personal-ideas')
  t.strictSame(
    stored.map(({ title }) => title),
    ['Two', 'One', 'Three'],
  )

  t.comment('edited')
  await act(page, 'One', 'Edit')
  await page.getByLabel('Title').fill('<img src=x onerror=alert(1)>')
  await page.getByLabel('Description').fill('**bold** \u202Eevil')
  await page.getByLabel('Priority').selectOption({ label: 'Critical' })
  await page.getByLabel('Title').press('Escape')
  await act(page, 'One', 'Edit')
  await page.getByText(/^Draft from/).waitFor()
  t.equal(await page.getByLabel('Description').inputValue(), '**bold** \u202Eevil')
  await page.getByLabel('Priority').selectOption({ label: 'High' })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  await page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' }).waitFor()
  t.match(await row('<img').innerText(), /\*\*bold\*\*[\s\S]*High/)

  t.comment('discarded, reopened, deleted, undone; and from elsewhere')
  await act(page, 'Two', 'Discard')
  t.strictSame(await titles(page, 'Discarded'), ['Two'])
  await act(page, 'Two', 'Reopen')
  await page.getByText('Reopened Two.').waitFor()
  await act(page, 'Two', 'Delete')
  await page.getByText('Deleted Two.').waitFor()
  t.match(await page.evaluate(() => document.activeElement?.ariaLabel), /^Actions for/, 'the focus stays')
  t.equal(await row('Two').count(), 0)
  await page.keyboard.press('Control+z')
  await row('Two').waitFor()
  await api.post('/api/personal-ideas', { body: { title: 'From elsewhere' } })
  await row('From elsewhere').waitFor()
})

const isIdeas = (url: URL) => url.pathname === '/api/personal-ideas'
const isPost = (route: Route) => route.request().method() === 'POST'

onBoard('a new idea survives a reload without a connection', async (t, { api, person }) => {
  const { page, go, problems } = await person()
  problems.expect(/ERR_FAILED/)
  page.on('dialog', (dialog) => void dialog.accept())
  await go('/ideas')
  const field = page.getByLabel('New idea')
  await field.waitFor()
  await page.route(isIdeas, (route) => (isPost(route) ? route.abort() : route.continue()))
  await field.fill('Bread by bicycle')
  await field.press('Enter')
  await page.getByRole('status').getByText('1 change is waiting.').waitFor()
  await page.reload()
  await field.waitFor()
  await page.unroute(isIdeas)
  await page.getByRole('heading', { name: 'Bread by bicycle' }).waitFor()
  t.match(await api.get('/api/personal-ideas'), [{ title: 'Bread by bicycle' }])
  t.equal((await api.get('/api/personal-ideas')).length, 1)
})

onBoard('refused ideas go back into the field, or are left to add again', async (t, { api, person }) => {
  const { page, go, problems } = await person()
  problems.expect(/500/)
  await go('/ideas')
  const field = page.getByLabel('New idea')
  const refuse = async () => {
    const answer = Promise.withResolvers<void>()
    await page.route(isIdeas, async (route) => {
      if (!isPost(route)) return route.continue()
      await answer.promise
      return route.fulfill({ status: 500, contentType: 'application/json', body: '{"error":"Internal"}' })
    })
    return answer.resolve
  }
  const first = await refuse()
  await field.fill('One')
  await field.press('Enter')
  await page.getByRole('heading', { name: 'One' }).waitFor()
  t.equal(await page.getByRole('button', { name: 'Actions for One' }).count(), 0, 'shown at once')
  first()
  await page.waitForFunction(() => document.querySelector('input')?.value === 'One')
  await page.unroute(isIdeas)

  t.comment('the next one is typed already, or the page was left')
  const second = await refuse()
  await field.press('Enter')
  await field.fill('Two')
  second()
  const left = page.getByRole('note').filter({ hasText: 'These may not have been added' })
  await left.getByText('One').waitFor()
  t.equal(await field.inputValue(), 'Two')
  await page.unroute(isIdeas)
  const third = await refuse()
  await field.press('Enter')
  await page.getByRole('link', { name: 'My work' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'My work' }).waitFor()
  third()
  await page
    .getByRole('alert')
    .getByText(/^Not saved/)
    .first()
    .waitFor()
  await page.unroute(isIdeas)
  await page.goBack()
  await left.getByText('Two').waitFor()
  t.strictSame(await left.getByRole('listitem').allInnerTexts(), ['One', 'Two'])
  await left.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('heading', { name: 'Two' }).waitFor()
  await left.waitFor({ state: 'detached' })
  t.same(new Set(await titles(page)), new Set(['One', 'Two']))
  for (const title of ['One', 'Two'])
    await page.getByRole('button', { name: `Actions for ${title}` }).waitFor()
  t.equal((await api.get('/api/personal-ideas')).length, 2)
})

onBoard('an idea is promoted once, also from two windows', async (t, { api, person }) => {
  const { id } = await api.post('/api/personal-ideas', { body: { title: 'Sourdough course' } })
  const { page, go } = await person({ viewport: { width: 390, height: 800 } })
  await go('/ideas')
  await page.getByRole('button', { name: 'Actions for Sourdough course' }).click()
  const promoteElsewhere = async (route: Route) => {
    await api.post('/api/personal-ideas/{id}/promote', { path: { id } })
    await route.continue()
  }
  await page.route('**/promote', promoteElsewhere, { times: 1 })
  await page.getByRole('menuitem', { name: 'Promote to a project' }).click()
  await page.getByText('Sourdough course is promoted already.').waitFor()
  await page
    .getByRole('list', { name: 'Promoted' })
    .getByRole('link', { name: 'Project: Sourdough course' })
    .click()
  await page.waitForURL(/\/projects\//)
  t.equal((await api.get('/api/projects')).length, 1)

  await api.post('/api/personal-ideas', { body: { title: 'Bread by bicycle' } })
  await page.goBack()
  await act(page, 'Bread by bicycle', 'Promote to a project')
  await page.getByText('Promoted to Bread by bicycle.').waitFor()
  await page.getByRole('link', { name: 'Project: Bread by bicycle' }).waitFor()
})

onBoard("one's own work is grouped by date, and can be ticked off", async (t, { api, person }) => {
  const { id } = await api.post('/api/projects', { body: { name: 'Bakery' } })
  const add = (title: string, fields: object = {}) =>
    api.post('/api/projects/{id}/kanban-items', {
      path: { id },
      body: { title, assigneeId: 'local', ...fields },
    })
  const card = await add('Late', { dueDate: '2020-01-31', priority: 'high' })
  await add('Far', { dueDate: '2999-01-31' })
  await add('Whenever')
  await add('Finished', { column: 'Done' })
  await add('Of somebody else', { assigneeId: 'bob' })
  const { page, go } = await person({ viewport: { width: 390, height: 800 } })
  await go('/mine')
  const group = (name: string) => page.getByRole('list', { name })
  await group('Overdue').getByRole('link', { name: 'Late' }).waitFor()
  await group('Overdue').getByRole('link', { name: 'Bakery' }).waitFor()
  t.match(await group('Overdue').innerText(), /Late\s*Bakery\s*To Do\s*31 Jan 2020, overdue\s*High/)
  t.match(await group('Later').innerText(), /Far/)
  t.match(await group('No date').innerText(), /Whenever/)
  t.equal(
    await page
      .getByRole('listitem')
      .filter({ hasText: /Finished|somebody/ })
      .count(),
    0,
  )

  const box = page.getByRole('checkbox', { name: 'Done: Late' })
  await box.press('Space')
  await page.getByText('“Late” moved to Done.').waitFor()
  const columnOf = async () => (await api.get('/api/kanban-items/{id}', { path: { id: card.id } })).column
  t.equal(await columnOf(), 'Done')
  t.ok(await box.isChecked(), 'it stays in view')
  await box.press('Space')
  await page.getByText('“Late” moved to To Do.').waitFor()
  t.equal(await columnOf(), 'To Do')

  // It is ticked, and that is undone by the message.
  await box.press('Space')
  await until(columnOf, (column) => column === 'Done')
  await page.getByText('“Late” moved to Done.').locator('..').getByRole('button', { name: 'Undo' }).click()
  await until(columnOf, (column) => column === 'To Do')
  await until(
    () => box.isChecked(),
    (isChecked) => !isChecked,
  )
  await box.press('Space')
  await until(columnOf, (column) => column === 'Done')

  await add('From elsewhere')
  await group('No date').getByRole('link', { name: 'From elsewhere' }).waitFor()
  await page.getByRole('link', { name: 'Late' }).click()
  await page.waitForURL(new RegExp(`/projects/${id}/items/${card.id}`))
})

onBoard('ideas are dragged by touch', async (t, { api, person }) => {
  for (const [sortOrder, title] of ['One', 'Two', 'Three'].entries()) {
    await api.post('/api/personal-ideas', { body: { title, sortOrder } })
  }
  const { page, go } = await person({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 800 } })
  const ready = page.waitForResponse(/touch-drags/)
  await go('/ideas')
  const row = (title: string) => page.getByRole('listitem').filter({ hasText: title })
  await row('One').waitFor()
  // The page waits for the same module.
  await page.evaluate((url) => import(url), (await ready).url())
  await drag(page, row('One').locator('.idea-handle'), row('Three'), { touch: true, at: { x: 0.2, y: 0.8 } })
  await page.getByText('Moved One to position 3 of 3.').waitFor()
  t.strictSame(await titles(page), ['Two', 'Three', 'One'])
})
