/** The list of projects: group and filter, create, import, archive, delete. */
import { readFileSync } from 'node:fs'
import type { Page, Route } from 'playwright-core'
import { ADMIN, type Credentials, onBoard } from './browser.ts'
import { choosePerson } from './choose-person.ts'
import { until } from './until.ts'

const TRELLO = new URL('../fixtures/trello-board.json', import.meta.url)
const MEMBER: Credentials = { email: 'bob@example.test', password: 'correct horse' }

const row = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
const act = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
}

onBoard('projects are listed by status, with their progress', async (t, { api, person }) => {
  const { id } = await api.post('/api/projects', {
    body: {
      name: 'Website relaunch',
      status: 'active',
      health: 'at-risk',
      phase: 'Development',
      leadId: 'local',
    },
  })
  await api.post('/api/projects', { body: { name: 'Old shop', status: 'archived', type: 'business' } })
  for (const column of ['To Do', 'To Do', 'Done']) {
    await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Card', column } })
  }
  const { page, go } = await person()
  await go('/')
  const list = page.getByRole('list', { name: 'Active projects' })
  await list.getByRole('link', { name: 'Website relaunch', exact: true }).waitFor()
  t.match(
    await list.innerText(),
    /At risk\s*Development 3\/5\s*Lead local\s*To Do 2\s*In Progress 0\s*Review 0\s*Done 1/,
  )
  await list.getByRole('progressbar', { name: 'Website relaunch: 1 of 3 done' }).waitFor()
  t.equal(
    await page.getByRole('list', { name: 'Archived projects' }).getByRole('link').innerText(),
    'Old shop',
  )

  t.comment('the filter stands in the address: reload and back keep it')
  await page.getByLabel('Type').selectOption({ label: 'Business' })
  await page.getByText('1 project', { exact: true }).waitFor()
  t.equal(await row(page, 'Website relaunch').count(), 0)
  await page.reload()
  await page.getByRole('link', { name: 'Old shop' }).click()
  await page.waitForURL(/\/projects\//)
  await page.goBack()
  await page.getByText('1 project', { exact: true }).waitFor()
  t.equal(new URL(page.url()).search, '?type=business')
  await page.getByLabel('Status').selectOption({ label: 'Active' })
  await page.getByText('No project matches the filter.').waitFor()
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await page.getByText('2 projects', { exact: true }).waitFor()

  t.comment('what others do shows without a reload')
  await api.post('/api/projects', { body: { name: 'From elsewhere' } })
  await row(page, 'From elsewhere').waitFor()
  await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'New', column: 'Done' } })
  await page.getByRole('progressbar', { name: 'Website relaunch: 2 of 4 done' }).waitFor()

  t.comment('dismissed cards do not count as work')
  const { id: dismissed } = await api.post('/api/projects/{id}/kanban-items', {
    path: { id },
    body: { title: 'Never mind', column: 'Done' },
  })
  await page.getByRole('progressbar', { name: 'Website relaunch: 3 of 5 done' }).waitFor()
  await api.patch('/api/kanban-items/{id}', {
    path: { id: dismissed },
    body: { dismissed: true },
  })
  await page.getByRole('progressbar', { name: 'Website relaunch: 2 of 4 done' }).waitFor()
})

