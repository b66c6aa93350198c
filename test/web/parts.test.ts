/** Parts of the page that load later: without a connection, and after an update of the service. */
import { link } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'

onBoard(
  'load in advance, or with the next connection',
  async (t, { api, person, kill, restart }) => {
    const { projectId, path } = await makeCard({ api }, { title: 'Flyer', description: 'All *pages*' })
    const { page, go, problems } = await person()
    problems.expect(/ERR_CONNECTION_REFUSED|Failed to fetch/)
    const loaded = ['card-dialog', 'files-', 'flow-page', 'move-dialog', 'markdown'].map((name) =>
      page.waitForResponse((response) => response.url().includes(`/assets/${name}`)),
    )
    await go(`/projects/${projectId}`)
    const urls = (await Promise.all(loaded)).map((response) => response.url())
    // With all that they import.
    await page.evaluate((scripts) => Promise.all(scripts.map((script) => import(script))), urls.slice(0, -1))
    await (await loaded.at(-1))?.finished()
    await kill()
    await link(page, 'Flyer').focus()
    await page.keyboard.press('m')
    await dialogOf(page, 'Move Flyer').waitFor()
    await page.keyboard.press('Escape')
    await link(page, 'Flyer').click()
    await dialogOf(page, 'Flyer').waitFor()
    await partOf(page, 'Description').locator('em').waitFor()
    await partOf(page, 'Files').waitFor()
    t.match(page.url(), path)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Flow', exact: true }).click()
    await page.waitForURL(/\/flow$/)
    t.equal(await page.getByText('was updated').count(), 0)

    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    const main = page.getByRole('main')
    await main.getByRole('alert').filter({ hasText: 'This part of the page is not loaded yet.' }).waitFor()
    t.equal(await main.getByRole('heading', { level: 1 }).count(), 1)
    t.equal(await page.getByText('was updated').count(), 0)
    await restart()
    await page.getByRole('heading', { name: 'Objectives' }).waitFor()
  },
  { isAlone: true },
)

onBoard('are gone after an update, which the page says', async (t, { url, api, person }) => {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  const { page, go, problems } = await person()
  problems.expect(/404|Failed to (?:fetch|load)/)
  await go(`/projects/${id}`)
  const isGone = { status: 404, contentType: 'application/json', body: '{}' }
  await page.route('**/assets/overview-page*', (route) => route.fulfill(isGone))
  await page.getByRole('link', { name: 'Overview', exact: true }).click()
  const alert = page.getByRole('alert')
  await alert.filter({ hasText: 'This part of the page is not loaded yet.' }).waitFor()

  // Another build: the page names another script.
  await page.route(`${url}/`, async (route) => {
    const response = await route.fetch()
    const html = (await response.text()).replaceAll(/main-\w+\.js/g, 'main-NEW.js')
    await route.fulfill({ response, body: html })
  })
  await page.getByRole('button', { name: 'Try again' }).click()
  await alert.filter({ hasText: 'Phaseboard was updated.' }).waitFor()
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Reload' }).click()
  await page.getByRole('heading', { name: 'Objectives' }).waitFor()
  t.match(page.url(), /overview$/)
})
