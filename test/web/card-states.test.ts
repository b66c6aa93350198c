/** The address of a card, and its dialog if the card is new, gone, moved or read-only. */
import { type Credentials, onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { until } from './until.ts'

onBoard('has an address to share, reload, leave and return to', async (t, { api, person }) => {
  const { projectId, item, path } = await makeCard({ api }, { title: 'Rewrite pages' })
  const { page, go, check } = await person()
  const board = `/projects/${projectId}`
  const at = () => new URL(page.url()).pathname
  await go(board)
  await page.getByRole('link', { name: 'Rewrite pages', exact: true }).click()
  await dialogOf(page, 'Rewrite pages').waitFor()
  t.equal(at(), path)
  await page.reload()
  await dialogOf(page, 'Rewrite pages').waitFor()
  await page.goBack()
  await dialogOf(page).waitFor({ state: 'detached' })
  t.equal(at(), board)
  await page.goForward()
  await dialogOf(page, 'Rewrite pages').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForURL(`**${board}`)
  await dialogOf(page).waitFor({ state: 'detached' })

  // The address can name the field to edit.
  for (const [edit, role, name] of [
    ['title', 'textbox', 'Title'],
    ['assignee', 'combobox', 'Assignee'],
    ['priority', 'combobox', 'Priority'],
    ['labels', 'button', 'Choose labels'],
  ] as const) {
    await go(`${path}?edit=${edit}`)
    const field = dialogOf(page).getByRole(role, { name, exact: true })
    await field.and(page.locator(':focus')).waitFor()
  }
  await go(`${path}?edit=due`)
  await dialogOf(page).getByLabel('Due date').and(page.locator(':focus')).waitFor()

  // The close button leads to the board if the tab started with the card.
  await dialogOf(page).getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(`**${board}`)

  await go(`${board}/items/01900000-0000-7000-8000-000000000000`)
  await dialogOf(page, 'There is no such card.').waitFor()
  await page.keyboard.press('Escape')

  // A link to a card that was deleted since says so, and may bring the card back.
  const itemPath = { path: { id: item.id } }
  await api.delete('/api/kanban-items/{id}', itemPath)
  await go(path)
  await dialogOf(page, 'Rewrite pages').getByText('This card was deleted by local.').waitFor()
  await check()
  await page.getByRole('button', { name: 'Undo' }).click()
  await dialogOf(page, 'Rewrite pages').getByRole('combobox', { name: 'Assignee', exact: true }).waitFor()
  t.equal((await api.get('/api/kanban-items/{id}', itemPath)).title, 'Rewrite pages')

  // An address from before the card was moved leads to its new project.
  const other = await api.post('/api/projects', { body: { name: 'Shop' } })
  await api.post('/api/kanban-items/{id}/move', { path: { id: item.id }, body: { projectId: other.id } })
  await go(path)
  await dialogOf(page, 'Rewrite pages').waitFor()
  t.equal(at(), `/projects/${other.id}/items/${item.id}`)
})

onBoard('a blank title can still be selected', async (t, { api, person }) => {
  const { projectId } = await makeCard({ api }, { title: ' \t' })
  const { page, go } = await person()
  await go(`/projects/${projectId}`)
  await page.getByRole('link', { name: '(untitled)', exact: true }).click()
  await dialogOf(page, '(untitled)').waitFor()
  t.equal(await dialogOf(page).getByRole('heading', { name: '(untitled)' }).count(), 1)
  t.equal(await page.title(), '(untitled) · Website relaunch · Phaseboard')
  await dialogOf(page).getByRole('button', { name: 'Actions for (untitled)' }).waitFor()
  await page.keyboard.press('x')
  await page.getByRole('status').getByText('“(untitled)” archived.').waitFor()
})

onBoard("shows others' changes while it is open", async (t, { api, person }) => {
  const { item, path, projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
  const itemPath = { path: { id: item.id } }
  const { page, go } = await person()
  let proceed = () => {}
  const held = new Promise<void>((resolve) => {
    proceed = resolve
  })
  await page.route('**/activity*', async (route) => {
    await held
    await route.continue()
  })
  await go(path)
  // In the same words before it is known.
  await dialogOf(page).getByText('Created by …').waitFor()
  proceed()
  await partOf(page, 'History').getByText('created this card').waitFor()
  await dialogOf(page).getByText('Created by local').waitFor()
  await page.getByRole('textbox', { name: 'New comment' }).fill('Half a com')
  await api.patch('/api/kanban-items/{id}', { ...itemPath, body: { title: 'All pages', column: 'Done' } })
  await dialogOf(page, 'All pages').waitFor()
  const column = dialogOf(page).getByRole('combobox', { name: 'Column' })
  await until(
    () => column.inputValue(),
    (value) => value === 'Done',
  )
  await partOf(page, 'History').getByText('moved it from To Do to Done').waitFor()
  await api.post('/api/kanban-items/{id}/comments', { ...itemPath, body: { content: 'From *afar*' } })
  await partOf(page, 'Comments').getByRole('article').locator('em').waitFor()
  await api.post('/api/kanban-items/{id}/subtasks', { ...itemPath, body: { title: 'Photos' } })
  await partOf(page, 'Subtasks').getByRole('checkbox', { name: 'Photos' }).waitFor()
  const comment = page.getByRole('textbox', { name: 'New comment' })
  t.equal(await comment.inputValue(), 'Half a com', 'what is typed stays')
  t.ok(await comment.evaluate((field) => field === document.activeElement), 'as does the focus')

  await api.delete('/api/kanban-items/{id}', itemPath)
  await dialogOf(page).getByText('This card was deleted by local.').waitFor()
  t.ok(await column.isDisabled(), 'nothing of it can be changed')
  t.equal(
    await dialogOf(page)
      .getByRole('button', { name: /^Watch/ })
      .count(),
    0,
  )
  await dialogOf(page).getByRole('button', { name: 'Undo', exact: true }).click()
  await dialogOf(page).getByText('This card was deleted').waitFor({ state: 'detached' })
  await until(() => column.isEnabled(), Boolean)
  t.equal(await comment.inputValue(), 'Half a com')

  const other = await api.post('/api/projects', { body: { name: 'Shop' } })
  await api.post('/api/kanban-items/{id}/move', { ...itemPath, body: { projectId: other.id } })
  await dialogOf(page).getByText('This card is in another project now.').waitFor()
  await dialogOf(page).getByRole('link', { name: 'Open it there' }).click()
  await page.waitForURL(`**/projects/${other.id}/items/${item.id}`)

  // The user moves it back, which is a move to another project.
  await until(() => dialogOf(page).getByRole('combobox', { name: 'Column' }).isEnabled(), Boolean)
  await dialogOf(page).getByRole('heading', { level: 2 }).first().focus()
  await page.keyboard.press('m')
  const move = dialogOf(page, 'Move All pages')
  await move.getByRole('combobox', { name: 'Project' }).selectOption('Website relaunch')
  await until(() => move.getByRole('option', { name: 'Review' }).count(), Boolean)
  await move.getByRole('combobox', { name: 'Column' }).selectOption('Review')
  await move.getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForURL((url) => !url.pathname.includes('/items/'))
  const moved = await until(
    () => api.get('/api/kanban-items/{id}', itemPath),
    (card) => card.projectId === projectId,
  )
  t.equal(moved.column, 'Review')

  // If the user deletes it, the dialog closes, and the toast restores it.
  await go(path)
  await dialogOf(page).getByRole('button', { name: 'Actions for All pages' }).click()
  await page.getByRole('menuitem', { name: 'Delete card' }).click()
  await dialogOf(page).waitFor({ state: 'detached' })
  await page.getByRole('status').getByText('“All pages” deleted.').waitFor()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByRole('link', { name: 'All pages', exact: true }).waitFor()
})

onBoard(
  'a card from a meeting is approved; a viewer only reads',
  async (t, { api, person }) => {
    const { id: projectId } = await api.post('/api/projects', { body: { name: 'Website relaunch' } })
    const { kanbanItems } = await api.post('/api/ingest/transcript', {
      body: { projectId, title: 'Weekly', date: '2026-01-01', actionItems: ['Send minutes'] },
    })
    const itemPath = { path: { id: kanbanItems[0]?.id ?? '' } }
    const path = `/projects/${projectId}/items/${kanbanItems[0]?.id}`
    const viewer: Credentials = { email: 'vic@example.test', password: 'correct horse' }
    await api.post('/api/members', { body: { name: 'Vic', role: 'viewer', ...viewer } })
    await api.post('/api/kanban-items/{id}/comments', { ...itemPath, body: { content: 'Soon' } })

    const reading = await person({ signIn: viewer })
    await reading.go(path)
    const shown = dialogOf(reading.page, 'Send minutes')
    await shown.getByText('You may only read this project.').waitFor()
    await partOf(reading.page, 'History').getByText('created this card').waitFor()
    await partOf(reading.page, 'Comments').getByText('Soon').waitFor()
    t.ok(await shown.getByRole('combobox', { name: 'Column' }).isDisabled())
    const buttons = await shown.getByRole('button').allTextContents()
    t.strictSame(
      buttons.map((text) => text.trim()).filter(Boolean),
      ['Watch', 'Copy link'],
      'and nothing to change',
    )

    const { page, go } = await person({ signIn: true })
    await go(path)
    await dialogOf(page).getByText('From a meeting: Weekly').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Approve' }).click()
    const card = await until(
      () => api.get('/api/kanban-items/{id}', itemPath),
      ({ approved }) => approved,
    )
    t.equal(card.isNew, false)
    await page.keyboard.press('x')
    await dialogOf(page).getByText('This card is archived.').waitFor()
    await dialogOf(page).getByRole('button', { name: 'Restore' }).click()
    await until(
      () => api.get('/api/kanban-items/{id}', itemPath),
      ({ dismissed }) => !dismissed,
    )
  },
  { mode: 'required' },
)

onBoard('a full column accepts no card; a long history has pages', async (t, { api, person }) => {
  const { item, path, projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
  const columns = await api.get('/api/projects/{id}/kanban-columns', { path: { id: projectId } })
  const limit = (name: string, wipPolicy: 'warn' | 'block') =>
    api.patch('/api/kanban-columns/{id}', {
      path: { id: columns.find((column) => column.name === name)?.id ?? '' },
      body: { wipLimit: 1, wipPolicy },
    })
  await Promise.all([limit('Review', 'block'), limit('Done', 'warn')])
  for (const column of ['Review', 'Done']) {
    const body = { title: `In ${column}`, column }
    await api.post('/api/projects/{id}/kanban-items', { path: { id: projectId }, body })
  }
  for (let number = 0; number < 45; number++) {
    const body = { description: String(number) }
    await api.patch('/api/kanban-items/{id}', { path: { id: item.id }, body })
  }
  const { page, go } = await person()
  await go(path)
  const history = partOf(page, 'History')
  const entries = () => history.getByRole('listitem').count()
  t.equal(await until(entries, Boolean), 40)
  await history.getByRole('button', { name: 'Show more' }).click()
  await history.getByText('created this card').waitFor()
  t.equal(await entries(), 46)
  t.equal(await history.getByRole('button', { name: 'Show more' }).count(), 0)

  const column = dialogOf(page).getByRole('combobox', { name: 'Column' })
  await column.selectOption('Review')
  const full = page.getByRole('alert').getByText('Review is full (1 of 1). Rewrite pages stays in To Do.')
  await full.waitFor()
  t.equal(await column.inputValue(), 'To Do', 'it is taken back')
  await column.selectOption('Done')
  await page.getByRole('status').getByText('Done is above its limit: 2 of 1.').waitFor()

  // While a text is being edited, a click outside does not close the dialog.
  await dialogOf(page).getByRole('button', { name: 'Edit the description' }).click()
  await page.mouse.click(5, 300)
  t.equal(await dialogOf(page).count(), 1)
  await dialogOf(page).getByRole('button', { name: 'Cancel' }).click()
  await page.mouse.click(5, 300)
  await dialogOf(page).waitFor({ state: 'detached' })
})

onBoard('on a slow line a text shows as lines until it is rendered', async (t, { api, person }) => {
  const { path } = await makeCard({ api }, { title: 'Rewrite pages', description: 'Some **bold** words' })
  const { page, go } = await person()
  const arrived = Promise.withResolvers<void>()
  await page.route('**/assets/markdown-*.js', async (route) => {
    await arrived.promise
    await route.continue()
  })
  await go(path)
  const text = partOf(page, 'Description').getByText('Some **bold** words')
  await text.waitFor()
  t.match(await text.evaluate((element) => getComputedStyle(element).color), /, 0\)$/, 'no mark can be read')
  arrived.resolve()
  await partOf(page, 'Description').locator('strong', { hasText: 'bold' }).waitFor()
})

onBoard('a board that loads has the columns of a board', async (t, { api, person }) => {
  const { projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
  for (const width of [1280, 390]) {
    const { page, go } = await person({ viewport: { width, height: 760 } })
    const arrived = Promise.withResolvers<void>()
    await page.route(`**/api/projects/${projectId}*`, async (route) => {
      await arrived.promise
      await route.continue()
    })
    await go(`/projects/${projectId}`)
    const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.width
    await page.locator('.skeleton-columns').waitFor()
    const loading = await widthOf('.skeleton-columns > .column')
    arrived.resolve()
    await page.getByRole('region', { name: 'To Do' }).waitFor()
    t.equal(loading, await widthOf('.lane > .column'), `${width} px wide`)
  }
})
