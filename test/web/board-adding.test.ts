/** Adding and finding cards: several in a row, at either end, with drafts; the filter in the address; and read-only users. */
import {
  card,
  column as columnOf,
  link,
  projectWith,
  titlesIn,
  untilFocused,
  untilSaved,
  untilShown,
} from './board-steps.ts'
import { ADMIN, onBoard } from './browser.ts'

onBoard('cards are added one after another, at either end', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Old'] })
  const { page, go } = await person()
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  const field = page.getByRole('textbox', { name: 'Card title' })
  await field.fill('One')
  await field.press('Enter')
  t.strictSame(await untilShown(page, 'To Do', ['Old', 'One']), ['Old', 'One'])
  t.equal(await field.inputValue(), '', 'the field stays open')
  await page.keyboard.type('Two')
  await field.press('Enter')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Old', 'One', 'Two']), ['Old', 'One', 'Two'])
  await field.fill('Half a tit')
  await field.press('Escape')
  t.equal(await field.count(), 0, 'Escape closes it')
  await page.reload()
  await page.getByRole('button', { name: 'Add a card to To Do' }).click()
  t.equal(await field.inputValue(), 'Half a tit', 'what was typed is kept')
  await field.fill('')
  await field.press('Escape')
  await page.getByRole('button', { name: 'Add a card at the top of To Do' }).click()
  await field.fill('First')
  await field.press('Enter')
  const all = ['First', 'Old', 'One', 'Two']
  t.strictSame(await untilSaved(api, id, 'To Do', all), all)
  t.strictSame(await untilShown(page, 'To Do', all), all, 'and shows once')
  await field.press('Escape')
  await link(page, 'Old').focus()
  await page.keyboard.press('n')
  t.equal(await field.count(), 1, 'n adds in the column of the card')
  const focused = await page.evaluate(async () => {
    const field = document.activeElement
    const other = document.querySelector('h1')
    field?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }))
    other?.focus()
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame)
    return field?.isConnected === false && document.activeElement === other
  })
  t.ok(focused, 'closing it does not take the focus from where it was moved at once')

  t.comment('cards that were just added leave at once when several are archived, and the focus goes on')
  await link(page, 'One').focus()
  await page.keyboard.press('s')
  await page.keyboard.press('Shift+ArrowDown')
  await untilFocused(page, 'Two')
  await page.keyboard.press('x')
  t.strictSame(await untilShown(page, 'To Do', ['First', 'Old']), ['First', 'Old'])
  await untilFocused(page, 'Old')
  await page.getByText('2 cards archived.').waitFor()
  await page.keyboard.press('s')
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByRole('region', { name: 'Selected cards' }).getByRole('button', { name: 'Archive' }).click()
  t.strictSame(await untilShown(page, 'To Do', []), [])
  await untilFocused(page, 'Website relaunch')
})

onBoard('the filter is in the address, and own new cards stay visible', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, {
    'To Do': ['Flyer', 'Website', 'Flyer again'],
    Done: ['Logo'],
  })
  const { page, go } = await person()
  await go(path)
  await card(page, 'Flyer').waitFor()
  await page.keyboard.press('f')
  await page.keyboard.type('flyer')
  t.strictSame(await untilShown(page, 'To Do', ['Flyer', 'Flyer again']), ['Flyer', 'Flyer again'])
  await page.waitForURL(/\?q=flyer$/)
  await page.keyboard.press('Escape')
  t.match(await columnOf(page, 'To Do').innerText(), /2 of 3/)
  t.match(await columnOf(page, 'Done').innerText(), /The filter hides 1 card/)
  t.match(await columnOf(page, 'Review').innerText(), /No cards/)
  await page.getByRole('button', { name: 'Add a card to Done' }).click()
  await page.getByRole('textbox', { name: 'Card title' }).fill('Poster')
  await page.keyboard.press('Enter')
  t.strictSame(await untilShown(page, 'Done', ['Poster']), ['Poster'])
  await card(page, 'Poster').getByText('Does not match the filter').waitFor()
  t.strictSame(await untilSaved(api, id, 'Done', ['Logo', 'Poster']), ['Logo', 'Poster'])
  await page.keyboard.press('Escape')

  const visited = await page.evaluate(() => history.length)
  await link(page, 'Flyer').dblclick()
  await page.getByRole('dialog').waitFor()
  t.match(page.url(), /\/items\/.*q=flyer/)
  t.equal(await page.evaluate(() => history.length), visited + 1, 'a double click opens it once')
  await page.goBack()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.match(page.url(), /\?q=flyer$/, 'back keeps the filter')
  await untilFocused(page, 'Flyer')
  await page.goForward()
  await page.getByRole('dialog').waitFor()
  await page.reload()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await go(`${path}?q=flyer`)
  t.strictSame(
    await untilShown(page, 'To Do', ['Flyer', 'Flyer again']),
    ['Flyer', 'Flyer again'],
    'a shared address',
  )
  await link(page, 'Flyer').focus()
  await page.keyboard.press('Escape')
  t.strictSame(await untilShown(page, 'Done', ['Logo', 'Poster']), ['Logo', 'Poster'], 'Escape clears it')
  t.notMatch(page.url(), /\?/)
  const filter = page.getByRole('search', { name: 'Filter' })
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await filter.getByRole('button', { name: 'Filter', exact: true }).click()
  await panel.getByRole('checkbox', { name: 'Critical' }).check()
  await page.getByText('No card matches the filter.').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Clear filter' }).first().click()
  await card(page, 'Flyer').waitFor()
  await page.getByRole('button', { name: 'Actions for Logo' }).click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  t.strictSame(await untilShown(page, 'Done', ['Poster']), ['Poster'])
  await page.keyboard.press('f')
  await panel.getByLabel('Archived').check()
  t.strictSame(await untilShown(page, 'Done', ['Logo', 'Poster']), ['Logo', 'Poster'])
})

