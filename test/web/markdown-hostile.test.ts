/** Cards with Markdown that parsers are slow on: they are shown, and the page stays responsive. */
import { projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, partOf } from './card-steps.ts'
import { PATTERNS } from './hostile-markdown.ts'

const NOTE = 'Too long or too deeply nested for Markdown: shown as plain text.'

onBoard('a card with hostile Markdown blocks nothing', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, {})
  const make = async (title: string, description: string) => {
    const item = await api.post('/api/projects/{id}/kanban-items', {
      path: { id },
      body: { title, description },
    })
    return `${path}/items/${item.id}`
  }
  const slow = PATTERNS['emphasis that begins and ends'] ?? ''
  const cards = {
    spaces: await make('Spaces', ' '.repeat(100_000)),
    quotations: await make('Quotations', '> '.repeat(50_000)),
    deep: await make('Deep', '> '.repeat(9_000)),
    slow: await make('Slow', slow),
    table: await make('Table', PATTERNS['a table of 1,200 columns and 2,000 rows'] ?? ''),
    items: await make('Items', '- a\n'.repeat(1_400)),
  }
  const good = await make('Good', '**bold** text')
  for (const content of [
    slow.slice(0, 9_000),
    PATTERNS['no rule after all']?.slice(0, 9_000) ?? '',
    '*fine*',
  ]) {
    const itemId = good.split('/').at(-1) ?? ''
    await api.post('/api/kanban-items/{id}/comments', { path: { id: itemId }, body: { content } })
  }

  const { page, go } = await person()
  const answers = async () => {
    const title = page.getByRole('dialog').getByRole('textbox').first()
    await title.focus()
    await page.keyboard.press('End')
  }
  for (const address of Object.values(cards)) {
    await go(path)
    await page.locator(`a[href$="${address}"]`).first().click()
    await dialogOf(page).waitFor()
    await answers()
    const text = partOf(page, 'Description')
    await text.getByText(NOTE).or(text.locator('.markdown')).first().waitFor()
    await answers()
  }
  for (const name of ['spaces', 'quotations', 'deep', 'slow'] as const) {
    await go(cards[name])
    await partOf(page, 'Description').getByText(NOTE).waitFor()
  }
  await go(good)
  await partOf(page, 'Description').locator('.markdown strong').waitFor()
  await partOf(page, 'Comments').locator('.markdown em').getByText('fine').waitFor()
  t.pass('texts beside slow ones are rendered')
})
