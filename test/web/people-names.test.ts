/** People by name: in every place, found while typing, and assigned from an imported board. */
import { readFileSync } from 'node:fs'
import Fastify from 'fastify'
import t from 'tap'
import type { HostMember } from '../../src/app.ts'
import { shipped } from '../shipped.ts'
import { card, projectWith } from './board-steps.ts'
import { noBrowser, onBoard, startBoard } from './browser.ts'
import { dialogOf, historyLines } from './card-steps.ts'
import { choosePerson } from './choose-person.ts'
import { until } from './until.ts'

const REQUIRED = { mode: 'required' } as const
const TRELLO = new URL('../fixtures/trello-board.json', import.meta.url)

onBoard(
  'people are found while typing, and shown with their current names',
  async (t, { api, person }) => {
    const member = (name: string, email: string) => api.post('/api/members', { body: { name, email } })
    const amara = await member('Amara Osei', 'amara@example.test')
    await member('Zoë <b>Bold</b>', 'zoe@example.test')
    const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
    const itemPath = { path: { id: cards.get('Flyer') ?? '' } }
    const { page, go, check } = await person({ signIn: true })
    await go(`${path}/items/${itemPath.path.id}`)
    const dialog = dialogOf(page, 'Flyer')
    const field = dialog.getByRole('combobox', { name: 'Assignee', exact: true })
    const list = dialog.getByRole('listbox', { name: 'Assignee', exact: true })

    t.comment('by keyboard alone')
    await field.focus()
    t.equal(await list.count(), 0, 'it opens when one types, or asks for it')
    await page.keyboard.press('ArrowDown')
    await until(
      () => list.getByRole('option').allInnerTexts(),
      (names) => names.length === 4,
    )
    t.strictSame(await list.getByRole('option').allInnerTexts(), [
      'Nobody',
      'Admin',
      'Amara Osei',
      'Zoë <b>Bold</b>',
    ])
    await check()
    await page.keyboard.press('Escape')
    await list.waitFor({ state: 'detached' })
    t.ok(await dialog.isVisible(), 'Escape closes the list alone')
    await page.keyboard.type('osei')
    await list.getByRole('option', { name: 'Amara Osei' }).waitFor()
    await dialog.getByRole('status').getByText('1 choice.').waitFor({ state: 'attached' })
    const active = () =>
      field.evaluate((input) => {
        const active = document.getElementById(input.getAttribute('aria-activedescendant') ?? '')
        return active?.textContent
      })
    t.equal(await until(active, Boolean), 'Amara Osei', 'which a screen reader is told')
    await page.keyboard.press('Enter')
    t.equal(
      await until(
        () => field.inputValue(),
        (shown) => shown === 'Amara Osei',
      ),
      'Amara Osei',
    )
    await until(
      () => api.get('/api/kanban-items/{id}', itemPath),
      ({ assigneeId }) => assigneeId === amara.id,
    )
    await until(
      () => historyLines(page),
      ([latest]) => latest === 'Admin assigned it to Amara Osei',
    )
    await field.fill('nobody at all')
    await list.getByRole('option', { name: 'Nobody found' }).waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    t.equal(await field.inputValue(), 'Amara Osei', 'what finds nobody changes nothing')
    const writes: string[] = []
    page.on('request', (request) => request.method() === 'PATCH' && writes.push(request.url()))
    await field.click()
    await until(
      () => list.getByRole('option').count(),
      (options) => options === 4,
    )
    t.equal(await active(), 'Amara Osei', 'the list opens at who is assigned')
    await page.keyboard.press('Enter')
    await list.waitFor({ state: 'detached' })
    t.equal(await field.inputValue(), 'Amara Osei')
    t.strictSame(writes, [], 'and Enter leaves it so')

    t.comment('the filter of the board')
    await go(path)
    await card(page, 'Flyer').getByText('Assigned to Amara Osei').waitFor({ state: 'attached' })
    await page.keyboard.press('f')
    await page.getByRole('dialog', { name: 'Filter' }).getByRole('checkbox', { name: 'Amara Osei' }).check()
    await card(page, 'Poster').waitFor({ state: 'detached' })
    t.equal(new URL(page.url()).searchParams.get('assignee'), amara.id)
    await page.reload()
    await card(page, 'Flyer').waitFor()
    await page.getByRole('button', { name: 'Remove from the filter: Amara Osei' }).waitFor()

    t.comment('renamed, deleted, forgotten: without a reload')
    const shown = (name: string) =>
      card(page, 'Flyer').getByText(`Assigned to ${name}`, { exact: true }).waitFor({ state: 'attached' })
    await api.patch('/api/members/{id}', { path: { id: amara.id }, body: { name: 'Amara Lindqvist' } })
    await shown('Amara Lindqvist')
    await api.delete('/api/members/{id}', { path: { id: amara.id } })
    await shown('Amara Lindqvist')
    await api.delete('/api/people/{id}', { path: { id: amara.id } })
    await shown('somebody')
    t.notMatch(await page.content(), /Lindqvist/, 'the name is nowhere')
    t.equal((await api.get('/api/projects/{id}', { path: { id } })).kanbanItems.length, 2)
  },
  REQUIRED,
)

