/** The flow page: its sentences, its numbers, and both as files. */
import { readFile } from 'node:fs/promises'
import type { Client } from '../../src/client/types.d.ts'
import { onBoard } from './browser.ts'

/** Finishes more cards of a project. */
async function finishMore(api: Client, id: string, count: number): Promise<void> {
  const requests = Array.from({ length: count }, (_, index) => ({
    method: 'POST' as const,
    path: `/api/projects/${id}/kanban-items`,
    body: { title: `Card ${index}`, column: 'Done' },
  }))
  await api.post('/api/batch', { body: { requests } })
}

/** A project with cards that have moved through its columns: two done, one in progress, one to do. */
async function makeProject(api: Client): Promise<{ id: string; cards: string[] }> {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  const cards: string[] = []
  for (const [title, columns] of [
    ['=Launch', ['In Progress', 'Done']],
    ['Land', ['In Progress', 'Review', 'Done']],
    ['Return', ['In Progress']],
    ['Splash down', []],
  ] as const) {
    const item = await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title } })
    for (const column of columns) {
      await api.post('/api/kanban-items/{id}/move', { path: { id: item.id }, body: { column } })
    }
    cards.push(item.id)
  }
  return { id, cards }
}

onBoard('the flow page', async (t, { api, person }) => {
  await t.test('each chart has a summary and its numbers', async (t) => {
    const { id } = await makeProject(api)
    const { page, go } = await person()
    await go(`/projects/${id}/flow`)
    const section = (name: string) => page.getByRole('region', { name, exact: true })
    t.match(await section('Work in progress').innerText(), /Work in progress grew from 0 to 1\./)
    t.match(
      await section('Cycle time').innerText(),
      /Half of the cards were done within 0 days, 85 % within 0\./,
    )
    t.match(await section('Throughput').innerText(), /cards a week were finished on average/)
    t.match(await section('Age of work in progress').innerText(), /of 1 cards? in progress/)
    t.match(await section('Forecast').innerText(), /needs at least 10 finished cards; .* there are 2\./)
    t.equal(await section('Forecast').getByRole('img').count(), 0, 'too few cards for a forecast')
    for (const name of ['Work in progress', 'Throughput', 'Time in each column']) {
      t.equal(await section(name).getByRole('img', { name, exact: true }).count(), 1, `${name} is drawn`)
    }
    await section('Throughput').getByText('Show the numbers').click()
    t.match(await section('Throughput').getByRole('row').last().innerText(), /W\d\d\s+2/)
  })

  await t.test('a forecast has all of its labels', async (t) => {
    const { id } = await makeProject(api)
    await finishMore(api, id, 8)
    for (const width of [1280, 360]) {
      const { page, go } = await person({ viewport: { width, height: 800 } })
      await go(`/projects/${id}/flow`)
      const forecast = page.getByRole('region', { name: 'Forecast', exact: true })
      await forecast.getByText('At this pace the remaining 2 cards are done by').first().waitFor()
      const chart = forecast.getByRole('img', { name: 'Forecast', exact: true })
      const cut = await chart.evaluate((svg) => {
        const { left, right } = svg.getBoundingClientRect()
        const labels = [...svg.querySelectorAll('text')].map((text) => ({
          text: text.textContent,
          box: text.getBoundingClientRect(),
        }))
        return labels.filter(({ box }) => box.left < left || box.right > right).map(({ text }) => text)
      })
      t.strictSame(cut, [], `${width} pixels wide`)
    }
  })

  await t.test('larger text is not cut off', async (t) => {
    const { id } = await makeProject(api)
    const { page, go } = await person({ viewport: { width: 1280, height: 800 } })
    await page.addInitScript(() => {
      addEventListener('DOMContentLoaded', () => {
        document.documentElement.style.fontSize = '32px'
      })
    })
    await go(`/projects/${id}/flow`)
    await page.getByRole('img', { name: 'Time in each column' }).waitFor()
    const texts = await page.locator('.flow-chart svg').evaluateAll((all) =>
      all.flatMap((svg) => {
        const { left, right, top } = svg.getBoundingClientRect()
        return [...svg.querySelectorAll('text')].map((text) => {
          const box = text.getBoundingClientRect()
          return {
            text: text.textContent,
            isCut: box.left < left || box.right > right || box.top < top,
            isLarge: box.height > 24,
          }
        })
      }),
    )
    t.strictSame(
      texts.filter(({ isCut, isLarge }) => isCut || !isLarge),
      [],
    )
  })

  await t.test('names of many columns do not overlap', async (t) => {
    const { id } = await api.post('/api/projects', { body: { name: 'Wide' } })
    for (let number = 1; number <= 15; number++) {
      const body = { name: `Step number ${number}` }
      await api.post('/api/projects/{id}/kanban-columns', { path: { id }, body })
      const item = await api.post('/api/projects/{id}/kanban-items', {
        path: { id },
        body: { title: 'Card' },
      })
      const column = body.name
      await api.post('/api/kanban-items/{id}/move', { path: { id: item.id }, body: { column } })
    }
    const { page, go } = await person({ viewport: { width: 390, height: 800 } })
    await go(`/projects/${id}/flow`)
    const chart = page.getByRole('group', { name: 'Age of work in progress' })
    await chart.getByText('Step').first().waitFor()
    const boxes = await chart.locator('.tick').evaluateAll((all) =>
      all.map((one) => {
        const { left, right } = one.getBoundingClientRect()
        return { left, right }
      }),
    )
    t.ok(boxes.length > 2)
    t.strictSame(
      boxes.filter(({ left }, index) => left < (boxes[index - 1]?.right ?? 0)),
      [],
    )
  })

  await t.test('dots are links to their cards, one tab stop, and arrow keys move between them', async (t) => {
    const { id, cards } = await makeProject(api)
    const { page, go } = await person()
    await go(`/projects/${id}/flow`)
    const dots = page.getByRole('region', { name: 'Cycle time' }).getByRole('link')
    await dots.first().waitFor()
    t.equal(await dots.count(), 2)
    await dots.first().focus()
    await page.keyboard.press('ArrowRight')
    t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Land: 0 days')
    t.strictSame(await dots.evaluateAll((all) => all.map((one) => one.getAttribute('tabindex'))), ['-1', '0'])
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/projects/${id}/items/${cards[1]}`)
    await page.goBack()
    await page.waitForURL(`**/projects/${id}/flow`)
    await dots.first().waitFor()
  })

  await t.test('a chart is saved as standalone SVG, its numbers as CSV', async (t) => {
    const { id } = await makeProject(api)
    const { page, go } = await person()
    await go(`/projects/${id}/flow`)
    const section = page.getByRole('region', { name: 'Cycle time' })
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        section.getByRole('button', { name }).click(),
      ])
      return { name: download.suggestedFilename(), text: await readFile(await download.path(), 'utf8') }
    }
    const svg = await save('Save as SVG')
    t.equal(svg.name, 'cycle-time.svg')
    t.match(svg.text, /^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/)
    t.match(svg.text, /<circle [^>]*fill="rgb\(/, 'colours are in it')
    t.notMatch(svg.text, /class=|href=|var\(/, 'it needs nothing of the page')
    const csv = await save('Save as CSV')
    t.equal(csv.name, 'cycle-time.csv')
    t.match(csv.text, /^\ufeffCard,Started,Finished,Days\r\n'=Launch,/)
  })

  await t.test("range and filters are in the address, and the numbers follow others' changes", async (t) => {
    const { id, cards } = await makeProject(api)
    await finishMore(api, id, 8)
    const path = { id: cards[3] as string }
    await api.patch('/api/kanban-items/{id}', { path, body: { priority: 'high' } })
    const { page, go } = await person()
    await go(`/projects/${id}/flow`)
    const forecast = page.getByRole('region', { name: 'Forecast' }).locator('figcaption')
    await forecast.getByText('remaining 2 cards').waitFor()
    await page.getByRole('combobox', { name: 'Priority' }).selectOption('high')
    await forecast.getByText('Nothing was finished in this range').waitFor()
    t.match(page.url(), /\?priority=high$/)
    await page.reload()
    await forecast.getByText('Nothing was finished in this range').waitFor()
    await api.post('/api/kanban-items/{id}/move', { path, body: { column: 'Done' } })
    await forecast.getByText('Nothing is left to do.').waitFor()
    await page.getByRole('combobox', { name: 'Priority' }).selectOption('All')
    await forecast.getByText('remaining 1 card').waitFor()
    await page.getByRole('combobox', { name: 'Range' }).selectOption('Other dates')
    await page.getByLabel('From', { exact: true }).fill('2025-01-01')
    await page.getByLabel('From', { exact: true }).press('Tab')
    await page.waitForURL(/from=2025-01-01/)
    await page.getByLabel('To', { exact: true }).fill('2024-01-01')
    await page.getByLabel('To', { exact: true }).press('Tab')
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').innerText(), /could not load/)
  })

  await t.test('a project without changes says so', async (t) => {
    const { id } = await api.post('/api/projects', { body: { name: 'Empty' } })
    const { page, go } = await person({ viewport: { width: 320, height: 700 } })
    await go(`/projects/${id}/flow`)
    await page.getByText('Nothing is in progress.').waitFor()
    t.equal(
      await page
        .locator('figcaption')
        .getByText('Nothing was finished in this range.', { exact: true })
        .count(),
      2,
    )
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    t.ok(wide <= 0, 'nothing is wider than a narrow phone')
  })
})
