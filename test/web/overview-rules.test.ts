/** The rules of a project's overview: phases, values, transcripts, people. */
import t from 'tap'
import { pathOf, sparkline, trendIcon, valuesOf, withUnit, withValue } from '../../web/overview/metrics.ts'
import { edited, moved, neighbours, stepsOf, toEdit } from '../../web/overview/phases.ts'
import { choiceOf, roleFrom, roleName, roleSays } from '../../web/overview/roles.ts'

// The page's client gets its URL from the browser.
Object.assign(globalThis, { location: { href: 'http://localhost/' } })
const { afterChange, onePerMember } = await import('../../web/overview/assignments.ts')
const { shareLinkOf } = await import('../../web/overview/share-links.ts')
const { actionsOf, actionText, byDate, transcriptOf } = await import('../../web/overview/transcripts.ts')

const PHASES = [{ name: 'Plan', color: 'red' }, { name: 'Do' }, { name: 'Check' }]

t.test('phases are steps', async (t) => {
  const states = (current: string) => stepsOf(PHASES, current).map(({ state }) => state)
  t.strictSame(states('Do'), ['done', 'current', 'ahead'])
  t.strictSame(states('Plan'), ['current', 'ahead', 'ahead'])
  t.strictSame(states('Elsewhere'), ['ahead', 'ahead', 'ahead'])
  t.strictSame(neighbours(PHASES, 'Plan'), { before: undefined, after: 'Do' })
  t.strictSame(neighbours(PHASES, 'Check'), { before: 'Do', after: undefined })
  t.strictSame(neighbours(PHASES, 'Elsewhere'), { before: undefined, after: 'Plan' }, 'the way back in')
  t.strictSame(neighbours([], 'Elsewhere'), { before: undefined, after: undefined })
})

t.test('editing the sequence of phases', async (t) => {
  const list = toEdit(PHASES)
  const names = (phases: readonly { name: string }[]) => phases.map(({ name }) => name)
  t.strictSame(edited(list, PHASES, 'Do'), { phaseConfig: PHASES, phase: 'Do' }, 'other keys stay')
  const renamed = list.map((one) => (one.name === 'Do' ? { ...one, name: ' Build ' } : one))
  t.equal(edited(renamed, PHASES, 'Do').phase, 'Build', 'the current one under its new name')
  t.strictSame(names(edited(renamed, PHASES, 'Do').phaseConfig), ['Plan', 'Build', 'Check'])
  const without = list.filter(({ name }) => name !== 'Do')
  t.equal(edited(without, PHASES, 'Do').phase, 'Check', 'what stands in its place')
  t.equal(edited(list.slice(0, 1), PHASES, 'Check').phase, 'Plan', 'or the last')
  t.equal(edited(list, PHASES, 'Elsewhere').phase, 'Elsewhere')
  const added = [
    ...list,
    { key: 'new', name: 'Act', phase: undefined },
    { key: 'x', name: ' ', phase: undefined },
  ]
  t.strictSame(names(edited(added, PHASES, 'Do').phaseConfig), ['Plan', 'Do', 'Check', 'Act'])
  t.strictSame(names(moved(list, '2', -1)), ['Plan', 'Check', 'Do'])
  t.strictSame(names(moved(list, '0', -1)), ['Plan', 'Do', 'Check'], 'not beyond the end')
  t.equal(edited(moved(list, '0', 1), PHASES, 'Plan').phase, 'Plan')
})

t.test('a metric has values and a trend', async (t) => {
  const at = '2026-01-31T00:00:00.000Z'
  const history = [
    { value: 1, at },
    'foreign',
    { value: '2' },
    null,
    { value: 3, at: 'never' },
    { value: Infinity },
  ]
  t.strictSame(valuesOf({ value: 5, history }), [
    { value: 1, at },
    { value: 3, at: undefined },
    { value: 5, at: undefined },
  ])
  const metric = { id: '1', projectId: 'p', name: 'n', unit: '', category: '', createdAt: at, updatedAt: at }
  const stable = { ...metric, value: 2, trend: 'stable', history: [] }
  t.match(withValue(stable, 3, at), { value: 3, trend: 'up', history: [{ value: 2, at }] })
  t.match(withValue(stable, 1, at), { value: 1, trend: 'down' })
  t.equal(withValue(stable, 2, at), stable, 'the same value changes nothing')
  t.strictSame(['up', 'down', 'stable', 'odd'].map(trendIcon), ['up', 'down', 'forward', undefined])
  t.equal(withUnit(4, '%', String), '4\u00a0%')
  t.equal(withUnit(4, '', String), '4')
})

