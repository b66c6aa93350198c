/** A card by the keyboard alone. */
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { until } from './until.ts'

onBoard('a card is opened, changed, moved and closed by the keyboard alone', async (t, { api, person }) => {
  const { item, path, projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
  const itemPath = { path: { id: item.id } }
  const now = () => api.get('/api/kanban-items/{id}', itemPath)
  for (const title of ['Texts', 'Photos']) {
    await api.post('/api/kanban-items/{id}/subtasks', { ...itemPath, body: { title } })
  }
  const { page, go } = await person()
  const keyboard = page.keyboard
  /** The focused element's name, or its text. */
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement
      const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined
      return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim()
    })
  const tabTo = async (name: string, key = 'Tab') => {
    for (let presses = 0; (await focused()) !== name; presses++) {
      if (presses === 60) throw new Error(`${name} is not reached`)
      await keyboard.press(key)
    }
  }
  await go(`/projects/${projectId}`)
  await page.getByRole('link', { name: 'Rewrite pages', exact: true }).waitFor()
  await tabTo('Rewrite pages')
  await keyboard.press('Enter')
  await dialogOf(page, 'Rewrite pages').waitFor()
  await page.waitForURL(`**${path}`)
  await partOf(page, 'History').getByText('created this card').waitFor()
  t.equal(await focused(), 'Rewrite pages')

  // Escape closes the field, then the dialog. The typed text is kept.
  await keyboard.press('e')
  await keyboard.type('All pages')
  await keyboard.press('Escape')
  await dialogOf(page)
    .getByText(/^Unsaved changes/)
    .waitFor()
  await tabTo('Keep editing')
  await keyboard.press('Enter')
  await keyboard.press('Enter')
  await until(now, ({ title }) => title === 'All pages')
  t.equal(await until(focused, (name) => name === 'All pages'), 'All pages', 'the focus is back on the title')

  await keyboard.press('d')
  await keyboard.type('2.2.2030')
  await keyboard.press('Tab')
  await until(now, ({ dueDate }) => dueDate === '2030-02-02T00:00:00.000Z')

  await tabTo('Texts', 'Shift+Tab')
  await keyboard.press('Space')
  await until(now, ({ subtasks }) => subtasks[0]?.completed === true)
  await keyboard.press('Alt+ArrowDown')
  await until(now, ({ subtasks }) => subtasks[1]?.title === 'Texts')
  t.equal(await until(focused, (name) => name === 'Texts'), 'Texts', 'the focus goes with the subtask')
  await tabTo('Actions for Texts')
  await keyboard.press('ArrowDown')
  await until(focused, (name) => name.startsWith('Rename'))
  await keyboard.press('End')
  await keyboard.press('Enter')
  await until(now, ({ subtasks }) => subtasks.length === 1)
  const refocused = await until(focused, (name) => name === 'New subtask')
  t.equal(refocused, 'New subtask', 'the focus is not lost with the subtask')

  await tabTo('Edit the title', 'Shift+Tab')
  await keyboard.press('t')
  await keyboard.press('Escape')
  t.equal(await focused(), 'Choose labels', 'Escape closes the panel only, and the focus goes back')
  t.equal(await dialogOf(page).getByRole('textbox', { name: 'New label' }).count(), 0)
  await keyboard.press('Enter')
  await tabTo('New label')
  await keyboard.type('Design')
  await keyboard.press('Enter')
  await until(now, ({ labels }) => labels[0]?.name === 'Design')

  await tabTo('Edit the title', 'Shift+Tab')
  await keyboard.press('m')
  await dialogOf(page, 'Move All pages').waitFor()
  await keyboard.press('Escape')
  await dialogOf(page, 'Move All pages').waitFor({ state: 'detached' })
  t.equal(new URL(page.url()).pathname, path, 'Escape closes the upper dialog only')
  await keyboard.press('m')
  await until(() => dialogOf(page, 'Move All pages').getByRole('option', { name: 'Review' }).count(), Boolean)
  t.equal(
    await page.evaluate(() => (document.activeElement as HTMLSelectElement).labels[0]?.textContent),
    'Column',
    'the column comes first',
  )
  await keyboard.type('Rev')
  await tabTo('Move')
  await keyboard.press('Enter')
  await until(now, ({ column }) => column === 'Review')

  await keyboard.press('Escape')
  await page.waitForURL(`**/projects/${projectId}`)
  await until(focused, (name) => name === 'All pages')
  t.equal(
    await page.evaluate(() => document.activeElement?.tagName),
    'A',
    'the focus is on the card of the board',
  )
  // Letters that are typed before the dialog is there are neither lost nor shortcuts: x would archive the card.
  await keyboard.press('e')
  await keyboard.type('Existing pages')
  await page.waitForFunction(() => (document.activeElement as HTMLInputElement).value === 'Existing pages')
  await keyboard.press('Enter')
  const { dismissed } = await until(now, ({ title }) => title === 'Existing pages')
  t.notOk(dismissed)
})

onBoard(
  'half a due date is not saved, and the key of the field types nothing',
  async (t, { api, person }) => {
    const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
    const itemPath = { path: { id: item.id } }
    const dueDate = '2030-02-02T00:00:00.000Z'
    await api.patch('/api/kanban-items/{id}', { ...itemPath, body: { dueDate } })
    const saved = async () => (await api.get('/api/kanban-items/{id}', itemPath)).dueDate
    const { page, go } = await person()
    const { keyboard } = page
    await go(path)
    const field = dialogOf(page).getByLabel('Due date', { exact: true })
    await field.waitFor()
    await keyboard.press('d')
    await field.and(page.locator(':focus')).waitFor()
    t.equal(await field.inputValue(), '2 Feb 2030')
    for (const how of ['Enter', 'Shift+Tab', 'Escape']) {
      await field.fill('2 F')
      await field.press(how)
    }
    await dialogOf(page).waitFor({ state: 'detached' })
    // The service takes writes in order.
    await page.getByRole('link', { name: 'Rewrite pages', exact: true }).press('a')
    await keyboard.press('Escape')
    await go(path)
    await field.waitFor()
    t.equal(await field.inputValue(), '2 Feb 2030')
    t.equal(await saved(), dueDate)
    await field.focus()
    await keyboard.press('Backspace')
    await keyboard.press('Tab')
    await until(saved, (day) => day === null)
  },
)
