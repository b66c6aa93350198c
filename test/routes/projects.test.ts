import fc from 'fast-check'
import t from 'tap'
import { testChildResource } from '../child-resource.ts'
import {
  type FieldContract,
  jsonObject,
  noJsonTextOf,
  number,
  ofOtherTypes,
  oneOf,
  same,
  text,
  textOrNull,
} from '../field-contracts.ts'
import {
  type App,
  authenticationRequired,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  createSubtask,
  holds,
  invalid,
  long,
  type Row,
  readOnly,
  seed,
  send,
  signInAs,
  stored,
} from '../helper.ts'
import { TABLES_OF_A_PROJECT } from '../kinds.ts'
import { rounds } from '../rounds.ts'

const notFound = { error: 'Project not found' }
const adminRequired = { error: 'Forbidden: admin access required' }

const phases = (...names: string[]) => names.map((name) => ({ name }))
const technical = phases('Discovery', 'Design', 'Development', 'Testing', 'Deployment')
const business = phases('Discovery', 'Planning', 'Execution', 'Review', 'Close')
const anyOther = phases('Planning', 'In Progress', 'Complete')

const write = (app: App, id: string, column: string, value: unknown) =>
  app.db.$client.prepare(`update projects set ${column} = ? where id = ?`).run(value, id)

/** Only an update refuses the empty value. A creation treats it as absent. */
const phase = text(1, 100)

/** Invalid phases. */
const shapes: FieldContract['refuses'] = [
  [[{}], '[0].name is required'],
  [[{ name: '' }], '[0].name must NOT have fewer than 1 characters'],
  [['One', 2], '[0] must be object', '[1] must be object'],
  [
    [{}, { name: '' }, 5, { name: 7 }, null, { name: 'fine' }],
    '[0].name is required',
    '[1].name must NOT have fewer than 1 characters',
    '[2] must be object',
    '[3].name must be string',
    '[4] must be object',
  ],
]

testChildResource(t, {
  thing: 'Project',
  path: 'projects',
  parent: 'nothing',
  table: 'projects',
  least: { name: 'Apollo' },
  // The defaults depend on the type, and on the sequence of phases.
  depends: ['key', 'phase', 'phaseConfig'],
  reorder: 'places',
  defaults: {
    name: 'Apollo',
    key: 'APO2',
    description: '',
    type: 'technical',
    status: 'backlog',
    phase: 'Discovery',
    phaseConfig: technical,
    health: 'on-track',
    nextStep: '',
    sortOrder: 0,
    metadata: {},
    leadId: null,
    teamId: null,
    access: 'everyone',
    shareLinks: 'members',
    createdAt: '',
    updatedAt: '',
    kanbanItems: [],
    transcriptSummaries: [],
    metrics: [],
    objectives: [],
    teamAssignments: [],
  },
  fields: {
    name: text(1, 200),
    description: text(0, 100_000),
    type: text(1, 100),
    status: text(1, 100),
    phase: { ...phase, refuses: phase.refuses.filter(([sent]) => sent !== '') },
    phaseConfig: {
      accepts: [
        [],
        phases('One'),
        [{ name: 'One', color: 'red', more: [1, { a: null }] }, { name: 'Two' }],
      ].flatMap((value): [unknown, unknown][] => [
        [value, value],
        [JSON.stringify(value), value],
        [` ${JSON.stringify(value, null, 2)}\n`, value],
      ]),
      refuses: [
        ...ofOtherTypes('array', 'string'),
        ...noJsonTextOf('array'),
        ...shapes,
        ...shapes.map(
          ([value, ...messages]) => [JSON.stringify(value), ...messages] as (typeof shapes)[number],
        ),
      ],
    },
    health: text(1, 100),
    nextStep: text(0, 100_000),
    sortOrder: number,
    metadata: jsonObject({ name: 'x', nested: { list: [1, 'two', null, true] } }),
    leadId: textOrNull(200),
    teamId: textOrNull(200),
    // The creator of an assigned one is assigned to it: see test/access/scopes.test.ts.
    access: { ...oneOf('everyone', 'assigned'), accepts: same('everyone') },
    shareLinks: { ...oneOf('members', 'admins', 'off'), accepts: same('members') },
  },
  serverOwned: {
    ownerId: 'me',
    kanbanItems: [{ title: 'x' }],
    metrics: 5,
    objectives: null,
    teamAssignments: {},
    transcriptSummaries: 'x',
    phase_config: '[]',
  },
  // See test/routes/card-numbers.test.ts.
  elsewhere: ['key'],
})

