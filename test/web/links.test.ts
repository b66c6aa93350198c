/** Links that are credentials: one-time links, which admins create, and links to unsubscribe, in mails. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import type { Page } from 'playwright-core'
import root from 'tap'
import { unsubscribeToken } from '../../src/mail/unsubscribe.ts'
import { onBoard } from './browser.ts'

const REQUIRED = { mode: 'required' } as const
const ATTACK = '<img src=x onerror=alert(1)>\u202eevil'
const UNUSABLE = 'This link was used already, has expired or was revoked.'

/** Reads the link in a dialog, and closes the dialog. */
async function taken(page: Page): Promise<string> {
  const link = await page.getByRole('textbox', { name: 'Link', exact: true }).inputValue()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  return link
}

const rowOf = (page: Page, name: string | RegExp) =>
  page.getByRole('region', { name: 'Active links' }).getByRole('row', { name })

onBoard(
  'an admin invites somebody, who enters a name and a password',
  async (t, { url, api, person }) => {
    const { page, go, check } = await person({ signIn: true })
    await go('/admin/members')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite' })
    await check()
    await dialog.getByLabel('Email (optional)').fill('ada@example.test')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('alert').getByText('Member email is taken').waitFor()
    await dialog.getByLabel('Email (optional)').fill('')
    await dialog.getByLabel('Name (optional)').fill(ATTACK)
    await dialog.getByLabel('Role').selectOption('Guest')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('dialog', { name: /^Invitation for/ }).waitFor()
    await check()
    const link = await taken(page)
    t.match(link, new RegExp(`^${url}/link#pbl_[\\w-]{43}$`))
    t.notMatch(await page.content(), /pbl_/, 'nothing of it stays')
    const row = rowOf(page, /evil/)
    t.match(await row.innerText(), /Invitation\s+Guest/)
    t.match(await row.innerText(), ATTACK, 'a name is text')
    await check()

    const guest = await person()
    const requests: string[] = []
    guest.page.on('request', (request) => requests.push(request.url()))
    await guest.go(link.slice(url.length))
    await guest.page.getByRole('heading', { name: 'Welcome to Phaseboard', level: 1 }).waitFor()
    await guest.page.getByText('You are invited. Role: Guest.').waitFor()
    t.equal(await guest.page.getByLabel('Name').inputValue(), ATTACK)
    await guest.check()
    await guest.page.getByLabel('Name').fill('Grace')
    await guest.page.getByLabel('Email').fill('ada@example.test')
    await guest.page.getByLabel('New password').fill('graces horse')
    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByRole('alert').getByText('Member email is taken').waitFor()
    await guest.page.getByLabel('Email').fill('grace@example.test')
    await guest.page.keyboard.press('Enter')
    await guest.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    t.equal(guest.page.url(), `${url}/`)
    await guest.page.getByRole('button', { name: 'Menu of Grace' }).waitFor()
    t.equal(requests.filter((one) => one.includes('pbl_')).length, 0, 'no address has the secret')
    t.match(
      (await api.get('/api/members')).find(({ name }) => name === 'Grace'),
      { email: 'grace@example.test', role: 'guest' },
    )

    await guest.go('/account')
    await guest.go(link.slice(url.length))
    await guest.page.getByRole('alert').getByText(UNUSABLE).waitFor()
    await guest.check()

    await go('/admin/audit')
    await page.getByRole('row', { name: /Grace Accepted an invitation Grace/ }).waitFor()
    await page.getByRole('row', { name: /Admin Invited somebody/ }).waitFor()
  },
  REQUIRED,
)

