/** The tests that hold for every kind of record that belongs to a project and has the five usual routes. */
import type { Test } from 'tap'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  count,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  readOnly,
  send,
  signInAs,
  stored,
} from './helper.ts'

/** A record as an answer has it, or fields of one. */
type Fields = Record<string, unknown>

/** What the contract says of a field: which values it takes and what it answers for them, and which it refuses. */
export interface FieldContract {
  accepts: [sent: unknown, answered: unknown][]
  refuses: [sent: unknown, message: string][]
  /** What else a change of the field changes. */
  brings?: (before: Fields, after: Fields) => Fields
}

/** What the contract says of a kind of record that belongs to a project. */
export interface ChildContract {
  /** What one is called. */
  thing: string
  /** The last part of its paths. */
  path: string
  table: string
  /** Where a project has them. */
  relation: string
  /** The least that makes one. */
  least: Fields
  /** The fields of the record that it makes, in their order. */
  defaults: Fields
  fields: Record<string, FieldContract>
}

/** Of a record, what no two have in common. */
const identityOf = ({ id, createdAt, updatedAt }: Fields) => ({ id, createdAt, updatedAt })

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** A value of every type but the given ones, with the refusal of each. */
export const ofOtherTypes = (...types: string[]): [unknown, string][] =>
  [null, true, 5, '5', [], {}]
    .filter((value) => !types.includes(typeOf(value)))
    .map((value) => [value, `must be ${types.join(' or ')}`])

/** Values that are answered as they are sent. */
export const same = (...values: unknown[]): [unknown, unknown][] => values.map((value) => [value, value])

/** A text of so many characters at least and at most. */
export const text = (min: 0 | 1, max: number): FieldContract => ({
  accepts: same('5', ' ', long(max), '🚀'.repeat(max), ...(min === 0 ? [''] : [])),
  refuses: [
    ...ofOtherTypes('string'),
    [long(max + 1), `must NOT have more than ${max} characters`],
    ...(min === 1 ? [['', 'must NOT have fewer than 1 characters'] as [string, string]] : []),
  ],
})

/** A finite number. */
export const number: FieldContract = {
  accepts: same(0, -1.5, 1e300, Number.MIN_VALUE),
  refuses: ofOtherTypes('number'),
}

/** An array that is also taken as JSON text of one. */
export const jsonArray = (accepted: unknown[][], refused: [unknown[], string][] = []): FieldContract => {
  // Two quotes and two brackets round off the 64 KiB.
  const largest = [long(65_532)]
  const levels = (count: number): unknown[] => JSON.parse('['.repeat(count) + ']'.repeat(count))
  const isOfAnything = refused.length === 0
  return {
    accepts: [
      ...[[], largest, ...accepted, ...(isOfAnything ? [levels(100)] : [])].flatMap(
        (value): [unknown, unknown][] => [
          [value, value],
          [JSON.stringify(value), value],
        ],
      ),
      ['', []],
      [' [ ] ', []],
    ],
    refuses: [
      ...ofOtherTypes('array', 'string'),
      ...['5', '{}', 'null', '"[]"', '[', '[1,]', 'x', ' '].map((value): [unknown, string] => [
        value,
        'must be JSON text of an array',
      ]),
      [[long(65_533)], 'must NOT be larger than 65536 bytes of JSON'],
      [JSON.stringify([long(65_533)]), 'must NOT be larger than 65536 bytes of JSON'],
      [levels(101), 'must NOT be nested deeper than 100 levels'],
      ...refused.flatMap(([value, message]): [unknown, string][] => [
        [value, message],
        [JSON.stringify(value), message],
      ]),
    ],
  }
}

/** Fields of a body that are the server's, or nobody's. */
export const FOREIGN = { id: 'mine', createdAt: LONG_AGO, updatedAt: LONG_AGO, nonsense: 1 }

