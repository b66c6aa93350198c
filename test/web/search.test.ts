/** Search: from any page by `/`, while typing, by keyboard; and the search page. */
import type { Client } from '../../src/client/types.d.ts'
import { onBoard } from './browser.ts'

async function seed(api: Client) {
  const project = await api.post('/api/projects', { body: { name: 'Zebra crossing' } })
  const path = { id: project.id }
  const card = await api.post('/api/projects/{id}/kanban-items', {
    path,
    body: { title: 'Paint <b>zebra</b> stripes', description: 'White *paint*' },
  })
  const other = await api.post('/api/projects/{id}/kanban-items', { path, body: { title: 'Traffic lights' } })
  await api.post('/api/kanban-items/{id}/comments', {
    path: { id: other.id },
    body: { content: 'As at the zebra' },
  })
  await api.post('/api/projects/{id}/transcript-summaries', {
    path,
    body: { title: 'Zebra meeting', summary: 'Stripes', date: '2026-01-31' },
  })
  await api.post('/api/personal-ideas', { body: { title: 'A zebra of chocolate' } })
  return { project, card, other }
}

onBoard('results appear while typing, and open by keyboard', async (t, { api, url, person }) => {
  const { project, card, other } = await seed(api)
  const { page, go, check } = await person()
  await go('/')
  await page.getByRole('link', { name: 'Zebra crossing' }).waitFor()
  const combobox = page.getByRole('combobox', { name: 'Search' })
  const options = page.getByRole('listbox', { name: 'Search' }).getByRole('option')

  const search = async (text: string, title: string) => {
    await page.keyboard.press('/')
    await combobox.waitFor()
    await page.keyboard.type(text)
    const option = options.filter({ hasText: title })
    await option.waitFor()
    for (let step = 0; step < 10; step++) {
      if ((await option.getAttribute('aria-selected')) === 'true') break
      await page.keyboard.press('ArrowDown')
    }
    t.equal(await combobox.getAttribute('aria-activedescendant'), await option.getAttribute('id'))
    await page.keyboard.press('Enter')
    await combobox.waitFor({ state: 'detached' })
  }

  // It is lazily loaded the first time. Text typed in the meantime is not lost, and triggers nothing else.
  const { promise: typed, resolve: load } = Promise.withResolvers<void>()
  await page.route(/\/search-dialog/, async (route) => {
    await typed
    await route.continue()
  })
  await page.keyboard.press('/')
  await page.keyboard.type('zebr')
  t.equal(await combobox.count(), 0)
  load()
  await combobox.waitFor()
  t.equal(await combobox.inputValue(), 'zebr')
  await page.getByText('5 results.').waitFor()
  await page
    .getByRole('option', { name: 'Zebra crossing', exact: true, description: 'Project' } as never)
    .waitFor()
  await check()
  t.equal(await page.locator('[role=option] b').count(), 0, 'a snippet is text')
  t.ok((await page.locator('[role=option] mark').count()) >= 5, 'matches are marked')
  await combobox.fill('nothing of that name')
  await page.getByText('Nothing found.').waitFor()
  await page.keyboard.press('Escape')
  await combobox.waitFor({ state: 'detached' })

  await search('zebra', 'Paint <b>zebra</b> stripes')
  await page.waitForURL(`${url}/projects/${project.id}/items/${card.id}`)
  await page.keyboard.press('Escape')
  await go('/mine')
  await search('zebra', 'Traffic lights')
  await page.waitForURL(`${url}/projects/${project.id}/items/${other.id}`)
  await go('/mine')
  await search('zebra', 'Zebra meeting')
  await page.waitForURL(`${url}/projects/${project.id}/overview`)
  await search('chocolate', 'A zebra of chocolate')
  await page.waitForURL(/\/ideas\?show=/)
  await search('crossing', 'Zebra crossing')
  await page.waitForURL(`${url}/projects/${project.id}`)
  await page.keyboard.press('/')
  await combobox.waitFor()
  await page.goBack()
  await combobox.waitFor({ state: 'detached' })
  await page.waitForURL(/\/ideas\?show=/)
})

onBoard('the search page keeps its filters after reload and back', async (t, { api, url, person }) => {
  const { project, other } = await seed(api)
  const { page, go } = await person({ viewport: { width: 390, height: 800 } })
  await go('/ideas')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByRole('combobox').fill('zebra')
  await page.getByText('5 results.').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/search?q=zebra`)
  const results = page.getByRole('list', { name: 'Search' }).getByRole('link')
  await results.first().waitFor()
  t.equal(await results.count(), 5)
  await page.getByLabel('Kind').selectOption({ label: 'Comment' })
  await page.getByText('1 result.').waitFor()
  await page.reload()
  await page.getByText('1 result.').waitFor()
  t.strictSame(await results.allInnerTexts(), ['Traffic lights'])
  await results.click()
  await page.waitForURL(`${url}/projects/${project.id}/items/${other.id}`)
  await page.goBack()
  await page.getByText('1 result.').waitFor()
  await page.getByLabel('Kind').selectOption({ label: 'All kinds' })
  await page.getByLabel('Project').selectOption({ label: 'Zebra crossing' })
  await page.getByText('4 results.').waitFor()
  await page.getByRole('searchbox').fill('stripes')
  await page.getByText('2 results.').waitFor()
  t.match(page.url(), /q=stripes/)
})