onBoard(
  'a link sets a forgotten password',
  async (t, { url, api, person }) => {
    const grace = { email: 'grace@example.test', password: 'graces horse' }
    await api.post('/api/members', { body: { ...grace, name: 'Grace' } })
    const { page, go, check } = await person({ signIn: true })
    await go('/admin/members')
    const make = async () => {
      await page
        .getByRole('row', { name: /^Grace/ })
        .first()
        .getByRole('button', { name: /^Actions/ })
        .click()
      await page.getByRole('menuitem', { name: 'Password link' }).click()
      await page.getByRole('dialog', { name: 'Password link for Grace' }).waitFor()
      return taken(page)
    }
    const former = await make()
    const link = await make()
    await rowOf(page, /^Grace New password Member/).waitFor()
    t.equal(await rowOf(page, /^Grace/).count(), 1, 'the former one has ended')

    const elsewhere = await person({ signIn: grace })
    const own = await person()
    await own.go(former.slice(url.length))
    await own.page.getByRole('alert').getByText(UNUSABLE).waitFor()
    // The other link, in the same tab.
    await own.page.evaluate((hash) => {
      location.hash = hash
    }, new URL(link).hash)
    await own.page.getByRole('heading', { name: 'Choose a new password', level: 1 }).waitFor()
    await own.page.getByText('You sign in with grace@example.test.').waitFor()
    t.equal(await own.page.getByLabel('Name').count(), 0)
    await own.check()
    await own.page.getByLabel('New password').fill('a new horse')
    await own.page.getByRole('button', { name: 'Set password' }).click()
    await own.page.getByRole('button', { name: 'Menu of Grace' }).waitFor()
    t.equal((await elsewhere.context.request.get(`${url}/api/session`)).status(), 401)
    const body = JSON.stringify({ ...grace, password: 'a new horse' })
    t.equal((await fetch(`${url}/api/session`, { method: 'POST', body })).status, 201)

    // An admin who opens a link becomes another user, and nothing from before remains.
    const last = await make()
    await rowOf(page, /^Grace/).waitFor()
    await go(last.slice(url.length))
    await page.getByLabel('New password').fill('another horse')
    // The board loads slowly, and meanwhile this page notices the other user, for whom it would reload.
    await page.route(`${url}/`, async (route) => {
      await sleep(3000)
      await route.continue()
    })
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('button', { name: 'Menu of Grace' }).waitFor()
    t.equal(page.url(), `${url}/`)
    await check()
  },
  REQUIRED,
)

onBoard(
  'an admin revokes a link, and one that ended meanwhile is reported',
  async (t, { url, api, person }) => {
    const made = await api.post('/api/invitations', { body: { role: 'member' } })
    const guest = await person()
    await guest.go(`/link#${made.token}`)
    await guest.page.getByLabel('Name').fill('Grace')
    await guest.page.getByLabel('Email').fill('grace@example.test')
    await guest.page.getByLabel('New password').fill('graces horse')

    const { page, go } = await person({ signIn: true })
    await go('/admin/members')
    await page.getByRole('button', { name: 'Revoke the link for Anyone' }).click()
    await page.getByRole('status').getByText('Link revoked.').waitFor()
    await page.getByRole('heading', { name: 'Active links' }).waitFor({ state: 'detached' })

    await guest.page.getByRole('button', { name: 'Join' }).click()
    await guest.page.getByRole('alert').getByText(UNUSABLE).waitFor()
    await guest.page.getByRole('link', { name: 'Sign in' }).click()
    await guest.page.getByLabel('Password').waitFor()
    t.equal(new URL(guest.page.url()).pathname, '/sign-in')
    await guest.go('/link')
    await guest.page.getByRole('alert').getByText(UNUSABLE).waitFor()

    // The service is unavailable, which says nothing about the link.
    const another = await api.post('/api/invitations', { body: { role: 'member', email: 'bo@example.test' } })
    const visitor = await person()
    let isDown = true
    await visitor.page.route('**/api/session/link/check', (route) =>
      isDown ? route.fulfill({ status: 500, json: { error: 'Failed to check link' } }) : route.continue(),
    )
    await visitor.go(another.url.slice(url.length))
    await visitor.page.getByRole('alert').getByText('Failed to check link').waitFor()
    isDown = false
    await visitor.page.getByRole('button', { name: 'Try again' }).click()
    await visitor.page.getByText('You sign in with bo@example.test.').waitFor()
    t.equal(await visitor.page.getByLabel('Email').count(), 0, 'that was the admin to say')
  },
  REQUIRED,
)

const FILE = join(root.testdir(), 'board.db')
const MAIL = {
  DATABASE_URL: `file:${FILE}`,
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'board@example.test',
}

onBoard(
  'a link to unsubscribe has a button, which works without signing in',
  async (t, { url, api, person }) => {
    const { member } = await api.get('/api/session')
    const client = new SQLite(FILE)
    t.teardown(() => client.close())
    const key = client.prepare<[], string>('select value from mail_state').pluck().get() ?? ''
    await api.patch('/api/me/preferences', { body: { email: 'daily' } })
    const reader = await person()
    await reader.page.goto(`${url}/unsubscribe/${unsubscribeToken(key, member.id, Date.now())}`)
    await reader.page.getByRole('heading', { name: 'E-mail of Phaseboard' }).waitFor()
    await reader.check()
    t.match(await api.get('/api/me/preferences'), { email: 'daily' })
    await reader.page.getByRole('button', { name: 'Unsubscribe' }).click()
    await reader.page.getByText('You will get no more e-mail about notifications').waitFor()
    await reader.check()
    t.match(await api.get('/api/me/preferences'), { email: 'none' })
  },
  { ...REQUIRED, environment: MAIL },
)
