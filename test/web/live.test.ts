/** No change is missed: before the stream starts, and while the tab is hidden. */
import type { Page } from 'playwright-core'
import { card, link, projectWith } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { choosePerson } from './choose-person.ts'
import { until } from './until.ts'

onBoard('changes during a lost connection are shown afterwards', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
  const add = (title: string) =>
    api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title, column: 'To Do' } })
  const { page, problems, go } = await person()
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  // The project is loaded, and then changes before the stream starts.
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  await page.route('**/api/changes/stream*', async (route) => {
    await begun
    await route.continue()
  })
  await go(path)
  await link(page, 'Flyer').waitFor()
  await add('Website')
  t.equal(await link(page, 'Website').count(), 0)
  begin()
  await link(page, 'Website').waitFor()
  const readings = asked.filter((one) => one === `/api/projects/${id}`)
  t.equal(readings.length, 2)

  // The stream has delivered no change when the tab is hidden, and the page is restored from the back/forward cache.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await add('Poster')
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await link(page, 'Poster').waitFor()
  t.equal(asked.filter((one) => one === `/api/projects/${id}`).length, 2, 'nothing is read again for it')

  // It is hidden for so long that the missed changes have been pruned: everything is reloaded.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await add('Logo')
  await page.route(
    '**/api/changes/stream*',
    (route) =>
      route.fulfill({ contentType: 'text/event-stream', body: 'event: gone\ndata: {"oldest":9000}\n\n' }),
    { times: 1 },
  )
  // The service is not available for that at first.
  let refused = 0
  await page.route(`**/api/projects/${id}`, (route) => {
    refused++
    return route.fulfill({
      status: 503,
      contentType: 'application/json',
      body: '{"error":"Service Unavailable"}',
    })
  })
  problems.expect(/503/)
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await until(
    async () => refused,
    (times) => times > 2,
  )
  await page.unroute(`**/api/projects/${id}`)
  await link(page, 'Logo').waitFor()
})

onBoard('without a network no tab says "Live"', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['Flyer'] })
  const { page, context, go, problems } = await person()
  problems.expect(/ERR_INTERNET_DISCONNECTED/)
  const other = await context.newPage()
  await Promise.all([go(path), go(path, other)])
  const live = (tab: Page) => tab.getByText('Live', { exact: true })
  await Promise.all([live(page).waitFor(), live(other).waitFor()])
  await context.setOffline(true)
  await Promise.all([live(page).waitFor({ state: 'hidden' }), live(other).waitFor({ state: 'hidden' })])
  await context.setOffline(false)
  await Promise.all([live(page).waitFor(), live(other).waitFor()])
  t.pass('in each tab')
})

onBoard(
  'a missing project is requested once, and shown when restored',
  async (t, { api, person }) => {
    const { id, path } = await projectWith(api, { 'To Do': ['Flyer'] })
    const { seq } = await api.request('delete', '/api/projects/{id}', { path: { id } })
    const { page, problems, go } = await person({ signIn: true })
    problems.expect(/404/)
    let asked = 0
    page.on('request', (request) => {
      if (new URL(request.url()).pathname === `/api/projects/${id}`) asked++
    })
    await go(path)
    await page.getByText('There is no such project.').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) } })
    await link(page, 'Flyer').waitFor()
    t.ok(asked <= 4, `${asked} requests`)
  },
  { mode: 'required' },
)

onBoard("a response about a part of a card keeps others' earlier changes", async (t, { api, person }) => {
  const { path, cards } = await projectWith(api, { 'To Do': ['Flyer'] })
  const item = { id: cards.get('Flyer') ?? '' }
  await api.post('/api/kanban-items/{id}/subtasks', { path: item, body: { title: 'Text' } })
  const { page, go } = await person()
  await go(`${path}/items/${item.id}`)
  const box = page.getByRole('checkbox', { name: 'Text' })
  await box.waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await api.patch('/api/kanban-items/{id}', { path: item, body: { title: 'Poster' } })
  const answered = page.waitForResponse(/kanban-subtasks/)
  await box.check()
  await answered
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await page.getByRole('dialog', { name: 'Poster' }).waitFor()
  t.ok(await box.isChecked())
})