t.test('POST /api/projects', async (t) => {
  t.test('without phaseConfig the default sequence of the type is stored, as JSON text', async (t) => {
    const app = await build(t)
    for (const [type, sequence] of [
      [undefined, technical],
      ['technical', technical],
      ['business', business],
      ['custom', anyOther],
      ['research', anyOther],
      ['Technical', anyOther],
      ['__proto__', anyOther],
    ] as const) {
      const project = await createProject(app, { type })
      t.strictSame(project.phaseConfig, sequence, `the sequence of ${type}`)
      t.equal(project.phase, sequence[0]?.name, `the first phase of ${type}`)
      t.equal(stored(app, 'projects', project.id).phase_config, JSON.stringify(sequence))
    }
  })

  t.test('a given phaseConfig is kept, for any type', async (t) => {
    const app = await build(t)
    const given = [{ name: 'One', note: 'further keys are kept' }, { name: 'Two' }]
    for (const phaseConfig of [given, JSON.stringify(given), ` ${JSON.stringify(given, null, 2)}\n`]) {
      const project = await createProject(app, { type: 'business', phaseConfig })
      t.strictSame(project.phaseConfig, given)
      t.equal(stored(app, 'projects', project.id).phase_config, JSON.stringify(given), 'stored as JSON text')
    }
  })

  t.test('without a phase a project starts in the first phase of its sequence', async (t) => {
    const app = await build(t)
    const phaseConfig = phases('One', 'Two')
    for (const [fields, phase] of [
      [{}, 'Discovery'],
      [{ phase: '' }, 'Discovery'],
      [{ phaseConfig }, 'One'],
      [{ phaseConfig, phase: '' }, 'One'],
      [{ phaseConfig: JSON.stringify(phaseConfig) }, 'One'],
      [{ phaseConfig, phase: 'Two' }, 'Two'],
      [{ phaseConfig, phase: 'Elsewhere' }, 'Elsewhere'],
      [{ phase: 'Design' }, 'Design'],
    ] as const) {
      t.equal((await createProject(app, fields)).phase, phase, JSON.stringify(fields))
    }
  })

  t.test('an empty sequence is kept, and the default phase is empty', async (t) => {
    const app = await build(t)
    for (const phaseConfig of [[], '[]', '']) {
      const project = await createProject(app, { phaseConfig })
      t.strictSame([project.phaseConfig, project.phase], [[], ''], JSON.stringify(phaseConfig))
      t.equal((await createProject(app, { phaseConfig, phase: 'Alone' })).phase, 'Alone')
    }
  })

  t.test('a new project gets the default columns of a board', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const columns = app.db.$client
      .prepare(
        'select name, sort_order as sortOrder from kanban_columns where project_id = ? order by sort_order',
      )
      .all(id)
    t.same(columns, [
      { name: 'To Do', sortOrder: 1 },
      { name: 'In Progress', sortOrder: 2 },
      { name: 'Review', sortOrder: 3 },
      { name: 'Done', sortOrder: 4 },
    ])
  })

  t.test('a project is not created if its columns cannot be', async (t) => {
    const app = await build(t)
    breakTable(app, 'kanban_columns')
    await holds(t, app, [
      ['POST', '/api/projects', { name: 'x' }, 500, { error: 'Failed to create project' }],
    ])
    t.equal(count(app, 'projects'), 0)
  })

  t.test('keys that could reach a prototype are dropped like every unknown field', async (t) => {
    const app = await build(t)
    const text = `{"name": "x", "__proto__": {"status": "stolen"}, "constructor": {"prototype": {"status": "stolen"}},
      "metadata": {"a": {"__proto__": {"b": 1}, "c": 2}},
      "phaseConfig": "[{\\"name\\": \\"One\\", \\"__proto__\\": {\\"b\\": 1}}]"}`
    const { status, body } = await send(app, 'POST', '/api/projects', text)
    t.equal(status, 201)
    t.equal(body.status, 'backlog')
    t.strictSame(body.metadata, { a: { c: 2 } })
    t.strictSame(body.phaseConfig, phases('One'))
    t.equal(stored(app, 'projects', body.id).metadata, '{"a":{"c":2}}')
    t.equal(({} as Record<string, unknown>).status, undefined, 'nothing is polluted')
  })
})

