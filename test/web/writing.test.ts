/** Writing: texts edited by a click, Markdown with its tools and preview, and tasks ticked where they are read. */
import type { Page } from 'playwright-core'
import { column } from './board-steps.ts'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { lookUntil } from './until.ts'

const fieldOf = (page: Page) => partOf(page, 'Description').getByRole('textbox', { name: 'Description' })
const toolsOf = (page: Page) => partOf(page, 'Description').getByRole('toolbar', { name: 'Formatting' })
const previewOf = (page: Page) => partOf(page, 'Description').getByRole('region', { name: 'Preview' })

onBoard('texts are edited by a click, but not where the click means something else', async (t, board) => {
  const description = `Read [the page](${board.url}/ideas) first.\n\nThen write.`
  const place = await makeCard(board, { title: 'Pages', description })
  const { page, go } = await board.person()
  await go(place.path)
  const part = partOf(page, 'Description')
  await part.getByText('Then write.').click()
  t.equal(await fieldOf(page).inputValue(), description)
  await page.keyboard.type('!')
  await page.keyboard.press('Escape')
  await part.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await fieldOf(page).inputValue(), `${description}!`, 'the draft is kept')
  await page.keyboard.press('Escape')
  await part.getByRole('button', { name: 'Discard' }).click()

  const [opened] = await Promise.all([
    page.context().waitForEvent('page'),
    part.getByRole('link', { name: 'the page' }).click(),
  ])
  await opened.close()
  t.equal(await fieldOf(page).count(), 0, 'a link is followed')
  const box = await part.getByText('Then write.').boundingBox()
  if (box === null) throw new Error('the text is not shown')
  await page.mouse.move(box.x + 1, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + 60, box.y + box.height / 2, { steps: 4 })
  await page.mouse.up()
  t.not(await page.evaluate(() => getSelection()?.toString()), '')
  t.equal(await fieldOf(page).count(), 0, 'text can be selected')

  await dialogOf(page).getByRole('heading', { level: 2 }).click()
  const title = dialogOf(page).getByRole('textbox', { name: 'Title' })
  t.equal(await title.inputValue(), 'Pages')
  await title.fill('All pages')
  await title.press('Enter')
  await dialogOf(page, 'All pages').waitFor()
  await page.keyboard.press('Escape')

  await column(page, 'Review').getByRole('heading', { level: 2 }).click()
  await page.getByRole('textbox', { name: 'Column name' }).fill('Check')
  await page.keyboard.press('Enter')
  await column(page, 'Check').waitFor()
})

