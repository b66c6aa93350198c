import fc from 'fast-check'
import t from 'tap'
import { createProjectWriter, type ProjectText, pack, unpack } from '../../src/reading/project-text.ts'
import { sharedTextOf } from '../../src/reading/shared-text.ts'
import type { KanbanItem, Project } from '../../src/schemas/records.ts'
import { build, createItem, createProject, send } from '../helper.ts'
import { ITEM_DEFAULTS } from '../item-defaults.ts'
import { rounds } from '../rounds.ts'

const AT = '2026-01-31T00:00:00.000Z'

/** Names of fields, and texts that look like the places that are looked for. */
const TRICKY = [
  'metadata',
  'claimedUntil',
  ',"metadata":',
  '"metadata":{},"claimedUntil":',
  '],"transcriptSummaries":[],"metrics":[',
  'kanbanItems',
  'transcriptSummaries',
  'metrics',
  '\\',
  '"',
  'ä🍎',
  '',
]
const anyText = fc.oneof(fc.constantFrom(...TRICKY), fc.string())
/** V8 13.6 takes a key with an escaped character for another one: `JSON.parse('{"\\"":1}')` after that of `{"\\\\":1}`. */
const anyKey = anyText.filter((text) => !/[\\"\p{Cc}]/u.test(text))
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 1.5, {}, []),
    anyText,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 3 }),
  ),
})).value as fc.Arbitrary<never>

const anyItem: fc.Arbitrary<KanbanItem> = fc
  .record({ title: anyText, description: anyText, column: anyText, metadata: anyJson, label: anyText })
  .map(({ label, ...fields }) => ({
    ...ITEM_DEFAULTS,
    id: 'i',
    projectId: 'p',
    assigneeIds: [label],
    reminders: [{ at: AT }, { before: label }],
    createdAt: AT,
    updatedAt: AT,
    labels: [{ id: 'l', projectId: 'p', name: label, color: label, createdAt: AT, updatedAt: AT }],
    subtasks: [
      { id: 's', itemId: 'i', title: label, completed: false, sortOrder: 0, createdAt: AT, updatedAt: AT },
    ],
    ...fields,
  }))

const anyProject: fc.Arbitrary<Project> = fc
  .record({
    name: anyText,
    metadata: anyJson,
    phaseConfig: fc.array(anyJson, { maxLength: 2 }),
    history: fc.array(anyJson, { maxLength: 2 }),
    actionItems: fc.array(anyJson, { maxLength: 2 }),
    kanbanItems: fc.array(anyItem, { maxLength: 4 }),
  })
  .map(({ history, actionItems, ...fields }) => ({
    id: 'p',
    key: 'AP',
    description: '',
    type: 'technical',
    status: 'backlog',
    phase: 'Design',
    health: 'on-track',
    nextStep: '',
    sortOrder: 0,
    leadId: null,
    teamId: null,
    access: 'everyone',
    shareLinks: 'members',
    createdAt: AT,
    updatedAt: AT,
    transcriptSummaries: [
      {
        id: 't',
        projectId: 'p',
        title: fields.name,
        date: AT,
        summary: '',
        participants: [],
        actionItems,
        sourceFile: '',
        createdAt: AT,
        updatedAt: AT,
      },
    ],
    metrics: [
      {
        id: 'm',
        projectId: 'p',
        name: fields.name,
        value: 1,
        unit: '',
        category: '',
        trend: 'up',
        history,
        createdAt: AT,
        updatedAt: AT,
      },
    ],
    objectives: [],
    teamAssignments: [],
    ...fields,
  }))

/** Makes the shared text of a project. @returns it, and the number of steps that it took */
function made(text: ProjectText): { shared: Buffer; steps: number } {
  const step = sharedTextOf(text)
  for (let steps = 1; ; steps++) {
    const shared = step()
    if (shared) return { shared, steps }
  }
}

const expectedOf = (body: Buffer) => {
  const project = JSON.parse(`${body}`)
  const kanbanItems = project.kanbanItems.map((item: object) => ({ ...item, metadata: {} }))
  return JSON.stringify({ ...project, metadata: {}, kanbanItems, transcriptSummaries: [] })
}

t.test('nothing is left out but metadata and transcripts, whatever the texts contain', async (t) => {
  const { write, replace } = createProjectWriter()
  fc.assert(
    fc.property(anyProject, anyProject, (project, other) => {
      const text = write(project)
      const { kanbanItems: _, ...frame } = other
      const [item] = project.kanbanItems
      const changed = new Set(item ? [item.id] : [])
      for (const one of [
        text,
        unpack(structuredClone(pack(text)), text.body),
        replace(text, new Set(), []),
        replace(text, changed, [], frame),
      ])
        t.equal(`${made(one).shared}`, expectedOf(one.body))
    }),
    { numRuns: rounds(25) },
  )
})

t.test('a large project is made in steps', async (t) => {
  const { write } = createProjectWriter()
  const [one] = fc.sample(anyProject, 1) as [Project]
  const [item] = fc.sample(anyItem, 1) as [KanbanItem]
  const kanbanItems = Array.from({ length: 20_000 }, (_, index) => ({
    ...item,
    id: `${index}`,
    description: 'x'.repeat(1000),
    metadata: { index },
  }))
  const text = write({ ...one, kanbanItems })
  t.ok(text.body.length > 20e6)
  const { shared, steps } = made(text)
  t.ok(steps > 3, `${steps} steps`)
  t.equal(JSON.parse(`${shared}`).kanbanItems.length, 20_000)
})

t.test('one that the worker thread reads is shared, too, and the cache follows each change', async (t) => {
  for (const snapshotCacheBytes of [0, 100e6]) {
    const app = await build(t, { databaseUrl: `file:${t.testdir({})}/board.db`, snapshotCacheBytes })
    const { id } = await createProject(app, { metadata: { hidden: true } })
    app.db.$client
      .prepare(
        `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 1500)
        insert into kanban_items (id, project_id, title, description, "column", sort_order, metadata)
        select 'item-' || n, ?, 'Card', printf('%1000s', 'x'), 'To Do', n, '{"hidden":true}' from counted`,
      )
      .run(id)
    const { secret } = (await send(app, 'POST', `/api/projects/${id}/share-links`)).body
    const url = `/api/shared/${secret}`
    const [first, again] = await Promise.all([send(app, 'GET', url), send(app, 'GET', url)])
    t.equal(first.body.kanbanItems.length, 1500)
    t.notMatch(JSON.stringify(first.body), /hidden/)
    t.strictSame(again.body, first.body)
    await createItem(app, id, { title: 'Another', metadata: { hidden: true } })
    await send(app, 'PATCH', `/api/projects/${id}`, { name: 'Renamed' })
    const { body, headers } = await send(app, 'GET', url)
    t.match([body.name, body.kanbanItems.length], ['Renamed', 1501])
    t.notMatch(JSON.stringify(body), /hidden/)
    t.not(headers.etag, first.headers.etag)
  }
})
