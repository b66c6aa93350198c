/** No typed text is lost: concurrent edits, and drafts over a reload and a killed service. */
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { onBoard } from './browser.ts'
import { dialogOf, makeCard, partOf } from './card-steps.ts'
import { until } from './until.ts'

const titleField = (page: Page) => page.getByRole('textbox', { name: 'Title', exact: true })

/** Opens a card, and starts editing its title. */
async function editTitle(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Edit the title' }).click()
  await titleField(page).fill(title)
}

onBoard('two windows edit one card', async (t: Test, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'Rewrite all pages' })
  const now = () => api.get('/api/kanban-items/{id}', { path: { id: item.id } })
  const people = await Promise.all([person(), person()])
  await Promise.all(people.map(({ go }) => go(path)))
  const [maria, ben] = [people[0].page, people[1].page]
  await Promise.all([dialogOf(maria).waitFor(), dialogOf(ben).waitFor()])

  // Another field: both are saved without a question.
  await editTitle(maria, 'Rewrite some pages')
  await dialogOf(ben).getByRole('combobox', { name: 'Priority' }).selectOption('High')
  await until(now, ({ priority }) => priority === 'high')
  await until(
    () => dialogOf(maria).getByRole('combobox', { name: 'Priority' }).inputValue(),
    (value) => value === 'high',
  )
  t.equal(await titleField(maria).inputValue(), 'Rewrite some pages', 'what others do leaves the field alone')
  await titleField(maria).press('Enter')
  await dialogOf(ben, 'Rewrite some pages').waitFor()

  // The same field: the second user is asked.
  await editTitle(maria, 'Rewrite most pages')
  await editTitle(ben, 'Write all pages')
  await titleField(ben).press('Enter')
  await until(now, ({ title }) => title === 'Write all pages')
  await titleField(maria).press('Enter')
  const alert = maria.getByRole('alert')
  await alert.getByText('local changed the title while you were editing.').waitFor()
  const theirs = maria.getByRole('region', { name: 'Theirs' })
  const yours = maria.getByRole('region', { name: 'Yours' })
  t.match(await theirs.textContent(), 'Write all pages')
  t.match(await yours.textContent(), 'Rewrite most pages')
  t.strictSame(await theirs.locator('mark').allTextContents(), ['Write', 'all'], 'what differs is marked')
  t.equal((await now()).title, 'Write all pages', 'nothing is overwritten meanwhile')
  await maria.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await titleField(maria).inputValue(), 'Rewrite most pages')
  await titleField(maria).press('Enter')
  await dialogOf(ben, 'Rewrite most pages').waitFor()

  // The same with the description, and the other two choices.
  const description = (page: Page) => page.getByRole('textbox', { name: 'Description' })
  const race = async (mine: string, other: string) => {
    await maria.getByRole('button', { name: /^(Edit the|Add a) description/ }).click()
    await description(maria).fill(mine)
    await api.patch('/api/kanban-items/{id}', { path: { id: item.id }, body: { description: other } })
    await description(maria).press('Control+Enter')
    await alert.getByText('local changed the description').waitFor()
  }
  await race('mine', 'theirs')
  await maria.getByRole('button', { name: 'Keep mine' }).click()
  await until(now, (card) => card.description === 'mine')
  await race('mine again', 'theirs again')
  await maria.getByRole('button', { name: 'Take theirs' }).click()
  await partOf(maria, 'Description').getByText('theirs again').waitFor()
  t.equal((await now()).description, 'theirs again')

  // Two changes apart from each other.
  await api.patch('/api/kanban-items/{id}', { path: { id: item.id }, body: { description: 'one two three' } })
  await partOf(maria, 'Description').getByText('one two three').waitFor()
  await race('ONE two three', 'one two three four')
  await maria.getByRole('button', { name: 'Combine both' }).click()
  t.equal(await description(maria).inputValue(), 'ONE two three four')
  await description(maria).press('Control+Enter')
  await until(now, (card) => card.description === 'ONE two three four')
  await ben.close()
})