onBoard('Markdown is written with tools, by keyboard only', async (t, board) => {
  const place = await makeCard(board, { title: 'Pages' })
  const { page, go, check } = await board.person()
  await go(place.path)
  await partOf(page, 'Description').getByRole('button', { name: 'Add a description' }).press('Enter')
  const field = fieldOf(page)
  const value = () => field.inputValue()
  await page.keyboard.type('Be ')
  await page.keyboard.press('Control+b')
  await page.keyboard.type('bold')
  t.equal(await value(), 'Be **bold**')
  await page.keyboard.press('End')
  await page.keyboard.type('.')
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+i')
  t.equal(await value(), '*Be **bold**.*')
  await page.keyboard.press('Control+z')
  t.equal(await value(), 'Be **bold**.', "the browser's own undo takes a format back")
  // The browser decides how much typing is one step.
  const pressUntil = async (keys: string, text: string) => {
    for (let press = 0; press < 12 && (await value()) !== text; press++) await page.keyboard.press(keys)
  }
  await pressUntil('Control+z', 'Be ')
  t.equal(await value(), 'Be ', 'and what was typed before')
  await pressUntil('Control+Shift+z', 'Be **bold**.')
  t.equal(await value(), 'Be **bold**.', 'and back')

  await page.keyboard.press('End')
  await page.keyboard.type('\n\n- [x] one\ntwo\n')
  await page.keyboard.press('Backspace')
  t.equal(await value(), 'Be **bold**.\n\n- [x] one\n- [ ] two\n- [ ]')
  await page.keyboard.type(' three')
  await page.keyboard.press('Tab')
  t.match(await value(), /\n {4}- \[ \] three$/)
  await page.keyboard.press('Shift+Tab')
  t.match(await value(), /\n- \[ \] three$/)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('End')
  t.match(await value(), /three\nEnd$/, 'an empty item ends the list')
  await previewOf(page).getByText('bold').waitFor()
  t.equal(await previewOf(page).locator('strong').innerText(), 'bold', 'the preview is beside the field')
  const [left, right] = await Promise.all([field.boundingBox(), previewOf(page).boundingBox()])
  t.ok((left?.x ?? 0) + (left?.width ?? 0) <= (right?.x ?? 0))

  // The toolbar is one stop of Tab, and arrows move in it.
  await page.keyboard.press('Shift+Tab')
  await toolsOf(page).getByRole('button', { name: 'Bold' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await toolsOf(page).getByRole('button', { name: 'Code' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('x')
  t.match(await value(), /End`x`$/, 'the focus is in the field again')
  await check()
  await page.keyboard.press('Control+Enter')
  await partOf(page, 'Description').getByRole('checkbox', { name: 'one' }).waitFor()
  const wanted = 'Be **bold**.\n\n- [x] one\n- [ ] two\n- [ ] three\nEnd`x`'
  const saved = async () =>
    (await board.api.get('/api/kanban-items/{id}', { path: { id: place.item.id } })).description
  t.equal(await lookUntil(saved, (found) => found === wanted), wanted)
})

onBoard('on a phone the preview takes the place of the field', async (t, board) => {
  const place = await makeCard(board, { title: 'Pages', description: '- [ ] *one*' })
  const { page, go, check } = await board.person({
    viewport: { width: 390, height: 760 },
    hasTouch: true,
    isMobile: true,
  })
  await go(place.path)
  const task = partOf(page, 'Description').getByRole('checkbox', { name: 'one' })
  await task.waitFor()
  const label = await task.locator('..').boundingBox()
  t.ok((label?.height ?? 0) >= 44 && (label?.width ?? 0) >= 44, 'a task is large enough for a finger')
  await partOf(page, 'Description').getByText('one').tap()
  const heights = await toolsOf(page)
    .getByRole('button')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height))
  t.ok(heights.length === 8 && heights.every((height) => height >= 44), `${heights}`)
  await fieldOf(page).press('Control+End')
  await toolsOf(page).getByRole('button', { name: 'Quote' }).tap()
  t.equal(await fieldOf(page).inputValue(), '> - [ ] *one*')
  t.ok(await fieldOf(page).evaluate((field) => field === document.activeElement), 'the keyboard stays open')
  t.notOk(await previewOf(page).isVisible())
  const toggle = toolsOf(page).getByRole('button', { name: 'Preview' })
  await toggle.tap()
  t.equal(await previewOf(page).locator('blockquote em').innerText(), 'one')
  t.notOk(await fieldOf(page).isVisible())
  await check()
  await toggle.tap()
  await fieldOf(page).and(page.locator(':focus')).waitFor()
})

onBoard('tasks are ticked where they are read', async (t, board) => {
  const description = '```\n- [ ] code\n```\n\n- [ ] one\n- [ ] two\n- [x] three'
  const place = await makeCard(board, { title: 'Pages', description })
  const { page, go, check } = await board.person()
  await go(place.path)
  const part = partOf(page, 'Description')
  const task = (name: string) => part.getByRole('checkbox', { name })
  const saved = async () =>
    (await board.api.get('/api/kanban-items/{id}', { path: { id: place.item.id } })).description
  const until = (text: string) => lookUntil(saved, (found) => found === text)
  const tags: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') tags.push(request.headers()['if-match'])
  })
  await task('one').waitFor()
  // Several clicks at once, faster than any answer.
  await part.getByRole('checkbox').evaluateAll((boxes) => {
    for (const box of boxes) (box as HTMLInputElement).click()
  })
  const all = '```\n- [ ] code\n```\n\n- [x] one\n- [x] two\n- [ ] three'
  t.equal(await until(all), all)
  t.equal(tags.length, 3)
  t.ok(
    tags.every((tag) => tag !== undefined),
    'each with If-Match',
  )
  t.equal(await page.locator('.toast').count(), 0, 'without a toast')
  t.equal(await fieldOf(page).count(), 0)
  await task('two').focus()
  await page.keyboard.press('Space')
  const back = all.replace('[x] two', '[ ] two')
  t.equal(await until(back), back)
  await task('two').and(page.locator(':focus')).waitFor()
  await check()
  await page.keyboard.press('Control+z')
  t.equal(await until(all), all, 'Ctrl+Z takes it back')
  await page.waitForFunction(() => document.querySelectorAll('.markdown-task :checked').length === 2)

  // Somebody else changes the description while the page does not hear of it.
  await page.getByText('Live', { exact: true }).waitFor()
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })))
  const theirs = `Theirs\n\n${all}`
  await board.api.patch('/api/kanban-items/{id}', {
    path: { id: place.item.id },
    body: { description: theirs },
  })
  await task('three').click()
  await part.getByText('changed the description while you were editing.').waitFor()
  t.equal(await saved(), theirs, 'which is not overwritten')
  await part.getByRole('button', { name: 'Take theirs' }).click()
  await part.getByText('Theirs').waitFor()
  t.notOk(await task('three').isChecked())
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))

  // Comments have tasks, too, and a hint at the key that sends them.
  const comments = partOf(page, 'Comments')
  await comments.getByRole('textbox', { name: 'New comment' }).focus()
  await page.keyboard.type('- [ ] first\nsecond')
  await comments.getByText('Ctrl+Enter sends.').waitFor()
  await page.keyboard.press('Control+Enter')
  await comments.getByRole('checkbox', { name: 'second' }).check()
  const contents = async () =>
    (await board.api.get('/api/kanban-items/{id}/comments', { path: { id: place.item.id } })).map(
      ({ content }) => content,
    )
  const wanted = '- [ ] first\n- [x] second'
  t.strictSame(await lookUntil(contents, ([one]) => one === wanted), [wanted])

  // While a draft waits, a tick would come between.
  await part.getByText('Theirs').click()
  await page.keyboard.type('x')
  await page.keyboard.press('Escape')
  await part.getByText('Unsaved changes from').waitFor()
  t.equal(await part.getByRole('checkbox').count(), 0)
})
