/** People by their names: wherever they stand, found as one types, known from an imported board. */
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

onBoard(
  'people are found as one types, and shown by the name that they have now',
  async (t, { api, person }) => {
    const member = (name: string, email: string) => api.post('/api/members', { body: { name, email } })
    const amara = await member('Amara Osei', 'amara@example.test')
    await member('Zoë <b>Bold</b>', 'zoe@example.test')
    const { id, path, cards } = await projectWith(api, { 'To Do': ['Flyer', 'Poster'] })
    const itemPath = { path: { id: cards.get('Flyer') ?? '' } }
    const { page, go, check } = await person({ signIn: true })
    await go(`${path}/items/${itemPath.path.id}`)
    const dialog = dialogOf(page, 'Flyer')
    const field = dialog.getByRole('combobox', { name: 'Assignee' })
    const list = dialog.getByRole('listbox', { name: 'Assignee' })

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

    t.comment('the filter of the board')
    await go(path)
    await card(page, 'Flyer').getByText('Assigned to Amara Osei').waitFor({ state: 'attached' })
    await choosePerson(page.getByRole('search', { name: 'Filter' }), 'Person', 'Amara Osei', 'AMARA')
    await card(page, 'Poster').waitFor({ state: 'detached' })
    t.equal(new URL(page.url()).searchParams.get('assignee'), amara.id)
    await page.reload()
    await card(page, 'Flyer').waitFor()
    const who = page.getByRole('combobox', { name: 'Person' })
    t.equal(
      await until(
        () => who.inputValue(),
        (name) => name !== '…',
      ),
      'Amara Osei',
    )

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

t.test(
  'inside a host application its people are assigned, found and named',
  { skip: noBrowser },
  async (t) => {
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
      // The directory of the application finds names without their accents.
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
      'Ann Architect made this card',
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
  },
)
