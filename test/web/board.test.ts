/** The board in typical use: viewing, dragging with the mouse, moving by keyboard, and two users at once. */

import type { Route } from 'playwright-core'
import {
  card,
  column,
  link,
  projectWith,
  savedIn,
  titlesIn,
  untilFocused,
  untilSaid,
  untilSaved,
  untilShown,
} from './board-steps.ts'
import { onBoard } from './browser.ts'
import { drag, type Held, hold } from './gestures.ts'

onBoard('columns and cards have accessible names and descriptions', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Website'], Done: ['Logo'] })
  const itemId = cards.get('Flyer') ?? ''
  const label = await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name: 'Print' } })
  await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: { id: itemId, labelId: label.id } })
  for (const title of ['Text', 'Picture']) {
    await api.post('/api/kanban-items/{id}/subtasks', {
      path: { id: itemId },
      body: { title, completed: title === 'Text' },
    })
  }
  const body = { priority: 'high', dueDate: '2020-11-12', assigneeId: 'local', isNew: true, approved: false }
  await api.patch('/api/kanban-items/{id}', { path: { id: itemId }, body })
  const { page, go } = await person()
  await go(path)
  await column(page, 'To Do').waitFor()
  t.equal(await page.title(), 'Website relaunch · Phaseboard')
  t.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Website relaunch')
  t.strictSame(await page.getByRole('heading', { level: 2 }).allInnerTexts(), [
    'To Do',
    'In Progress',
    'Review',
    'Done',
  ])
  t.strictSame(await titlesIn(page, 'To Do'), ['Flyer', 'Website'])
  t.match(await column(page, 'To Do').innerText(), /2 cards/)
  t.match(await column(page, 'Review').innerText(), /No cards/)
  t.equal(await column(page, 'To Do').getByRole('list', { name: 'To Do', exact: true }).count(), 1)
  const said = (await card(page, 'Flyer').innerText()).replace(/\s+/g, ' ')
  for (const part of [
    'Print',
    'New',
    '1 of 2 subtasks done',
    'Due 12 November 2020, overdue',
    'Priority: High',
    'Assigned to local',
  ]) {
    t.match(said, part)
  }
  await page.getByRole('button', { name: 'Actions for Flyer' }).click()
  await page.getByRole('menuitem', { name: 'Approve' }).click()
  await page.getByText('“Flyer” approved.').waitFor()
  const approved = await api.get('/api/kanban-items/{id}', { path: { id: itemId } })
  t.strictSame([approved.approved, approved.isNew], [true, false])
})

onBoard('cards are dragged by the mouse, and dragging is undone', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'], Done: ['Old'] })
  const { page, go } = await person()
  await go(path)
  await column(page, 'To Do').waitFor()
  const held = await hold(page, card(page, 'Three'))
  await held.moveTo(card(page, 'One'), { x: 0.5, y: 0.2 })
  // A line shows the drop position, and the column is marked.
  await page.locator('.card-row.drop-before').waitFor()
  await page.locator('.lane.is-entered').waitFor()
  const isShown = Promise.withResolvers<void>()
  const answerSlowly = async (route: Route) => {
    await isShown.promise
    await route.continue()
  }
  await page.route('**/move', answerSlowly, { times: 1 })
  await held.drop()
  t.strictSame(
    await untilShown(page, 'To Do', ['Three', 'One', 'Two']),
    ['Three', 'One', 'Two'],
    'before it is answered',
  )
  isShown.resolve()
  t.strictSame(await untilSaved(api, id, 'To Do', ['Three', 'One', 'Two']), ['Three', 'One', 'Two'])

  await drag(page, card(page, 'One'), card(page, 'Old'), { at: { x: 0.5, y: 0.8 } })
  t.strictSame(await untilShown(page, 'Done', ['Old', 'One']), ['Old', 'One'])
  t.strictSame(await untilSaved(api, id, 'Done', ['Old', 'One']), ['Old', 'One'])
  await page.getByText('2 cards moved.').waitFor()
  await page.locator('.toast').getByRole('button', { name: 'Close' }).click()

  await drag(page, card(page, 'Two'), column(page, 'Review'))
  t.strictSame(await untilSaved(api, id, 'Review', ['Two']), ['Two'], 'into an empty column')
  await page.getByText('“Two” moved to Review.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  t.strictSame(await untilShown(page, 'To Do', ['Three', 'Two']), ['Three', 'Two'])
  await page.getByText('Undone.').waitFor()
  await page.keyboard.press('Control+z')
  t.strictSame(
    await untilShown(page, 'To Do', ['Three', 'One', 'Two']),
    ['Three', 'One', 'Two'],
    'also the write before',
  )

  t.comment('a drop outside is none, and Escape takes a drag back')
  const asked: string[] = []
  page.on('request', (request) => request.url().endsWith('/move') && asked.push(request.url()))
  for (const letGo of [(dragged: Held) => dragged.drop(), () => page.keyboard.press('Escape')]) {
    const again = await hold(page, card(page, 'Three'))
    await again.moveTo(column(page, 'Done'))
    await page.locator('.lane.is-entered').waitFor()
    await again.moveTo(page.getByRole('heading', { level: 1 }))
    await page.locator('.lane.is-entered').waitFor({ state: 'detached' })
    await letGo(again)
    await page.locator('.is-held').waitFor({ state: 'detached' })
    await page.mouse.up()
    t.strictSame(await titlesIn(page, 'To Do'), ['Three', 'One', 'Two'])
  }
  t.strictSame(asked, [])
})

