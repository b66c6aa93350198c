/** New cards with a person, labels, a priority and a day in their text, and several cards from several lines. */
import type { Page } from 'playwright-core'
import { card, link, projectWith, titlesIn, untilSaid, untilSaved, untilShown } from './board-steps.ts'
import { type Board, onBoard } from './browser.ts'
import { debuggerOf } from './gestures.ts'
import { until } from './until.ts'

const fieldOf = (page: Page) => page.getByRole('textbox', { name: 'Card title' })
const tokensOf = (page: Page) => page.getByRole('list', { name: 'Recognised in the text' })

/** A project with a label, and somebody to assign. */
async function projectWithNames({ api }: Board) {
  const made = await projectWith(api, { 'To Do': ['Old'] })
  const maria = await api.post('/api/members', {
    body: { name: 'Maria Santos', email: 'maria@example.test', password: 'correct battery', role: 'member' },
  })
  const path = { id: made.id }
  const label = await api.post('/api/projects/{id}/kanban-labels', {
    path,
    body: { name: 'Design', color: 'teal' },
  })
  return { ...made, maria, label }
}

onBoard(
  'a person, labels, a priority and a day are typed with the title',
  async (t, board) => {
    const { api } = board
    const { id, path, maria, label } = await projectWithNames(board)
    const { page, go, check } = await board.person({ signIn: true })
    await go(path)
    await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
    const field = fieldOf(page)
    const options = page.locator('.add-card-form').getByRole('option')
    await page.keyboard.type('Call @mar')
    await page.getByRole('option', { name: 'Maria Santos' }).waitFor()
    await untilSaid(page, '1 suggestion.')
    t.equal(
      await field.evaluate(
        (one) => document.getElementById(one.getAttribute('aria-activedescendant') ?? '')?.textContent,
      ),
      'Maria Santos',
      'the field says which one is active',
    )
    await check()
    await page.keyboard.press('Escape')
    await options.waitFor({ state: 'detached' })
    t.equal(await field.count(), 1, 'Escape closes the list first')
    await page.keyboard.type('i')
    await options.first().waitFor()
    await page.keyboard.press('ArrowLeft')
    await options.first().waitFor({ state: 'detached' })
    await page.keyboard.press('End')
    await page.keyboard.type('a')
    await options.first().waitFor()
    await page.keyboard.press('Enter')
    t.equal(await field.inputValue(), 'Call @Maria Santos ')
    await tokensOf(page).getByText('Maria Santos').waitFor()
    await page.keyboard.type('#')
    await options.getByText('Design').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Tab')
    t.equal(await field.inputValue(), 'Call @Maria Santos #Design ')
    await page.keyboard.type('about #nothing !high due:2027-01-02')
    await tokensOf(page).getByText('2 January 2027').waitFor()
    await untilSaid(
      page,
      'Recognised: Assignee Maria Santos, Label Design, Priority High, Due 2 January 2027.',
    )
    t.equal(await tokensOf(page).getByRole('button').count(), 4)
    await check()
    await page.keyboard.press('Enter')
    await card(page, 'Call about #nothing')
      .getByText('Assigned to Maria Santos')
      .waitFor({ state: 'attached' })
    const saved = ['Old', 'Call about #nothing']
    t.strictSame(await untilSaved(api, id, 'To Do', saved), saved)
    const [, made] = await api.get('/api/projects/{id}/kanban-items', { path: { id } })
    t.match(made, {
      title: 'Call about #nothing',
      assigneeId: maria.id,
      priority: 'high',
      dueDate: '2027-01-02T00:00:00.000Z',
      labels: [{ id: label.id }],
    })

    // A token becomes text again: by Backspace right after it, or by its chip.
    await page.keyboard.type('Fix !high')
    await tokensOf(page).getByText('High').waitFor()
    await page.keyboard.press('Backspace')
    await tokensOf(page).waitFor({ state: 'detached' })
    t.equal(await field.inputValue(), 'Fix !high', 'nothing is deleted')
    await page.keyboard.press('Backspace')
    t.equal(await field.inputValue(), 'Fix !hig')
    await page.keyboard.type(' due:tomorrow')
    await page.getByRole('button', { name: /^Due .*: keep as text$/ }).focus()
    await page.keyboard.press('Enter')
    await tokensOf(page).waitFor({ state: 'detached' })
    t.ok(await field.evaluate((one) => one === document.activeElement))
    await page.keyboard.press('Enter')
    const all = ['Old', 'Call about #nothing', 'Fix !hig due:tomorrow']
    t.strictSame(await untilSaved(api, id, 'To Do', all), all)

    // One undo takes back the card with everything that came with it.
    await page.keyboard.press('Escape')
    await link(page, 'Old').focus()
    await page.keyboard.press('Control+z')
    t.strictSame(await untilSaved(api, id, 'To Do', all.slice(0, 2)), all.slice(0, 2))
    await page.keyboard.press('Control+z')
    t.strictSame(await untilSaved(api, id, 'To Do', ['Old']), ['Old'])
  },
  { mode: 'required' },
)