t.test('values become a line', async (t) => {
  t.strictSame(sparkline([1, 3, 2], 100, 20), [
    { x: 0, y: 20 },
    { x: 50, y: 0 },
    { x: 100, y: 10 },
  ])
  t.strictSame(
    sparkline([7, 7], 100, 20).map(({ y }) => y),
    [10, 10],
    'without a range in the middle',
  )
  t.equal(sparkline(Array(500).fill(1), 100, 20).length, 60, 'the newest only')
  t.equal(pathOf(sparkline([0, 1], 10, 10)), 'M0 10L10 0')
  t.equal(pathOf([]), '')
})

t.test('a form becomes a transcript', async (t) => {
  const form = new Map([
    ['title', ' Kickoff '],
    ['date', '2026-11-02'],
    ['summary', 'One\r\nTwo'],
    ['participants', 'Ada, Grace;  Joan\n\n'],
    ['actionItems', '- Write\n* Read\n\n  Rest - later '],
  ])
  t.strictSame(transcriptOf('p', { get: (name) => form.get(name) ?? null }), {
    projectId: 'p',
    title: 'Kickoff',
    date: '2026-11-02',
    summary: 'One\nTwo',
    participants: ['Ada', 'Grace', 'Joan'],
    actionItems: ['Write', 'Read', 'Rest - later'],
  })
})

t.test('action items link to their cards', async (t) => {
  const cards = [
    { id: '1', title: 'Write' },
    { id: '2', title: 'Read' },
  ]
  const ids = (items: string[], made = cards) => actionsOf(items, made).map(({ cardId }) => cardId)
  t.strictSame(ids(['Read', 'Write']), ['2', '1'], 'by title')
  t.strictSame(ids(['Write', 'Was renamed']), ['1', '2'], 'what is left, in order')
  t.strictSame(ids(['Write', 'Deleted', 'Gone']), ['1', undefined, undefined, '2'])
  t.strictSame(ids(['Write', 'Write'], [{ id: '1', title: 'Write' }]), ['1', undefined])
  t.equal(actionText({ what: 'Book', who: 'Ada' }), 'Book (Ada)')
  t.equal(actionText({ title: 'Book' }), 'Book')
  t.equal(actionText({ n: 1 }), '{"n":1}')
  const one = { date: '2026-01-01', id: 'a' } as Parameters<typeof byDate>[0]
  const order = [one, { ...one, id: 'b' }, { ...one, date: '2026-02-01', id: 'c' }].sort(byDate)
  t.strictSame(
    order.map(({ id }) => id),
    ['c', 'b', 'a'],
  )
})

t.test('a change of the team keeps all other members', async (t) => {
  const latest = [
    { memberId: 'ada', role: 'lead' },
    { memberId: 'joan', role: 'member' },
  ]
  const after = (change: Parameters<typeof afterChange>[1]) => afterChange(latest, change)
  t.strictSame(after({ what: 'remove', memberId: 'ada' }), { members: [latest[1]] })
  t.strictSame(after({ what: 'add', memberId: 'eve', role: '' }), {
    members: [...latest, { memberId: 'eve', role: 'member' }],
  })
  t.strictSame(after({ what: 'role', memberId: 'ada', role: 'editor' }).members[0], {
    memberId: 'ada',
    role: 'editor',
  })
  t.strictSame(after({ what: 'lead', leadId: null }), { members: latest, leadId: null })
})

t.test('a person is shown once when the stream brings the assignment before the response does', (t) => {
  const ada = { id: '1', memberId: 'ada' }
  const joan = { id: '2', memberId: 'joan' }
  const placeholder = (memberId: string) => ({ id: `new:${memberId}`, memberId })
  t.strictSame(onePerMember([placeholder('joan'), ada]), [placeholder('joan'), ada])
  t.strictSame(onePerMember([placeholder('joan'), ada, joan]), [ada, joan])
  t.end()
})

t.test('a role that is typed is the offered one, and only viewers may change nothing', async (t) => {
  const from = (fields: Record<string, string>) => roleFrom({ get: (name) => fields[name] ?? null })
  t.equal(from({ role: 'lead' }), 'lead')
  t.equal(from({ role: '', otherRole: ' Viewer ' }), 'viewer')
  t.equal(from({ role: '', otherRole: ' Designer ' }), 'Designer')
  t.strictSame(['viewer', 'Designer'].map(choiceOf), ['viewer', ''])
  t.strictSame(['lead', 'Designer'].map(roleName), ['Lead', 'Designer'])
  t.match(roleSays('viewer'), /only read/)
  t.equal(roleSays('Designer'), roleSays('member'))
})

t.test('a share link is created from a form', async (t) => {
  const of = (fields: Record<string, string>) => shareLinkOf({ get: (name) => fields[name] ?? null })
  t.strictSame(of({ name: ' ', expiresAt: '' }), {})
  t.match(of({ name: ' Client ', expiresAt: '2030-01-31' }), { name: 'Client', expiresAt: /^2030-0[12]-/ })
})
