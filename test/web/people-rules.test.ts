/** The rules of forms, of concurrent edits, and of the people pages. */
import t from 'tap'
import type { Answer } from '../../src/client/types.d.ts'
import { endOfDay } from '../../web/common/date-words.ts'
import { actionName, actorOf, detailsOf, ofAction, subjectOf } from '../../web/people/audit.ts'
import { inOrder, roleOf } from '../../web/people/members.ts'
import { withChanges } from '../../web/people/teams.ts'
import { until } from './until.ts'

// The page's client gets its URL from the browser.
Object.assign(globalThis, { location: { href: 'http://localhost/' } })
const { PhaseboardError } = await import('../../web/common/api.ts')
const { makerFirst, makerOf } = await import('../../web/common/actors.ts')
const { personName } = await import('../../web/common/people.ts')
const { changedFields, changedIn, isLost, problemsOf, valuesOf } = await import('../../web/common/forms.ts')
const { LostRace, onLatest, saveFields } = await import('../../web/common/latest.ts')
const { invitationOf, linkAddress, nameOfLink } = await import('../../web/people/links.ts')
const { calendarAddress, tokenOf } = await import('../../web/people/tokens.ts')
const { wasTaken, webhookOf } = await import('../../web/people/webhooks.ts')

const invalid = (fieldErrors: object, formErrors: string[] = []) =>
  new PhaseboardError({ status: 400, error: 'Validation failed', details: { formErrors, fieldErrors } })

t.test('errors are shown at their fields', async (t) => {
  t.strictSame(problemsOf(invalid({ name: ['Too long', 'Odd'] }), ['name']), {
    whole: undefined,
    fields: { name: 'Too long, Odd' },
  })
  const other = problemsOf(invalid({ name: ['Too long'], more: ['Odd'] }), ['name'])
  t.strictSame(other.fields, { name: 'Too long' })
  t.match(other.whole, /more: Odd/)
  t.match(problemsOf(invalid({}, ['Empty']), ['name']), { whole: /Empty/, fields: {} })
  t.match(problemsOf(new Error('Gone'), []), { whole: 'Gone' })
  const would = new PhaseboardError({
    status: 400,
    error: 'You would lose this project',
    code: 'would_lose_project',
  })
  t.match(problemsOf(would, []), { whole: /^you would no longer see this project\. Assign yourself/ })
  const lost = new LostRace({ name: 'Theirs', extra: [1] })
  t.match(problemsOf(lost, ['name']), { whole: /Someone changed/, fields: { name: /“Theirs”/ } })
  t.equal(problemsOf(new LostRace({ name: 'Theirs' }), ['name']).whole, undefined)
})

t.test('a draft of a form changes only the fields that the user has changed', async (t) => {
  const values = valuesOf([
    ['name', 'Ada'],
    ['kinds', 'a'],
    ['kinds', 'b'],
    ['file', {}],
  ])
  t.strictSame(values, { name: ['Ada'], kinds: ['a', 'b'] })
  const text = JSON.stringify(values)
  const from = JSON.stringify({ name: ['Eda'], kinds: ['a', 'b'], role: ['member'], boxes: ['1'] })
  const nothing: readonly string[] = []
  t.strictSame(changedIn({ text: JSON.stringify({ ...values, role: ['member'] }), from }), {
    name: { now: ['Ada'], from: ['Eda'] },
    boxes: { now: nothing, from: ['1'] },
  })
  t.strictSame(
    changedIn({ text: '{"name":"Ada"}', from: '' }),
    { name: { now: ['Ada'], from: [] } },
    'an old one',
  )
  t.strictSame(changedIn({ text, from: text }), {})
  t.strictSame(changedIn(undefined), {})
  t.strictSame(changedIn({ text: '{', from: '{' }), {})

  const field = { now: ['a\nb'], from: ['a'] }
  t.notOk(isLost(field, 'a'))
  t.notOk(isLost(field, 'a\r\nb'), 'they changed it to the same')
  t.ok(isLost(field, 'c'))
  t.notOk(isLost({ now: ['a'], from: [] }, 'c'), 'not known')
  t.strictSame(changedFields({ a: 1, b: [1], c: 'x' }, { a: 1, b: [1, 2], c: 'x' }), { b: [1, 2] })
})

/** The error of a rejected promise. */
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  )