t.test('the fields of a project', async (t) => {
  t.test('the vocabularies are open: any type, status, phase and health is allowed', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    for (const value of ['archived', 'backlog', 'Größer als 無']) {
      const fields = { type: value, status: value, phase: value, health: value }
      await holds(t, app, [['PATCH', `/api/projects/${id}`, fields, 200, fields]])
    }
  })

  t.test('a JSON-text field has 64 KiB at most, in serialized bytes', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const config = (name: string) => [{ name }]
    const object = (a: string) => ({ a })
    const message = 'must NOT be larger than 65536 bytes of JSON'
    for (const [field, make, overhead] of [
      ['phaseConfig', config, '[{"name":""}]'.length],
      ['metadata', object, '{"a":""}'.length],
    ] as const) {
      const room = 65_536 - overhead
      const fits = [make(long(room)), make('é'.repeat(room / 2 - 0.5)), make(`"${long(room - 3)}`)]
      const tooLarge = [
        make(long(room + 1)),
        make('é'.repeat(Math.floor(room / 2) + 1)),
        make(`"${long(room - 1)}`),
      ]
      for (const value of fits) {
        const spacious = `${JSON.stringify(value)}${' '.repeat(1000)}`
        for (const sent of [value, JSON.stringify(value), spacious]) {
          const { status, body } = await send(app, 'PATCH', `/api/projects/${id}`, { [field]: sent })
          t.equal(status, 200)
          t.strictSame(body[field], value)
        }
      }
      for (const value of tooLarge) {
        for (const sent of [value, JSON.stringify(value)]) {
          const answer = invalid({ [field]: [message] })
          await holds(t, app, [['PATCH', `/api/projects/${id}`, { [field]: sent }, 400, answer]])
        }
      }
    }
  })

  t.test('a JSON-text field has 100 levels at most', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const nest = (levels: number): string =>
      levels % 2 ? `${'{"a":['.repeat(levels / 2)}{}${']}'.repeat(levels / 2)}` : `{"a":${nest(levels - 1)}}`
    const message = 'must NOT be nested deeper than 100 levels'
    const hundred = nest(100)
    t.equal(hundred.match(/[[{]/g)?.length, 100)
    const below = `[{"name":"x","a":${nest(98)}}]`
    const above = `[{"name":"x","a":${nest(99)}}]`
    for (const asText of [true, false]) {
      const sent = (text: string) => (asText ? text : JSON.parse(text))
      const url = `/api/projects/${id}`
      await holds(t, app, [
        ['PATCH', url, { metadata: sent(hundred) }, 200, { metadata: JSON.parse(hundred) }],
        ['PATCH', url, { metadata: sent(nest(101)) }, 400, invalid({ metadata: [message] })],
        ['PATCH', url, { phaseConfig: sent(below) }, 200, { phaseConfig: JSON.parse(below) }],
        ['PATCH', url, { phaseConfig: sent(above) }, 400, invalid({ phaseConfig: [message] })],
      ])
    }
    const abyss = `{"metadata":${'['.repeat(200_000)}${']'.repeat(200_000)}}`
    await holds(t, app, [
      ['PATCH', `/api/projects/${id}`, abyss, 400, invalid({ metadata: ['must be object or string'] })],
      ['PATCH', `/api/projects/${id}`, abyss.replace('metadata', 'nonsense'), 200, { id }],
    ])
  })

  t.test('JSON text of other tools that is empty, missing or invalid reads as empty', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    const item = await createItem(app, id)
    const { transcript, metric } = seed(app, id, item.id)
    const sql = app.db.$client
    for (const text of [null, '', '   ', 'oops', '5', 'null', '"x"', 'wrong shape']) {
      const array = text === 'wrong shape' ? '{}' : text
      const object = text === 'wrong shape' ? '[]' : text
      write(app, id, 'phase_config', array)
      write(app, id, 'metadata', object)
      sql.prepare('update kanban_items set metadata = ?').run(object)
      sql.prepare('update transcript_summaries set participants = ?, action_items = ?').run(array, array)
      sql.prepare('update metrics set history = ?').run(array)
      for (const url of [`/api/projects/${id}`, '/api/projects']) {
        const { status, body } = await send(app, 'GET', url)
        t.equal(status, 200)
        const project = Array.isArray(body) ? body[0] : body
        t.strictSame([project.phaseConfig, project.metadata], [[], {}], `${text}`)
        t.strictSame(project.kanbanItems[0].metadata, {})
        t.strictSame(project.transcriptSummaries[0].participants, [])
        t.strictSame(project.transcriptSummaries[0].actionItems, [])
        t.strictSame(project.metrics[0].history, [])
      }
    }
    sql
      .prepare('update transcript_summaries set participants = ?, action_items = ?')
      .run('["Ada"]', '["x",{"a":1}]')
    sql.prepare('update metrics set history = ?').run('[{"value":1,"at":"2026-01-31T00:00:00.000Z"}]')
    write(app, id, 'phase_config', '[{"name":"One"}]')
    write(app, id, 'metadata', '{"a":1}')
    const { body } = await send(app, 'GET', `/api/projects/${id}`)
    t.hasStrict(body, {
      phaseConfig: phases('One'),
      metadata: { a: 1 },
      transcriptSummaries: [{ id: transcript, participants: ['Ada'], actionItems: ['x', { a: 1 }] }],
      metrics: [{ id: metric, history: [{ value: 1, at: '2026-01-31T00:00:00.000Z' }] }],
    })
  })
})