onBoard(
  'an import shows whom it matched, and an admin merges the others',
  async (t, { api, person }) => {
    const member = (name: string, email: string) => api.post('/api/members', { body: { name, email } })
    const priya = await member('Priya Raman', 'priya@acme.example')
    const ann = await member('Ann Lee', 'ann@acme.example')
    const { page, go, check } = await person({ signIn: true })
    await go('/')
    await page.getByRole('button', { name: 'Import' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import a board' })
    await dialog
      .getByLabel('File')
      .setInputFiles({ name: 'board.json', mimeType: 'application/json', buffer: readFileSync(TRELLO) })
    await dialog.getByRole('checkbox', { name: 'Match people by name' }).check()
    await dialog.getByRole('button', { name: 'Import' }).click()
    const people = dialog.getByRole('list', { name: 'People' })
    const row = (name: string) => people.getByRole('listitem').filter({ hasText: name })
    await row('Priya Raman').getByText('same name').waitFor()
    await row('Amara Osei').getByText('1 attachment').waitFor()
    await dialog.getByText('1 of them is a person here. Of the other 2 only the name is kept.').waitFor()
    await check()

    const assignees = async () => {
      const [project] = await api.get('/api/projects')
      const all = project?.kanbanItems.map(({ assigneeId }) => assigneeId) ?? []
      return [priya.id, ann.id].map((id) => all.filter((one) => one === id).length)
    }
    const before = await assignees()
    t.ok((before[0] ?? 0) > 0)
    t.equal(before[1], 0)
    await choosePerson(row('Jonas Lindqvist'), 'Who is Jonas Lindqvist', 'Ann Lee', 'ann')
    await row('Jonas Lindqvist').getByText('is Ann Lee').waitFor()
    t.equal((await assignees())[1], 1, 'his card is hers')
    await row('Jonas Lindqvist').getByRole('button', { name: 'Undo: who is Jonas Lindqvist' }).click()
    await row('Jonas Lindqvist').getByRole('combobox').waitFor()
    t.strictSame(await assignees(), before)

    t.comment('later, on the page of people who are no members')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Menu of/ }).click()
    await page.getByRole('menuitem', { name: 'Other people' }).click()
    const line = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await line('Amara Osei').getByText('Trello').waitFor()
    t.equal(await page.getByRole('row').count(), 3, 'two people, and the head')
    const act = async (name: string, item: string) => {
      await line(name)
        .getByRole('button', { name: `Actions for ${name}` })
        .click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await act('Jonas Lindqvist', 'Merge into…')
    const merging = page.getByRole('dialog', { name: 'Merge Jonas Lindqvist' })
    await merging.getByRole('button', { name: 'Merge' }).click()
    await merging.getByRole('alert').getByText('Choose a person.').waitFor()
    await choosePerson(merging, 'Is the same as', 'Ann Lee', 'lee')
    await check()
    await merging.getByRole('button', { name: 'Merge' }).click()
    await page.getByRole('status').getByText('Jonas Lindqvist is Ann Lee now.').waitFor()
    await line('Jonas Lindqvist').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await line('Jonas Lindqvist').waitFor()
    t.strictSame(await assignees(), before)

    await page.getByRole('searchbox', { name: 'Find by name' }).fill('osei')
    await line('Jonas Lindqvist').waitFor({ state: 'detached' })
    await act('Amara Osei', 'Forget…')
    const forgetting = page.getByRole('dialog', { name: 'Forget Amara Osei' })
    await forgetting.getByText('This cannot be undone.').waitFor()
    await forgetting.getByRole('button', { name: 'Forget' }).click()
    await page.getByRole('status').getByText('Amara Osei is forgotten.').waitFor()
    await page.getByText('Nobody found', { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Find by name' }).fill('')
    await line('Jonas Lindqvist').waitFor()
    t.equal(await page.getByRole('row').count(), 2)
  },
  REQUIRED,
)

t.test('in a host application, its people are assigned, found and named', { skip: noBrowser }, async (t) => {
  const users: Record<string, HostMember> = {
    ann: { id: 'u-1', name: 'Ann Architect', role: 'admin' },
    bob: { id: 'u-18', name: 'Bob Builder', role: 'member' },
    cleo: { id: 'u-20', name: 'Cléo Carpenter', role: 'member' },
  }
  const everybody = () => Object.values(users).map(({ id, name = '' }) => ({ id, name }))
  const host = Fastify()
  t.teardown(() => host.close())
  await host.register(shipped.phaseboard, {
    prefix: '/tools/board',
    databaseUrl: ':memory:',
    resolveMember: ({ headers }) => users[/user=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? 'ann'] ?? null,
    // The application's directory finds names without their accents.
    listMembers: ({ ids, q = '' }) =>
      everybody().filter(({ id, name }) =>
        ids ? ids.includes(id) : name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().includes(q),
      ),
  })
  const address = await host.listen({ port: 0, host: '127.0.0.1' })
  const board = await startBoard(t, { url: `${address}/tools/board` })
  const { path, cards } = await projectWith(board.api, { 'To Do': ['Walls'] })
  const as = async (user: string) => {
    const one = await board.person()
    await one.context.addCookies([{ name: 'user', value: user, url: address }])
    return one
  }
  const bob = await as('bob')
  await bob.go(`${path}/items/${cards.get('Walls')}`)
  const dialog = dialogOf(bob.page, 'Walls')
  await choosePerson(dialog, 'Assignee', 'Cléo Carpenter', 'cleo')
  await dialog.getByRole('textbox', { name: 'New comment' }).fill('They stand.')
  await bob.page.keyboard.press('Control+Enter')
  await dialog.getByRole('article').getByText('Bob Builder').waitFor()

  t.comment('as another one sees it')
  const ann = await as('ann')
  await ann.go(path)
  const shown = (name: string) =>
    card(ann.page, 'Walls').getByText(`Assigned to ${name}`, { exact: true }).waitFor({ state: 'attached' })
  await shown('Cléo Carpenter')
  await card(ann.page, 'Walls').getByRole('link').click()
  await dialogOf(ann.page, 'Walls').getByRole('article').getByText('Bob Builder').waitFor()
  t.strictSame(await historyLines(ann.page), [
    'Bob Builder commented',
    'Bob Builder assigned it to Cléo Carpenter',
    'Ann Architect created this card',
  ])

  t.comment('renamed in the application: with what the user does next, without a reload of the others')
  users.bob = { id: 'u-18', name: 'Robert Builder', role: 'member' }
  await bob.page.reload()
  await dialogOf(ann.page, 'Walls').getByRole('article').getByText('Robert Builder').waitFor()

  t.comment('and listed for admins')
  await ann.go('/admin/people')
  await ann.page
    .getByRole('row', { name: /Robert Builder/ })
    .getByText('The application')
    .waitFor()
  await board.finish()
})