onBoard(
  'what failed to load is loaded with the next connection',
  async (t, { api, person, kill, restart }) => {
    const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer'] })
    const item = cards.get('Flyer') ?? ''
    await api.post('/api/kanban-items/{id}/comments', { path: { id: item }, body: { content: 'Nice' } })
    const { page, context, go } = await person()
    const list = await context.newPage()
    const failing = /\/api\/(?:kanban-items\/[^/]+\/(?:comments|changes)|projects\?)/
    await context.route(failing, (route) => route.abort())
    await go('/', list)
    await list.getByText('Phaseboard could not load this page.').waitFor()
    await list.bringToFront()
    await list
      .getByText('Live', { exact: true })
      .or(list.getByRole('heading', { name: 'Projects' }))
      .first()
      .waitFor()
    await go(`${path}/items/${item}`)
    const comments = page.getByRole('region', { name: 'Comments', exact: true })
    await comments.getByRole('alert').waitFor()
    const { height = 0 } = (await comments.getByRole('alert').boundingBox()) ?? {}
    t.ok(height < 60, `the error takes ${height} pixels of the section`)
    await page.getByRole('region', { name: 'History', exact: true }).getByRole('alert').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await kill()
    await page.getByText('Offline. You can keep working').waitFor()
    await context.unroute(failing)
    await restart()
    await comments.getByText('Nice').waitFor()
    await page.getByRole('region', { name: 'History', exact: true }).getByText('created this card').waitFor()
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    await list.getByRole('link', { name: 'Website relaunch' }).waitFor()
    t.ok(id)
  },
  { isAlone: true },
)

onBoard(
  'a lost connection is shown after three seconds, and no longer than it lasts',
  async (t, board) => {
    const { path } = await projectWith(board.api, { 'To Do': ['Flyer'] })
    const { page, go } = await board.person()
    await page.clock.install()
    await go(path)
    await page.getByText('Live', { exact: true }).waitFor()
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1000))
    await board.kill()
    await page.locator('.live-dot:not(.is-live)').first().waitFor({ state: 'attached' })
    await page.clock.runFor(2900)
    t.equal(await page.getByText('Offline.').count(), 0)
    await page.clock.runFor(200)
    await page.getByText('Offline. You can keep working').waitFor()
    await page.clock.resume()
    const color = () => page.locator('.connection').evaluate((element) => getComputedStyle(element).color)
    const quiet = await color()
    await link(page, 'Flyer').focus()
    await page.keyboard.press('x')
    await page.getByText('1 change is waiting.').waitFor()
    t.not(await color(), quiet, 'in another colour while a write waits')
    await board.restart()
    await page.getByText('Connected again.').waitFor()
    t.equal(await page.getByText('Offline.').count(), 0)
  },
  { isAlone: true },
)