onBoard('several lines become several cards, in one write', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Old'] })
  const { page, go } = await person()
  await go(path)
  await page.getByRole('button', { name: 'Add a card at the top of To Do' }).press('Enter')
  const field = fieldOf(page)
  const written: string[] = []
  page.on(
    'request',
    (request) => request.method() === 'POST' && written.push(new URL(request.url()).pathname),
  )
  const low = (await field.boundingBox())?.height ?? 0
  await page.keyboard.insertText('One !low\n\nTwo\nThree')
  await page.getByRole('button', { name: 'Create 3 cards' }).waitFor()
  t.ok(((await field.boundingBox())?.height ?? 0) > low, 'the field grows')
  await page.keyboard.press('Enter')
  const all = ['One', 'Two', 'Three', 'Old']
  t.strictSame(await untilShown(page, 'To Do', all), all)
  t.strictSame(await untilSaved(api, id, 'To Do', all), all)
  t.strictSame(written, ['/api/batch'])
  await page.locator('.toast').getByText('3 cards added.').waitFor()
  t.strictSame(await titlesIn(page, 'To Do'), all, 'each once')
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).press('Enter')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Old']), ['Old'])

  await field.focus()
  await page.keyboard.insertText('Four\nFive')
  await page.getByRole('button', { name: 'Add as one card' }).press('Enter')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Four Five', 'Old']), ['Four Five', 'Old'])

  await field.focus()
  const many = Array.from({ length: 201 }, (_, at) => `Card ${at}`).join('\n')
  await page.keyboard.insertText(many)
  await page
    .getByRole('alert')
    .getByText('At most 200 cards and labels can be added at once; these are 201.')
    .waitFor()
  await page.keyboard.press('Enter')
  t.equal(await field.inputValue(), many, 'nothing is sent, and nothing is lost')
  await field.fill(many.slice(0, many.lastIndexOf('\n')))
  await page.getByRole('button', { name: 'Create 200 cards' }).press('Enter')
  await page.locator('.toast').getByText('200 cards added.').waitFor()
  await field.fill('x'.repeat(501))
  await page.getByRole('alert').getByText('A title has at most 500 characters.').waitFor()
  await field.fill('')
  t.equal((await api.get('/api/projects/{id}/kanban-items', { path: { id } })).length, 202)
})