t.test('a project response', async (t) => {
  t.test('has the whole record with all relations, in every endpoint that returns one', async (t) => {
    const app = await build(t)
    const project = await createProject(app)
    const item = await createItem(app, project.id, { metadata: { a: 1 } })
    const subtask = await createSubtask(app, item.id)
    const ids = seed(app, project.id, item.id)
    const timestamps = (table: string, id: string) => {
      const { created_at, updated_at } = stored(app, table, id)
      return { createdAt: created_at, updatedAt: updated_at }
    }
    const projectId = project.id
    const expected = {
      ...project,
      kanbanItems: [
        {
          ...item,
          metadata: { a: 1 },
          labels: [
            {
              id: ids.label,
              projectId,
              name: 'Bug',
              color: '#3b82f6',
              ...timestamps('kanban_labels', ids.label),
            },
          ],
          subtasks: [subtask],
        },
      ],
      transcriptSummaries: [
        {
          id: ids.transcript,
          projectId,
          title: 'Kick-off',
          date: '2026-01-31T00:00:00.000Z',
          summary: '',
          participants: [],
          actionItems: [],
          sourceFile: '',
          ...timestamps('transcript_summaries', ids.transcript),
        },
      ],
      metrics: [
        {
          id: ids.metric,
          projectId,
          name: 'Velocity',
          value: 3.5,
          unit: '',
          category: '',
          trend: 'stable',
          history: [],
          ...timestamps('metrics', ids.metric),
        },
      ],
      objectives: [
        {
          id: ids.objective,
          projectId,
          title: 'Land',
          description: '',
          status: 'not-started',
          sortOrder: 0,
          ...timestamps('objectives', ids.objective),
        },
      ],
      teamAssignments: [
        {
          id: ids.assignment,
          projectId,
          memberId: 'someone',
          role: 'member',
          ...timestamps('team_assignments', ids.assignment),
        },
      ],
    }
    const other = await createProject(app, { sortOrder: 1 })
    t.strictSame((await send(app, 'GET', `/api/projects/${projectId}`)).body, expected)
    t.strictSame(
      (await send(app, 'GET', '/api/projects')).body,
      [expected, other],
      'each has its own relations',
    )
    t.strictSame((await send(app, 'PATCH', `/api/projects/${projectId}`, {})).body, expected)
  })

  t.test('never shows activity entries', async (t) => {
    const app = await build(t)
    const project = await createProject(app)
    const item = await createItem(app, project.id)
    await send(app, 'PATCH', `/api/kanban-items/${item.id}`, { column: 'Done' })
    t.equal(count(app, 'kanban_activity'), 1)
    for (const url of ['/api/projects', `/api/projects/${project.id}`, `/api/kanban-items/${item.id}`]) {
      const { body } = await send(app, 'GET', url)
      t.notMatch(JSON.stringify(body), /activit|status_change/)
    }
  })

  t.test('orders items, dismissed ones too, and objectives by sortOrder, then by id', async (t) => {
    const app = await build(t)
    const project = await createProject(app)
    const places: [string, number][] = [
      ['last', 5],
      ['tie', 1.5],
      ['first', -3],
      ['tie again', 1.5],
    ]
    for (const [title, sortOrder] of places) {
      await createItem(app, project.id, { title, sortOrder, dismissed: sortOrder === 5, column: title })
      app.db.$client
        .prepare('insert into objectives (id, project_id, title, sort_order) values (?, ?, ?, ?)')
        .run(`objective ${title}`, project.id, title, sortOrder)
    }
    const { body } = await send(app, 'GET', `/api/projects/${project.id}`)
    const expected = ['first', 'tie', 'tie again', 'last']
    t.strictSame(
      body.kanbanItems.map((item: { title: string }) => item.title),
      expected,
    )
    t.strictSame(
      body.objectives.map((objective: { title: string }) => objective.title),
      expected,
    )
  })

  t.test('shows changes of other tools at once', async (t) => {
    const app = await build(t)
    const sql = app.db.$client
    sql.prepare("insert into projects (id, name) values ('p', 'From elsewhere')").run()
    sql.prepare("insert into kanban_items (id, project_id, title) values ('i', 'p', 'Card')").run()
    const { body } = await send(app, 'GET', '/api/projects/p')
    t.hasStrict(body, {
      id: 'p',
      name: 'From elsewhere',
      type: 'technical',
      status: 'backlog',
      phase: '',
      phaseConfig: [],
      health: 'on-track',
      metadata: {},
      kanbanItems: [{ id: 'i', column: 'To Do', priority: 'medium', approved: true, metadata: {} }],
    })
  })
})

