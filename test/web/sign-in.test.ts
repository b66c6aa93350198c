/** Signing in and out, in typical use. */
import type { Page } from 'playwright-core'
import { ADMIN, type Credentials, onBoard } from './browser.ts'
import { until } from './until.ts'

async function signIn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

const OTHER: Credentials = { email: 'grace@example.test', password: 'another horse' }

onBoard(
  'a network needs a sign-in, which leads to the requested page',
  async (t, { url, api, person }) => {
    await api.post('/api/members', { body: { ...OTHER, name: 'Grace' } })
    const { page, go, check } = await person()
    await go('/account')
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    t.equal(await page.title(), 'Sign in · Phaseboard')
    await check()
    await signIn(page, { ...ADMIN, password: 'wrong horse' })
    await page.getByRole('alert').getByText('Wrong email or password.').waitFor()
    const described = await page.getByLabel('Password').getAttribute('aria-describedby')
    t.equal(await page.locator(`[id="${described}"]`).innerText(), 'Wrong email or password.')
    t.equal(await page.getByRole('link', { name: 'Sign in with your organisation' }).count(), 0)
    // By keyboard alone.
    await page.getByLabel('Password').fill(ADMIN.password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
    t.equal(new URL(page.url()).pathname, '/account')

    for (const to of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil.example',
      '/api/members',
      '/sign-in',
    ]) {
      await go(`/sign-in?to=${encodeURIComponent(to)}`)
      await page.waitForURL(`${url}/`)
    }

    await go(`/sign-in?to=${encodeURIComponent('/search?q=a%26b&kind=comment')}`)
    await page.waitForURL(`${url}/search?q=a%26b&kind=comment`)

    await page.getByRole('button', { name: /^Menu of / }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    t.equal((await page.request.get(`${url}/api/session`)).status(), 401)
  },
  { mode: 'required' },
)

onBoard(
  'a session that ends meanwhile loses nothing',
  async (t, { api, person }) => {
    await api.post('/api/members', { body: { ...OTHER, name: 'Grace' } })
    const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
    const { page, context, go } = await person({ signIn: true })
    const late = Promise.withResolvers<void>()
    await page.route(`**/api/projects/${id}/watch`, async (route) => {
      await late.promise
      await route.fulfill({ status: 401, json: { error: 'Unauthorized' } })
    })
    await go(`/projects/${id}/overview`)
    await page.getByRole('button', { name: 'Edit: Next step' }).click()
    await page.getByRole('textbox', { name: 'Next step' }).fill('Ask Ada')
    await context.clearCookies()
    await page.getByRole('button', { name: 'Save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in' })
    await dialog.getByText('You have been signed out.').waitFor()
    t.ok(await dialog.evaluate((element) => element.matches(':modal')), 'above the page')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    t.ok(await page.getByText('Ask Ada').isVisible(), 'the page stays, to be read')
    await page.getByLabel('Health').selectOption('At risk')
    await dialog.waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    // What was asked for before the session ended does not bring the dialog back. If it did, the link could not be clicked.
    const answered = page.waitForResponse(`**/api/projects/${id}/watch`)
    late.resolve()
    await answered
    await page.unroute(`**/api/projects/${id}/watch`)
    await page.getByRole('link', { name: 'My work' }).click()
    await dialog.waitFor()
    const unsaved = await api.get('/api/projects/{id}', { path: { id } })
    t.match(unsaved, { nextStep: '', health: 'on-track' })
    await signIn(page, ADMIN)
    const saved = await until(
      () => api.get('/api/projects/{id}', { path: { id } }),
      ({ health }) => health === 'at-risk',
    )
    t.equal(saved.nextStep, 'Ask Ada')
    t.equal(await dialog.count(), 0)
    await page.goBack()

    // Somebody else signs in. The pending writes are not theirs, so the page reloads.
    await context.clearCookies()
    await page.getByLabel('Health').selectOption('Blocked')
    await dialog.waitFor()
    await signIn(page, OTHER)
    await page.getByRole('button', { name: 'Menu of Grace' }).waitFor()
    t.equal((await api.get('/api/projects/{id}', { path: { id } })).health, 'at-risk')
    t.equal(await dialog.count(), 0)
  },
  { mode: 'required' },
)

onBoard(
  "on a shared browser nobody sees or sends another member's texts",
  async (t, { api, person }) => {
    await api.post('/api/members', { body: { ...OTHER, name: 'Grace' } })
    const { id } = await api.post('/api/projects', { body: { name: 'Apollo' } })
    const { page, context, go } = await person({ signIn: true })
    const field = page.getByRole('textbox', { name: 'Next step' })
    await go(`/projects/${id}/overview`)
    await page.getByRole('button', { name: 'Edit: Next step' }).click()
    await field.fill('Ask Ada')
    // Another tab signs out, and signs in as somebody else. This one follows.
    const other = await context.newPage()
    await go('/', other)
    await other.getByRole('button', { name: 'Menu of Admin' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('dialog', { name: 'Sign in' }).waitFor()
    await signIn(other, OTHER)
    await page.getByRole('button', { name: 'Menu of Grace' }).waitFor()
    const edit = page.getByRole('button', { name: 'Edit: Next step' })
    await edit.waitFor()
    t.equal(await page.getByText('Unsaved changes').count(), 0)
    await edit.click()
    t.equal(await field.inputValue(), '')

    // Their author finds them again.
    await other.getByRole('button', { name: 'Menu of Grace' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await signIn(other, ADMIN)
    await page.getByRole('button', { name: 'Menu of Admin' }).waitFor()
    await page.getByText('Unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Keep editing' }).click()
    t.equal(await field.inputValue(), 'Ask Ada')
    await other.close()
  },
  { mode: 'required' },
)

onBoard('open mode needs no sign-in', async (t, { url, person }) => {
  const { page, context, go, check } = await person()
  await go('/account')
  await page.getByText('without an account of your own').waitFor()
  const panels = page.getByRole('main').locator('section')
  const [first, second] = [await panels.first().boundingBox(), await panels.nth(1).boundingBox()]
  t.ok(first && second && (second.y > first.y + first.height || second.x > first.x + first.width))
  await check()
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Continue without signing in' }).click()
  await page.getByRole('heading', { name: 'Account' }).waitFor()

  await page.getByRole('button', { name: 'Menu of local' }).click()
  await page.getByRole('menuitem', { name: 'Sign in' }).click()
  await signIn(page, ADMIN)
  await page.getByRole('button', { name: 'Menu of Admin' }).waitFor()
  t.equal(new URL(page.url()).pathname, '/')

  // The session ends elsewhere. The page continues in open mode, without asking for a sign-in that nobody needs.
  const cookies = await context.cookies()
  const other = await context.newPage()
  // It would reload itself, and so end another navigation.
  await page.close()
  await context.request.delete(`${url}/api/session`, { headers: { origin: url } })
  await context.addCookies(cookies)
  await go('/account', other)
  await other.getByText('without an account of your own').waitFor()
})

onBoard(
  'a member signs in with an account of the organisation',
  async (t, { person }) => {
    const { page, go } = await person()
    await go('/ideas')
    const link = page.getByRole('link', { name: 'Sign in with your organisation' })
    await link.waitFor()
    t.match(await link.getAttribute('href'), /^\/api\/session\/oidc\?returnTo=%2Fideas$/)
  },
  {
    mode: 'required',
    environment: {
      OIDC_ISSUER: 'http://127.0.0.1:9/',
      OIDC_CLIENT_ID: 'board',
      OIDC_CLIENT_SECRET: 'secret of the client',
    },
  },
)
