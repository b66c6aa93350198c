/** Random histories of access beside an open page: its list of projects always becomes what the service lists for its user. */
import fc from 'fast-check'
import { rounds } from '../rounds.ts'
import { type Credentials, onBoard } from './browser.ts'
import { until } from './until.ts'

const BOB: Credentials = { email: 'bob@example.test', password: 'a good horse' }
const NAMES = ['Apollo', 'Gemini', 'Mercury'] as const

/** Who sees what changes in one of these ways. */
const step = fc.record({
  what: fc.constantFrom('access', 'assignment', 'team', 'delete'),
  project: fc.constantFrom(...NAMES),
  on: fc.boolean(),
})

onBoard(
  'the list of an open page follows who sees what, whatever happens',
  async (t, { api, person }) => {
    const bob = await api.post('/api/members', { body: { ...BOB, name: 'Bob', role: 'member' } })
    const team = await api.post('/api/teams', { body: { name: 'Crew', memberIds: [bob.id] } })
    // A project that stays: for a single one the page of a guest, which the list would leave, is tested elsewhere.
    for (const name of ['Always', ...NAMES]) await api.post('/api/projects', { body: { name } })
    const { page, go } = await person({ signIn: BOB })
    await go('/')
    await page.getByRole('link', { name: 'Always', exact: true }).waitFor()

    const all = async () => new Map((await api.get('/api/projects')).map((one) => [one.name, one]))
    const perform = async ({ what, project, on }: { what: string; project: string; on: boolean }) => {
      const { id, teamAssignments } = (await all()).get(project) ?? {}
      if (id === undefined) {
        await api.post('/api/projects', { body: { name: project, access: on ? 'everyone' : 'assigned' } })
        return
      }
      const path = { id }
      const own = teamAssignments?.find(({ memberId }) => memberId === bob.id)
      if (what === 'access')
        await api.patch('/api/projects/{id}', { path, body: { access: on ? 'everyone' : 'assigned' } })
      else if (what === 'team')
        await api.patch('/api/projects/{id}', { path, body: { teamId: on ? team.id : null } })
      else if (what === 'delete') await api.delete('/api/projects/{id}', { path })
      else if (own) await api.delete('/api/team-assignments/{id}', { path: { id: own.id } })
      else await api.post('/api/projects/{id}/team-assignments', { path, body: { memberId: bob.id } })
    }
    const listed = async () => {
      const links = await page.getByRole('main').getByRole('listitem').getByRole('link').allInnerTexts()
      return links.filter((name) => name === 'Always' || NAMES.some((one) => one === name)).toSorted()
    }
    /** What the service lists for the user of the page. */
    const expected = () =>
      page.evaluate(async () => {
        const answer = await fetch('api/projects')
        const projects: { name: string }[] = await answer.json()
        return projects.map(({ name }) => name).toSorted()
      })

    for (const one of fc.sample(step, rounds(25))) {
      await perform(one)
      const names = await expected()
      const shown = await until(listed, (found) => `${found}` === `${names}`).catch(String)
      t.strictSame(shown, names, JSON.stringify(one))
    }
  },
  { mode: 'required' },
)