t.test('GET /api/projects', async (t) => {
  t.test('an empty service has no projects', async (t) => {
    const app = await build(t)
    await holds(t, app, [['GET', '/api/projects', 200, []]])
  })

  t.test('projects are sorted by sortOrder, then by id', async (t) => {
    const app = await build(t)
    const names = async () =>
      (await send(app, 'GET', '/api/projects')).body.map(({ name }: { name: string }) => name)
    for (const [name, sortOrder] of [
      ['e', 10],
      ['c', 2],
      ['b', 0.5],
      ['d', 2],
      ['a', -1],
    ] as const) {
      await createProject(app, { name, sortOrder })
    }
    t.strictSame(await names(), ['a', 'b', 'c', 'd', 'e'])
    const insert = app.db.$client.prepare('insert into projects (id, name, sort_order) values (?, ?, 2)')
    insert.run('zzz', 'c3')
    insert.run('000', 'c0')
    t.strictSame(await names(), ['a', 'b', 'c0', 'c', 'd', 'c3', 'e'])
  })

  t.test('status and teamId filter by exact match when present and non-empty, and combine', async (t) => {
    const app = await build(t)
    for (const [name, status, teamId] of [
      ['1', 'active', 'red'],
      ['2', 'active', 'blue'],
      ['3', 'backlog', 'red'],
      ['4', 'Active', null],
      ['5', 'act', 'red blue'],
    ] as const) {
      await createProject(app, { name, status, teamId, sortOrder: Number(name) })
    }
    for (const [query, expected] of [
      ['', '12345'],
      ['?', '12345'],
      ['?status=', '12345'],
      ['?teamId=', '12345'],
      ['?status=&teamId=', '12345'],
      ['?status=active', '12'],
      ['?status=Active', '4'],
      ['?status=act', '5'],
      ['?status=active%20', ''],
      ['?status=%', ''],
      ['?teamId=red', '13'],
      ['?teamId=red%20blue', '5'],
      ['?teamId=red+blue', '5'],
      ['?teamId=null', ''],
      ['?status=active&teamId=', '12'],
      ['?status=&teamId=red', '13'],
      ['?status=active&teamId=red', '1'],
      ['?status=backlog&teamId=blue', ''],
      ["?status=active' or 1=1 --", ''],
      ['?name=1&unknown=x', '12345'],
      ['?Status=active', '12345'],
      // Several values of one filter: any of them matches.
      ['?status=active&status=backlog', '123'],
      ['?status=backlog&status=active', '123'],
      ['?status=active&status=', '12'],
      ['?status=active&status=active', '12'],
      ['?status=x&status=y', ''],
      ['?teamId=red&teamId=red%20blue', '135'],
      ['?teamId=red&teamId=null&status=active', '1'],
      ['?status=active&status=Active&teamId=red&teamId=blue', '12'],
    ] as const) {
      const { status, body } = await send(app, 'GET', `/api/projects${query}`)
      t.equal(status, 200)
      t.equal(
        body.map(({ name }: { name: string }) => name).join(''),
        expected,
        `with ${query || 'no query'}`,
      )
    }
  })

  t.test('all matching projects are listed, however many', async (t) => {
    const app = await build(t)
    app.db.$client.exec(`insert into projects (id, name, sort_order)
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
      select 'p' || i, 'x', i from n`)
    app.db.$client.exec(
      "insert into kanban_items (id, project_id, title) select 'i' || id, id, 'x' from projects",
    )
    const { body } = await send(app, 'GET', '/api/projects')
    t.equal(body.length, 1500)
    t.ok(
      body.every(
        ({ id, kanbanItems }: { id: string; kanbanItems: { id: string }[] }, index: number) =>
          id === `p${index + 1}` && kanbanItems.length === 1 && kanbanItems[0]?.id === `i${id}`,
      ),
      'in order, each with its own items',
    )
  })
})