onBoard('an unknown label is created with its card', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Old'] })
  await api.post('/api/projects/{id}/kanban-labels', { path: { id }, body: { name: 'Design' } })
  const { page, context, go, check, problems } = await person()
  problems.expect(/ERR_INTERNET_DISCONNECTED/)
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
  const options = page.locator('.add-card-form').getByRole('option')
  const labels = () => api.get('/api/projects/{id}/kanban-labels', { path: { id } })
  await page.keyboard.type('Fix #12')
  t.equal(await options.count(), 0, 'not for a number')
  await page.keyboard.type(' #bug')
  await options.getByText('Create label “bug”').waitFor()
  await check()
  t.equal((await labels()).length, 1, 'not before the card')
  // The key adds the card at once, and what is typed next is another one.
  await page.keyboard.press('Enter')
  t.equal(await fieldOf(page).inputValue(), '')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Old', 'Fix #12']), ['Old', 'Fix #12'])
  await card(page, 'Fix #12').getByText('bug').waitFor()
  const [design, bug] = (await labels()).toSorted((a, b) => (a.name === 'Design' ? -1 : b ? 1 : 0))
  t.equal(bug?.name, 'bug')
  t.not(bug?.color, design?.color, 'in a colour that no other has')

  t.comment('two cards with the same new label, before the first is answered')
  await context.setOffline(true)
  for (const title of ['One', 'Two']) {
    await page.keyboard.type(`${title} #ask`)
    if (title === 'One') await options.getByText('Create label “ask”').waitFor()
    else await tokensOf(page).getByText('ask').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('listitem').filter({ hasText: title }).getByText('ask').waitFor()
  }
  await context.setOffline(false)
  const all = ['Old', 'Fix #12', 'One', 'Two']
  t.strictSame(await untilSaved(api, id, 'To Do', all), all)
  const items = await api.get('/api/projects/{id}/kanban-items', { path: { id } })
  t.strictSame(
    items.map((item) => item.labels.map(({ name }) => name)),
    [[], ['bug'], ['ask'], ['ask']],
  )
  t.equal((await labels()).length, 3)

  t.comment('one undo takes back a card with its label')
  await page.keyboard.press('Escape')
  await link(page, 'Old').focus()
  await page.keyboard.press('Control+z')
  t.strictSame(await untilSaved(api, id, 'To Do', all.slice(0, 3)), all.slice(0, 3))
  await page.keyboard.press('Control+z')
  t.strictSame(await untilSaved(api, id, 'To Do', all.slice(0, 2)), all.slice(0, 2))
  t.equal((await labels()).length, 2)

  t.comment('a label that was undone is created again')
  await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
  await page.keyboard.type('Three #new')
  await options.getByText('Create label “new”').waitFor()
  await page.keyboard.press('Tab')
  await tokensOf(page).getByText('new').waitFor()
  await page.keyboard.press('Enter')
  const three = [...all.slice(0, 2), 'Three']
  t.strictSame(await untilSaved(api, id, 'To Do', three), three)
  await link(page, 'Old').focus()
  await page.keyboard.press('Control+z')
  t.strictSame(await untilSaved(api, id, 'To Do', all.slice(0, 2)), all.slice(0, 2))
  await card(page, 'Three').waitFor({ state: 'detached' })
  await fieldOf(page).focus()
  await page.keyboard.type('Four #new ')
  await tokensOf(page).getByText('new').waitFor()
  await page.keyboard.press('Enter')
  await card(page, 'Four').getByText('new').waitFor()
  t.equal((await labels()).length, 3)
})

onBoard('the text of refused cards stays in the field', async (t, { api, person }) => {
  const { id, path } = await projectWith(api, { 'To Do': ['Old', 'Older'] })
  const columns = await api.get('/api/projects/{id}/kanban-columns', { path: { id } })
  const toDo = columns.find(({ name }) => name === 'To Do')?.id ?? ''
  await api.patch('/api/kanban-columns/{id}', {
    path: { id: toDo },
    body: { wipLimit: 3, wipPolicy: 'block' },
  })
  const { page, context, go, problems } = await person()
  problems.expect(/ERR_INTERNET_DISCONNECTED|409/)
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
  await context.setOffline(true)
  for (const title of ['A', 'B', 'C']) {
    await page.keyboard.type(title)
    await page.keyboard.press('Enter')
  }
  await page.keyboard.type('typed meanwhile')
  await page.keyboard.press('ArrowLeft')
  await context.setOffline(false)
  const left = 'typed meanwhile\nB\nC'
  t.equal(
    await until(
      () => fieldOf(page).inputValue(),
      (text) => text === left,
    ),
    left,
    'in their order',
  )
  await page.keyboard.type('!')
  t.equal(await fieldOf(page).inputValue(), 'typed meanwhil!e\nB\nC', 'the caret stays')
  t.strictSame(await untilSaved(api, id, 'To Do', ['Old', 'Older', 'A']), ['Old', 'Older', 'A'])
})

