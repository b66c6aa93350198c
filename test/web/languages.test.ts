/** The languages of the page: which one a reader gets, that each is whole, and that no text is anywhere else. */
import { globSync } from 'node:fs'
import t from 'tap'
import { LANGUAGES as MAIL_LANGUAGES } from '../../src/schemas/records.ts'
import { LANGUAGES, languageFor, localeFor } from '../../web/common/language.ts'
import { germanTexts } from '../../web/texts.de.ts'
import { textsOf } from '../../web/texts.ts'
import { card, column, projectWith, untilShown } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { textsIn, textsOutside } from './sources.ts'

t.test("a reader gets the chosen language, else the first of the browser's", async (t) => {
  t.equal(languageFor('', ['de-AT', 'en']), 'de')
  t.equal(languageFor('', ['fr', 'DE', 'en']), 'de')
  t.equal(languageFor('', ['fr']), 'en')
  t.equal(languageFor('', []), 'en')
  t.equal(languageFor('en', ['de']), 'en', 'the choice comes first')
  t.equal(languageFor('constructor', ['de']), 'de', 'what is no language is none')
  t.equal(localeFor('de', '', ['fr', 'de-AT']), 'de-AT')
  t.equal(localeFor('en', '', ['fr-CH']), 'fr-CH', 'dates as the reader knows them')
  t.equal(localeFor('de', 'de', ['en-GB']), 'de')
})

t.test('each language has each text, with the same values', async (t) => {
  const english = new Map([
    ...textsIn('web/texts.ts'),
    ...textsIn('web/later-texts.ts', 'attention'),
    ...textsIn('web/later-import-texts.ts', 'imports'),
    ...textsIn('web/later-audit-texts.ts', 'auditActions'),
  ])
  t.ok(english.size > 800, `${english.size} texts`)
  const languages = globSync('web/texts.*.ts')
  t.equal(languages.length, Object.keys(LANGUAGES).length - 1)
  t.strictSame(Object.keys(LANGUAGES), MAIL_LANGUAGES, 'mails have the same')
  for (const path of languages) {
    const others = textsIn(path)
    const wrong = [...new Set([...english.keys(), ...others.keys()])].filter(
      (name) => english.get(name) !== others.get(name),
    )
    t.strictSame(
      wrong.map((name) => `${name}: ${english.get(name)} / ${others.get(name)}`),
      [],
      path,
    )
  }
})

t.test('German forms', async (t) => {
  const german = germanTexts(textsOf.helpers)
  t.equal(german.cards(1), '1 Karte')
  t.equal(german.cards(0), '0 Karten')
  t.equal(german.flow.ageWithoutComparison('1').slice(0, 12), '**1** Karte ')
  t.match(german.flow.age('1', '3'), /von 3 begonnenen Karten ist älter/)
  t.match(german.flow.age('0', '1'), /von 1 begonnenen Karte sind älter/)
  t.equal(german.item.dismissed('a'.repeat(100)), `„${'a'.repeat(59)}…“ archiviert.`)
})

t.test('no component contains a text', async (t) => {
  const [guide, page] = [/^web\/styleguide\//, /./].map((pattern) =>
    globSync('web/**/*.tsx').filter((path) => pattern.test(path)),
  )
  const own = page?.filter((path) => !guide?.includes(path)) ?? []
  t.ok(own.length > 80)
  t.strictSame(textsOutside(own), [])
  t.ok(textsOutside(guide ?? []).length > 20, 'those of the style guide, which is for development, are found')
})

onBoard('the page in German', async (t, { url, api, person }) => {
  const made = await projectWith(api, { 'To Do': ['Eins', 'Zwei'], Done: ['Alt'] })
  await api.patch('/api/kanban-items/{id}', {
    path: { id: made.cards.get('Eins') ?? '' },
    body: { dueDate: '2030-03-05', priority: 'high' },
  })
  const { page, go, check } = await person({ locale: 'de-AT' })
  await go(made.path)
  await card(page, 'Eins').waitFor()
  const root = () => page.evaluate(() => [document.documentElement.lang, document.documentElement.dir])
  t.strictSame(await root(), ['de', 'ltr'])
  t.match(await column(page, 'To Do').innerText(), /2 Karten/)
  t.match(await card(page, 'Eins').innerText(), /Fällig am 5\. März 2030/)
  await page.getByRole('button', { name: 'Aktionen für Zwei' }).click()
  await page.getByRole('menuitem', { name: 'Archivieren' }).click()
  await page.getByText('„Zwei“ archiviert.').waitFor()
  t.strictSame(await untilShown(page, 'To Do', ['Eins']), ['Eins'])
  await check()

  t.comment("the service's words are translated, and people's are not")
  const shows = async (path: string, ...all: string[]) => {
    await go(path)
    for (const text of all) await page.getByText(text).first().waitFor({ state: 'attached' })
  }
  await shows('/', 'Vorrat', 'Im Plan', 'Erkundung 1/5')
  await shows(`${made.path}/overview`, 'Erkundung', 'Weiter zu Entwurf')
  await shows(`${made.path}/flow`, 'Kritisch')
  await shows(
    `${made.path}/items/${made.cards.get('Eins')}`,
    'hat die Priorität von Mittel auf Hoch geändert',
  )
  const phaseConfig = [{ name: 'Discovery' }, { name: 'Ours' }]
  await api.patch('/api/projects/{id}', { path: { id: made.id }, body: { phaseConfig } })
  await shows(`${made.path}/overview`, 'Discovery', 'Weiter zu Ours')

  t.comment('on a phone, the names of pages are whole')
  const phone = await person({
    locale: 'de-AT',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await phone.go(made.path)
  await phone.page.getByRole('navigation', { name: 'Seiten des Projekts' }).waitFor()
  const cut = await phone.page
    .locator('.site nav span, .project-tabs')
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent),
    )
  t.strictSame(cut, [])

  t.comment('nothing overflows, in both directions')
  const project = made.path
  const pages = [
    '/',
    project,
    `${project}/overview`,
    `${project}/flow`,
    '/mine',
    '/ideas',
    '/account',
    '/search',
  ]
  for (const path of pages) {
    await go(path)
    await page.getByRole('heading', { level: 1 }).waitFor({ state: 'attached' })
    await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
    await check()
    for (const dir of ['ltr', 'rtl']) {
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 720 })
        const tooWide = await page.evaluate((direction) => {
          document.documentElement.dir = direction
          const { scrollWidth, clientWidth } = document.documentElement
          return scrollWidth - clientWidth
        }, dir)
        t.equal(tooWide, 0, `${path}: ${dir}, ${width} px`)
      }
    }
    await page.setViewportSize({ width: 1280, height: 720 })
  }

  t.comment('another language is chosen, and the choice stays')
  const loaded: string[] = []
  page.on('request', (request) => loaded.push(request.url()))
  await page.getByRole('button', { name: /^Menü von / }).click()
  await page.getByRole('menuitem', { name: 'Darstellung …' }).click()
  await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
  t.strictSame(await root(), ['en', 'ltr'])
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
  t.notOk(
    loaded.some((one) => /texts\.de/.test(one)),
    'who reads English loads no German',
  )
  t.ok((await fetch(url)).ok)
})
