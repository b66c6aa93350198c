/** The user's own account, and the pages for admins, in typical use. */
import { setTimeout as wait } from 'node:timers/promises'
import { ADMIN, onBoard } from './browser.ts'

const REQUIRED = { mode: 'required' } as const
const ATTACK = '<img src=x onerror=alert(1)>\u202eevil'

onBoard(
  'members manage their own account',
  async (t, { url, api, person }) => {
    const { page, go, check } = await person({ signIn: true })
    await person({ signIn: true })
    const { id: apollo } = await api.post('/api/projects', { body: { name: 'Apollo' } })
    await api.post('/api/projects', { body: { name: 'Gemini' } })
    await go('/account')
    const main = page.getByRole('main')
    await main.getByLabel('Name').fill(ATTACK)
    await main.getByRole('region', { name: 'You' }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Name saved.').waitFor()
    t.match(await page.locator('.site-menu').innerText(), ATTACK, 'a name is text')

    await page.getByLabel('Current password').fill('wrong horse')
    await page.getByLabel('New password').fill('a new horse')
    await page.getByRole('button', { name: 'Change password' }).click()
    const wrong = page.getByLabel('Current password')
    await page.locator('[aria-invalid=true]').waitFor()
    t.equal(await wrong.getAttribute('aria-invalid'), 'true', 'said at the field')
    t.ok(await wrong.evaluate((field) => field === document.activeElement), 'which has the focus')
    t.equal(await page.getByLabel('New password').inputValue(), 'a new horse')
    const sessions = page.getByRole('list', { name: 'Signed in' }).getByRole('listitem')
    const before = await sessions.count()
    await wrong.fill(ADMIN.password)
    await page.getByRole('button', { name: 'Change password' }).click()
    await page.getByRole('status').getByText('Password changed.').waitFor()
    await page.waitForFunction(
      () => document.querySelectorAll('[aria-labelledby=own-sessions] li').length === 1,
    )
    t.ok(before > 1, 'all other sessions ended')

    const elsewhere = await person({ signIn: { ...ADMIN, password: 'a new horse' } })
    await page.reload()
    await page.getByRole('button', { name: /^End the session of/ }).click()
    await page.getByRole('status').getByText('Session ended.').waitFor()
    t.equal((await elsewhere.context.request.get(`${url}/api/session`)).status(), 401)

    await page.getByRole('button', { name: 'New token' }).click()
    const dialog = page.getByRole('dialog', { name: 'New token' })
    await dialog.getByLabel('Name').fill('Script')
    await dialog.getByLabel('Scope').selectOption('Read and write')
    await dialog.getByRole('group', { name: 'Only these projects' }).getByLabel('Apollo').check()
    await dialog.getByLabel('Expires').fill('2099-12-31')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'New token' }).click()
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Script')
    t.ok(await dialog.getByLabel('Apollo').isChecked(), 'the draft has ticks, too')
    t.notOk(await dialog.getByLabel('Gemini').isChecked())
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const token = await page.getByRole('textbox', { name: 'Token' }).inputValue()
    await check()
    const use = (secret: string, path = '/api/projects') =>
      fetch(url + path, { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status)
    t.equal(await use(token), 200, 'it works')
    const reached = await fetch(`${url}/api/projects`, { headers: { authorization: `Bearer ${token}` } })
    t.match(await reached.json(), [{ id: apollo }], 'in its project alone')
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    t.notMatch(await page.content(), token, 'nothing of it stays')
    const row = page.getByRole('row', { name: /Script/ })
    t.match(await row.innerText(), /Read and write[\s\S]*Apollo[\s\S]*Never[\s\S]*2099|2100/)
    await row.getByRole('button', { name: 'Revoke Script' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('status').getByText('Token revoked.').waitFor()
    t.equal(await use(token), 401)

    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabel('Name').fill('Phone')
    await dialog.getByLabel('Scope').selectOption('Only your calendar')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const address = await page.getByRole('textbox', { name: /^Address for your calendar/ }).inputValue()
    t.equal((await fetch(address)).status, 200)
    await page.keyboard.press('Escape')
    t.equal((await api.get('/api/tokens')).length, 2)
  },
  REQUIRED,
)

onBoard(
  'an admin manages members and teams',
  async (t, { url, api, person }) => {
    const { page, go, check } = await person({ signIn: true })
    await go('/admin/members')
    await page.getByRole('button', { name: 'Add member' }).click()
    const adding = page.getByRole('dialog', { name: 'Add member' })
    await adding.getByLabel('Name').fill(ATTACK)
    await adding.getByLabel('Email').fill(ADMIN.email)
    await adding.getByRole('button', { name: 'Add member' }).click()
    await adding.getByRole('alert').waitFor()
    await check()
    await adding.getByLabel('Email').fill('eve@example.test')
    await adding.getByLabel('Role').selectOption('Viewer')
    await adding.getByLabel('Password (optional)').fill('eves horse')
    await adding.getByRole('button', { name: 'Add member' }).click()
    const row = page.getByRole('row', { name: 'eve@example.test' })
    t.match(await row.innerText(), ATTACK, 'a name is text')

    const actions = async (of: typeof row, item: string) => {
      await of.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await actions(row, 'Change…')
    const changing = page.getByRole('dialog')
    await changing.getByLabel('Role').selectOption('Member')
    await changing.getByLabel('Name').fill('Eve')
    await changing.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('row', { name: /^Eve eve@example.test Member Allowed/ }).waitFor()
    await actions(row, 'Disable')
    await page.getByRole('row', { name: /Disabled/ }).waitFor()
    await actions(row, 'Enable')
    await actions(row, 'Reset password…')
    await page.getByLabel('New password').fill('reset horse')
    await page.getByRole('button', { name: 'Reset password' }).click()
    await page.getByRole('status').getByText('Password of Eve reset.').waitFor()
    const body = JSON.stringify({ email: 'eve@example.test', password: 'reset horse' })
    t.equal((await fetch(`${url}/api/session`, { method: 'POST', body })).status, 201)

    await actions(page.getByRole('row', { name: ADMIN.email }), 'Disable')
    await page.getByRole('alert').getByText('This is the last admin').waitFor()

    await go('/admin/teams')
    await page.getByText('No teams yet.').waitFor()
    // By keyboard alone.
    await page.getByRole('button', { name: 'Add team' }).press('Enter')
    await page.keyboard.type('<b>Web</b>')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Makes the site')
    await page.getByRole('dialog').getByLabel('Eve').press(' ')
    await check()
    await page.getByLabel('Name').press('Enter')
    const team = page.getByRole('row', { name: '<b>Web</b>' })
    await team.getByText('Eve').waitFor()
    t.match(await team.innerText(), /Makes the site\s+Eve/)
    await actions(team, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No teams yet.').waitFor()

    await go('/admin/members')
    await actions(row, 'Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('status').getByText('Deleted Eve.').waitFor()
    t.equal((await api.get('/api/members')).length, 1)

    await go('/admin/audit')
    await page.getByRole('row', { name: /Admin Reset a password/ }).waitFor()
    await page.getByLabel('Show').selectOption('Changed a role')
    t.equal(await page.getByRole('row').count(), 2)
    t.match(await page.getByRole('row').last().innerText(), /viewer → member/)
  },
  REQUIRED,
)

onBoard(
  'the draft of a member has only the changed fields, and says what somebody else changed',
  async (t, { api, person }) => {
    const body = {
      name: 'Ben',
      email: 'ben@example.test',
      password: 'correct horse',
      role: 'member' as const,
    }
    const { id } = await api.post('/api/members', { body })
    const path = { id }
    const { page, go } = await person({ signIn: true })
    const dialog = page.getByRole('dialog')
    const open = async () => {
      await go('/admin/members')
      await page.getByRole('button', { name: 'Actions for Ben' }).click()
      await page.getByRole('menuitem', { name: 'Change…' }).click()
      await dialog.getByLabel('Name').waitFor()
    }
    const leave = async () => {
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await page.evaluate(() => dispatchEvent(new Event('pagehide')))
    }
    await open()
    await dialog.getByLabel('Name').fill('Benn')
    await leave()
    await api.patch('/api/members/{id}', { path, body: { role: 'viewer' } })
    await page.evaluate(() => {
      const key = Object.keys(localStorage).find((one) => one.includes(':draft:')) ?? ''
      const draft = JSON.parse(localStorage.getItem(key) ?? '') as object
      localStorage.setItem(key, JSON.stringify({ ...draft, at: Date.now() - 50 * 60 * 60 * 1000 }))
    })
    await open()
    await dialog.getByText(/^Draft from \d+ \w+ 20\d\d, \d\d:\d\d, not saved yet\./).waitFor()
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Benn')
    t.equal(await dialog.getByLabel('Role').inputValue(), 'viewer')
    await dialog.getByLabel('Name').fill('Benno')
    await leave()
    await open()
    await dialog.getByText(/^Draft from \d\d:\d\d, not saved yet\./).waitFor()
    await dialog.getByLabel('Name').fill('Ben')
    await leave()
    await open()
    t.equal(await dialog.getByText(/^Draft/).count(), 0, 'nothing is changed any more')
    await dialog.getByLabel('Name').fill('Benjamin')
    await leave()

    t.comment('the same field')
    await api.patch('/api/members/{id}', { path, body: { name: 'Ben B.' } })
    await page.reload()
    await page.getByRole('button', { name: 'Actions for Ben B.' }).click()
    await page.getByRole('menuitem', { name: 'Change…' }).click()
    await dialog.getByText('Someone changed this while you were editing, to: “Ben B.”.').waitFor()
    t.equal(await dialog.getByLabel('Name').inputValue(), 'Benjamin')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    t.match(
      (await api.get('/api/members')).find((member) => member.id === id),
      { name: 'Benjamin', role: 'viewer' },
    )
  },
  REQUIRED,
)

onBoard(
  'an admin manages webhooks',
  async (t, { url, api, person }) => {
    const { page, go, check } = await person({ signIn: true, viewport: { width: 390, height: 800 } })
    await go('/admin/webhooks')
    await page.getByRole('button', { name: 'Add webhook' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('URL').fill('ftp://receiver.example/')
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    await dialog.getByLabel('URL').and(page.locator('[aria-invalid=true]')).waitFor()
    await check()
    await dialog.getByLabel('URL').fill(`${url}/healthz`)
    await dialog.getByLabel('Cards', { exact: true }).check()
    await dialog.getByRole('button', { name: 'Add webhook' }).click()
    t.match(await page.getByRole('textbox', { name: /^Signing secret/ }).inputValue(), /^whsec_/)
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    const one = page.getByRole('main').getByRole('listitem')
    t.match(await one.innerText(), /Active[\s\S]*All projects[\s\S]*Cards/)
    const act = async (item: string) => {
      await one.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await act('Send a test')
    await page.getByRole('dialog', { name: 'Test' }).getByRole('button', { name: 'Close' }).click()
    const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
    await api.post('/api/projects/{id}/kanban-items', { path: { id }, body: { title: 'Card' } })
    const [webhook] = await api.get('/api/webhooks')
    const path = { id: webhook?.id ?? '' }
    while ((await api.get('/api/webhooks/{id}/deliveries', { path })).length === 0) await wait(50)
    await act('Deliveries')
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /404|405/ })
      .waitFor()
    await page.getByLabel('Changes after number').fill('0')
    await page.getByRole('button', { name: 'Send again from there' }).click()
    await page.getByRole('status').getByText('The changes are sent again.').waitFor()
    await check()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click()
    await act('Pause')
    await one.getByText('Paused').waitFor()
    await act('New secret…')
    await page.getByRole('dialog').getByRole('button', { name: 'New secret…' }).click()
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await act('Delete')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No webhooks yet.').waitFor()
    t.strictSame(await api.get('/api/webhooks'), [])
  },
  { ...REQUIRED, environment: { WEBHOOK_ALLOW_PRIVATE: 'true' } },
)

onBoard('a page for admins says so to others', async (t, { person }) => {
  const { page, go, check } = await person()
  for (const one of ['members', 'teams', 'webhooks', 'audit']) {
    await go(`/admin/${one}`)
    await page.getByText('This page is for admins.').waitFor()
    t.equal(await page.getByRole('table').count(), 0)
  }
  await check()
})