onBoard('cards are moved by the keyboard, and each step is announced', async (t, { api, person }) => {
  const { id } = await projectWith(api, { 'To Do': ['One', 'Two'], 'In Progress': ['Busy'] })
  const { page, go } = await person()
  // From another page the focus is on the heading.
  await go('/')
  await link(page, 'Website relaunch').click()
  await card(page, 'One').waitFor()
  await untilFocused(page, 'Website relaunch')
  await page.keyboard.press('ArrowDown')
  await untilFocused(page, 'One')
  await page.keyboard.press('j')
  await untilFocused(page, 'Two')
  await page.keyboard.press('ArrowRight')
  await untilFocused(page, 'Busy')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Space')
  await untilSaid(page, 'Picked up One. Position 1 of 2 in To Do.')
  await page.keyboard.press('ArrowRight')
  await untilSaid(page, 'Position 1 of 2 in In Progress.')
  t.strictSame(await untilShown(page, 'In Progress', ['One', 'Busy']), ['One', 'Busy'])
  await page.keyboard.press('ArrowDown')
  t.strictSame(await untilShown(page, 'In Progress', ['Busy', 'One']), ['Busy', 'One'])
  t.strictSame(await savedIn(api, id, 'In Progress'), ['Busy'], 'nothing is written before it is dropped')
  await page.keyboard.press('Space')
  t.strictSame(await untilSaved(api, id, 'In Progress', ['Busy', 'One']), ['Busy', 'One'])
  await untilSaid(page, 'Moved One from To Do to In Progress, position 2 of 2.')
  await untilFocused(page, 'One')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowLeft')
  t.strictSame(await untilShown(page, 'To Do', ['Two', 'One']), ['Two', 'One'])
  await page.keyboard.press('Escape')
  t.strictSame(await untilShown(page, 'In Progress', ['Busy', 'One']), ['Busy', 'One'], 'taken back')
  await untilSaid(page, 'Not moved.')
  await page.keyboard.press('m')
  const dialog = page.getByRole('dialog', { name: 'Move One' })
  await dialog.getByLabel('Column').selectOption('Done')
  await dialog.getByLabel('Position').selectOption('1')
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  t.strictSame(await untilSaved(api, id, 'Done', ['One']), ['One'], 'by the dialog')
  await link(page, 'One').focus()
  await page.keyboard.press('Tab')
  t.equal(
    await page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
    'Actions for One',
    'Tab goes on to what can be done with it',
  )
  await page.keyboard.press('e')
  await page.getByRole('dialog', { name: 'One' }).waitFor()
  await page.waitForFunction(() => document.activeElement?.tagName === 'INPUT')
  t.match(page.url(), /edit=title/, 'e opens it at its title')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await untilFocused(page, 'One')
  await page.getByRole('button', { name: 'Actions for Two' }).focus()
  await page.keyboard.press('x')
  await page.getByText('“Two” archived.').waitFor()
  t.strictSame(await untilShown(page, 'To Do', []), [])
})