onBoard(
  'Enter takes no suggestion of an earlier text',
  async (t, board) => {
    const { id, path } = await projectWithNames(board)
    const { page, go } = await board.person({ signIn: true })
    await go(path)
    await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
    await page.keyboard.type('Call @mar')
    await page.getByRole('option', { name: 'Maria Santos' }).waitFor()
    await page.route('**/api/people?*', () => {})
    await page.keyboard.type('k')
    await page.getByRole('option', { name: 'Maria Santos' }).waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    const saved = ['Old', 'Call @mark']
    t.strictSame(await untilSaved(board.api, id, 'To Do', saved), saved)
  },
  { mode: 'required' },
)

onBoard(
  'suggestions and tokens are used by touch',
  async (t, board) => {
    const { id, path, maria } = await projectWithNames(board)
    const { page, go, check } = await board.person({
      signIn: true,
      viewport: { width: 390, height: 760 },
      hasTouch: true,
      isMobile: true,
    })
    await go(path)
    await page.getByRole('button', { name: 'Add a card to To Do' }).tap()
    const field = fieldOf(page)
    await page.keyboard.type('Call @')
    const option = page.getByRole('option', { name: 'Maria Santos' })
    await option.waitFor()
    t.ok(((await option.boundingBox())?.height ?? 0) >= 44)
    await option.tap()
    t.equal(await field.inputValue(), 'Call @Maria Santos ')
    t.ok(await field.evaluate((one) => one === document.activeElement), 'the keyboard stays open')
    await page.keyboard.type('!high')
    const chip = page.getByRole('button', { name: 'Priority High: keep as text' })
    await chip.waitFor()
    t.ok(((await chip.boundingBox())?.height ?? 0) >= 44)
    await check()
    await chip.tap()
    await chip.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add', exact: true }).tap()
    const saved = ['Old', 'Call !high']
    t.strictSame(await untilSaved(board.api, id, 'To Do', saved), saved)
    const [, made] = await board.api.get('/api/projects/{id}/kanban-items', { path: { id } })
    t.match(made, { title: 'Call !high', priority: 'medium', assigneeId: maria.id })
  },
  { mode: 'required' },
)

/** Presses a key that an input method takes. */
async function pressComposing(page: Page, key: string): Promise<void> {
  const session = await debuggerOf(page)
  const pressed = { key, code: key, windowsVirtualKeyCode: 229 }
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...pressed })
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...pressed })
}

onBoard('the keys of an input method are not the keys of the page', async (t, board) => {
  const { api, person } = board
  const { path, cards } = await projectWith(api, { 'To Do': ['Old'] })
  const { page, go } = await person()
  /** Writes a text that is not complete yet, as input methods do, and closes and takes suggestions. */
  const compose = async (text: string) => {
    const session = await debuggerOf(page)
    const range = { selectionStart: text.length, selectionEnd: text.length }
    await session.send('Input.imeSetComposition', { text, ...range })
    for (const key of ['ArrowDown', 'Escape', 'Enter']) await pressComposing(page, key)
  }
  await go(path)
  await page.getByRole('button', { name: 'Add a card to To Do' }).press('Enter')
  await compose('にほん')
  t.equal(await fieldOf(page).inputValue(), 'にほん', 'the field is open, and nothing was added')
  await page.keyboard.insertText('日本')
  await page.keyboard.press('Enter')
  t.strictSame(await untilShown(page, 'To Do', ['Old', '日本']), ['Old', '日本'])

  const item = cards.get('Old') ?? ''
  await go(`${path}/items/${item}`)
  await page.getByRole('combobox', { name: 'Assignee' }).click()
  const local = page.getByRole('option', { name: 'local' })
  await local.waitFor()
  await compose('local')
  t.ok(await local.isVisible(), 'the list is open')
  const { assigneeId } = await api.get('/api/kanban-items/{id}', { path: { id: item } })
  t.equal(assigneeId, null, 'nobody is chosen')
})