onBoard(
  'a viewer sees everything, and has no controls to change it',
  async (t, { api, person }) => {
    const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
    const viewer = { email: 'vera@example.test', password: 'correct battery' }
    await api.post('/api/members', { body: { ...viewer, name: 'Vera', role: 'viewer' } })
    const { page, go } = await person({ signIn: viewer })
    await go(path)
    await page.getByText('You may only read this project.').waitFor()
    t.strictSame(await titlesIn(page, 'To Do'), ['Flyer'])
    t.equal(await page.getByRole('button', { name: /^(?:Add|Actions)/ }).count(), 0)
    t.equal(await page.locator('[draggable=true]').count(), 0)
    const admin = await person({ signIn: ADMIN })
    await admin.go(path)
    await card(admin.page, 'Flyer').waitFor()
    await Promise.all([page, admin.page].map((one) => one.getByText('Live', { exact: true }).waitFor()))
    await api.delete('/api/projects/{id}', { path: { id } })
    await page.getByRole('alert').getByText('This project was deleted by').waitFor()
    t.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
    await admin.page.getByRole('button', { name: 'Undo' }).click()
    t.strictSame(await untilShown(page, 'To Do', ['Flyer']), ['Flyer'], 'it comes back')
  },
  { mode: 'required' },
)

onBoard('the filter has several values of each field, and a chip for each', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three', 'Four'] })
  const set = (title: string, body: { priority?: string; assigneeId?: string }) =>
    api.patch('/api/kanban-items/{id}', { path: { id: cards.get(title) ?? '' }, body })
  const label = await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name: 'Print' } })
  await api.put('/api/kanban-items/{id}/labels/{labelId}', {
    path: { id: cards.get('Three') ?? '', labelId: label.id },
  })
  await set('One', { priority: 'high', assigneeId: 'local' })
  await set('Two', { priority: 'critical' })
  const { page, go, check } = await person()
  await go(path)
  await card(page, 'One').waitFor()
  const button = page.getByRole('button', { name: /^Filter/ })
  const head = page.getByRole('heading', { level: 1 }).locator('..')
  const height = async () => (await head.boundingBox())?.height
  const before = await height()
  await page.keyboard.press('f')
  const panel = page.getByRole('dialog', { name: 'Filter' })
  await panel.waitFor()
  t.equal(
    await panel
      .getByRole('searchbox', { name: 'Filter cards' })
      .evaluate((one) => one === document.activeElement),
    true,
  )
  await panel.getByRole('checkbox', { name: 'High' }).check()
  await panel.getByRole('checkbox', { name: 'Critical' }).check()
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Two']), ['One', 'Two'])
  t.match(page.url(), /priority=high&priority=critical/)
  await panel.getByRole('status').getByText('2 cards', { exact: true }).waitFor()
  await check()
  await panel.getByRole('checkbox', { name: 'Only mine' }).check()
  t.strictSame(await untilShown(page, 'To Do', ['One']), ['One'])
  await panel.getByRole('checkbox', { name: 'Nobody' }).check()
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Two']), ['One', 'Two'])
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  t.equal(await button.evaluate((one) => one === document.activeElement), true, 'the focus is back')
  t.equal(await button.innerText(), 'Filter\n4')
  await page.getByRole('button', { name: 'Remove from the filter: Critical' }).click()
  t.strictSame(await untilShown(page, 'To Do', ['One']), ['One'])
  for (const value of ['High', 'Only mine', 'Nobody']) {
    await page.getByRole('button', { name: `Remove from the filter: ${value}` }).click()
  }
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Two', 'Three', 'Four']), [
    'One',
    'Two',
    'Three',
    'Four',
  ])
  await button.click()
  await panel.getByRole('checkbox', { name: 'No label' }).check()
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Two', 'Four']), ['One', 'Two', 'Four'])
  await panel.getByRole('checkbox', { name: 'Print' }).check()
  t.strictSame(await untilShown(page, 'To Do', ['One', 'Two', 'Three', 'Four']), [
    'One',
    'Two',
    'Three',
    'Four',
  ])
  await panel.getByRole('button', { name: 'Clear filter' }).click()
  t.notMatch(page.url(), /\?/)
  await page.keyboard.press('Escape')
  t.equal(await height(), before, 'the head keeps its height')

  t.comment('a long name is cut, and the head keeps its height')
  await api.patch('/api/projects/{id}', { path: { id }, body: { name: 'A very long name '.repeat(11) } })
  await page.getByRole('heading', { level: 1, name: /^A very long/ }).waitFor()
  t.equal(await height(), before)
})

onBoard('long names in the filter overlap nothing', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One'] })
  const names = Array.from({ length: 12 }, (_, index) => `Configuration management ${index}`)
  names.push('x'.repeat(50))
  for (const name of names) {
    await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name } })
  }
  const { page, go } = await person()
  await go(path)
  await page.getByRole('button', { name: /^Filter/ }).click()
  await page.getByRole('checkbox', { name: 'xxx' }).waitFor()
  const spilling = await page
    .locator('.filter-option')
    .evaluateAll((all) =>
      all
        .filter((one) => one.scrollHeight > one.clientHeight || one.scrollWidth > one.clientWidth)
        .map(({ textContent }) => textContent),
    )
  t.strictSame(spilling, [])
})
