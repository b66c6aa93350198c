/** Undoing random writes: either all former responses are restored, or a conflict is reported. */
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { build, send, signInAs, writeIn } from '../helper.ts'
import { rounds, steady } from '../rounds.ts'
import { make, type RandomWrite, randomWrite, type Writer } from './random-writes.ts'
import { differences, type Obstacle, type State, stateOf, undone } from './states.ts'

/** Initial writes, so that later ones have records to change. */
const BEGINNING: RandomWrite[] = [
  'createProject',
  'createItem',
  'createItem',
  'createLabel',
  'createIdea',
].map((what, index) => ({ what, a: index, b: index, c: index }))

const RUNS = rounds(8)

async function service(t: Test): Promise<Writer> {
  const file = join(t.testdir(), 'board.db')
  const app = await build(t, { databaseUrl: file })
  const { headers } = signInAs(app, 'admin')
  // No power cut is tested here.
  app.db.$client.pragma('synchronous = off')
  const foreign = new SQLite(file)
  foreign.pragma('synchronous = off')
  foreign.pragma('foreign_keys = on')
  t.teardown(() => foreign.close())
  return { app, headers, foreign }
}

/** Like a write of the service, it waits for the worker thread, which may be indexing. */
async function clear({ app }: Writer): Promise<void> {
  await writeIn(app, () => {
    app.db.$client.exec('delete from projects; delete from personal_ideas')
  })
}

const lastOf = ({ app }: Writer) => app.rules.changes.sequence.last()

const undo = ({ app, headers }: Writer, seq: number) =>
  send(app, 'POST', `/api/changes/${seq}/undo`, undefined, headers)

/** The responses of all GETs about projects, boards and ideas. Activity is separate, since it only grows. */
async function answersOf({ app, headers }: Writer) {
  const idsOf = (table: string) => app.db.$client.prepare<[], string>(`select id from ${table}`).pluck().all()
  const each = (table: string, collection: string, parts = ['']) =>
    idsOf(table).flatMap((id) => parts.map((part) => `/api/${collection}/${id}${part}`))
  const urls = [
    '/api/projects',
    '/api/projects?view=summary',
    '/api/kanban-items?dismissed=all',
    '/api/personal-ideas',
    ...['alpha', 'beta', 'foreign', 'next'].map((word) => `/api/search?q=${word}`),
    ...each('projects', 'projects', [
      '',
      '/kanban-items?dismissed=all',
      '/kanban-columns',
      '/kanban-labels',
      '/objectives',
      '/metrics',
      '/transcript-summaries',
      '/team-assignments',
    ]),
    ...each('kanban_items', 'kanban-items', ['', '/subtasks', '/comments']),
    ...each('personal_ideas', 'personal-ideas'),
  ]
  const read = async (url: string) => [url, (await app.inject({ url, headers })).body] as const
  const activity = new Map<string, string[]>()
  for (const id of idsOf('kanban_items')) {
    const { body } = await send(app, 'GET', `/api/kanban-items/${id}/activity`, undefined, headers)
    activity.set(
      id,
      body.map((entry: object) => JSON.stringify(entry)),
    )
  }
  return { answers: Object.fromEntries(await Promise.all(urls.map(read))), activity }
}

type Answers = Awaited<ReturnType<typeof answersOf>>

/** Checks that everything is restored. Restored activity may have newer entries above it. */
function checkSame(t: Test, found: Answers, expected: Answers, when: string): void {
  const urls = new Set([...Object.keys(expected.answers), ...Object.keys(found.answers)])
  const differing = [...urls].find((url) => found.answers[url] !== expected.answers[url]) ?? ''
  t.equal(found.answers[differing], expected.answers[differing], `${differing} ${when}`)
  for (const [id, entries] of expected.activity) {
    t.strictSame(
      found.activity.get(id)?.slice(-entries.length || undefined),
      entries.length > 0 ? entries : found.activity.get(id),
      when,
    )
  }
}

/** A conflict as the API names it. */
type Conflict = Pick<Obstacle, 'kind' | 'id' | 'field'>

/** Whether a conflict names an obstacle: its record, and the changed field, if any. */
const names = (conflict: Conflict, { kind, id, field = conflict.field }: Obstacle) =>
  conflict.kind === kind && conflict.id === id && conflict.field === field

/** What is wrong with the conflicts of a refused undo. */
const wrongConflicts = (conflicts: readonly Conflict[], obstacles: readonly Obstacle[]) => ({
  unfounded: conflicts.filter(
    ({ kind, id }) => !obstacles.some((obstacle) => obstacle.kind === kind && obstacle.id === id),
  ),
  missing: obstacles.filter(
    (obstacle) => !obstacle.isEither && !conflicts.some((conflict) => names(conflict, obstacle)),
  ),
})