onBoard('a text is edited again before it is saved', async (t, { api, person }) => {
  const { item, path } = await makeCard({ api }, { title: 'First' })
  const now = () => api.get('/api/kanban-items/{id}', { path: { id: item.id } })
  const { page, go, problems } = await person()
  problems.expect(/400/)
  await go(path)
  await dialogOf(page).waitFor()
  /** Holds the next write, until it is passed on or refused. */
  const hold = async () => {
    const held = Promise.withResolvers<boolean>()
    await page.route(`**/api/kanban-items/${item.id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      if (await held.promise) return route.continue()
      return route.fulfill({
        status: 400,
        contentType: 'application/json',
        body: '{"error":"Validation failed"}',
      })
    })
    return held
  }
  const title = () => titleField(page).inputValue()
  const drafts = () => page.evaluate(() => JSON.stringify(localStorage))

  const saving = await hold()
  await editTitle(page, 'Second')
  await titleField(page).press('Enter')
  await dialogOf(page, 'Second').waitFor()
  await until(drafts, (kept) => kept.includes('Second'))
  await page.getByRole('button', { name: 'Edit the title' }).click()
  t.equal(await title(), 'Second')
  await titleField(page).press('Escape')
  t.match(await drafts(), 'Second', 'it is kept until the service has it')
  await editTitle(page, 'Third')
  await titleField(page).press('Enter')
  await dialogOf(page, 'Third').waitFor()
  saving.resolve(true)
  await until(now, (card) => card.title === 'Third')
  t.equal(await page.getByRole('alert').count(), 0, "one's own text is no conflict")
  await until(drafts, (kept) => !kept.includes('Third'))
  await page.unroute(`**/api/kanban-items/${item.id}`)

  // The first text is refused: the next one then changes what the service has.
  const refused = await hold()
  await editTitle(page, 'Refused')
  await titleField(page).press('Enter')
  await dialogOf(page, 'Refused').waitFor()
  await editTitle(page, 'Fourth')
  refused.resolve(false)
  await page.getByText('Validation failed').waitFor()
  t.equal(await title(), 'Fourth')
  await page.unroute(`**/api/kanban-items/${item.id}`)
  await titleField(page).press('Enter')
  await until(now, (card) => card.title === 'Fourth')
})

onBoard(
  'drafts survive a closed dialog, a reload and a killed service',
  async (t, { api, person, kill, restart }) => {
    const { item, path, projectId } = await makeCard({ api }, { title: 'Rewrite pages' })
    const now = () => api.get('/api/kanban-items/{id}', { path: { id: item.id } })
    const { page, context, go, problems } = await person()
    page.on('dialog', (dialog) => void dialog.accept())
    await go(path)
    await editTitle(page, 'Half a tit')
    await page.keyboard.press('Escape')
    await dialogOf(page, 'Rewrite pages').waitFor()
    await page.getByText(/^Unsaved changes from \d+:\d+/).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(`**/projects/${projectId}`)
    await go(path)
    await page.getByRole('button', { name: 'Keep editing' }).click()
    t.equal(await titleField(page).inputValue(), 'Half a tit')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByText(/^Unsaved changes/).waitFor({ state: 'detached' })

    // Drafts of all fields survive a reload.
    await page.getByRole('button', { name: 'Add a description' }).click()
    await page.getByRole('textbox', { name: 'Description' }).fill('Half a description')
    await page.getByRole('textbox', { name: 'New comment' }).fill('Half a comment')
    await page.getByRole('textbox', { name: 'New subtask' }).fill('Half a subtask')
    await page.reload()
    t.equal(await page.getByRole('textbox', { name: 'New comment' }).inputValue(), 'Half a comment')
    t.equal(await page.getByRole('textbox', { name: 'New subtask' }).inputValue(), 'Half a subtask')
    await page.getByRole('button', { name: 'Keep editing' }).click()
    t.equal(await page.getByRole('textbox', { name: 'Description' }).inputValue(), 'Half a description')

    // A write to an unavailable service is shown, waits, and arrives once it is back.
    const description = () => page.getByRole('textbox', { name: 'Description' })
    await kill()
    problems.expect(/ERR_CONNECTION|ERR_INCOMPLETE|Failed to fetch/)
    await description().fill('A description')
    await page.keyboard.press('Control+Enter')
    await partOf(page, 'Description').getByText('A description').waitFor()
    await restart()
    await until(now, (card) => card.description === 'A description')

    // So does a write of a page that has been closed.
    await kill()
    await page.getByRole('button', { name: 'Edit the description' }).click()
    await description().fill('Another description')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('textbox', { name: 'New subtask' }).fill('A subtask')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'New comment' }).fill('A comment')
    await page.keyboard.press('Control+Enter')
    await partOf(page, 'Description').getByText('Another description').waitFor()
    // Also if the dialog was closed and opened again.
    await page.keyboard.press('Escape')
    await dialogOf(page).waitFor({ state: 'detached' })
    // Not by the mouse: the notice that the service is away may move the card between its press and its release.
    await page.getByRole('link', { name: 'Rewrite pages', exact: true }).press('Enter')
    const waiting = page.getByRole('textbox', { name: 'New comment' })
    t.equal(await waiting.inputValue(), 'A comment')
    t.notOk(await waiting.isEditable(), 'it is on its way')
    await page.close()
    await restart()
    const next = await context.newPage()
    await go(path, next)
    await partOf(next, 'Description')
      .getByText(/^Unsaved changes from/)
      .waitFor()
    await next.getByRole('button', { name: 'Keep editing' }).click()
    await next.getByRole('textbox', { name: 'Description' }).press('Control+Enter')
    await until(now, (card) => card.description === 'Another description')
    const left = partOf(next, 'Subtasks').getByRole('note')
    t.match(await left.textContent(), 'A subtask')
    await left.getByRole('button', { name: 'Add' }).click()
    await partOf(next, 'Subtasks').getByRole('checkbox', { name: 'A subtask' }).waitFor()
    await left.waitFor({ state: 'detached' })
    await next.getByRole('textbox', { name: 'New comment' }).press('Control+Enter')
    await partOf(next, 'Comments').getByRole('article').getByText('A comment').waitFor()
  },
  { isAlone: true },
)

onBoard('saving a text in one tab keeps what is typed in another', async (t, board) => {
  const { item, path } = await makeCard(board, { title: 'Flyer', description: 'Old' })
  const { page, context, go } = await board.person()
  const other = await context.newPage()
  const description = (on: Page) => on.getByRole('textbox', { name: 'Description' })
  const comment = (on: Page) => on.getByRole('textbox', { name: 'New comment' })
  /** Types, and waits until the draft is stored. */
  const type = async (on: Page, field: Locator, text: string) => {
    await field.fill(text)
    await on.waitForFunction((typed) => JSON.stringify(localStorage).includes(typed), text)
  }
  for (const on of [page, other]) {
    await go(path, on)
    await on.getByRole('button', { name: 'Edit the description' }).click()
  }
  for (const [on, tab] of [
    [page, 'one'],
    [other, 'two'],
  ] as const) {
    await type(on, description(on), `Description of tab ${tab}`)
    await type(on, comment(on), `Comment of tab ${tab}`)
  }
  await description(page).press('Control+Enter')
  await page.getByRole('button', { name: 'Edit the description' }).waitFor()
  await comment(page).press('Control+Enter')
  await page.getByRole('article').getByText('Comment of tab one').waitFor()
  await until(
    () => board.api.get('/api/kanban-items/{id}', { path: { id: item.id } }),
    (saved) => saved.description === 'Description of tab one',
  )

  await other.reload()
  t.equal(await comment(other).inputValue(), 'Comment of tab two')
  await other.getByText('Unsaved changes').waitFor()
  await other.getByRole('button', { name: 'Keep editing' }).click()
  t.equal(await description(other).inputValue(), 'Description of tab two')
  await other.getByRole('button', { name: 'Cancel' }).click()
  await other.getByRole('button', { name: 'Discard' }).click()
  await type(other, comment(other), 'Another comment')
  t.notMatch(await other.evaluate(() => JSON.stringify(localStorage)), /Description/, 'one can discard it')
})
