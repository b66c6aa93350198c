import fc from 'fast-check'
import t from 'tap'
import { isObject, parseJson } from '../src/json.ts'
import { parseTimestamp } from '../src/time.ts'
import { documentedOperations } from './documented.ts'
import {
  type App,
  build,
  createItem,
  createProject,
  createSubtask,
  long,
  seed,
  send,
  signInAs,
  stored,
} from './helper.ts'
import { rounds, steady } from './rounds.ts'

/** The contract of a body's field: the accepted values, the resulting ones, and values to try. */
interface Field {
  accepts: (value: unknown) => boolean
  becomes: (value: unknown) => unknown
  samples: fc.Arbitrary<unknown>
}

const anyJson = fc.jsonValue({ maxDepth: 3, noUnicodeString: false })
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.json({ maxDepth: 2 }),
)

const text = (min: number, max: number, isNullable = false): Field => ({
  accepts: (value) =>
    (isNullable && value === null) ||
    (typeof value === 'string' && [...value].length >= min && [...value].length <= max),
  // The database stores UTF-8, which has no lone surrogates.
  becomes: (value) => (typeof value === 'string' ? value.toWellFormed() : value),
  samples: fc.oneof(anyText, fc.constantFrom('', long(max), long(max + 1), '🚀'.repeat(max), null)),
})
const number: Field = {
  accepts: (value) => typeof value === 'number',
  becomes: (value) => value,
  samples: fc.double({ noNaN: true, noDefaultInfinity: true }),
}
const flag: Field = {
  accepts: (value) => typeof value === 'boolean',
  becomes: (value) => value,
  samples: fc.boolean(),
}
const date: Field = {
  accepts: (value) => !value || (typeof value === 'string' && parseTimestamp(value) !== undefined),
  becomes: (value) => (value ? parseTimestamp(value as string) : null),
  samples: fc.oneof(
    fc.constantFrom(
      null,
      '',
      false,
      0,
      true,
      1,
      '2026-01-31',
      '2026-02-30',
      'tomorrow',
      '2026-01-31T10:00+01:00',
    ),
    fc.date({ noInvalidDate: true }).map((value) => value.toISOString()),
  ),
}

const parsed = (value: unknown): unknown => {
  try {
    return parseJson(typeof value === 'string' ? value : JSON.stringify(value))
  } catch {
    return undefined
  }
}
const jsonText = (
  empty: unknown,
  fits: (value: unknown) => boolean,
  plain: fc.Arbitrary<unknown>,
): Field => ({
  accepts: (value) => value === '' || fits(parsed(value)),
  becomes: (value) => (value === '' ? empty : parsed(value)),
  samples: fc.oneof(
    plain,
    plain.map((value) => JSON.stringify(value)),
    plain.map((value) => JSON.stringify(value).slice(1)),
    fc.constantFrom('', '[]', '{}', 'null'),
  ),
})
const object = jsonText({}, isObject, fc.dictionary(fc.string(), anyJson))
const arrayOf = (fits: (value: unknown) => boolean, element: fc.Arbitrary<unknown>) =>
  jsonText(
    [],
    (value) => Array.isArray(value) && value.every(fits),
    fc.array(fc.oneof(element, anyJson), { maxLength: 3 }),
  )
const phases = arrayOf(
  (value) => isObject(value) && typeof value.name === 'string' && value.name !== '',
  fc.oneof(fc.record({ name: fc.string() }), fc.record({ name: fc.string(), more: anyJson })),
)

