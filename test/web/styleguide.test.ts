/**
 * The style guide: a page of builds for development with every part of `common/ui`. Its screenshots are compared by what is the same
 * on every machine: every part is there and is not empty, light and dark have the same layout, and differ in their pixels. Pixels are not
 * compared with stored images, because fonts and their smoothing differ between machines, and so the images would only be right
 * on one of them.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { buildForDevelopment } from '../../scripts/build-web.ts'
import { onBoard } from './browser.ts'

const ROOT = join(import.meta.dirname, '../..')
const PARTS = readdirSync(join(ROOT, 'web/common/ui'))
  .filter((name) => name.endsWith('.tsx'))
  .map((name) => name.replace('.tsx', ''))

const folder = t.testdir({})

/** Serves a build for development in place of the shipped one, under the shipped page's policy. */
async function serveDevelopment(page: Page): Promise<void> {
  await buildForDevelopment(ROOT, folder)
  const policy = (await (await fetch(new URL('/', page.url()))).headers.get('content-security-policy')) ?? ''
  await page.route('**/styleguide', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: readFileSync(join(folder, 'page.html'), 'utf8'),
      headers: { 'content-security-policy': policy },
    }),
  )
  await page.route('**/assets/*', (route) => {
    const path = join(folder, 'assets', new URL(route.request().url()).pathname.split('/').at(-1) ?? '')
    // The shipped page may still load parts in advance.
    return existsSync(path) ? route.fulfill({ path }) : route.continue()
  })
}

/** The places and sizes of all parts. */
const layout = (page: Page) =>
  page.locator('[data-part]').evaluateAll((all) =>
    all.map((one) => {
      const { x, y, width, height } = one.getBoundingClientRect()
      return { part: one.getAttribute('data-part') ?? '', box: [x, y, width, height].map(Math.round) }
    }),
  )

/** The width and height of a PNG image. */
const sizeOf = (png: Buffer) => [png.readUInt32BE(16), png.readUInt32BE(20)]

onBoard('the style guide has every part, in light and in dark', async (t, { url, person }) => {
  const { page, go, check } = await person({ viewport: { width: 1000, height: 800 } })
  await go('/')
  await serveDevelopment(page)
  await page.goto(`${url}/styleguide`)
  await page.getByRole('heading', { level: 1, name: 'Style guide' }).waitFor()
  await page.locator('.skeleton-columns').waitFor()
  const shown = await layout(page)
  t.strictSame(
    shown.map(({ part }) => part).filter((part) => part !== 'scales'),
    PARTS,
    'every part, in the order of the files',
  )
  for (const { part, box } of shown) t.ok((box[2] ?? 0) > 300 && (box[3] ?? 0) > 60, `${part}: ${box}`)
  t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1000, 'nothing sticks out')
  const images = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    images.push(await page.screenshot({ fullPage: true, animations: 'disabled' }))
    t.strictSame(await layout(page), shown, `colours change no layout (${colorScheme})`)
  }
  const [light, dark] = images
  t.ok(light && dark && !light.equals(dark))
  t.strictSame(light && sizeOf(light), dark && sizeOf(dark))
  await page.emulateMedia({ colorScheme: 'light' })
  await check()

  for (const [button, role, name] of [
    ['Open a calendar', 'dialog', 'Calendar'],
    ['Open a dialog', 'dialog', 'Dialog'],
    ['Open a dialog with a form', 'dialog', 'Form'],
    ['Open a popup', 'dialog', 'Popup'],
    ['Open the list of keys', 'dialog', 'Keyboard shortcuts'],
    ['Open a menu', 'menu', 'Open a menu'],
  ] as const) {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByRole(role, { name, exact: true }).waitFor()
    await check()
    await page.keyboard.press('Escape')
  }
})

onBoard('the shipped page has no style guide', async (t, { url }) => {
  t.equal((await fetch(`${url}/styleguide`)).status, 404)
  const build = readdirSync(join(ROOT, 'dist')).filter((name) => /^[0-9a-f]{16}$/.test(name))
  for (const name of build) {
    const files = readdirSync(join(ROOT, 'dist', name, 'web/assets'))
    t.notOk(
      files.some((file) => /styleguide/.test(file)),
      name,
    )
  }
})