t.test('open mode has no rate limit', async (t) => {
  const app = await build(t)
  const answers = await Promise.all(Array.from({ length: 1000 }, () => send(app, 'GET', '/api/projects')))
  t.ok(answers.every(({ status }) => status === 200))
  t.ok(answers.every(({ headers }) => !Object.keys(headers).some((name) => /rate-?limit/i.test(name))))
})

t.test('GET /api/projects/{id}', async (t) => {
  t.test('an unknown id is 404, whatever it looks like', async (t) => {
    const app = await build(t)
    await createProject(app)
    const ids = [
      'none',
      '0',
      '%',
      '%25',
      '%zz',
      '%E0%A4%A',
      'a%2Fb',
      '%00',
      '%20',
      '__proto__',
      'constructor',
      '*',
      ':id',
      "1'%20or%20'1'='1",
      '%F0%9F%9A%80',
      long(10_000),
    ]
    const rows = ids.map((id): Row => ['GET', `/api/projects/${id}`, 404, notFound])
    await holds(t, app, rows)
  })

  t.test('any string can be an id, with any encoding in the path', async (t) => {
    const app = await build(t)
    const insert = app.db.$client.prepare("insert or replace into projects (id, name) values (?, 'x')")
    const tricky = fc.string({ unit: fc.constantFrom(...'%25F4a1/?#;:.\\ +é無🚀'), minLength: 1 })
    const id = fc.oneof(tricky, fc.string({ unit: 'grapheme', minLength: 1 }), fc.uuid())
    await fc.assert(
      fc.asyncProperty(
        id.filter((text) => !/^\.+$/.test(text)),
        async (text) => {
          insert.run(text)
          const { status, body } = await send(app, 'GET', `/api/projects/${encodeURIComponent(text)}`)
          return status === 200 && body.id === text
        },
      ),
      { numRuns: rounds(60) },
    )
  })

  t.test('HEAD responds like GET, without the body', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    await holds(t, app, [
      ['HEAD', `/api/projects/${id}`, 200, ''],
      ['HEAD', '/api/projects', 200, ''],
      ['HEAD', '/api/projects/none', 404, notFound],
    ])
  })
})

t.test('PATCH /api/projects/{id}', async (t) => {
  t.test('a changed type or phaseConfig changes neither the sequence nor the phase', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    await holds(t, app, [
      ['PATCH', `/api/projects/${id}`, { type: 'business' }, 200, { phaseConfig: technical }],
      ['PATCH', `/api/projects/${id}`, { phaseConfig: [] }, 200, { phaseConfig: [], phase: 'Discovery' }],
    ])
  })

  t.test('an empty phase is refused, also with other fields', async (t) => {
    const app = await build(t)
    const project = await createProject(app, { phase: 'Testing' })
    const url = `/api/projects/${project.id}`
    const refused = invalid({ phase: ['must NOT have fewer than 1 characters'] })
    await holds(t, app, [
      ['PATCH', url, { phase: '' }, 400, refused],
      ['PATCH', url, { phase: '', name: 'New' }, 400, refused],
      ['PATCH', '/api/projects/none', { phase: '' }, 400, refused],
      ['GET', url, 200, project],
    ])
  })

  t.test('validation is checked before existence', async (t) => {
    const app = await build(t)
    const tooLong = invalid({ name: ['must NOT have more than 200 characters'] })
    await holds(t, app, [
      ['PATCH', '/api/projects/none', { name: long(201) }, 400, tooLong],
      ['PATCH', '/api/projects/none', '[]', 400, invalid({}, ['must be object'])],
      ['PATCH', '/api/projects/none', { name: 'fine' }, 404, notFound],
      ['PATCH', '/api/projects/none', {}, 404, notFound],
    ])
  })

  t.test('a project deleted during its change is 404', async (t) => {
    const app = await build(t)
    const { id } = await createProject(app)
    app.db.$client.exec(`create trigger vanish before update on projects begin select raise(ignore); end`)
    await holds(t, app, [['PATCH', `/api/projects/${id}`, { name: 'New' }, 404, notFound]])
  })
})

