/** How the board looks: colours of people and priorities, cards, motion, skeletons, and the choice of colours. */
import t from 'tap'
import { initials } from '../../web/common/titles.ts'
import { hueOf } from '../../web/common/ui/hue.ts'
import { card, link, projectWith, untilFocused } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { contrasts } from './contrast.ts'

t.test('a hue follows from an id, and ids are spread over all hues', async (t) => {
  const ids = Array.from(
    { length: 1000 },
    (_, index) => `019f0000-0000-7000-8000-${String(index).padStart(12, '0')}`,
  )
  const hues = ids.map(hueOf)
  t.strictSame(ids.map(hueOf), hues)
  t.ok(hues.every((hue) => Number.isInteger(hue) && hue >= 0 && hue < 360))
  const counts = Map.groupBy(hues, (hue) => hue)
  t.equal(counts.size, 24)
  t.ok(Math.max(...[...counts.values()].map(({ length }) => length)) < 100, 'none is much more frequent')
  t.equal(initials('Amara Osei'), 'AO')
  t.equal(initials('ada@example.test'), 'AE')
  t.equal(initials('😀 smile'), '😀S')
})

onBoard('colours, icons and labels of cards', async (t, { api, person }) => {
  const { id, path, cards } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three', 'Four'] })
  const priorities = { One: 'low', Two: 'high', Three: 'critical' }
  for (const [title, priority] of Object.entries(priorities)) {
    await api.patch('/api/kanban-items/{id}', {
      path: { id: cards.get(title) ?? '' },
      body: { priority, assigneeId: 'local', description: title === 'One' ? 'A text' : '' },
    })
  }
  for (const name of ['A', 'B', 'C', 'D', 'E']) {
    const label = await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name } })
    const of = { id: cards.get('One') ?? '', labelId: label.id }
    await api.put('/api/kanban-items/{id}/labels/{labelId}', { path: of })
  }
  const { page, go } = await person()
  await go(path)
  await card(page, 'One').waitFor()

  t.comment('people')
  const hues = Array.from({ length: 360 }, (_, hue) => hue)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const least = Math.min(...(await contrasts(page, 'avatar', hues)))
    t.ok(least >= 4.5, `letters of every hue have a contrast of ${least.toFixed(1)} (${colorScheme})`)
    const [shown, muted] = await page.evaluate(() => {
      const field = document.createElement('input')
      field.placeholder = 'Title'
      const text = document.createElement('span')
      text.className = 'muted'
      document.body.append(field, text)
      const colors = [getComputedStyle(field, '::placeholder').color, getComputedStyle(text).color]
      field.remove()
      text.remove()
      return colors
    })
    t.equal(shown, muted, `placeholders have a colour whose contrast is tested (${colorScheme})`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  const avatars = page.locator('.card .avatar')
  const colors = await avatars.evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))
  t.equal(new Set(colors).size, 1, 'a person looks the same everywhere')

  t.comment('priorities differ in form and colour')
  const shapes = await page.locator('.card .priority').evaluateAll((all) =>
    all.map((one) => ({
      path: one.querySelector('path')?.getAttribute('d'),
      color: getComputedStyle(one).color,
    })),
  )
  t.equal(new Set(shapes.map(({ path }) => path)).size, 3)
  t.equal(new Set(shapes.map(({ color }) => color)).size, 3)

  t.comment('three labels, and how many more')
  const labels = card(page, 'One').getByRole('list', { name: 'Labels' })
  t.strictSame((await labels.getByRole('listitem').allInnerTexts()).slice(0, 3), ['A', 'B', 'C'])
  await labels.getByText('+2', { exact: true }).waitFor()
  t.match(await labels.innerText(), /D, E/, 'screen readers get their names')

  t.comment('what else the record tells')
  await card(page, 'One').getByText('Has a description').waitFor({ state: 'attached' })
  t.equal(await card(page, 'Two').getByText('Has a description').count(), 0)
  const border = () =>
    page
      .locator('.card')
      .nth(3)
      .evaluate((one) => getComputedStyle(one).borderColor)
  const still = await border()
  await card(page, 'Four').hover()
  t.not(await border(), still, 'a card answers the pointer')
})

onBoard('cards move in 120 milliseconds, and not at all under reduced motion', async (t, { api, person }) => {
  const { path } = await projectWith(api, { 'To Do': ['One', 'Two', 'Three'] })
  for (const [reducedMotion, expected] of [
    ['no-preference', [120]],
    ['reduce', []],
  ] as const) {
    const { page, go, context } = await person({ reducedMotion })
    await page.addInitScript(() => {
      const times: unknown[] = []
      const { animate } = Element.prototype
      Element.prototype.animate = function (frames, options) {
        times.push(typeof options === 'number' ? options : options?.duration)
        return animate.call(this, frames, options)
      }
      Object.assign(window, { times })
    })
    await go(path)
    await card(page, 'Three').waitFor()
    const times = () => page.evaluate(() => (window as unknown as { times: number[] }).times)
    t.strictSame(await times(), [], 'nothing moves at first')
    await link(page, 'Three').focus()
    await page.getByRole('button', { name: 'Actions for Three' }).click()
    await page.getByRole('menuitem', { name: 'Move to top' }).click()
    await untilFocused(page, 'Three')
    await page.getByText('“Three” moved within To Do.').waitFor()
    t.strictSame([...new Set(await times())], expected, reducedMotion)
    await page.keyboard.press('Control+z')
    await page.getByText('Undone.').waitFor()
    await context.close()
  }
})

onBoard('while it loads, a board has the shape of a board', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['One'] })
  const { page, go, check } = await person()
  const isSeen = Promise.withResolvers<void>()
  await page.route(`**/api/projects/${id}`, async (route) => {
    await isSeen.promise
    await route.continue()
  })
  await go(path)
  await page.locator('.skeleton-columns').waitFor()
  t.equal(await page.locator('.skeleton-columns > .column').count(), 4)
  await check()
  isSeen.resolve()
  await card(page, 'One').waitFor()
  t.equal(await page.locator('.skeleton-columns').count(), 0)
})

onBoard('the colours are chosen, and the choice stays', async (t, { person }) => {
  const { page, go, check } = await person({ colorScheme: 'dark' })
  await go('/')
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  const dark = await ground()
  const choose = async (name: string) => {
    await page.getByRole('button', { name: /^Menu of / }).click()
    await page.getByRole('menuitem', { name: 'Appearance…' }).click()
    await page.getByRole('radio', { name }).check()
    await check()
    await page.keyboard.press('Escape')
  }
  await choose('Light')
  const light = await ground()
  t.not(light, dark)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  t.equal(await ground(), light)
  await choose('System')
  t.equal(await ground(), dark)
})
