/** The focus when its element is removed: by another person's change, or by an action of one's own. */
import type { Page } from 'playwright-core'
import { link, projectWith } from './board-steps.ts'
import { onBoard, type Person } from './browser.ts'
import { dialogOf } from './card-steps.ts'
import { until } from './until.ts'

/** The name of the focused element. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element === null || element === document.body) return 'nothing'
    return (element.getAttribute('aria-label') ?? element.textContent ?? '').trim()
  })

/** Waits until an element has the focus. @returns the last focused one */
const untilOn = (page: Page, name: string) =>
  until(
    () => focused(page),
    (now) => now === name,
  )

/** Opens a page, and waits for the script that watches the focus, which loads after what the page shows. */
async function open({ page, go }: Person, path: string): Promise<void> {
  const loaded = page.waitForResponse(/\/lost-focus-\w+\.js$/)
  await go(path)
  await loaded
}

/** Chooses an item of a menu by the keyboard. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${menu}`, exact: true }).press('Enter')
  await page.getByRole('menuitem', { name: item }).press('Enter')
}

onBoard('a removed element leaves the focus to a neighbour', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, {
    'To Do': ['One', 'Two', 'Three'],
    'In Progress': ['Only'],
    Review: ['Last'],
  })
  const one = await person()
  const { page } = one
  const press = (key: string) => page.keyboard.press(key)
  const item = (title: string) => ({ path: { id: cards.get(title) ?? '' } })
  const isOn = async (name: string, why: string) => t.equal(await untilOn(page, name), name, why)

  await open(one, path)
  await link(page, 'Two').focus()
  await api.delete('/api/kanban-items/{id}', item('Two'))
  await isOn('Three', 'the next card')
  await api.post('/api/kanban-items/{id}/move', { ...item('Three'), body: { column: 'Review' } })
  await page.getByRole('list', { name: 'Review' }).getByRole('link', { name: 'Three' }).waitFor()
  await isOn('Three', 'the same card in another column')
  await link(page, 'Only').focus()
  await press('x')
  await isOn('Add a card to In Progress', 'the column without the card')
  await choose(page, 'Review', 'Delete column')
  await dialogOf(page).getByRole('button', { name: 'Delete column' }).press('Enter')
  await isOn('Actions for Done', 'the next column')
  await choose(page, 'In Progress', 'Rename')
  const [, column] = await api.get('/api/projects/{id}/kanban-columns', { path: { id } })
  await api.delete('/api/kanban-columns/{id}', { path: { id: column?.id ?? '' }, query: { moveTo: 'Done' } })
  await isOn('Actions for Done', 'the next column, if another person deletes one')

  await open(one, `${path}/items/${cards.get('One')}`)
  const edit = async (text: string) => {
    await page.getByRole('button', { name: 'Add a description' }).press('Enter')
    await page.getByRole('textbox', { name: 'Description' }).fill(text)
  }
  await edit('Mine')
  await press('Escape')
  await dialogOf(page).getByRole('button', { name: 'Discard' }).press('Enter')
  await isOn('Add a description', 'the text whose draft was discarded')
  await edit('Mine')
  await api.patch('/api/kanban-items/{id}', { ...item('One'), body: { description: 'Theirs' } })
  await press('Control+Enter')
  await page.getByRole('button', { name: 'Take theirs' }).press('Enter')
  await isOn('Edit the description', 'the text of the conflict')
  const { id: subtask } = await api.post('/api/kanban-items/{id}/subtasks', {
    ...item('One'),
    body: { title: 'Part' },
  })
  await choose(page, 'Part', 'Rename')
  await api.delete('/api/kanban-subtasks/{id}', { path: { id: subtask } })
  await page.waitForFunction(() => document.activeElement?.closest('form')?.textContent?.includes('Add'))

  for (const title of ['First', 'Second']) {
    await api.post('/api/projects/{id}/objectives', { path: { id }, body: { title } })
  }
  await open(one, `${path}/overview`)
  await choose(page, 'First', 'Delete')
  await isOn('Actions for Second', 'the next row')
  await choose(page, 'Second', 'Delete')
  await isOn('Add objective', 'the list without rows')
  await page.getByRole('main').click({ position: { x: 2, y: 2 } })
  await api.post('/api/projects/{id}/objectives', { path: { id }, body: { title: 'Third' } })
  await page.getByText('Third').waitFor()
  t.equal(await focused(page), 'nothing', 'a press beside everything takes the focus away')
})

onBoard(
  'a dialog that was open before the focus is watched leaves it to the page',
  async (t, { api, person }) => {
    const { id, path, cards } = await projectWith(api, { 'To Do': ['One'] })
    const one = await person({ signIn: true })
    const { page } = one
    await page.route(/\/lost-focus-\w+\.js$/, async (route) => {
      await dialogOf(page, 'One').waitFor()
      await route.continue()
    })
    await open(one, `${path}/items/${cards.get('One')}`)
    await page.getByText('Live', { exact: true }).waitFor()
    await api.delete('/api/projects/{id}', { path: { id } })
    t.equal(await untilOn(page, 'Board'), 'Board')
  },
  { mode: 'required' },
)