onBoard("two windows on one board show each other's changes", async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'] })
  const [one, other] = [await person(), await person({ colorScheme: 'dark' })]
  await Promise.all([one.go(path), other.go(path)])
  await Promise.all([card(one.page, 'One').waitFor(), card(other.page, 'One').waitFor()])
  await drag(one.page, card(one.page, 'One'), column(one.page, 'Done'))
  t.strictSame(await untilShown(other.page, 'Done', ['One']), ['One'])

  const held = await hold(other.page, card(other.page, 'Two'))
  await held.moveTo(column(other.page, 'Review'))
  const [two] = await api.get('/api/projects/{id}/kanban-items', { path: { id }, query: { q: 'Two' } })
  await api.post('/api/kanban-items/{id}/move', { path: { id: two?.id ?? '' }, body: { column: 'Done' } })
  t.strictSame(await untilShown(one.page, 'Done', ['One', 'Two']), ['One', 'Two'])
  t.strictSame(await titlesIn(other.page, 'To Do'), ['Two'], 'it stays under the hand')
  await held.drop()
  t.strictSame(await untilShown(one.page, 'Review', ['Two']), ['Two'])

  const again = await hold(other.page, card(other.page, 'Two'))
  await api.delete('/api/kanban-items/{id}', { path: { id: two?.id ?? '' } })
  await card(other.page, 'Two').getByText('Was deleted by somebody else').waitFor()
  await again.moveTo(column(other.page, 'Done'))
  await again.drop()
  t.strictSame(await untilShown(other.page, 'Review', []), [], 'gone when it is let go')
  t.strictSame(await titlesIn(other.page, 'Done'), ['One'])
})

onBoard(
  'a picked-up card goes with a renamed column, and back from a deleted one',
  async (t, { api, person }) => {
    const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'], 'In Progress': ['Busy'] })
    const { page, go } = await person()
    await go(path)
    await link(page, 'One').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowRight')
    t.strictSame(await untilShown(page, 'In Progress', ['One', 'Busy']), ['One', 'Busy'])
    const columns = () => api.get('/api/projects/{id}/kanban-columns', { path: { id } })
    const inProgress = { path: { id: (await columns())[1]?.id ?? '' } }
    await api.patch('/api/kanban-columns/{id}', { ...inProgress, body: { name: 'Doing' } })
    t.strictSame(await untilShown(page, 'Doing', ['One', 'Busy']), ['One', 'Busy'])
    await untilFocused(page, 'One')
    await api.delete('/api/kanban-columns/{id}', { ...inProgress, query: { moveTo: 'Review' } })
    t.strictSame(await untilShown(page, 'To Do', ['One', 'Two']), ['One', 'Two'])
    await untilSaid(page, 'Not moved.')
    await untilFocused(page, 'One')
    await page.keyboard.press('ArrowDown')
    await untilFocused(page, 'Two')
    t.strictSame(
      (await columns()).map(({ name }) => name),
      ['To Do', 'Review', 'Done'],
      'no deleted column comes back',
    )
  },
)

onBoard(
  'a service killed during a drag loses nothing',
  async (t, { api, person, kill, restart }) => {
    const { id, path } = await projectWith(api, { 'To Do': ['One', 'Two'] })
    const { page, go } = await person()
    await go(path)
    const actions = page.getByRole('button', { name: 'Actions for Two' })
    const archive = page.getByRole('menuitem', { name: 'Archive' })
    // The menu is loaded when it is needed, which must be before the service is gone.
    await actions.click()
    await archive.waitFor()
    await page.keyboard.press('Escape')
    await archive.waitFor({ state: 'detached' })
    const held = await hold(page, card(page, 'One'))
    await held.moveTo(column(page, 'Done'))
    await kill()
    await held.drop()
    t.strictSame(await untilShown(page, 'Done', ['One']), ['One'], 'the move is shown')
    const connection = page
      .getByRole('status')
      .filter({ hasText: 'Offline. You can keep working; changes are sent' })
    await connection.getByText('1 change is waiting.').waitFor()
    await actions.click()
    await archive.click()
    await connection.getByText('2 changes are waiting.').waitFor()
    t.strictSame(await titlesIn(page, 'To Do'), [], 'work goes on')
    await restart()
    await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Three' } })
    await page.getByRole('status').getByText('Connected again.').waitFor()
    t.strictSame(await untilShown(page, 'To Do', ['Three']), ['Three'], 'what others did meanwhile')
    t.strictSame(
      await untilSaved(api, id, 'Done', ['One']),
      ['One'],
      'and sent when the service is there again',
    )
    await page.getByText('“Two” archived.').waitFor()
    t.strictSame(await titlesIn(page, 'Done'), ['One'])
  },
  { isAlone: true },
)