onBoard(
  'a project is created with the phases of its type, archived, restored and moved',
  async (t, { api, person }) => {
    const { page, go, check } = await person()
    await go('/')
    await page.getByText('No projects yet.').waitFor()
    await page.getByRole('button', { name: 'Create project' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Create project' })
    await dialog.getByLabel('Name').fill('Wedding')
    t.notOk(await dialog.getByLabel('Description').isVisible(), 'a name is enough')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Description').fill('In May')
    await choosePerson(dialog, 'Lead', 'local')

    t.comment('what was typed is there again after a reload')
    await page.evaluate(() => dispatchEvent(new Event('pagehide')))
    await page.reload()
    await page.getByRole('button', { name: 'Create project' }).click()
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Wedding')
    t.equal(await dialog.getByLabel('Description').inputValue(), 'In May')
    t.equal(await dialog.getByRole('combobox', { name: 'Lead' }).inputValue(), 'local')
    await dialog.getByText('Phases: Discovery → Design → Development → Testing → Deployment').waitFor()
    await dialog.getByLabel('Type').selectOption({ label: 'Business' })
    await dialog.getByText('Phases: Discovery → Planning → Execution → Review → Close').waitFor()
    await check()
    await dialog.getByLabel('Name').press('Enter')
    await page.waitForURL(/\/projects\//)
    const [made] = await api.get('/api/projects', { query: { view: 'summary' } })
    t.match(made, { name: 'Wedding', description: 'In May', type: 'business', phase: 'Discovery' })

    await api.post('/api/projects', { body: { name: 'Second', status: 'active' } })
    await page.goBack()
    await row(page, 'Second').waitFor()
    await page.getByRole('button', { name: 'Create project' }).click()
    await dialog.getByLabel('Name').fill('Third')
    await dialog.getByLabel('Name').press('Enter')
    await page.waitForURL(/\/projects\//)
    const numbers = (await api.get('/api/projects')).map(({ name, sortOrder }) => [name, sortOrder])
    t.same(Object.fromEntries(numbers), { Wedding: 0, Second: 0, Third: 1 }, 'at the end')
    await page.goBack()
    await row(page, 'Second').waitFor()
    await act(page, 'Second', 'Move up')
    await page.getByText('Moved Second.').waitFor()
    const names = () => page.getByRole('list', { name: 'Active projects' }).getByRole('link').allInnerTexts()
    t.strictSame(await names(), ['Second', 'Wedding', 'Third'])

    t.comment('by keyboard alone')
    await page.getByRole('button', { name: 'Actions for Wedding' }).press('ArrowDown')
    await page.locator('[role=menuitem]:focus').waitFor()
    await page.keyboard.press('a')
    await page.keyboard.press('Enter')
    await page
      .getByRole('list', { name: 'Archived projects' })
      .getByRole('link', { name: 'Wedding' })
      .waitFor()
    await page.getByText('Archived Wedding.').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    await page.getByRole('list', { name: 'Active projects' }).getByRole('link', { name: 'Wedding' }).waitFor()
    await act(page, 'Wedding', 'Archive')
    await act(page, 'Wedding', 'Restore from archive')
    await page.getByText('Wedding is active again.').waitFor()
    t.strictSame(await names(), ['Second', 'Wedding', 'Third'])
  },
)

onBoard('a Trello board is imported by choosing or dropping its file', async (t, { api, person }) => {
  const { page, go, check } = await person()
  await go('/')
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import a board' })

  t.comment('a broken file')
  await dialog
    .getByLabel('File')
    .setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer: Buffer.from('{"lists":') })
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText(/^Not imported: .*Nothing was changed\.$/).waitFor()
  t.strictSame(await api.get('/api/projects'), [])
  await dialog.getByRole('button', { name: 'Choose another file' }).click()

  await dialog.getByLabel('File').setInputFiles({
    name: 'table.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('What,Due,Note\nSweep,2026-03-20,soon\n'),
  })
  t.comment('a table, whose columns are given their fields')
  const columns = dialog.getByRole('region', { name: 'Columns of the table' })
  await columns.getByRole('cell', { name: 'Sweep' }).waitFor()
  await columns.getByLabel('Due').and(page.locator(':has(option:checked[value=due])')).waitFor()
  await check()
  await columns.getByLabel('What').selectOption('Title')
  await columns.getByLabel('Note').selectOption('Description')
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText('Imported table: 1 column, 1 card.').waitFor()
  const [{ id = '' } = {}] = await api.get('/api/projects')
  t.match(await api.get('/api/projects/{id}/kanban-items', { path: { id } }), [
    { title: 'Sweep', description: 'soon', dueDate: '2026-03-20T00:00:00.000Z' },
  ])
  await dialog.getByRole('button', { name: 'Import another' }).click()

  await dialog.getByLabel('File').setInputFiles(TRELLO.pathname)
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText(/^Imported Website relaunch: \d+ columns, \d+ cards\.$/).waitFor()
  await dialog.getByRole('link', { name: 'Open' }).click()
  await page.waitForURL(/\/projects\//)

  t.comment('dropped on the page; the same board once more only when told so')
  await page.goBack()
  await row(page, 'Website relaunch').waitFor()
  await drop(page, 'trello-board.json', readFileSync(TRELLO, 'utf8'))
  await dialog.getByText('trello-board.json').waitFor()
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText(/^Not imported: it was imported before, as “[^”]+”\. Nothing/).waitFor()
  await dialog.getByRole('button', { name: 'Import again' }).click()
  await dialog.getByText(/^Imported Website relaunch/).waitFor()
  await check()

  t.comment('how far it has come; it goes on when the dialog is closed')
  await page.route('**/api/imports/*', sendProgress, { times: 3 })
  await drop(page, 'again.json', readFileSync(TRELLO, 'utf8'))
  await dialog.getByText('again.json').waitFor()
  await dialog.getByRole('button', { name: 'Import' }).click()
  await dialog.getByText('Reading 1,200 of 4,000…').waitFor()
  const progress = dialog.getByRole('progressbar', { name: 'Progress of the import' })
  t.equal(await progress.evaluate((bar) => (bar as HTMLProgressElement).position), 0.3)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByText(/^Not imported: it was imported before, as “[^”]+”\. Nothing/).waitFor()
  t.equal((await api.get('/api/projects')).length, 3)
})

onBoard(
  'a file of Notion is one on the page, too, and midnight there is a day',
  async (t, { api, person }) => {
    const { page, go } = await person({ timezoneId: 'Europe/Berlin' })
    await go('/')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a board' })
    await dialog.getByLabel('File').setInputFiles({
      name: 'Tasks 0123456789abcdef0123456789abcdef_all.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('Name,Assign,Date\nSweep,Ann,"March 4, 2026 → March 9, 2026 11:00 PM (UTC)"\n'),
    })
    await dialog.getByRole('button', { name: 'Import' }).click()
    await dialog.getByText('Imported Tasks: 1 column, 1 card.').waitFor()
    const [{ id = '' } = {}] = await api.get('/api/projects')
    t.match(await api.get('/api/projects/{id}/kanban-items', { path: { id } }), [
      { title: 'Sweep', dueDate: '2026-03-10T00:00:00.000Z', assigneeId: 'Ann' },
    ])
  },
)

/** Responds that an import is running. */
async function sendProgress(route: Route): Promise<void> {
  const at = new Date().toISOString()
  const id = route.request().url().split('/').at(-1)
  const json = {
    id,
    format: 'trello',
    status: 'writing',
    done: 1200,
    total: 4000,
    createdAt: at,
    updatedAt: at,
  }
  await route.fulfill({ json })
}

/** Drops a file on the page, with a browser's events. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([fileName, content]) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([content ?? ''], fileName ?? ''))
      return transfer
    },
    [name, text] as const,
  )
  // A browser repeats the event while files are over the page.
  const shown = async () => {
    await page.locator('main').dispatchEvent('dragover', { dataTransfer: data })
    return page.getByText('Drop the file to import it').isVisible()
  }
  await until(shown, Boolean)
  await page.locator('main').dispatchEvent('drop', { dataTransfer: data })
}

onBoard(
  'a member moves projects around those that they may only read',
  async (t, { api, person }) => {
    const { id: memberId } = await api.post('/api/members', {
      body: { name: 'Bob', ...MEMBER, role: 'member' },
    })
    for (const name of ['One', 'Two', 'Read', 'Four', 'Five']) {
      const { id } = await api.post('/api/projects', { body: { name, status: 'active' } })
      if (name !== 'Read' && name !== 'Five') continue
      const role = 'viewer'
      await api.post('/api/projects/{id}/team-assignments', { path: { id }, body: { memberId, role } })
    }
    const { page, go } = await person({ signIn: MEMBER })
    await go('/')
    await row(page, 'Four').waitFor()
    const names = () => page.getByRole('list', { name: 'Active projects' }).getByRole('link').allInnerTexts()
    await act(page, 'Two', 'Move up')
    await page.getByText('Moved Two.').waitFor()
    t.strictSame(await names(), ['Two', 'One', 'Read', 'Four', 'Five'])
    await act(page, 'Four', 'Move up')
    await page.getByText('Moved Four.').waitFor()
    const wanted = ['Two', 'One', 'Four', 'Read', 'Five']
    t.strictSame(await names(), wanted)
    t.strictSame(
      (await api.get('/api/projects')).map(({ name }) => name),
      wanted,
    )
    await act(page, 'Four', 'Move down')
    await page
      .getByRole('alert')
      .getByText(/^Not moved: .* you may only read\.$/)
      .waitFor()
    t.strictSame(await names(), wanted)
  },
  { mode: 'required' },
)

onBoard(
  'an admin deletes a project and undoes it; a member cannot',
  async (t, { api, person }) => {
    await api.post('/api/members', { body: { name: 'Bob', ...MEMBER, role: 'member' } })
    const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
    await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Engine' } })
    const [admin, member] = [await person({ signIn: ADMIN }), await person({ signIn: MEMBER })]
    await Promise.all([admin.go('/'), member.go('/')])
    await member.page.getByRole('button', { name: 'Actions for Apollo' }).click()
    t.strictSame(await member.page.getByRole('menuitem').allInnerTexts(), ['Archive'])
    await member.page.keyboard.press('Escape')

    await act(admin.page, 'Apollo', 'Delete')
    await admin.page.getByText('Deleted Apollo.').waitFor()
    await member.page.getByText('No projects yet.').waitFor()
    await admin.page.getByRole('button', { name: 'Undo' }).click()
    await Promise.all([row(admin.page, 'Apollo').waitFor(), row(member.page, 'Apollo').waitFor()])

    t.comment('from the trash, which tells who did it')
    await act(admin.page, 'Apollo', 'Delete')
    await admin.page.getByText('Deleted Apollo.').waitFor()
    await admin.go('/trash')
    const entry = admin.page.getByRole('listitem').filter({ hasText: 'Apollo' })
    t.match(await entry.innerText(), /Project\s*Deleted by /)
    await member.go('/trash')
    await member.page.getByRole('heading', { name: 'Apollo' }).waitFor()
    t.equal(await member.page.getByRole('button', { name: 'Restore Apollo' }).count(), 0)
    await admin.page.getByRole('button', { name: 'Restore Apollo' }).click()
    await admin.page.getByText('Nothing has been deleted.').waitFor()
    await member.page.getByText('Nothing has been deleted.').waitFor()
    t.equal((await api.get('/api/projects/{id}', { path: { id } })).kanbanItems.length, 1)
  },
  { mode: 'required' },
)

onBoard('names are only text, also on a phone', async (t, { api, person }) => {
  const names = ['<img src=x onerror=alert(1)>', 'javascript:alert(1)', '\u202Eevil', 'w'.repeat(200)]
  for (const name of names) {
    await api.post('/api/projects', {
      body: { name, phaseConfig: [{ name }], phase: name.slice(0, 100), leadId: name },
    })
  }
  const { page, go } = await person({ viewport: { width: 390, height: 800 } })
  await go('/')
  for (const name of names) await page.getByRole('link', { name, exact: true }).waitFor()
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  t.ok(overflow <= 0, 'nothing is wider than the screen')
  await page.evaluate(() => {
    document.documentElement.style.fontSize = '200%'
  })
  for (const name of names) {
    const box = await page.getByRole('link', { name, exact: true }).boundingBox()
    t.ok(box && box.x >= 0 && box.x + box.width <= 390, `${name.slice(0, 10)} at 200 %`)
  }
})

onBoard('filters and the dialog of an import fit on a small phone', async (t, { api, person }) => {
  await api.post('/api/projects', { body: { name: 'Apollo' } })
  const { page, go } = await person({ viewport: { width: 320, height: 700 } })
  await go('/')
  const selects = page.getByRole('group', { name: 'Filter' }).getByRole('combobox')
  await selects.first().waitFor()
  for (const select of await selects.all()) {
    const { width = 0 } = (await select.boundingBox()) ?? {}
    t.ok(width > 100, `${width} pixels for the value of a filter`)
  }
  await page.getByRole('button', { name: 'Import' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('File').waitFor()
  t.equal(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth), 0)
})