/** A stored record, whose ETag is the number of its changes. */
function served<T extends object>(record: T) {
  let state = record
  let etag = 1
  const answer = (): Answer<T> => ({
    status: 200,
    data: state,
    etag: String(etag),
    seq: undefined,
    replayed: false,
    headers: new Headers(),
  })
  const change = (fields: Partial<T>) => {
    state = { ...state, ...fields }
    etag++
  }
  const send = async (body: Partial<T>, ifMatch: string | undefined) => {
    if (ifMatch !== String(etag)) throw new PhaseboardError({ status: 412, error: 'Precondition failed' })
    change(body)
    return answer()
  }
  return { read: async () => answer(), send, change, state: () => state }
}

t.test("saving keeps others' changes of other fields, and asks about those of the same", async (t) => {
  const { read, send, change, state } = served({ title: 'A', text: 'B' })
  const base = { current: state() }
  change({ text: 'Theirs' })
  await saveFields({ base, after: { title: 'Mine', text: 'B' }, read, send })
  t.strictSame(state(), { title: 'Mine', text: 'Theirs' }, 'what I left alone stays theirs')

  const again = { current: state() }
  change({ title: 'Theirs', text: 'More' })
  const after = { title: 'Yours', text: 'Theirs' }
  t.match(await failureOf(saveFields({ base: again, after, read, send })), { theirs: { title: 'Theirs' } })
  t.strictSame(state(), { title: 'Theirs', text: 'More' })
  await saveFields({ base: again, after, read, send })
  t.strictSame(state(), { title: 'Yours', text: 'More' }, 'saved again, mine counts')
})

t.test('a write is retried if the record changed in between', async (t) => {
  const { read, send, change, state } = served({ list: ['a'] })
  let late = 2
  await onLatest(read, (latest, ifMatch) => {
    if (late-- > 0) change({ list: [...latest.list, `late ${late}`] })
    return send({ list: [...latest.list, 'mine'] }, ifMatch)
  })
  t.strictSame(state().list, ['a', 'late 1', 'late 0', 'mine'])
  const always = onLatest(read, (_, ifMatch) => {
    change({})
    return send({}, ifMatch)
  })
  t.match(await failureOf(always), { status: 412 }, 'but not for ever')
  const refused = async () => {
    throw new PhaseboardError({ status: 403, error: 'Forbidden' })
  }
  t.match(await failureOf(onLatest(read, refused)), { status: 403 })
})

t.test('forms become tokens and webhooks', async (t) => {
  const form = (fields: Record<string, string>) => ({
    get: (name: string) => fields[name] ?? null,
    getAll: (name: string) => fields[name]?.split(' ') ?? [],
  })
  t.strictSame(tokenOf(form({ name: ' Bot ', scope: 'write', expiresAt: '' })), {
    name: 'Bot',
    scope: 'write',
    projectIds: null,
    expiresAt: null,
  })
  t.strictSame(tokenOf(form({ projectIds: 'apollo gemini' })).projectIds, ['apollo', 'gemini'])
  t.equal(tokenOf(form({ scope: 'root' })).scope, 'read')
  t.equal(endOfDay('2030-01-31'), new Date(2030, 0, 31, 23, 59, 59, 999).toISOString())
  t.equal(
    calendarAddress('https://board.example/', 'pbt_x'),
    'https://board.example/api/calendar.ics?assigneeId=me&token=pbt_x',
  )
  const kinds = { project: 'Projects', team: 'Teams' } as unknown as Parameters<typeof webhookOf>[1]
  t.strictSame(webhookOf(form({ url: ' https://a ', kinds: 'team odd', active: 'true' }), kinds), {
    url: 'https://a',
    description: '',
    projectId: null,
    kinds: ['team'],
    format: 'standard',
    events: [],
    language: 'en',
    active: true,
  })
  t.equal(webhookOf(form({}), kinds).active, false)
  t.match(webhookOf(form({ format: 'slack', events: 'due moved odd', language: 'de' }), kinds), {
    format: 'slack',
    events: ['moved', 'due'],
    language: 'de',
  })
  t.strictSame(
    [200, 302, null].map((status) => wasTaken({ status })),
    [true, false, false],
  )
})

t.test('people have an order, roles and teams', async (t) => {
  const person = (name: string, disabled = false) => ({ name, disabled }) as Parameters<typeof inOrder>[0][0]
  const names = inOrder([person('Zoe'), person('Ann', true), person('Bea')]).map(({ name }) => name)
  t.strictSame(names, ['Bea', 'Zoe', 'Ann'])
  t.strictSame(['admin', 'viewer', 'guest', 'odd', null].map(roleOf), [
    'admin',
    'viewer',
    'guest',
    'member',
    'member',
  ])
  t.strictSame(withChanges(['a', 'b', 'late'], ['a', 'b'], ['b', 'c']), ['b', 'late', 'c'])
})