onBoard('cards show their numbers of comments and files, and follow them', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Website'] })
  const other = await projectWith(api, { 'To Do': ['Poster'] }, 'Other')
  const comment = (item: string | undefined) =>
    api.request('post', '/api/kanban-items/{id}/comments', {
      path: { id: item ?? '' },
      body: { content: 'Nice' },
    })
  const undo = (seq: number | undefined) =>
    api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) } })
  const flyer = cards.get('Flyer') ?? ''
  for (const item of [flyer, flyer, other.cards.get('Poster')]) await comment(item)
  const attached = await api.post('/api/kanban-items/{id}/attachments', {
    path: { id: flyer },
    body: { url: 'https://example.org/plan' },
  })
  const { page, go } = await person()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (pathname.endsWith('/kanban-counts')) asked.push(search)
  })
  const shows = (title: string, text: string, state: 'attached' | 'detached' = 'attached') =>
    card(page, title).getByText(text, { exact: true }).waitFor({ state })
  await go(path)
  await link(page, 'Flyer').waitFor()
  await shows('Flyer', '2 comments')
  await shows('Flyer', '1 file')
  t.equal(
    await card(page, 'Website')
      .getByText(/comment|file/)
      .count(),
    0,
  )

  const website = cards.get('Website') ?? ''
  await page.getByText('Live', { exact: true }).waitFor()
  const made = await comment(website)
  await shows('Website', '1 comment')
  // Again once the stream has said where it begins.
  t.strictSame([...new Set(asked)], ['', `?itemId=${website}`], 'only that card is read again')
  t.ok(asked.length <= 3, `${asked.length} requests`)
  await undo(made.seq)
  await shows('Website', '1 comment', 'detached')
  const { id: attachment } = [attached].flat()[0] ?? { id: '' }
  const deleted = await api.request('delete', '/api/attachments/{id}', { path: { id: attachment } })
  await shows('Flyer', '1 file', 'detached')
  await undo(deleted.seq)
  await shows('Flyer', '1 file')
  const gone = await api.request('delete', '/api/kanban-items/{id}', { path: { id: flyer } })
  await link(page, 'Flyer').waitFor({ state: 'detached' })
  await undo(gone.seq)
  await shows('Flyer', '2 comments')
  await api.post('/api/kanban-items/{id}/move', {
    path: { id: other.cards.get('Poster') ?? '' },
    body: { projectId: id },
  })
  await shows('Poster', '1 comment')

  // A response is older than a change that the page has already applied. The next one waits until its numbers were seen.
  const seen = Promise.withResolvers<void>()
  const counts = '**/kanban-counts*'
  await page.route(counts, (route) => seen.promise.then(() => route.continue()), { times: 1 })
  await page.route(
    counts,
    async (route) => {
      const response = await route.fetch()
      await comment(website)
      await api.patch('/api/kanban-items/{id}', { path: { id: website }, body: { title: 'Site' } })
      await link(page, 'Site').waitFor()
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await comment(website)
  await shows('Site', '1 comment')
  seen.resolve()
  await shows('Site', '2 comments')

  // While the tab is hidden, changes are missed that the service no longer has.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  await comment(flyer)
  const body = 'event: gone\ndata: {"oldest":9000}\n\n'
  await page.route(
    '**/api/changes/stream*',
    (route) => route.fulfill({ contentType: 'text/event-stream', body }),
    { times: 1 },
  )
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await shows('Flyer', '3 comments')
})

