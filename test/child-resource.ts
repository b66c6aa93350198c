/** The tests for every kind of child record of a project or an item with the five usual routes. */
import type { Test } from 'tap'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  count,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  readOnly,
  send,
  signInAs,
  stored,
} from './helper.ts'

/** A record in a response, or some of its fields. */
type Fields = Record<string, unknown>

/** The contract of a field: accepted values with their responses, and refused ones. */
export interface FieldContract {
  accepts: [sent: unknown, answered: unknown][]
  refuses: [sent: unknown, message: string][]
  /** Other effects of changing the field. */
  brings?: (before: Fields, after: Fields) => Fields
}

/** The contract of a kind of child record. */
export interface ChildContract {
  /** Its name. */
  thing: string
  /** The last part of its paths. */
  path: string
  /** That of its lists, if different. */
  listPath?: string
  /** The parent: a project by default. */
  parent?: 'project' | 'item'
  table: string
  /** The field of the parent that shows them, if any. */
  relation?: string
  /** The minimal body that creates one. */
  least: Fields
  /** Unique fields, added when several are created. */
  distinct?: () => Fields
  /** Fields whose default depends on existing records. */
  depends?: string[]
  /** The status of changing or deleting an unknown one, if not 404. */
  unknown?: [status: number, body: object]
  /** The failure text shared by change and deletion, if any. */
  failure?: string
  /** The fields of the created record, in order. */
  defaults: Fields
  fields: Record<string, FieldContract>
}

/** Unknown ids, some of them hostile. */
const STRANGE_IDS = ['none', '%', 'a%2Fb', '__proto__', 'constructor', "'", long(10_000)]

/** Bodies that are not JSON. */
const NOT_JSON = ['{oops', '', ' ', '{"title":"x"', 'title=x']

/** A body with a text media type; it is parsed as JSON. */
const asText = { 'content-type': 'text/plain' }

/** The kinds of parents. */
const PARENTS = {
  project: {
    path: 'projects',
    key: 'projectId',
    column: 'project_id',
    thing: 'Project',
    create: (app: App, headers?: Record<string, string>) => createProject(app, {}, headers),
  },
  item: {
    path: 'kanban-items',
    key: 'itemId',
    column: 'item_id',
    thing: 'Kanban item',
    create: async (app: App, headers?: Record<string, string>) =>
      createItem(app, (await createProject(app, {}, headers)).id, {}, headers),
  },
}

const typeOf = (value: unknown) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value)

/** A value of every type but the given ones, with the refusal of each. */
export const ofOtherTypes = (...types: string[]): [unknown, string][] =>
  [null, true, 5, '5', [], {}]
    .filter((value) => !types.includes(typeOf(value)))
    .map((value) => [value, `must be ${types.join(' or ')}`])

/** Values that are returned unchanged. */
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

/** True or false. */
export const boolean: FieldContract = { accepts: same(true, false), refuses: ofOtherTypes('boolean') }

/** An array that is also accepted as JSON text. */
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

/** Read-only and unknown fields of a body. */
export const FOREIGN = { id: 'mine', createdAt: LONG_AGO, updatedAt: LONG_AGO, nonsense: 1 }

