/** The dialog of a card stays within its width, whatever its texts hold. */
import type { Page } from 'playwright-core'
import { card, link, projectWith, untilFocused } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'

const LINE = 'x'.repeat(300)
const CELLS = Array.from({ length: 30 }, (_, index) => `column_number_${index}`)
const WIDE = [
  '```',
  LINE,
  '```',
  '',
  `| ${CELLS.join(' | ')} |`,
  `| ${CELLS.map(() => '---').join(' | ')} |`,
  `| ${CELLS.join(' | ')} |`,
  '',
  `https://example.test/${LINE}`,
].join('\n')

/** The elements of the dialog that reach beyond its inner edge, except for what a scrolling element clips. */
const outside = (page: Page) =>
  page.evaluate(() => {
    const dialog = document.querySelector('dialog')
    if (dialog === null) return ['no dialog']
    const { left, right } = dialog.getBoundingClientRect()
    const isClipped = (element: Element) =>
      element.parentElement?.closest('pre, table, .visually-hidden') != null
    return [...dialog.querySelectorAll('.dialog-body *')]
      .filter((element) => element.checkVisibility() && !isClipped(element))
      .filter((element) => {
        const box = element.getBoundingClientRect()
        return box.right > right + 1 || box.left < left - 1
      })
      .map((element) => element.outerHTML.slice(0, 80))
  })

onBoard('wide code, tables, addresses and labels stay inside the dialog', async (t, { api, person }) => {
  const { projectId, item, path } = await makeCard({ api }, { title: LINE, description: WIDE })
  await api.post('/api/kanban-items/{id}/comments', { path: { id: item.id }, body: { content: WIDE } })
  for (const name of ['urgent', 'y'.repeat(50)]) {
    await api.post('/api/projects/{id}/kanban-labels', { path: { id: projectId }, body: { name } })
  }
  for (const width of [1100, 390]) {
    const { page, go } = await person({ viewport: { width, height: 800 } })
    await go(path)
    await partOf(page, 'Description').locator('table').waitFor()
    await partOf(page, 'Comments').locator('table').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Choose labels' }).click()
    await dialogOf(page).getByRole('textbox', { name: 'New label' }).waitFor()
    t.strictSame(await outside(page), [], `at ${width} pixels`)
    for (const name of ['pre', 'table']) {
      const scroller = partOf(page, 'Description').locator(name)
      const isScrolled = await scroller.evaluate((element) => {
        element.scrollLeft = 100
        return element.scrollLeft > 0
      })
      t.ok(isScrolled, `${name} scrolls`)
    }
    await partOf(page, 'Description').getByRole('button', { name: 'Edit the description' }).click()
    await page.getByRole('textbox', { name: 'Description' }).waitFor()
    t.strictSame(await outside(page), [], `at ${width} pixels, edited`)
    await page.keyboard.press('Escape')
  }
})

onBoard('the fields of a card fit on a small phone', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const body = { dueDate: '2030-12-30T00:00:00.000Z' }
  await api.patch('/api/kanban-items/{id}', { path: { id: item.id }, body })
  const { page, go } = await person({ viewport: { width: 320, height: 800 } })
  await go(path)
  const due = dialogOf(page).getByLabel('Due date', { exact: true })
  await due.waitFor()
  const spill = await due.evaluate((field) => {
    const right = (of: Element | null) => of?.getBoundingClientRect().right ?? 0
    const all = field.closest('.field')?.querySelectorAll('*') ?? []
    return Math.max(...[...all].map(right)) - right(field.closest('.field'))
  })
  t.ok(spill <= 0, `${spill} pixels of the due date are outside of its field`)
})