const projectFields: Record<string, Field> = {
  name: text(1, 200),
  description: text(0, 100_000),
  type: text(1, 100),
  status: text(1, 100),
  phase: text(0, 100),
  phaseConfig: phases,
  health: text(1, 100),
  nextStep: text(0, 100_000),
  sortOrder: number,
  metadata: object,
  leadId: text(0, 200, true),
  teamId: text(0, 200, true),
}
/** An empty phase counts as absent, but only in a new project. */
const projectChangeFields: Record<string, Field> = { ...projectFields, phase: text(1, 100) }
const itemFields: Record<string, Field> = {
  title: text(1, 500),
  description: text(0, 100_000),
  column: text(1, 100),
  sortOrder: number,
  priority: text(1, 100),
  assigneeId: text(0, 200, true),
  dueDate: date,
  source: text(1, 100),
  sourceId: text(0, 200),
  isNew: flag,
  approved: flag,
  dismissed: flag,
  metadata: object,
}
const subtaskFields: Record<string, Field> = { title: text(1, 500), completed: flag, sortOrder: number }
const commentFields: Record<string, Field> = { content: text(1, 10_000) }
const ideaFields: Record<string, Field> = {
  title: text(1, 500),
  description: text(0, 100_000),
  priority: text(1, 100),
  status: text(1, 100),
  sortOrder: number,
}
const objectiveFields: Record<string, Field> = {
  title: text(1, 500),
  description: text(0, 100_000),
  status: text(1, 100),
  sortOrder: number,
}
const transcriptFields: Record<string, Field> = {
  title: text(1, 500),
  date: { ...date, accepts: (value) => typeof value === 'string' && parseTimestamp(value) !== undefined },
  summary: text(0, 100_000),
  participants: arrayOf((value) => typeof value === 'string', fc.string()),
  actionItems: arrayOf((value) => typeof value === 'string' || isObject(value), anyJson),
  sourceFile: text(0, 500),
}

/** Names that are not fields of any body: read-only ones, other spellings, and those of prototypes. */
const foreign = [
  'id',
  'ownerId',
  'projectId',
  'itemId',
  'createdAt',
  'updatedAt',
  'promotedProjectId',
  'authorId',
  'editedAt',
  'kanbanItems',
  'metrics',
  'labels',
  'subtasks',
  'sort_order',
  'constructor',
  '__proto__',
  'toString',
]
const serverOwned = [
  'id',
  'ownerId',
  'projectId',
  'itemId',
  'createdAt',
  'promotedProjectId',
  'authorId',
  'editedAt',
]

/** A body of known fields with arbitrary values, and of unknown fields. */
function bodies(fields: Record<string, Field>, required: string[] = []) {
  const known = Object.entries(fields).map(([name, { samples }]): [string, fc.Arbitrary<unknown>] => [
    name,
    fc.oneof({ weight: 6, arbitrary: samples }, { weight: 1, arbitrary: anyJson }),
  ])
  const unknown = foreign.map((name): [string, fc.Arbitrary<unknown>] => [name, anyJson])
  // Only a few at a time, because otherwise hardly any body would be valid.
  return fc
    .tuple(
      fc.subarray(known, { maxLength: Math.min(3, known.length) }),
      fc.subarray(unknown, { maxLength: 3 }),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant(known.filter(([name]) => required.includes(name))) },
        { weight: 1, arbitrary: fc.constant([]) },
      ),
    )
    .chain((parts) => fc.record(Object.fromEntries(parts.flat())))
}