/** Holds a kind of record against its contract. */
export function testChildResource(t: Test, contract: ChildContract): void {
  const { thing, path, table, relation, least, defaults, fields } = contract
  const one = thing.toLowerCase()
  const many = path.replaceAll('-', ' ')
  const gone = { error: `${thing} not found` }
  const noProject = { error: 'Project not found' }
  const success = { success: true }

  const listOf = (projectId: string) => `/api/projects/${projectId}/${path}`
  const urlOf = (id: unknown) => `/api/${path}/${id}`

  async function create(app: App, projectId: string, body: Fields = {}): Promise<Fields> {
    const answer = await send(app, 'POST', listOf(projectId), { ...least, ...body })
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** An application with one record in one of two projects. */
  async function setUp(t: Test) {
    const app = await build(t)
    const project = await createProject(app)
    const record = await create(app, project.id)
    const other = await createProject(app, { name: 'Gemini' })
    return { app, project, other, record, list: listOf(project.id), url: urlOf(record.id) }
  }

  /** What there is: one by one, in the list, and in the project, which all say the same. */
  async function shows(t: Test, app: App, projectId: string, expected: Fields[], message: string) {
    const list = await send(app, 'GET', listOf(projectId))
    t.strictSame([list.status, list.body], [200, expected], `${message}: the list`)
    const project = await send(app, 'GET', `/api/projects/${projectId}`)
    t.strictSame(project.body[relation], expected, `${message}: the project`)
    for (const record of expected) {
      const { status, body } = await send(app, 'GET', urlOf(record.id))
      t.strictSame([status, body], [200, record], `${message}: ${record.id}`)
    }
  }

  t.test(`${one}: the least makes one, with every default`, async (t) => {
    const { app, project, other } = await setUp(t)
    await shows(t, app, other.id, [], 'before')
    const { status, body } = await send(app, 'POST', listOf(other.id), least)
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      projectId: other.id,
      ...defaults,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame(Object.keys(body), ['id', 'projectId', ...Object.keys(defaults), 'createdAt', 'updatedAt'])
    await shows(t, app, other.id, [body], 'created')
    t.equal((await send(app, 'GET', listOf(project.id))).body.length, 1, 'nothing is added elsewhere')
    t.equal((stored(app, table, body.id) as Fields).project_id, other.id)
  })

  t.test(`${one}: each value that a field takes is created, changed to and shown`, async (t) => {
    const { app, project, record } = await setUp(t)
    for (const [field, { accepts, brings = () => ({}) }] of Object.entries(fields)) {
      for (const [sent, answered] of accepts) {
        const message = `${field} ${JSON.stringify(sent)}`.slice(0, 80)
        const created = await create(app, project.id, { [field]: sent })
        t.strictSame(created, { ...record, ...identityOf(created), [field]: answered }, `POST ${message}`)
        const before = await create(app, project.id)
        age(app, table, String(before.id))
        const { status, body } = await send(app, 'PATCH', urlOf(before.id), { [field]: sent })
        t.equal(status, 200, `PATCH ${message}`)
        t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
        const expected = { ...before, [field]: answered, updatedAt: body.updatedAt }
        t.strictSame(body, { ...expected, ...brings(before, body) }, `PATCH ${message}`)
        t.strictSame((await send(app, 'GET', urlOf(before.id))).body, body, 'and stays so')
      }
    }
  })

  t.test(`${one}: each value that a field does not take is refused, and nothing is stored`, async (t) => {
    const { app, project, record, list, url } = await setUp(t)
    for (const [field, { refuses }] of Object.entries(fields)) {
      for (const [sent, message] of refuses) {
        const path = /^\[\d/.test(message) ? `${field}${message}` : message
        const answer = invalid({ [field]: [path] })
        await holds(t, app, [
          ['POST', list, { ...least, [field]: sent }, undefined, 400, answer],
          ['PATCH', url, { [field]: sent }, undefined, 400, answer],
        ])
      }
    }
    for (const field of Object.keys(fields).filter((name) => fields[name] === number)) {
      await holds(t, app, [
        ['PATCH', url, `{"${field}":1e999}`, undefined, 400, invalid({ [field]: ['must be number'] })],
      ])
    }
    await shows(t, app, project.id, [record], 'unchanged')
  })

  t.test(`${one}: what is required is missed, and all violations are told at once`, async (t) => {
    const { app, project, record, list, url } = await setUp(t)
    const required = Object.keys(least)
    const missing = Object.fromEntries(required.map((field) => [field, ['is required']]))
    const wrong = Object.fromEntries(
      Object.entries(fields).map(([field, { refuses }]) => [field, refuses[0]?.[0]]),
    )
    const refusals = Object.fromEntries(
      Object.entries(fields).map(([field, { refuses }]) => [field, [refuses[0]?.[1] ?? '']]),
    )
    await holds(t, app, [
      ['POST', list, { nonsense: 1 }, undefined, 400, invalid(missing)],
      ['POST', list, wrong, undefined, 400, invalid(refusals)],
      ['PATCH', url, wrong, undefined, 400, invalid(refusals)],
      ['POST', list, 'null', undefined, 400, invalid({}, ['must be object'])],
      ['PATCH', url, '[]', undefined, 400, invalid({}, ['must be object'])],
    ])
    for (const field of required) {
      const { [field]: _, ...rest }: Fields = { ...least, nonsense: 1 }
      await holds(t, app, [['POST', list, rest, undefined, 400, invalid({ [field]: ['is required'] })]])
    }
    await shows(t, app, project.id, [record], 'unchanged')
  })

  t.test(`${one}: foreign and server-owned fields are ignored and never stored`, async (t) => {
    const { app, project, other, record, list, url } = await setUp(t)
    const foreign = { ...FOREIGN, projectId: other.id }
    const { status, body } = await send(app, 'POST', list, { ...least, ...foreign })
    t.equal(status, 201)
    t.strictSame(body, { ...record, ...identityOf(body) })
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    t.equal(body.updatedAt, body.createdAt)

    const changed = await send(app, 'PATCH', url, { ...least, ...foreign })
    t.not(changed.body.updatedAt, LONG_AGO)
    t.strictSame(changed.body, { ...record, updatedAt: changed.body.updatedAt })

    age(app, table, String(record.id))
    for (const empty of [{}, foreign]) {
      const answer = await send(app, 'PATCH', url, empty)
      t.strictSame([answer.status, answer.body], [200, { ...record, updatedAt: LONG_AGO }])
    }
    await shows(t, app, project.id, [{ ...record, updatedAt: LONG_AGO }, body], 'afterwards')
    await shows(t, app, other.id, [], 'elsewhere')
  })

  t.test(`${one}: a deletion takes one away, and only that`, async (t) => {
    const { app, project, other, record, url } = await setUp(t)
    const kept = await create(app, project.id)
    const elsewhere = await create(app, other.id)
    await shows(t, app, project.id, [record, kept], 'before')
    await holds(t, app, [
      ['DELETE', url, undefined, undefined, 200, success],
      ['DELETE', url, undefined, undefined, 404, gone],
      ['GET', url, undefined, undefined, 404, gone],
      ['PATCH', url, {}, undefined, 404, gone],
      ['PATCH', url, least, undefined, 404, gone],
    ])
    await shows(t, app, project.id, [kept], 'afterwards')
    await shows(t, app, other.id, [elsewhere], 'elsewhere')
  })

  t.test(`${one}: validation comes before existence`, async (t) => {
    const { app, record } = await setUp(t)
    const [[field, { refuses }] = ['', { refuses: [] }]] = Object.entries(fields)
    const [[sent, message] = []] = refuses
    const refusal = invalid({ [field]: [message ?? ''] })
    const wrong = { ...least, [field]: sent }
    // A project's id is none of a child's, nor the other way round.
    for (const id of ['none', '%', '__proto__', record.projectId]) {
      await holds(t, app, [
        ['GET', urlOf(id), undefined, undefined, 404, gone],
        ['PATCH', urlOf(id), wrong, undefined, 400, refusal],
        ['PATCH', urlOf(id), least, undefined, 404, gone],
        ['PATCH', urlOf(id), {}, undefined, 404, gone],
        ['DELETE', urlOf(id), undefined, undefined, 404, gone],
      ])
    }
    for (const id of ['none', String(record.id)]) {
      await holds(t, app, [
        ['GET', listOf(id), undefined, undefined, 404, noProject],
        ['POST', listOf(id), wrong, undefined, 400, refusal],
        ['POST', listOf(id), least, undefined, 404, noProject],
      ])
    }
    t.equal(count(app, table), 1)
  })

  t.test(`${one}: in required mode the member comes first, then the role, then the body`, async (t) => {
    const app = await build(t, { authMode: 'required' })
    const [viewer, member, admin] = (['viewer', 'member', 'admin'] as const).map(
      (role) => signInAs(app, role).headers,
    )
    const project = await createProject(app, {}, member)
    const list = listOf(project.id)
    const { body: record } = await send(app, 'POST', list, least, member)
    const url = urlOf(record.id)
    await holds(t, app, [
      ['GET', list, undefined, undefined, 401, authenticationRequired],
      ['GET', url, undefined, undefined, 401, authenticationRequired],
      ['POST', list, '{oops', undefined, 401, authenticationRequired],
      ['PATCH', url, '{oops', undefined, 401, authenticationRequired],
      ['DELETE', url, undefined, undefined, 401, authenticationRequired],
      ['GET', list, undefined, viewer, 200, [record]],
      ['GET', url, undefined, viewer, 200, record],
      ['POST', list, '{oops', viewer, 403, readOnly],
      ['PATCH', url, '{oops', viewer, 403, readOnly],
      ['PATCH', urlOf('none'), {}, viewer, 403, readOnly],
      ['DELETE', urlOf('none'), undefined, viewer, 403, readOnly],
      ['DELETE', url, undefined, viewer, 403, readOnly],
      ['PATCH', url, least, member, 200, least],
      ['DELETE', url, undefined, admin, 200, success],
    ])
  })

  t.test(
    `${one}: in open mode everybody may do everything, but no credential may be worthless`,
    async (t) => {
      const { app, list, url } = await setUp(t)
      for (const role of ['viewer', 'member', 'admin'] as const) {
        const { headers } = signInAs(app, role)
        await holds(t, app, [
          ['POST', list, least, headers, 201, least],
          ['PATCH', url, least, headers, 200, least],
        ])
      }
      const worthless = { authorization: 'Bearer worthless' }
      await holds(t, app, [
        ['GET', list, undefined, worthless, 401, authenticationRequired],
        ['DELETE', url, undefined, worthless, 401, authenticationRequired],
      ])
    },
  )

  t.test(`${one}: what is no JSON, and an unexpected failure, is the 500 of the endpoint`, async (t) => {
    const { app, list, url } = await setUp(t)
    const failure = (what: string) => ({ error: `Failed to ${what}` })
    for (const body of ['{oops', '']) {
      await holds(t, app, [
        ['POST', list, body, undefined, 500, failure(`create ${one}`)],
        ['PATCH', url, body, undefined, 500, failure(`update ${one}`)],
      ])
    }
    breakTable(app, table)
    await holds(t, app, [
      ['GET', list, undefined, undefined, 500, failure(`fetch ${many}`)],
      ['POST', list, least, undefined, 500, failure(`create ${one}`)],
      ['GET', url, undefined, undefined, 500, failure(`fetch ${one}`)],
      ['PATCH', url, least, undefined, 500, failure(`update ${one}`)],
      ['PATCH', url, {}, undefined, 500, failure(`update ${one}`)],
      ['DELETE', url, undefined, undefined, 500, failure(`delete ${one}`)],
    ])
  })
}