t.test('DELETE /api/projects/{id}', async (t) => {
  t.test('deletes all records of the project, from every table, and nothing else', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin')
    const [doomed, kept] = [await createProject(app), await createProject(app)]
    const ideas: Record<string, string> = {}
    for (const { id } of [doomed, kept]) {
      const item = await createItem(app, id)
      await createSubtask(app, item.id)
      ideas[id] = seed(app, id, item.id).idea
      await send(app, 'POST', `/api/projects/${id}/share-links`, {})
    }
    const tables = ['projects', ...TABLES_OF_A_PROJECT, 'share_links']
    const referring = app.db.$client
      .prepare(
        `select distinct t.name from sqlite_schema t, pragma_foreign_key_list(t.name) f
         where t.type = 'table' and f.on_delete = 'CASCADE'
           and f."table" in ('projects', 'kanban_items', 'kanban_labels')`,
      )
      .pluck()
      .all() as string[]
    t.strictSame(
      referring.filter((table) => !tables.includes(table)),
      [],
      'no table that refers to a project or an item is forgotten here',
    )
    const before = Object.fromEntries(tables.map((table) => [table, count(app, table)]))
    const { status, body } = await send(app, 'DELETE', `/api/projects/${doomed.id}`, undefined, admin.headers)
    t.strictSame([status, body], [200, { success: true }])
    for (const table of tables) t.equal(count(app, table) * 2, before[table], `half of ${table} is left`)
    t.equal(count(app, 'kanban_items', 'project_id = ?', doomed.id), 0)
    t.equal(stored(app, 'personal_ideas', ideas[doomed.id] ?? '').promoted_project_id, null, 'the idea stays')
    t.equal(stored(app, 'personal_ideas', ideas[kept.id] ?? '').promoted_project_id, kept.id)
    await holds(t, app, [
      ['GET', `/api/projects/${doomed.id}`, 404, notFound],
      ['DELETE', `/api/projects/${doomed.id}`, undefined, admin.headers, 404, notFound],
      ['GET', `/api/projects/${kept.id}`, 200, { id: kept.id }],
    ])
  })

  t.test('requires an admin before the project is looked up, in both modes', async (t) => {
    for (const authMode of ['open', 'required'] as const) {
      const app = await build(t, { authMode })
      const admin = signInAs(app, 'admin')
      const { id } = await createProject(app, {}, admin.headers)
      const nobodies: (Record<string, string> | undefined)[] = [
        undefined,
        signInAs(app, 'member').headers,
        signInAs(app, 'viewer').headers,
        { cookie: 'phaseboard_session=worthless' },
        { authorization: 'Bearer worthless' },
      ]
      for (const headers of nobodies) {
        await holds(t, app, [
          ['DELETE', '/api/projects/none', undefined, headers, 403, adminRequired],
          ['DELETE', `/api/projects/${id}`, undefined, headers, 403, adminRequired],
          ['DELETE', `/api/projects/${id}`, '{oops', headers, 403, adminRequired],
        ])
      }
      await holds(t, app, [
        ['GET', `/api/projects/${id}`, undefined, admin.headers, 200, { id }],
        ['DELETE', '/api/projects/none', undefined, admin.headers, 404, notFound],
        ['DELETE', '/api/projects/none', '{oops', admin.headers, 404, notFound],
        ['DELETE', `/api/projects/${id}`, '{oops', admin.headers, 200, { success: true }],
        ['DELETE', `/api/projects/${id}`, undefined, admin.headers, 404, notFound],
      ])
    }
  })
})

