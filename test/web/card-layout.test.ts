/** The dialog of a card stays within its width, whatever its texts hold. */
import type { Page } from 'playwright-core'
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

onBoard('the comments begin below the description, beside the fields', async (t, { api, person }) => {
  const { path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const { page, go } = await person({ viewport: { width: 1100, height: 800 } })
  await go(path)
  await partOf(page, 'Comments').waitFor()
  const gap = async () => {
    const above = await partOf(page, 'Subtasks').boundingBox()
    const below = await partOf(page, 'Comments').boundingBox()
    return (below?.y ?? 0) - (above?.y ?? 0) - (above?.height ?? 0)
  }
  t.ok((await gap()) <= 24, `${await gap()} pixels between them`)
})