t.test('the last write can be undone, and the undo as well', async (t) => {
  const writer = await service(t)
  // An item that is restored to a missing column creates it, like any item added to such a column.
  const onBoard = randomWrite(['offBoard'])
  let undos = 0
  const property = fc.asyncProperty(fc.array(onBoard, { maxLength: 12 }), onBoard, async (writes, last) => {
    await clear(writer)
    for (const write of [...BEGINNING, ...writes]) await make(write, writer)
    const before = await answersOf(writer)
    const since = lastOf(writer)
    await make(last, writer)
    if (lastOf(writer) === since) return
    undos++
    const after = await answersOf(writer)
    const when = JSON.stringify([...writes, last])
    const first = await undo(writer, since + 1)
    t.equal(first.status, 200, `${JSON.stringify(first.body).slice(0, 500)} ${when}`)
    checkSame(t, await answersOf(writer), before, `undone: ${when}`)
    const { changes, group } = first.body
    if (changes.length === 0) return
    t.ok(changes.every((change: { group: number }) => change.group === group && group === changes[0].seq))
    const second = await undo(writer, changes[0].seq)
    t.equal(second.status, 200, `${JSON.stringify(second.body).slice(0, 500)} ${when}`)
    checkSame(t, await answersOf(writer), after, `undo undone: ${when}`)
    const third = await undo(writer, second.body.group)
    t.equal(third.status, 200, `${JSON.stringify(third.body).slice(0, 500)} ${when}`)
    checkSame(t, await answersOf(writer), before, `undone again: ${when}`)
    if (!t.passing()) throw new Error(when)
  })
  await fc.assert(property, { numRuns: RUNS, ...steady })
  t.ok(undos > RUNS / 5, `${undos} writes were undone`)
})

t.test('any write can be undone, unless there is a conflict', async (t) => {
  const writer = await service(t)
  const { $client: client } = writer.app.db
  const statuses = new Map<number, number>()
  const property = fc.asyncProperty(
    fc.array(randomWrite(), { minLength: 1, maxLength: 14 }),
    fc.nat(100),
    async (writes, which) => {
      await clear(writer)
      const steps: { first: number; before: State; after: State; what: string }[] = []
      for (const write of [...BEGINNING, ...writes]) {
        const [first, before] = [lastOf(writer) + 1, stateOf(client)]
        await make(write, writer)
        if (lastOf(writer) >= first) steps.push({ first, before, after: stateOf(client), what: write.what })
      }
      const step = steps[which % steps.length]
      if (!step) return
      const expected = undone(step.before, step.after, stateOf(client))
      const now = await answersOf(writer)
      const { status, body } = await undo(writer, step.first)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const when = `${step.what} of ${JSON.stringify(writes)}`
      t.equal(
        status,
        expected.obstacles.length > 0 ? 409 : 200,
        `${when}: ${JSON.stringify(expected.obstacles)} ${JSON.stringify(body).slice(0, 400)}`,
      )
      if (status === 409) {
        const { conflicts } = body.details
        const right = { unfounded: [], missing: [] }
        t.strictSame(
          wrongConflicts(conflicts, expected.obstacles),
          right,
          `it says what stands in the way: ${when}`,
        )
        t.ok(conflicts.length > 0)
        t.strictSame(await answersOf(writer), now, `nothing has changed: ${when}`)
      } else t.strictSame(differences(expected.state, stateOf(client)), [], when)
      t.strictSame(client.pragma('foreign_key_check'), [])
      if (!t.passing()) throw new Error(when)
    },
  )
  await fc.assert(property, { numRuns: 2 * RUNS, ...steady })
  t.ok((statuses.get(200) ?? 0) > RUNS / 4 && (statuses.get(409) ?? 0) > RUNS / 4, `both: ${[...statuses]}`)
})

t.test('one of several simultaneous undos succeeds', async (t) => {
  const writer = await service(t)
  const property = fc.asyncProperty(
    fc.array(randomWrite(), { maxLength: 6 }),
    randomWrite(),
    async (writes, last) => {
      await clear(writer)
      for (const write of [...BEGINNING, ...writes]) await make(write, writer)
      const since = lastOf(writer)
      await make(last, writer)
      if (lastOf(writer) === since) return
      const answers = await Promise.all([1, 2, 3].map(() => undo(writer, since + 1)))
      const done = answers.filter(({ status }) => status === 200)
      const didSomething = done.filter(({ body }) => body.changes.length > 0)
      const when = JSON.stringify([...writes, last])
      t.ok(didSomething.length === 1 || done.length === 3, `${answers.map(({ status }) => status)} ${when}`)
      t.ok(answers.every(({ status }) => status === 200 || status === 409))
    },
  )
  await fc.assert(property, { numRuns: RUNS / 2 })
})