t.test('the order of checks', async (t) => {
  t.test('in open mode only DELETE needs a credential', async (t) => {
    const app = await build(t, { authMode: 'open' })
    const { id } = await createProject(app)
    const nameless = invalid({ name: ['must NOT have fewer than 1 characters'] })
    const update = { error: 'Failed to update project' }
    const wrongType = { 'content-type': 'text/plain' }
    const worthless = { authorization: 'Bearer worthless' }
    const sessions = [
      undefined,
      ...(['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers),
    ]
    for (const session of sessions) {
      await holds(t, app, [
        ['GET', '/api/projects', undefined, session, 200, [{ id }]],
        ['GET', `/api/projects/${id}`, undefined, session, 200, { id }],
        ['GET', '/api/projects/none', undefined, session, 404, notFound],
        ['POST', '/api/projects', { name: '' }, session, 400, nameless],
        ['POST', '/api/projects', '{oops', session, 500, { error: 'Failed to create project' }],
        [
          'POST',
          '/api/projects',
          'x',
          { ...session, ...wrongType },
          500,
          { error: 'Failed to create project' },
        ],
        ['PATCH', '/api/projects/none', 'x', { ...session, ...wrongType }, 500, update],
        ['PATCH', '/api/projects/none', '{oops', session, 500, update],
        ['PATCH', '/api/projects/none', { name: '' }, session, 400, nameless],
        ['PATCH', `/api/projects/${id}`, { name: '' }, session, 400, nameless],
        ['PATCH', '/api/projects/none', { name: 'x' }, session, 404, notFound],
        ['PATCH', `/api/projects/${id}`, { name: 'x' }, session, 200, { name: 'x' }],
      ])
    }
    await holds(t, app, [
      ['GET', '/api/projects', undefined, worthless, 401, authenticationRequired],
      ['POST', '/api/projects', { name: '' }, worthless, 401, authenticationRequired],
      ['PATCH', '/api/projects/none', { name: '' }, worthless, 401, authenticationRequired],
    ])
  })

  t.test('required mode checks the member, then the role, then everything else', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const member = signInAs(app, 'member').headers
    const viewer = signInAs(app, 'viewer').headers
    const { id } = await createProject(app, {}, member)
    const nameless = invalid({ name: ['must NOT have fewer than 1 characters'] })
    const update = { error: 'Failed to update project' }
    await holds(t, app, [
      ['GET', '/api/projects', 401, authenticationRequired],
      ['GET', '/api/projects/none', 401, authenticationRequired],
      ['POST', '/api/projects', '{oops', 401, authenticationRequired],
      ['PATCH', '/api/projects/none', { name: '' }, 401, authenticationRequired],
      ['GET', '/api/projects', undefined, viewer, 200, [{ id }]],
      ['GET', `/api/projects/${id}`, undefined, viewer, 200, { id }],
      ['GET', '/api/projects/none', undefined, viewer, 404, notFound],
      ['POST', '/api/projects', '{oops', viewer, 403, readOnly],
      ['POST', '/api/projects', { name: '' }, viewer, 403, readOnly],
      ['PATCH', '/api/projects/none', { name: '' }, viewer, 403, readOnly],
      ['PATCH', `/api/projects/${id}`, {}, viewer, 403, readOnly],
      ['POST', '/api/projects', '{oops', member, 500, { error: 'Failed to create project' }],
      ['POST', '/api/projects', { name: '' }, member, 400, nameless],
      ['POST', '/api/projects', { name: 'x' }, member, 201, { name: 'x' }],
      ['PATCH', '/api/projects/none', '{oops', member, 500, update],
      ['PATCH', '/api/projects/none', { name: '' }, member, 400, nameless],
      ['PATCH', '/api/projects/none', { name: 'x' }, member, 404, notFound],
      ['PATCH', `/api/projects/${id}`, { name: 'x' }, member, 200, { name: 'x' }],
    ])
  })
})

t.test('an unexpected failure', async (t) => {
  const requests: [string, string, unknown, string][] = [
    ['GET', '/api/projects', undefined, 'Failed to fetch projects'],
    ['GET', '/api/projects?status=x', undefined, 'Failed to fetch projects'],
    ['HEAD', '/api/projects', undefined, 'Failed to fetch projects'],
    ['POST', '/api/projects', { name: 'x' }, 'Failed to create project'],
    ['GET', '/api/projects/x', undefined, 'Failed to fetch project'],
    ['HEAD', '/api/projects/x', undefined, 'Failed to fetch project'],
    ['PATCH', '/api/projects/x', { name: 'x' }, 'Failed to update project'],
    ['DELETE', '/api/projects/x', undefined, 'Failed to delete project'],
  ]

  t.test('returns the 500 of its project endpoint', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    breakTable(app, 'projects')
    await holds(
      t,
      app,
      requests.map(([method, url, body, error]): Row => [method, url, body, headers, 500, { error }]),
    )
  })

  t.test('in a relation fails the whole response', async (t) => {
    for (const table of [
      'kanban_items',
      'kanban_subtasks',
      'kanban_item_labels',
      'transcript_summaries',
      'metrics',
      'objectives',
      'team_assignments',
    ]) {
      const app = await build(t)
      const { id } = await createProject(app)
      breakTable(app, table)
      await holds(t, app, [
        ['GET', '/api/projects', 500, { error: 'Failed to fetch projects' }],
        ['GET', `/api/projects/${id}`, 500, { error: 'Failed to fetch project' }],
      ])
    }
  })

  t.test("of the whole database returns the endpoint's 500 too", async (t) => {
    const app = await build(t)
    const { headers: admin } = signInAs(app, 'admin')
    app.db.$client.close()
    for (const headers of [undefined, admin]) {
      const rows = requests
        .filter(([method]) => headers || method !== 'DELETE')
        .map(([method, url, body, error]): Row => [method, url, body, headers, 500, { error }])
      await holds(t, app, rows)
    }
  })
})
