/** The trash: who deleted what, and restoring it. */
import { onBoard } from './browser.ts'

onBoard('deleted cards are restored, unless there is a conflict', async (t, { api, person }) => {
  const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
  const path = { id }
  const add = (title: string) => api.post('/api/projects/{id}/kanban-items', { path, body: { title } })
  const [engine, nose] = [await add('<b>Engine</b>'), await add('Nose')]
  const label = await api.post('/api/projects/{id}/kanban-labels', { path, body: { name: 'Red' } })
  await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: { id: nose.id, labelId: label.id } })
  const { page, go } = await person({ viewport: { width: 390, height: 800 } })
  await go(`/projects/${id}/trash`)
  await page.getByRole('heading', { name: 'Trash of Apollo' }).waitFor()
  await page.getByRole('heading', { level: 1, name: 'Apollo' }).waitFor()
  const tab = page
    .getByRole('navigation', { name: 'Pages of the project' })
    .getByRole('link', { name: 'Trash' })
  t.equal(await tab.getAttribute('aria-current'), 'page', 'with the head of its project')
  await page.getByText('Nothing has been deleted.').waitFor()
  await page.setViewportSize({ width: 1280, height: 800 })
  const live = page.locator('.live-dot')
  const inTrash = await live.boundingBox()
  await go(`/projects/${id}/overview`)
  t.strictSame(await live.boundingBox(), inTrash, 'where it is on the other pages')
  await page.goBack()
  await page.setViewportSize({ width: 390, height: 800 })

  await api.delete('/api/kanban-items/{id}', { path: { id: nose.id } })
  await api.delete('/api/kanban-labels/{id}', { path: { id: label.id } })
  await api.delete('/api/kanban-items/{id}', { path: { id: engine.id } })
  const row = page.getByRole('listitem').filter({ hasText: '<b>Engine</b>' })
  await row.waitFor()
  t.match(await row.innerText(), /Card\s*Apollo\s*Deleted by local/)
  await page.getByRole('button', { name: 'Restore <b>Engine</b>' }).press('Enter')
  await row.waitFor({ state: 'detached' })
  t.equal((await api.get('/api/kanban-items/{id}', { path: { id: engine.id } })).title, '<b>Engine</b>')

  t.comment('its label is gone: it is said why it stays')
  await page.getByRole('button', { name: 'Restore Nose' }).click()
  await page
    .getByRole('alert')
    .filter({ hasText: /^Can't undo: / })
    .waitFor()
  t.ok(await page.getByRole('button', { name: 'Restore Nose' }).isEnabled())
})