t.test('links have addresses and names, and invitations show the entered values', async (t) => {
  t.equal(linkAddress('https://board.example/tools/', 'pbl_x'), 'https://board.example/tools/link#pbl_x')
  t.equal(nameOfLink({ name: 'Ada', email: 'ada@example.test' }), 'Ada')
  t.equal(nameOfLink({ name: null, email: 'ada@example.test' }), 'ada@example.test')
  t.equal(nameOfLink({ name: null, email: null }), undefined)
  const form = new FormData()
  t.strictSame(invitationOf(form), {})
  form.set('name', ' Ada ')
  form.set('email', ' ')
  t.strictSame(invitationOf(form), { name: 'Ada' })
})

t.test('the audit log shows names of that time, and owners', async (t) => {
  const names = { nobody: 'Unknown', actors: { 'command line': 'Command line' } }
  const now = (id: string) => `${id} by now`
  t.equal(actorOf({ actorId: 'ada', actor: 'Ada' }, now, names), 'Ada')
  t.equal(actorOf({ actorId: 'ada', actor: null }, now, names), 'ada by now', 'of an older version')
  t.equal(actorOf({ actorId: null, actor: 'command line' }, now, names), 'Command line')
  t.equal(actorOf({ actorId: 'eve', actor: 'command line' }, now, names), 'command line', 'a name is a name')
  t.equal(actorOf({ actorId: null, actor: 'cron' }, now, names), 'cron')
  t.equal(actorOf({ actorId: null, actor: null }, now, names), 'Unknown')
  t.equal(subjectOf({ subjectId: 't1', subject: 'Ada' }, now), 'Ada')
  t.equal(subjectOf({ subjectId: 'ada', subject: null }, now), 'ada by now')
  t.equal(subjectOf({ subjectId: null, subject: null }, now), '')
})

t.test('people are fetched by their ids, once per turn, and unknown ones have a default name', async (t) => {
  const asked: string[] = []
  const ada = { id: 'ada', name: 'Ada Lovelace', kind: 'member' }
  t.intercept(globalThis, 'fetch', {
    value: async (input: string) => {
      asked.push(decodeURIComponent(input).replace(/^.*(?=\/api\/)/, ''))
      return Response.json([ada])
    },
  })
  const gone = '01a22cfc-eeb8-717b-8f3a-f35af8a377d3'
  const names = () => ['ada', gone, 'ada', 'maria'].map(personName)
  t.strictSame(names(), ['…', '…', '…', '…'], 'nothing is shown in place of a name')
  await until(
    async () => personName(gone),
    (name) => name !== '…',
  )
  t.strictSame(names(), ['Ada Lovelace', 'somebody', 'Ada Lovelace', 'maria'])
  t.strictSame(asked, [`/api/people?ids=ada,${gone},maria`])
  t.equal(makerOf({ actorId: gone }), 'somebody')
  t.equal(makerFirst({ actorId: gone }), 'Somebody')
  t.equal(makerFirst({ actorId: 'maria' }), 'maria')
  t.equal(makerFirst({ actorId: 'ada' }), 'Ada Lovelace')
})

t.test('a name keeps its case at the beginning of a sentence', async (t) => {
  t.intercept(globalThis, 'fetch', { value: async () => Response.json([{ id: 'host-id', name: 'bob' }]) })
  await until(
    async () => makerOf({ actorId: 'host-id' }),
    (name) => name === 'bob',
  )
  t.equal(makerFirst({ actorId: 'host-id' }), 'bob')
})

t.test('the actor of a change is a person or has another label', async (t) => {
  const command = { actorId: null, actor: 'command line' } as const
  t.equal(makerOf(command), 'the command line')
  t.equal(makerFirst(command), 'The command line')
  t.equal(makerFirst({ actorId: null, actor: 'service' }), 'The service')
  t.equal(makerFirst({ actorId: null }), 'Another tool', 'of the activity, which does not say it')
})

t.test('the audit log is shown in sentences', async (t) => {
  t.equal(actionName('sign-in', { 'sign-in': 'Signed in' }), 'Signed in')
  t.equal(actionName('odd', {}), 'odd')
  t.strictSame(detailsOf({ metadata: { from: 'member', to: 'admin', extra: { a: 1 } } }), [
    'member → admin',
    'extra: {"a":1}',
  ])
  t.strictSame(detailsOf({ metadata: { to: 'x', name: 'y' } }), ['– → x', 'name: y'])
  const entries = [{ action: 'a' }, { action: 'b' }] as unknown as Parameters<typeof ofAction>[0]
  t.equal(ofAction(entries, 'b').length, 1)
  t.equal(ofAction(entries, '').length, 2)
})