onBoard('changes during a load are shown after it', async (t, { api, person }) => {
  const { id, cards } = await projectWith(api, { 'To Do': ['Flyer'] })
  const other = await projectWith(api, { 'To Do': ['Other'] }, 'Other')
  const item = { id: cards.get('Flyer') ?? '' }
  const comment = await api.post('/api/kanban-items/{id}/comments', { path: item, body: { content: 'Nice' } })
  const attached = await api.post('/api/kanban-items/{id}/attachments', {
    path: item,
    body: { url: 'https://example.org/plan', name: 'Plan' },
  })
  const { id: attachment = '' } = [attached].flat()[0] ?? {}
  const { page, go } = await person()
  await go(other.path)
  await page.getByText('Live', { exact: true }).waitFor()

  // The service has read the project before a change, and its response arrives after it.
  let asked = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === `/api/projects/${id}/kanban-columns`) asked++
  })
  await page.route(
    `**/api/projects/${id}`,
    async (route) => {
      const response = await route.fetch()
      await api.patch('/api/kanban-items/{id}', { path: item, body: { title: 'Poster' } })
      // The page reads the columns again when it applies this change.
      await api.post('/api/projects/{id}/kanban-columns', { path: { id }, body: { name: 'Later' } })
      await until(
        async () => asked,
        (times) => times > 1,
      )
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await page.getByRole('link', { name: 'Projects' }).click()
  await link(page, 'Website relaunch').click()
  await link(page, 'Poster').waitFor()

  // The same with the comments and files of a card.
  const loaded: string[] = []
  const late = Promise.withResolvers<void>()
  await page.route(
    /kanban-items\/[^/]+\/(?:comments|attachments)/,
    async (route) => {
      const response = await route.fetch()
      loaded.push(route.request().url())
      await late.promise
      await route.fulfill({ response })
    },
    { times: 2 },
  )
  await link(page, 'Poster').click()
  await until(
    async () => loaded,
    ({ length }) => length === 2,
  )
  await api.patch('/api/kanban-comments/{id}', { path: { id: comment.id }, body: { content: 'Nicer' } })
  await api.patch('/api/attachments/{id}', { path: { id: attachment }, body: { name: 'Sketch' } })
  await api.patch('/api/kanban-items/{id}', { path: item, body: { title: 'Logo' } })
  await page.getByRole('dialog', { name: 'Logo' }).waitFor()
  late.resolve()
  await page.getByRole('article').getByText('Nicer').waitFor()
  await page.getByRole('dialog').getByText('Sketch').first().waitFor()

  // After very many changes, it is requested again.
  const comments = `/api/kanban-items/${item.id}/comments`
  let requests = 0
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === comments) requests++
  })
  await page.keyboard.press('Escape')
  await page.route(
    `**${comments}`,
    async (route) => {
      const response = await route.fetch()
      const titles = Array.from({ length: 1001 }, (_, index) => String(index))
      await projectWith(api, { 'To Do': titles }, 'Large')
      await api.patch('/api/kanban-comments/{id}', { path: { id: comment.id }, body: { content: 'Nicest' } })
      await api.patch('/api/kanban-items/{id}', { path: item, body: { title: 'Flyer' } })
      await page.getByRole('dialog', { name: 'Flyer' }).waitFor()
      await route.fulfill({ response })
    },
    { times: 1 },
  )
  await link(page, 'Logo').click()
  await page.getByRole('article').getByText('Nicest').waitFor()
  t.equal(requests, 2)
})

onBoard('a labelled card comes back from another project', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Website'] })
  const other = await projectWith(api, {}, 'Other')
  const item = { id: cards.get('Flyer') ?? '' }
  const label = await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name: 'Print' } })
  await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: { ...item, labelId: label.id } })
  const { page, go } = await person()
  await go(path)
  await card(page, 'Flyer').getByText('Print').waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const { seq } = await api.request('post', '/api/kanban-items/{id}/move', {
    path: item,
    body: { projectId: other.id },
  })
  await link(page, 'Flyer').waitFor({ state: 'detached' })
  await api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) } })
  await card(page, 'Flyer').getByText('Print').waitFor()
  t.equal(await link(page, 'Website').count(), 1)
})

onBoard(
  "choosing a lead keeps others' earlier changes",
  async (t, { api, person }) => {
    const { id, path } = await projectWith(api, {})
    const grace = { email: 'grace@example.test', password: 'a good horse' }
    await api.post('/api/members', { body: { ...grace, name: 'Grace', role: 'member' } })
    const { page, go } = await person({ signIn: true })
    await go(`${path}/overview`)
    const lead = page.getByRole('combobox', { name: 'Lead' })
    await lead.waitFor()
    // The overview does not show that its stream is open, but that of a board is.
    await page.getByRole('link', { name: 'Board' }).click()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.goBack()
    await lead.waitFor()
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
    await api.patch('/api/projects/{id}', { path: { id }, body: { name: 'Renamed' } })
    const answered = page.waitForResponse(
      (response) => response.request().method() === 'PUT' && response.url().endsWith('/team-assignments'),
    )
    await choosePerson(page.getByRole('main'), 'Lead', 'Grace')
    await answered
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    await page.getByRole('heading', { name: 'Renamed' }).waitFor()
    t.equal(await lead.inputValue(), 'Grace')
  },
  { mode: 'required' },
)