onBoard('many labels scroll, and are found by name', async (t, { api, person }) => {
  const { projectId, path } = await makeCard({ api }, { title: 'Flyer' })
  for (let number = 40; number > 0; number--) {
    const body = { name: `Sprint ${number}` }
    await api.post('/api/projects/{id}/kanban-labels', { path: { id: projectId }, body })
  }
  const { page, go, check } = await person({ viewport: { width: 1100, height: 800 } })
  await go(path)
  await dialogOf(page).getByRole('button', { name: 'Choose labels' }).click()
  const list = dialogOf(page).getByRole('group', { name: 'Labels' }).getByRole('list').last()
  await list.getByRole('checkbox').first().waitFor()
  t.strictSame((await list.getByRole('listitem').allInnerTexts()).slice(0, 2), ['Sprint 1', 'Sprint 2'])
  const { height = 0 } = (await list.boundingBox()) ?? {}
  t.ok(height <= 300, `${height} pixels high`)
  await check()
  await dialogOf(page).getByRole('textbox', { name: 'Find: Labels' }).fill('print 40')
  await list.getByRole('checkbox', { name: 'Sprint 40' }).check()
  t.equal(await list.getByRole('listitem').count(), 1)
  await dialogOf(page).getByRole('textbox', { name: 'Find: Labels' }).fill('nothing like this')
  await dialogOf(page).getByText('Nothing found.').waitFor()
})

onBoard('the comments begin below the description, beside the fields', async (t, { api, person }) => {
  const { path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const { page, go } = await person({ viewport: { width: 1100, height: 800 } })
  await go(path)
  await partOf(page, 'Comments').waitFor()
  await partOf(page, 'Files').waitFor()
  const gap = async () => {
    const above = await partOf(page, 'Files').boundingBox()
    const below = await partOf(page, 'Comments').boundingBox()
    return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)
  }
  t.ok((await gap()) <= 24, `${await gap()} pixels between them`)
})

onBoard('a title from right to left is aligned to the right, beside the menu', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['שלום', 'Flyer'] })
  const { page, go } = await person()
  await go(path)
  const placeOf = (title: string) =>
    link(page, title).evaluate((element) => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const { left, right } = range.getBoundingClientRect()
      const face = element.closest('article')?.getBoundingClientRect()
      return { left: left - (face?.left ?? 0), right: (face?.right ?? 0) - right }
    })
  const [hebrew, latin] = [await placeOf('שלום'), await placeOf('Flyer')]
  t.ok(hebrew.right < hebrew.left, 'at the right')
  t.ok(latin.left < latin.right, 'at the left')
  await link(page, 'שלום').focus()
  const menu = await page.getByRole('button', { name: 'Actions for שלום' }).boundingBox()
  const face = await card(page, 'שלום').getByRole('article').boundingBox()
  const menuFromRight = (face?.x ?? 0) + (face?.width ?? 0) - (menu?.x ?? 0)
  t.ok(hebrew.right >= menuFromRight - 4, `the menu covers nothing: ${hebrew.right}, ${menuFromRight}`)
})

onBoard('after a card is deleted in its dialog, the focus is on the next one', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'], Done: ['Old'] })
  const { page, go } = await person()
  await go(path)
  const remove = async (title: string) => {
    await link(page, title).click()
    await dialogOf(page, title).waitFor()
    await dialogOf(page)
      .getByRole('button', { name: `Actions for ${title}` })
      .click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await dialogOf(page).waitFor({ state: 'detached' })
  }
  await remove('Two')
  await untilFocused(page, 'Three')
  await remove('Three')
  await untilFocused(page, 'One')
  await remove('Old')
  await untilFocused(page, 'Website relaunch')
  t.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1')
})

onBoard('after it is archived in its dialog, the focus is on the next card', async (_t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'] })
  const { page, go } = await person()
  const archive = async (title: string) => {
    await dialogOf(page).getByRole('button', { name: 'Archive', exact: true }).click()
    await dialogOf(page, title).getByText('This card is archived.').waitFor()
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
  }
  await go(`${path}/items/${cards.get('Two')}`)
  await card(page, 'Two').waitFor({ state: 'attached' })
  await archive('Two')
  await untilFocused(page, 'Three')
  await link(page, 'Three').click()
  await archive('Three')
  await untilFocused(page, 'One')
})