/** Tests a kind of record against its contract. */
export function testChildResource(t: Test, contract: ChildContract): void {
  const { thing, path, listPath = path, table, relation, least, defaults, fields, depends = [] } = contract
  const parent = PARENTS[contract.parent ?? 'project']
  const one = thing.toLowerCase()
  const many = path.replaceAll('-', ' ')
  const gone = { error: `${thing} not found` }
  const noParent = { error: `${parent.thing} not found` }
  const [unknown, unknownBody] = contract.unknown ?? [404, gone]
  const success = { success: true }

  const listOf = (parentId: string) => `/api/${parent.path}/${parentId}/${listPath}`
  const failure = (verb: string, what = one) => ({
    error: (/^(update|delete)$/.test(verb) && contract.failure) || `Failed to ${verb} ${what}`,
  })
  /** A minimal, unique body. */
  const another = (): Fields => ({ ...least, ...contract.distinct?.() })
  /** The unique fields of a record. */
  const identityOf = (record: Fields) =>
    Object.fromEntries(
      ['id', 'createdAt', 'updatedAt', ...Object.keys(contract.distinct?.() ?? {}), ...depends].map(
        (name) => [name, record[name]],
      ),
    )
  const urlOf = (id: unknown) => `/api/${path}/${id}`

  async function create(app: App, parentId: string, body: Fields = {}): Promise<Fields> {
    const answer = await send(app, 'POST', listOf(parentId), { ...another(), ...body })
    if (answer.status !== 201) throw new Error(`not created: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  /** An application with one record in one of two parents. */
  async function setUp(t: Test) {
    const app = await build(t)
    const owner = await parent.create(app)
    const record = await create(app, owner.id)
    const other = await parent.create(app)
    return { app, owner, other, record, list: listOf(owner.id), url: urlOf(record.id) }
  }

  /** The records one by one, in the list, and in the parent, which must agree. */
  async function shows(t: Test, app: App, parentId: string, expected: Fields[], message: string) {
    const list = await send(app, 'GET', listOf(parentId))
    t.strictSame([list.status, list.body], [200, expected], `${message}: the list`)
    if (relation !== undefined) {
      const { body } = await send(app, 'GET', `/api/${parent.path}/${parentId}`)
      t.strictSame(body[relation], expected, `${message}: the parent`)
    }
    for (const record of expected) {
      const { status, body } = await send(app, 'GET', urlOf(record.id))
      t.strictSame([status, body], [200, record], `${message}: ${record.id}`)
    }
  }

  t.test(`${one}: the least makes one, with every default`, async (t) => {
    const { app, owner, other } = await setUp(t)
    await shows(t, app, other.id, [], 'before')
    const { status, body } = await send(app, 'POST', listOf(other.id), least)
    t.equal(status, 201)
    t.strictSame(body, {
      id: body.id,
      [parent.key]: other.id,
      ...defaults,
      createdAt: body.createdAt,
      updatedAt: body.createdAt,
    })
    t.strictSame(Object.keys(body), ['id', parent.key, ...Object.keys(defaults), 'createdAt', 'updatedAt'])
    await shows(t, app, other.id, [body], 'created')
    t.equal((await send(app, 'GET', listOf(owner.id))).body.length, 1, 'nothing is added elsewhere')
    t.equal((stored(app, table, body.id) as Fields)[parent.column], other.id)
  })

  t.test(`${one}: each value that a field takes is created, changed to and shown`, async (t) => {
    const { app, owner, record, list, url } = await setUp(t)
    for (const [field, { accepts, brings = () => ({}) }] of Object.entries(fields)) {
      for (const [sent, answered] of accepts) {
        const message = `${field} ${JSON.stringify(sent)}`.slice(0, 80)
        const created = await create(app, owner.id, { [field]: sent })
        t.strictSame(created, { ...record, ...identityOf(created), [field]: answered }, `POST ${message}`)
        if (contract.distinct?.()[field] !== undefined) await send(app, 'DELETE', urlOf(created.id))
        const before = await create(app, owner.id)
        age(app, table, String(before.id))
        const { status, body } = await send(app, 'PATCH', urlOf(before.id), { [field]: sent })
        t.equal(status, 200, `PATCH ${message}`)
        t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
        const expected = { ...before, [field]: answered, updatedAt: body.updatedAt }
        t.strictSame(body, { ...expected, ...brings(before, body) }, `PATCH ${message}`)
        t.strictSame((await send(app, 'GET', urlOf(before.id))).body, body, 'and stays so')
      }
    }
    const all = Object.fromEntries(
      Object.entries(fields).map(([field, { accepts }]) => [field, accepts.at(-1)]),
    )
    const sent = Object.fromEntries(Object.entries(all).map(([field, pair]) => [field, pair?.[0]]))
    const answered = Object.fromEntries(Object.entries(all).map(([field, pair]) => [field, pair?.[1]]))
    const { body } = await send(app, 'POST', list, sent)
    t.strictSame(body, { ...record, ...identityOf(body), ...answered }, 'all at once')
    await send(app, 'DELETE', urlOf(body.id))
    t.strictSame((await send(app, 'PATCH', url, sent)).body.id, record.id)
    const { body: changed } = await send(app, 'GET', url)
    t.match(changed, answered, 'all changed at once')
  })

  t.test(`${one}: each value that a field does not take is refused, and nothing is stored`, async (t) => {
    const { app, owner, record, list, url } = await setUp(t)
    for (const [field, { refuses }] of Object.entries(fields)) {
      for (const [sent, message] of refuses) {
        const path = /^\[\d/.test(message) ? `${field}${message}` : message
        const answer = invalid({ [field]: [path] })
        await holds(t, app, [
          ['POST', list, { ...another(), [field]: sent }, undefined, 400, answer],
          ['PATCH', url, { [field]: sent }, undefined, 400, answer],
        ])
      }
    }
    for (const field of Object.keys(fields).filter((name) => fields[name] === number)) {
      await holds(t, app, [
        ['PATCH', url, `{"${field}":1e999}`, undefined, 400, invalid({ [field]: ['must be number'] })],
      ])
    }
    await shows(t, app, owner.id, [record], 'unchanged')
  })

  t.test(`${one}: what is required is missed, and all violations are told at once`, async (t) => {
    const { app, owner, record, list, url } = await setUp(t)
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
      ['POST', list, {}, undefined, 400, invalid(missing, ['must NOT have fewer than 1 properties'])],
      ...['null', '[]', '"x"', '5'].flatMap((body): Row[] => [
        ['POST', list, body, undefined, 400, invalid({}, ['must be object'])],
        ['PATCH', url, body, undefined, 400, invalid({}, ['must be object'])],
      ]),
    ])
    for (const field of required) {
      const { [field]: _, ...rest }: Fields = { ...least, nonsense: 1 }
      await holds(t, app, [['POST', list, rest, undefined, 400, invalid({ [field]: ['is required'] })]])
    }
    await shows(t, app, owner.id, [record], 'unchanged')
  })

  t.test(`${one}: foreign and server-owned fields are ignored and never stored`, async (t) => {
    const { app, owner, other, record, list, url } = await setUp(t)
    const foreign = { ...FOREIGN, [parent.key]: other.id }
    const { status, body } = await send(app, 'POST', list, { ...another(), ...foreign })
    t.equal(status, 201)
    t.strictSame(body, { ...record, ...identityOf(body) })
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    t.equal(body.updatedAt, body.createdAt)

    const same = Object.fromEntries(Object.keys(least).map((field) => [field, record[field]]))
    const changed = await send(app, 'PATCH', url, { ...same, ...foreign })
    t.not(changed.body.updatedAt, LONG_AGO)
    t.strictSame(changed.body, { ...record, updatedAt: changed.body.updatedAt })

    const text = JSON.stringify(another()).slice(0, -1)
    const values = JSON.stringify(
      Object.fromEntries(Object.keys(fields).map((field) => [field, fields[field]?.accepts[0]?.[0]])),
    )
    const trap = await send(
      app,
      'POST',
      list,
      `${text},"__proto__":${values},"constructor":{"prototype":${values}}}`,
    )
    t.strictSame(
      [trap.status, trap.body],
      [201, { ...record, ...identityOf(trap.body) }],
      'not by a prototype either',
    )
    await send(app, 'DELETE', urlOf(trap.body.id))

    age(app, table, String(record.id))
    for (const empty of [{}, foreign]) {
      const answer = await send(app, 'PATCH', url, empty)
      t.strictSame([answer.status, answer.body], [200, { ...record, updatedAt: LONG_AGO }])
    }
    await shows(t, app, owner.id, [{ ...record, updatedAt: LONG_AGO }, body], 'afterwards')
    await shows(t, app, other.id, [], 'elsewhere')
  })

  t.test(`${one}: a deletion takes one away, and only that`, async (t) => {
    const { app, owner, other, record, url } = await setUp(t)
    const kept = await create(app, owner.id)
    const elsewhere = await create(app, other.id)
    await shows(t, app, owner.id, [record, kept], 'before')
    await holds(t, app, [
      ['DELETE', url, undefined, undefined, 200, success],
      ['DELETE', url, undefined, undefined, unknown, unknownBody],
      ['GET', url, undefined, undefined, 404, gone],
      ['PATCH', url, {}, undefined, unknown, unknownBody],
      ['PATCH', url, least, undefined, unknown, unknownBody],
    ])
    await shows(t, app, owner.id, [kept], 'afterwards')
    await shows(t, app, other.id, [elsewhere], 'elsewhere')
  })

  t.test(`${one}: validation comes before existence`, async (t) => {
    const { app, record } = await setUp(t)
    const [[field, { refuses }] = ['', { refuses: [] }]] = Object.entries(fields)
    const [[sent, message] = []] = refuses
    const refusal = invalid({ [field]: [message ?? ''] })
    const wrong = { ...least, [field]: sent }
    // A parent's id is none of a child's, nor the other way round.
    for (const id of [...STRANGE_IDS, record[parent.key]]) {
      await holds(t, app, [
        ['GET', urlOf(id), undefined, undefined, 404, gone],
        ['PATCH', urlOf(id), wrong, undefined, 400, refusal],
        ['PATCH', urlOf(id), least, undefined, unknown, unknownBody],
        ['PATCH', urlOf(id), {}, undefined, unknown, unknownBody],
        ['PATCH', urlOf(id), { nonsense: 1 }, undefined, unknown, unknownBody],
        ['DELETE', urlOf(id), undefined, undefined, unknown, unknownBody],
      ])
    }
    for (const id of [...STRANGE_IDS, String(record.id)]) {
      await holds(t, app, [
        ['GET', listOf(id), undefined, undefined, 404, noParent],
        ['POST', listOf(id), wrong, undefined, 400, refusal],
        ['POST', listOf(id), least, undefined, 404, noParent],
      ])
    }
    t.equal(count(app, table), 1)
  })

  t.test(`${one}: in required mode the member comes first, then the role, then the body`, async (t) => {
    const app = await build(t, { authMode: 'required' })
    const [viewer, member, admin] = (['viewer', 'member', 'admin'] as const).map(
      (role) => signInAs(app, role).headers,
    )
    const owner = await parent.create(app, member)
    const list = listOf(owner.id)
    const { body: record } = await send(app, 'POST', list, least, member)
    const url = urlOf(record.id)
    await holds(t, app, [
      ['GET', list, undefined, undefined, 401, authenticationRequired],
      ['GET', url, undefined, undefined, 401, authenticationRequired],
      ['POST', list, '{oops', undefined, 401, authenticationRequired],
      ['POST', list, {}, undefined, 401, authenticationRequired],
      ['PATCH', urlOf('none'), '{oops', undefined, 401, authenticationRequired],
      ['DELETE', urlOf('none'), undefined, undefined, 401, authenticationRequired],
      ['PATCH', url, '{oops', undefined, 401, authenticationRequired],
      ['DELETE', url, undefined, undefined, 401, authenticationRequired],
      ['GET', list, undefined, viewer, 200, [record]],
      ['GET', url, undefined, viewer, 200, record],
      ['GET', urlOf('none'), undefined, viewer, 404, gone],
      ['POST', list, { nonsense: 1 }, viewer, 403, readOnly],
      ['POST', list, '{oops', viewer, 403, readOnly],
      ['PATCH', url, '{oops', viewer, 403, readOnly],
      ['PATCH', urlOf('none'), {}, viewer, 403, readOnly],
      ['DELETE', urlOf('none'), undefined, viewer, 403, readOnly],
      ['DELETE', url, undefined, viewer, 403, readOnly],
      ['POST', list, '{oops', member, 500, failure('create')],
      ['PATCH', url, '{oops', member, 500, failure('update')],
      ['PATCH', urlOf('none'), least, member, unknown, unknownBody],
      ['DELETE', urlOf('none'), undefined, member, unknown, unknownBody],
      ['PATCH', url, least, member, 200, least],
      ['DELETE', url, undefined, admin, 200, success],
      ['DELETE', url, undefined, member, unknown, unknownBody],
    ])
  })

  t.test(
    `${one}: in open mode everybody may do everything, but no credential may be worthless`,
    async (t) => {
      const { app, list, url } = await setUp(t)
      for (const role of ['viewer', 'member', 'admin'] as const) {
        const { headers } = signInAs(app, role)
        const body = another()
        await holds(t, app, [
          ['POST', list, '{oops', headers, 500, failure('create')],
          ['POST', list, '{oops', { ...headers, ...asText }, 500, failure('create')],
          ['POST', listOf('none'), body, headers, 404, noParent],
          ['POST', list, body, headers, 201, body],
          ['PATCH', url, '{oops', headers, 500, failure('update')],
          ['PATCH', url, '{oops', { ...headers, ...asText }, 500, failure('update')],
          ['PATCH', urlOf('none'), body, headers, unknown, unknownBody],
          ['PATCH', url, least, headers, 200, least],
          ['DELETE', urlOf('none'), undefined, headers, unknown, unknownBody],
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
    for (const body of NOT_JSON) {
      await holds(t, app, [
        ['POST', list, body, undefined, 500, failure('create')],
        ['PATCH', url, body, undefined, 500, failure('update')],
        ['PATCH', urlOf('none'), body, undefined, 500, failure('update')],
      ])
    }
    const broken = await setUp(t)
    breakTable(broken.app, table)
    const closed = await setUp(t)
    closed.app.db.$client.close()
    for (const { app, list, url } of [broken, closed]) {
      await holds(t, app, [
        ['GET', list, undefined, undefined, 500, failure('fetch', many)],
        ['HEAD', list, undefined, undefined, 500, ''],
        ['POST', list, least, undefined, 500, failure('create')],
        ['GET', url, undefined, undefined, 500, failure('fetch')],
        ['PATCH', url, least, undefined, 500, failure('update')],
        ['PATCH', url, {}, undefined, 500, failure('update')],
        ['DELETE', url, undefined, undefined, 500, failure('delete')],
      ])
    }
  })
}