/** The ids and paths for every endpoint. */
async function places(app: App): Promise<(template: string) => string> {
  const project = await createProject(app)
  const item = await createItem(app, project.id)
  const subtask = await createSubtask(app, item.id)
  const of = seed(app, project.id, item.id)
  const ids: [RegExp, string][] = [
    [/^\/api\/projects\//, project.id],
    [/^\/api\/kanban-items\//, item.id],
    [/^\/api\/kanban-subtasks\//, subtask.id],
    [/^\/api\/kanban-comments\//, of.comment],
    [/^\/api\/kanban-labels\//, of.label],
    [/^\/api\/objectives\//, of.objective],
    [/^\/api\/metrics\//, of.metric],
    [/^\/api\/transcript-summaries\//, of.transcript],
    [/^\/api\/members\//, signInAs(app, 'member').id],
  ]
  return (template) =>
    template.replace(/\{\w+\}/g, ids.find(([pattern]) => pattern.test(template))?.[1] ?? 'none')
}

/** Every documented endpoint that takes a JSON body: method, URL, and whether the body may be absent. */
async function bodyEndpoints(app: App): Promise<[string, string, boolean][]> {
  const place = await places(app)
  return (
    (await documentedOperations(app))
      // MCP messages have their own errors: test/agents/safety.test.ts. An import takes any JSON as a file: test/exchange/readers-fuzz.test.ts.
      .filter(
        ({ path, requestBody }) => !['/mcp', '/api/imports'].includes(path) && requestBody !== undefined,
      )
      .map(({ method, path, requestBody }) => [method, place(path), requestBody?.required === false])
  )
}

const isJson = (body: string) => {
  try {
    JSON.parse(body.replace(/^\ufeff+/, ''))
    return true
  } catch {
    return false
  }
}

t.test('no JSON makes any endpoint fail unexpectedly', async (t) => {
  const app = await build(t)
  const endpoints = await bodyEndpoints(app)
  // The callers who may use every endpoint.
  const { headers } = signInAs(app, 'admin')
  t.ok(endpoints.length >= 7)
  for (const [method, url] of endpoints) {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyJson, fc.dictionary(fc.string(), anyJson)), async (body) => {
        const { status, body: answer } = await send(app, method, url, JSON.stringify(body), headers)
        if (status >= 500) return false
        if (status !== 400) return true
        const messages = [...answer.details.formErrors, ...Object.values(answer.details.fieldErrors).flat()]
        return (
          messages.length > 0 && messages.every((message) => typeof message === 'string' && message !== '')
        )
      }),
      { numRuns: rounds(8) },
    )
  }
})

t.test("a text returns the endpoint's 500 exactly if it is not JSON", async (t) => {
  const app = await build(t)
  const { headers } = signInAs(app, 'admin')
  const almost = fc
    .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', '"', '\\', ' ', '0'))
    .map(
      ([json, at, stroke]) => json.slice(0, at % json.length) + stroke + json.slice((at % json.length) + 1),
    )
  for (const [method, url, isOptional] of await bodyEndpoints(app)) {
    // The bodies of these are files.
    if (url === '/api/session' || url === '/api/imports' || /\/(attachments|thumbnail)$/.test(url)) continue
    await fc.assert(
      fc.asyncProperty(fc.oneof(almost, fc.string({ unit: 'grapheme' }), fc.json()), async (body) => {
        const { status } = await send(app, method, url, body, headers)
        return (status === 500) === !(isJson(body) || (isOptional && body === ''))
      }),
      { numRuns: rounds(6) },
    )
  }
})

t.test('an update is accepted exactly if each field is valid, and changes only these', async (t) => {
  const app = await build(t)
  const place = await places(app)
  for (const [template, table, fields] of [
    ['/api/projects/{id}', 'projects', projectChangeFields],
    ['/api/kanban-items/{id}', 'kanban_items', itemFields],
    ['/api/kanban-subtasks/{id}', 'kanban_subtasks', subtaskFields],
    ['/api/objectives/{id}', 'objectives', objectiveFields],
    ['/api/transcript-summaries/{id}', 'transcript_summaries', transcriptFields],
  ] as const) {
    const url = place(template)
    const id = url.split('/').at(-1) ?? ''
    let before = (await send(app, 'PATCH', url, {})).body
    let accepted = 0
    const numRuns = rounds(50)
    await fc.assert(
      fc.asyncProperty(bodies(fields), async (drawn) => {
        const sent = JSON.stringify(drawn)
        const body = JSON.parse(sent) as Record<string, unknown>
        const named = Object.keys(fields).filter((name) => Object.hasOwn(body, name))
        const wrong = named.filter((name) => !fields[name]?.accepts(body[name]))
        const row = stored(app, table, id)
        const { status, body: answer } = await send(app, 'PATCH', url, sent)
        if (wrong.length > 0) {
          const reported = Object.keys(answer.details?.fieldErrors ?? {})
          const isUntouched = JSON.stringify(stored(app, table, id)) === JSON.stringify(row)
          return status === 400 && `${reported.toSorted()}` === `${wrong.toSorted()}` && isUntouched
        }
        const expected = {
          ...before,
          ...Object.fromEntries(named.map((name) => [name, fields[name]?.becomes(body[name])])),
          updatedAt: named.length > 0 ? answer.updatedAt : before.updatedAt,
        }
        before = answer
        accepted++
        return status === 200 && JSON.stringify(answer) === JSON.stringify(expected)
      }),
      { numRuns, ...steady },
    )
    t.ok(accepted > numRuns / 8, `${accepted} changes of ${table} were acceptable`)
  }
})

t.test('a record is created exactly if each field is valid, and has only these', async (t) => {
  const app = await build(t)
  const place = await places(app)
  for (const [template, table, fields, required] of [
    ['/api/projects', 'projects', projectFields, 'name'],
    ['/api/projects/{id}/kanban-items', 'kanban_items', itemFields, 'title'],
    ['/api/kanban-items/{id}/subtasks', 'kanban_subtasks', subtaskFields, 'title'],
    ['/api/kanban-items/{id}/comments', 'kanban_comments', commentFields, 'content'],
    ['/api/projects/{id}/objectives', 'objectives', objectiveFields, 'title'],
    ['/api/personal-ideas', 'personal_ideas', ideaFields, 'title'],
  ] as const) {
    const url = place(template)
    const usual = (await send(app, 'POST', url, { [required]: 'x' })).body
    let accepted = 0
    const numRuns = rounds(30)
    await fc.assert(
      fc.asyncProperty(bodies(fields, [required]), async (drawn) => {
        const sent = JSON.stringify(drawn)
        const body = JSON.parse(sent) as Record<string, unknown>
        const named = Object.keys(fields).filter((name) => Object.hasOwn(body, name))
        const wrong = named.filter((name) => !fields[name]?.accepts(body[name]))
        if (!named.includes(required)) wrong.push(required)
        const { status, body: answer } = await send(app, 'POST', url, sent)
        if (wrong.length > 0) {
          const reported = Object.keys(answer.details?.fieldErrors ?? {})
          return status === 400 && `${reported.toSorted()}` === `${wrong.toSorted()}`
        }
        accepted++
        const isOwned = serverOwned.every(
          (name) =>
            name === 'id' ||
            name === 'createdAt' ||
            JSON.stringify(answer[name]) === JSON.stringify(usual[name]),
        )
        const isFresh = stored(app, table, answer.id).created_at === answer.createdAt && answer.id > usual.id
        const set = named.filter((name) => name !== 'phase' || body.phase !== '')
        return (
          status === 201 &&
          isOwned &&
          isFresh &&
          Math.abs(Date.parse(answer.createdAt) - Date.now()) < 60_000 &&
          `${Object.keys(answer)}` === `${Object.keys(usual)}` &&
          set.every(
            (name) => JSON.stringify(answer[name]) === JSON.stringify(fields[name]?.becomes(body[name])),
          )
        )
      }),
      { numRuns, ...steady },
    )
    t.ok(accepted > numRuns / 20, `${accepted} records of ${table} were acceptable`)
  }
})

t.test('any id, query and content type gets a response without a failure', async (t) => {
  const app = await build(t)
  const part = fc.string({ unit: fc.constantFrom(...'abc%0129EF;:@+~*é无'.split('')), minLength: 1 })
  await fc.assert(
    fc.asyncProperty(part, async (raw) => {
      const id = encodeURI(raw).replaceAll('%25', '%')
      const statuses: number[] = []
      for (const [method, url, body] of [
        ['GET', `/api/projects/${id}`, undefined],
        ['PATCH', `/api/projects/${id}`, { name: 'x' }],
        ['PATCH', `/api/kanban-items/${id}`, { title: 'x' }],
        ['DELETE', `/api/kanban-items/${id}`, undefined],
        ['GET', `/api/kanban-items/${id}/subtasks`, undefined],
      ] as const) {
        statuses.push((await send(app, method, url, body)).status)
      }
      return statuses.every((status) => status === 404)
    }),
    { numRuns: rounds(25) },
  )
  const query = fc.string({
    unit: fc.constantFrom('status', 'teamId', '=', '&', '%', '+', 'a', '[]', '?', '%00', ';'),
  })
  await fc.assert(
    fc.asyncProperty(query, async (text) => {
      const { status } = await send(app, 'GET', `/api/projects?${text}`)
      return status === 200 || status === 400
    }),
    { numRuns: rounds(50) },
  )
  const type = fc.string({
    unit: fc.constantFrom('application', '/', 'json', ';', ' ', 'charset', '=', 'utf-8', '"', '*'),
  })
  await fc.assert(
    fc.asyncProperty(type, async (value) => {
      const { status } = await send(app, 'POST', '/api/projects', { name: 'x' }, { 'content-type': value })
      return status === 201
    }),
    { numRuns: rounds(50) },
  )
})
