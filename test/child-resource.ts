/** The tests of every kind of record with the five usual routes, whether it belongs to a project, an item or nothing. */
import type { Test } from 'tap'
import { everything } from './boards.ts'
import { type FieldContract, type Fields, number, typeOf } from './field-contracts.ts'
import {
  type App,
  age,
  authenticationRequired,
  breakTable,
  build,
  created,
  createItem,
  createProject,
  holds as holdsFor,
  invalid,
  LONG_AGO,
  long,
  type Row,
  readOnly,
  send as sendFor,
  signInAs,
  stored,
} from './helper.ts'

/** The contract of a kind of record. */
interface ChildContract {
  /** Its name. */
  thing: string
  /** The last segment of its paths. */
  path: string
  /** The last segment of its lists' paths, if different. */
  listPath?: string
  /** The kind of its parent, a project by default. If it has no parent, access is not tested here. */
  parent?: 'project' | 'item' | 'nothing'
  table: string
  /** The field of the parent that contains them, if any. */
  relation?: string
  /** The minimal body that creates one. */
  least: Fields
  /** Added to that body if several are created, if a value must be unique or the default depends on others. */
  distinct?: () => Fields
  /** The number that a new parent has. */
  initially?: number
  /** Fields whose default depends on existing records. */
  depends?: string[]
  /** The status for changing or deleting an unknown one, if not 404. */
  unknown?: [status: number, body: object]
  /** Whether an update checks that it exists before the body is validated. */
  existsFirst?: boolean
  /** The `error` of a failed update or deletion, if both have the same. */
  failure?: string
  /** Whether only admins may change them. Then an admin sends all requests. */
  byAdmin?: boolean
  /** Whether names are unique within a parent. */
  hasOwnName?: 'exact' | 'folded'
  /** The response of a reorder, if they can be reordered. */
  reorder?: 'records' | 'places'
  /** The response to others, if only its author and admins may change it. */
  ofAnother?: [status: number, body: object]
  /** The field with the time of the last change; `editedAt` is null until the first one. */
  changedIn?: 'updatedAt' | 'editedAt'
  /** Further read-only fields, as a client may send them. */
  serverOwned?: Fields
  /** Fields with tests of their own. */
  elsewhere?: string[]
  /** The fields of the created record, in order. */
  defaults: Fields
  fields: Record<string, FieldContract>
}

/** Ids that match nothing, including some that an attacker would try. */
export const STRANGE_IDS = [
  ...['none', '%', '%25', 'a%2Fb', '%E0%A4%A', '%F0%9F%9A%80', '__proto__', 'constructor', "'"],
  long(10_000),
]

/** Bodies that are not JSON. */
const NOT_JSON = [
  ...[undefined, '{oops', '', ' ', '{"title":"x"', 'title=x', 'undefined'],
  ...['{"name":"x"}}', "{'name':'x'}"],
]

/** A body with a text media type, which is parsed as JSON. */
const asText = { 'content-type': 'text/plain' }

/** The kinds of parents. */
const PARENTS = {
  project: {
    path: 'projects',
    key: 'projectId',
    thing: 'Project',
    create: (app: App, headers?: Record<string, string>) => createProject(app, {}, headers),
  },
  item: {
    path: 'kanban-items',
    key: 'itemId',
    thing: 'Kanban item',
    create: async (app: App, headers?: Record<string, string>) =>
      createItem(app, (await createProject(app, {}, headers)).id, {}, headers),
  },
  nothing: { path: '', key: '', thing: '', create: async () => ({ id: '' }) },
}

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const columnOf = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Read-only and unknown fields of a body. */
export const FOREIGN = { id: 'mine', createdAt: LONG_AGO, updatedAt: LONG_AGO, nonsense: 1 }

const SUCCESS = { success: true }

/** The headers of a viewer, a member and an admin. */
const everyRole = (app: App) =>
  (['viewer', 'member', 'admin'] as const).map((role) => signInAs(app, role).headers)

/** The given fields of a record, if it has them. */
const pick = (record: Fields, names: string[]): Fields =>
  Object.fromEntries(names.filter((name) => name in record).map((name) => [name, record[name]]))

/** What the tests of a kind of record share: its paths, bodies and responses, and requests of its usual sender. */
function resourceOf(contract: ChildContract) {
  const {
    thing,
    path,
    listPath = path,
    table,
    relation,
    least,
    defaults,
    fields,
    depends = [],
    elsewhere = [],
  } = contract
  const { initially = 0, changedIn = 'updatedAt' } = contract
  const all = Object.keys(fields)
  const changeable = all.filter((name) => !fields[name]?.fixed)
  const parent = PARENTS[contract.parent ?? 'project']
  const isChild = contract.parent !== 'nothing'
  const one = thing.toLowerCase()
  const many = path.replaceAll('-', ' ')
  const gone = { error: `${thing} not found` }
  const noParent = { error: `${parent.thing} not found` }
  const [unknown, unknownBody] = contract.unknown ?? [404, gone]
  /** The response to an invalid update of an unknown record. */
  const unknownOr = (status: number, body: object): [number, object] =>
    contract.existsFirst ? [404, gone] : [status, body]

  const admins = new WeakMap<App, Record<string, string>>()
  /** The default sender of requests. */
  const usual = (app: App) =>
    contract.byAdmin ? (admins.get(app) ?? signInAs(app, 'admin').headers) : undefined
  const send: typeof sendFor = (app, method, url, body, headers = usual(app)) =>
    sendFor(app, method, url, body, headers)
  const holds: typeof holdsFor = (t, app, rows) => holdsFor(t, app, rows, usual(app))

  const listOf = (parentId: string) =>
    isChild ? `/api/${parent.path}/${parentId}/${listPath}` : `/api/${listPath}`
  /** The field that names the parent. */
  const keyOf = (value: unknown): Fields => (isChild ? { [parent.key]: value } : {})
  const failure = (verb: string, what = one) => ({
    error: (/^(update|delete)$/.test(verb) && contract.failure) || `Failed to ${verb} ${what}`,
  })
  /** A minimal, unique body. */
  const another = (): Fields => ({ ...least, ...contract.distinct?.() })
  /** A value for each of these fields. */
  const each = (names: string[], of: (field: FieldContract | undefined) => unknown): Fields =>
    Object.fromEntries(names.map((name) => [name, of(fields[name])]))
  /** Values that these fields refuse, and the violations. */
  const wrong = (names: string[]) => each(names, (field) => field?.refuses[0]?.[0])
  const refusal = (names: string[]) =>
    invalid(each(names, (field) => field?.refuses[0]?.slice(1)) as Record<string, string[]>)
  /** A minimal update, and the resulting value of its field. */
  const first = changeable.slice(0, 1)
  const change = each(first, (field) => field?.accepts[0]?.[0])
  const changed = each(first, (field) => field?.accepts[0]?.[1])
  /** The identifying part of a record. */
  const identityOf = (record: Fields) =>
    pick(record, ['id', 'createdAt', 'updatedAt', ...Object.keys(contract.distinct?.() ?? {}), ...depends])
  /** The times of an unchanged record. */
  const timesOf = ({ createdAt }: Fields): Fields =>
    changedIn === 'updatedAt' ? { createdAt, updatedAt: createdAt } : { createdAt }
  const ageIt = (app: App, id: unknown) => age(app, table, String(id), columnOf(changedIn))
  const urlOf = (id: unknown) => `/api/${path}/${id}`

  const create = (app: App, parentId: string, body: Fields = {}): Promise<Fields> =>
    created(app, listOf(parentId), { ...another(), ...body }, usual(app))

  /** An application with two parents, one of which has one record. */
  async function setUp(t: Test) {
    const app = await build(t)
    const admin = signInAs(app, 'admin').headers
    admins.set(app, admin)
    const owner = await parent.create(app)
    const record = await create(app, owner.id)
    const other = await parent.create(app)
    const remove = (id: unknown) => send(app, 'DELETE', urlOf(id), undefined, admin)
    return { app, owner, other, record, list: listOf(owner.id), url: urlOf(record.id), admin, remove }
  }

  /** All stored records of this kind, and all projects. */
  const storedNow = (app: App) => [
    everything(app),
    app.db.$client.prepare(`select * from ${table} order by rowid`).all(),
  ]

  /** All records: from single reads, the list, and the parent, which must agree. */
  async function shows(t: Test, app: App, parentId: string, expected: Fields[], message: string) {
    const list = await send(app, 'GET', listOf(parentId))
    t.strictSame([list.status, list.body.slice(initially)], [200, expected], `${message}: the list`)
    if (relation !== undefined) {
      const { body } = await send(app, 'GET', `/api/${parent.path}/${parentId}`)
      t.strictSame(body[relation], list.body, `${message}: the parent`)
    }
    for (const record of expected) {
      const { status, body } = await send(app, 'GET', urlOf(record.id))
      t.strictSame([status, body], [200, record], `${message}: ${record.id}`)
    }
  }

  /** Checks that a record is stored as it was returned. A field whose default depends on others may be null in the file. */
  function isStored(t: Test, app: App, record: Fields) {
    const row = stored(app, table, String(record.id))
    for (const [name, value] of Object.entries(record)) {
      const there = row[columnOf(name)]
      if (there === undefined || (there === null && depends.includes(name)) || elsewhere.includes(name))
        continue
      const isJson = ['array', 'object'].includes(typeOf(value))
      const expected = isJson ? JSON.stringify(value) : typeof value === 'boolean' ? Number(value) : value
      t.equal(there, expected, `${name} is stored`)
    }
  }

  return {
    thing,
    table,
    least,
    defaults,
    fields,
    depends,
    initially,
    changedIn,
    all,
    changeable,
    parent,
    isChild,
    one,
    many,
    gone,
    noParent,
    unknown,
    unknownBody,
    unknownOr,
    send,
    holds,
    listOf,
    keyOf,
    failure,
    another,
    each,
    wrong,
    refusal,
    first,
    change,
    changed,
    identityOf,
    timesOf,
    ageIt,
    urlOf,
    create,
    setUp,
    storedNow,
    shows,
    isStored,
    contract,
  }
}

type Resource = ReturnType<typeof resourceOf>

/** Creating, changing and showing records: defaults, values, order, and fields that only the service sets. */
function testFields(t: Test, resource: Resource): void {
  const {
    least,
    defaults,
    fields,
    depends,
    changedIn,
    all,
    changeable,
    parent,
    isChild,
    one,
    send,
    listOf,
    keyOf,
    another,
    each,
    identityOf,
    timesOf,
    ageIt,
    urlOf,
    create,
    setUp,
    storedNow,
    shows,
    isStored,
    contract,
  } = resource

  t.test(`${one}: each field of the record has its values here, or tests of its own`, async (t) => {
    const { serverOwned = {}, elsewhere = [] } = contract
    const known = new Set([...all, ...Object.keys(serverOwned), ...elsewhere, 'createdAt', 'updatedAt'])
    t.strictSame(
      Object.keys(defaults).filter((name) => !known.has(name)),
      [],
    )
  })

  t.test(`${one}: a minimal body creates one, with every default`, async (t) => {
    const { app, owner, other, record } = await setUp(t)
    const there = isChild ? [] : [record]
    await shows(t, app, other.id, there, 'before')
    const { status, body, headers } = await send(app, 'POST', listOf(other.id), least)
    t.strictSame([status, headers.location], [201, urlOf(body.id)])
    t.strictSame(body, {
      id: body.id,
      ...keyOf(other.id),
      ...defaults,
      ...timesOf(body),
    })
    t.strictSame(
      Object.keys(body),
      Object.keys({ id: '', ...keyOf(''), ...defaults, ...timesOf(body) }),
      'in this order',
    )
    t.match(body.id, UUID_V7)
    t.ok(Math.abs(Date.now() - Date.parse(body.createdAt)) < 10_000, 'createdAt is now')
    await shows(t, app, other.id, [...there, body], 'created')
    if (isChild) await shows(t, app, owner.id, [record], 'nothing is added elsewhere')
    isStored(t, app, body)
  })

  t.test(`${one}: each valid value of a field is created, updated and shown`, async (t) => {
    const { app, owner, record, list, url, remove } = await setUp(t)
    for (const [field, { accepts, brings = () => ({}), derives = () => ({}), fixed }] of Object.entries(
      fields,
    )) {
      for (const [sent, answered] of accepts) {
        const message = `${field} ${JSON.stringify(sent)}`.slice(0, 80)
        const created = await create(app, owner.id, { [field]: sent })
        t.strictSame(
          created,
          { ...record, ...identityOf(created), [field]: answered, ...derives(answered) },
          `POST ${message}`,
        )
        await remove(created.id)
        const before = await create(app, owner.id)
        ageIt(app, before.id)
        const { status, body } = await send(app, 'PATCH', urlOf(before.id), { [field]: sent })
        t.equal(status, 200, `PATCH ${message}`)
        t.equal(body[changedIn] >= body.createdAt, !fixed, `${changedIn} moves with a change`)
        const after = fixed ? {} : { [field]: answered, ...derives(answered), ...brings(before, body) }
        t.strictSame(body, { ...before, [changedIn]: body[changedIn], ...after }, `PATCH ${message}`)
        t.strictSame((await send(app, 'GET', urlOf(before.id))).body, body, 'and stays so')
        isStored(t, app, body)
        await remove(before.id)
      }
    }
    t.strictSame((await send(app, 'GET', url)).body, record, 'no other one changes')
    const sent = each(all, (field) => field?.accepts.at(-1)?.[0])
    const answered = each(all, (field) => field?.accepts.at(-1)?.[1])
    const { body } = await send(app, 'POST', list, sent)
    t.strictSame(body, { ...record, ...identityOf(body), ...answered }, 'all at once')
    await remove(body.id)
    t.strictSame((await send(app, 'PATCH', url, sent)).body.id, record.id)
    const { body: after } = await send(app, 'GET', url)
    t.strictSame({ ...after, ...pick(answered, changeable) }, after, 'all changed at once')
    let before = after
    for (const field of changeable) {
      const { accepts, brings = () => ({}), derives = () => ({}) } = fields[field] as FieldContract
      const [[value, shown] = []] = accepts
      const { body } = await send(app, 'PATCH', url, { [field]: value })
      const more = {
        [field]: shown,
        ...derives(shown),
        [changedIn]: body[changedIn],
        ...brings(before, body),
      }
      t.strictSame(body, { ...before, ...more }, `then ${field} alone`)
      before = body
    }
    await shows(t, app, owner.id, [before], 'changed')
  })

  t.test(`${one}: the list is in the order of sortOrder, then of creation`, async (t) => {
    const app = await build(t)
    const { id } = await parent.create(app)
    const own = () => contract.distinct?.() ?? {}
    const place = (sortOrder: number) => ('sortOrder' in fields ? { sortOrder } : {})
    // Values that are not sorted in either direction.
    const low = each(all, (field) => field?.accepts[0]?.[0])
    const high = each(all, (field) => field?.accepts.at(-1)?.[0])
    const made: Fields[] = []
    for (const values of [
      { ...high, ...pick(own(), depends), ...place(12) },
      { ...low, ...pick(own(), depends), ...place(12) },
      { ...high, ...own(), ...place(12) },
      { ...low, ...own(), ...place(11) },
    ]) {
      made.push(await create(app, id, values))
    }
    const last = made.splice(-1)
    await shows(t, app, id, 'sortOrder' in fields ? [...last, ...made] : [...made, ...last], 'in order')
  })

  t.test(`${one}: unknown and read-only fields are ignored and never stored`, async (t) => {
    const { app, owner, other, record, list, url, remove } = await setUp(t)
    const foreign = { ...FOREIGN, ...contract.serverOwned, ...keyOf(other.id) }
    const { status, body } = await send(app, 'POST', list, { ...another(), ...foreign })
    t.equal(status, 201)
    t.strictSame(body, { ...record, ...identityOf(body) })
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    t.strictSame({ ...body, ...timesOf(body) }, body)

    ageIt(app, record.id)
    const { body: again } = await send(app, 'PATCH', url, { ...pick(record, changeable), ...foreign })
    // Only `updatedAt` moves although nothing else changes: `editedAt` is a field like others.
    t.equal(again[changedIn] >= body.createdAt, changedIn === 'updatedAt')
    t.strictSame(again, { ...record, [changedIn]: again[changedIn] })

    const text = JSON.stringify(another()).slice(0, -1)
    const values = JSON.stringify({
      ...each(all, (field) => field?.accepts[0]?.[0]),
      ...contract.serverOwned,
    })
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
    await remove(trap.body.id)

    ageIt(app, record.id)
    const aged = { ...record, [changedIn]: LONG_AGO }
    const before = storedNow(app)
    for (const empty of [
      {},
      { nonsense: 1 },
      { id: 5, createdAt: 5, updatedAt: 'x', ...keyOf(5) },
      foreign,
    ]) {
      for (const unchanged of [aged, body]) {
        const answer = await send(app, 'PATCH', urlOf(unchanged.id), empty)
        t.strictSame([answer.status, answer.body], [200, unchanged])
      }
    }
    t.strictSame(storedNow(app), before)
    await shows(t, app, owner.id, [aged, body], 'afterwards')
    if (isChild) await shows(t, app, other.id, [], 'elsewhere')
  })
}

/** Invalid bodies. */
function testValidation(t: Test, resource: Resource): void {
  const { least, fields, all, changeable, one, holds, another, wrong, refusal, setUp, storedNow, shows } =
    resource

  t.test(`${one}: each invalid value of a field is refused, and nothing is stored`, async (t) => {
    const { app, owner, record, list, url } = await setUp(t)
    const before = storedNow(app)
    for (const [field, { refuses, fixed }] of Object.entries(fields)) {
      for (const [sent, ...messages] of refuses) {
        const reported = messages.map((message) => (/^\[\d/.test(message) ? `${field}${message}` : message))
        const answer = invalid({ [field]: reported })
        await holds(t, app, [
          ['POST', list, { ...another(), [field]: sent }, 400, answer],
          ['PATCH', url, { [field]: sent }, fixed ? 200 : 400, fixed ? record : answer],
        ])
      }
    }
    for (const field of all.filter((name) => fields[name]?.refuses === number.refuses)) {
      const endless = `"${field}":1e999}`
      const answer = invalid({ [field]: ['must be number'] })
      await holds(t, app, [
        ['POST', list, `${JSON.stringify(another()).slice(0, -1)},${endless}`, 400, answer],
        ['PATCH', url, `{${endless}`, 400, answer],
      ])
    }
    await shows(t, app, owner.id, [record], 'unchanged')
    t.strictSame(storedNow(app), before)
  })

  t.test(`${one}: missing fields are refused, and all violations are reported together`, async (t) => {
    const { app, owner, record, list, url } = await setUp(t)
    const before = storedNow(app)
    const required = Object.keys(least)
    const missing = Object.fromEntries(required.map((field) => [field, ['is required']]))
    const optional = all.filter((field) => !required.includes(field))
    const refusals = { ...missing, ...refusal(optional).details.fieldErrors }
    await holds(t, app, [
      ['POST', list, { nonsense: 1 }, 400, invalid(missing)],
      ['POST', list, { nonsense: 1, ...wrong(optional) }, 400, invalid(refusals)],
      ['POST', list, wrong(all), 400, refusal(all)],
      ['PATCH', url, wrong(changeable), 400, refusal(changeable)],
      ['POST', list, {}, 400, invalid(missing, ['must NOT have fewer than 1 properties'])],
      ...['null', '[]', '"x"', '5', 'true'].flatMap((body): Row[] => [
        ['POST', list, body, 400, invalid({}, ['must be object'])],
        ['PATCH', url, body, 400, invalid({}, ['must be object'])],
      ]),
    ])
    for (const field of required) {
      const { [field]: _, ...rest }: Fields = { ...least, nonsense: 1 }
      await holds(t, app, [['POST', list, rest, 400, invalid({ [field]: ['is required'] })]])
    }
    await shows(t, app, owner.id, [record], 'unchanged')
    t.strictSame(storedNow(app), before)
  })
}

/** `If-Match`. */
function testPreconditions(t: Test, resource: Resource): void {
  const { one, send, change, setUp } = resource

  t.test(`${one}: an update and a deletion check If-Match`, async (t) => {
    const { app, record, url, admin } = await setUp(t)
    const stale = async (match: string) => {
      for (const [method, body] of [['PATCH', change], ['DELETE']] as const) {
        t.equal((await send(app, method, url, body, { ...admin, 'if-match': match })).status, 412, method)
      }
    }
    const { etag } = (await send(app, 'GET', url)).headers
    await stale('"x"')
    t.strictSame((await send(app, 'GET', url)).body, record, 'unchanged')
    const { status, headers } = await send(app, 'PATCH', url, change, { ...admin, 'if-match': String(etag) })
    t.equal(status, 200)
    await stale(String(etag))
    const now = { ...admin, 'if-match': String(headers.etag) }
    t.equal((await send(app, 'DELETE', url, undefined, now)).status, 200)
  })
}

/** Failures that are not expected: 500 with the message of the endpoint. */
function testFailures(t: Test, resource: Resource): void {
  const { table, least, one, many, unknownOr, holds, failure, change, urlOf, setUp } = resource

  t.test(`${one}: invalid JSON and unexpected failures return the endpoint's 500`, async (t) => {
    const { app, list, url } = await setUp(t)
    for (const body of NOT_JSON) {
      await holds(t, app, [
        ['POST', list, body, 500, failure('create')],
        ['PATCH', url, body, 500, failure('update')],
        ['PATCH', urlOf('none'), body, undefined, ...unknownOr(500, failure('update'))],
      ])
    }
    const broken = await setUp(t)
    breakTable(broken.app, table)
    const closed = await setUp(t)
    closed.app.db.$client.close()
    for (const { app, list, url, admin } of [broken, closed]) {
      await holds(t, app, [
        ['GET', list, 500, failure('fetch', many)],
        ['HEAD', list, 500, ''],
        ['POST', list, least, 500, failure('create')],
        ['GET', url, 500, failure('fetch')],
        ['HEAD', url, 500, ''],
        ['PATCH', url, change, 500, failure('update')],
        ['PATCH', url, {}, 500, failure('update')],
        ['DELETE', url, undefined, admin, 500, failure('delete')],
      ])
    }
  })
}

/** Deleted and unknown records. */
function testExistence(t: Test, resource: Resource): void {
  const {
    least,
    parent,
    one,
    gone,
    noParent,
    unknown,
    unknownBody,
    unknownOr,
    holds,
    listOf,
    wrong,
    refusal,
    first,
    change,
    urlOf,
    create,
    setUp,
    storedNow,
    shows,
  } = resource

  t.test(`${one}: a deletion deletes one record and no other`, async (t) => {
    const { app, owner, other, record, url } = await setUp(t)
    const kept = await create(app, owner.id)
    const elsewhere = await create(app, other.id)
    await shows(t, app, owner.id, [record, kept], 'before')
    await holds(t, app, [
      ['DELETE', url, 200, SUCCESS],
      ['DELETE', url, unknown, unknownBody],
      ['GET', url, 404, gone],
      ['PATCH', url, {}, unknown, unknownBody],
      ['PATCH', url, change, unknown, unknownBody],
    ])
    await shows(t, app, owner.id, [kept], 'afterwards')
    await shows(t, app, other.id, [elsewhere], 'elsewhere')
  })

  t.test(`${one}: an unknown id is 404, whatever it looks like, after validation`, async (t) => {
    const { app, record } = await setUp(t)
    const before = storedNow(app)
    const wrongly = { ...least, ...wrong(first) }
    const refused = refusal(first)
    // A parent's id does not match any child, nor the other way round.
    for (const id of [...STRANGE_IDS, record[parent.key]]) {
      await holds(t, app, [
        ['GET', urlOf(id), 404, gone],
        ['PATCH', urlOf(id), wrongly, undefined, ...unknownOr(400, refused)],
        ['PATCH', urlOf(id), change, unknown, unknownBody],
        ['PATCH', urlOf(id), {}, unknown, unknownBody],
        ['PATCH', urlOf(id), { nonsense: 1 }, unknown, unknownBody],
        ['DELETE', urlOf(id), unknown, unknownBody],
      ])
    }
    for (const id of [...STRANGE_IDS, String(record.id)]) {
      await holds(t, app, [
        ['GET', listOf(id), 404, noParent],
        ['POST', listOf(id), wrongly, 400, refused],
        ['POST', listOf(id), least, 404, noParent],
      ])
    }
    t.strictSame(storedNow(app), before)
  })
}

/** Who may do what, in required and in open mode. */
function testAccess(t: Test, resource: Resource): void {
  const {
    least,
    initially,
    all,
    changeable,
    parent,
    one,
    gone,
    noParent,
    unknown,
    unknownBody,
    unknownOr,
    send,
    holds,
    listOf,
    failure,
    another,
    wrong,
    refusal,
    change,
    changed,
    urlOf,
    setUp,
    contract,
  } = resource

  t.test(`${one}: required mode checks the member, then the role, then the body`, async (t) => {
    const app = await build(t, { authMode: 'required' })
    const [viewer, member, admin] = everyRole(app)
    const owner = await parent.create(app, member)
    const list = listOf(owner.id)
    const { body: record } = await send(app, 'POST', list, least, member)
    const url = urlOf(record.id)
    const { body: listed } = await send(app, 'GET', list, undefined, member)
    t.strictSame(listed.slice(initially), [record])
    await holds(t, app, [
      ['GET', list, 401, authenticationRequired],
      ['GET', url, 401, authenticationRequired],
      ['POST', list, '{oops', 401, authenticationRequired],
      ['POST', list, {}, 401, authenticationRequired],
      ['PATCH', urlOf('none'), '{oops', 401, authenticationRequired],
      ['DELETE', urlOf('none'), 401, authenticationRequired],
      ['PATCH', url, '{oops', 401, authenticationRequired],
      ['DELETE', url, 401, authenticationRequired],
      ['GET', list, undefined, viewer, 200, listed],
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
      ['POST', list, wrong(all), member, 400, refusal(all)],
      ['PATCH', urlOf('none'), wrong(changeable), member, ...unknownOr(400, refusal(changeable))],
      ['PATCH', urlOf('none'), '{oops', member, ...unknownOr(500, failure('update'))],
      ['PATCH', urlOf('none'), '{oops', { ...member, ...asText }, ...unknownOr(500, failure('update'))],
      ['PATCH', urlOf('none'), change, member, unknown, unknownBody],
      ['DELETE', urlOf('none'), undefined, member, unknown, unknownBody],
      ['PATCH', url, change, member, 200, changed],
      ['DELETE', url, undefined, admin, 200, SUCCESS],
      ['DELETE', url, undefined, member, unknown, unknownBody],
    ])
    const { body: second } = await send(app, 'POST', list, least, member)
    await holds(t, app, [['DELETE', urlOf(second.id), undefined, member, 200, SUCCESS]])
  })

  t.test(`${one}: open mode lets everybody do everything, but refuses invalid credentials`, async (t) => {
    const { app, record, list, url } = await setUp(t)
    const [viewer, member, admin] = everyRole(app)
    for (const headers of [viewer, member, admin, undefined]) {
      const body = another()
      const isOfAnother = headers === viewer || headers === member
      const answer = (isOfAnother && contract.ofAnother) || ([200, changed] as const)
      await holds(t, app, [
        ['POST', list, '{oops', headers, 500, failure('create')],
        ['POST', list, '{oops', { ...headers, ...asText }, 500, failure('create')],
        ['POST', listOf('none'), wrong(all), headers, 400, refusal(all)],
        ['POST', listOf('none'), body, headers, 404, noParent],
        ['POST', list, body, headers, 201, body],
        ['PATCH', url, '{oops', headers, 500, failure('update')],
        ['PATCH', url, '{oops', { ...headers, ...asText }, 500, failure('update')],
        ['PATCH', urlOf('none'), '{oops', headers, ...unknownOr(500, failure('update'))],
        ['PATCH', urlOf('none'), '{oops', { ...headers, ...asText }, ...unknownOr(500, failure('update'))],
        ['PATCH', url, wrong(changeable), headers, 400, refusal(changeable)],
        ['PATCH', urlOf('none'), wrong(changeable), headers, ...unknownOr(400, refusal(changeable))],
        ['PATCH', urlOf('none'), change, headers, unknown, unknownBody],
        ['DELETE', urlOf('none'), undefined, headers, unknown, unknownBody],
        ['GET', urlOf('none'), undefined, headers, 404, gone],
        ['GET', url, undefined, headers, 200, headers === viewer ? record : { id: record.id }],
        ['PATCH', url, change, headers, ...answer],
      ])
      if (isOfAnother && contract.ofAnother)
        await holds(t, app, [
          ['PATCH', url, {}, headers, ...answer],
          ['DELETE', url, undefined, headers, ...answer],
        ])
      const { body: own } = await send(app, 'POST', list, another(), headers)
      const mine = pick({ ...change, ...another() }, changeable)
      await holds(t, app, [
        ['PATCH', urlOf(own.id), mine, headers, 200, mine],
        ['DELETE', urlOf(own.id), undefined, headers, 200, SUCCESS],
        ['DELETE', urlOf(own.id), undefined, headers, unknown, unknownBody],
      ])
    }
    for (const worthless of [
      { authorization: 'Bearer worthless' },
      { cookie: 'phaseboard_session=worthless' },
    ]) {
      await holds(t, app, [
        ['GET', list, undefined, worthless, 401, authenticationRequired],
        ['PATCH', urlOf('none'), '{oops', worthless, 401, authenticationRequired],
        ['DELETE', urlOf('none'), undefined, worthless, 401, authenticationRequired],
        ['DELETE', url, undefined, worthless, 401, authenticationRequired],
      ])
    }
  })
}

/** Names that are unique within a parent. */
function testUniqueNames(t: Test, resource: Resource): void {
  const {
    thing,
    changeable,
    one,
    gone,
    noParent,
    send,
    holds,
    listOf,
    another,
    each,
    wrong,
    refusal,
    urlOf,
    create,
    setUp,
    storedNow,
  } = resource

  t.test(`${one}: a name is unique within its parent, compared exactly`, async (t) => {
    const { app, owner, other, record, list, url } = await setUp(t)
    const name = String(record.name)
    const second = await create(app, owner.id)
    const [elsewhere, beyond] = [await create(app, other.id), await create(app, other.id)]
    const taken = { error: `${thing} name is taken` }
    const rest = changeable.filter((field) => field !== 'name')
    const before = storedNow(app)
    await holds(t, app, [
      ['POST', list, { name }, 409, taken],
      ['POST', list, { ...each(rest, (field) => field?.accepts[0]?.[0]), name }, 409, taken],
      ['POST', list, { ...wrong(rest), name }, 400, refusal(rest)],
      ['POST', listOf('none'), { name }, 404, noParent],
      ['PATCH', urlOf(second.id), { name }, 409, taken],
      ['PATCH', urlOf(second.id), { color: 'red', name }, 409, taken],
      ['PATCH', urlOf(second.id), { ...wrong(rest), name }, 400, refusal(rest)],
      ['PATCH', urlOf('none'), { name }, 404, gone],
    ])
    t.strictSame(storedNow(app), before)
    const isFolded = resource.contract.hasOwnName === 'folded'
    const alike = [name.toLowerCase(), `${name} `, ` ${name}`]
    const others = [name.replace(' ', '  '), name.slice(0, -1)]
    const odd = [`${name}%`, name.replace(/[a-z]/, '_'), '__proto__', 'constructor', "'", elsewhere.name]
    if (isFolded) for (const one of alike) await holds(t, app, [['POST', list, { name: one }, 409, taken]])
    for (const free of [...others, ...odd, ...(isFolded ? [] : [' ', ...alike])]) {
      await holds(t, app, [
        ['POST', list, { name: free }, 201, { name: free }],
        ['POST', list, { name: free }, 409, taken],
      ])
    }
    await holds(t, app, [
      ['POST', listOf(other.id), { name }, 201, { name }],
      ['PATCH', url, { name }, 200, { name }],
      ['PATCH', url, { name: beyond.name }, 200, { name: beyond.name }],
      ['POST', list, { name }, 201, { name }],
      ['PATCH', url, { name }, 409, taken],
    ])
    const { name: wanted } = another()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(app, 'POST', list, { name: wanted })),
    )
    t.strictSame(
      answers.map(({ status }) => status).toSorted(),
      [201, 409, 409, 409, 409],
      'of several at once one',
    )
  })
}

/** Reordering. */
function testReorder(t: Test, resource: Resource): void {
  const {
    table,
    initially,
    changeable,
    parent,
    isChild,
    one,
    many,
    gone,
    noParent,
    send,
    holds,
    listOf,
    keyOf,
    failure,
    wrong,
    ageIt,
    urlOf,
    create,
    setUp,
    storedNow,
    shows,
    contract,
  } = resource
  const reorderFailure = failure('reorder', many)
  const itemless = invalid({ items: ['is required'] }, ['must NOT have fewer than 1 properties'])

  /** An application with three records after the first, and one in the other parent. */
  async function four(t: Test) {
    const { app, owner, other, record, list } = await setUp(t)
    const aged: Fields[] = []
    for (const sortOrder of [11, 12, 13]) {
      const made = await create(app, owner.id, { sortOrder })
      ageIt(app, made.id)
      aged.push({ ...made, updatedAt: LONG_AGO })
    }
    const elsewhere = isChild ? await create(app, other.id) : {}
    const [a, b, c] = aged as [Fields, Fields, Fields]
    return { app, owner, other, record, a, b, c, elsewhere, url: `${list}/reorder` }
  }
  const places = (...items: [{ id?: unknown }, number][]) => ({
    items: items.map(([{ id }, sortOrder]) => ({ id, sortOrder })),
  })
  const answerOf = (records: Fields[]) =>
    contract.reorder === 'records' ? records : records.map(({ id, sortOrder }) => ({ id, sortOrder }))

  t.test(
    `${one}: a reorder sets the places, and returns the records in the order of the request`,
    async (t) => {
      const { app, owner, other, record, a, b, c, elsewhere, url } = await four(t)
      const { id: _, ...foreign } = { ...FOREIGN, ...wrong(changeable), ...keyOf(other.id) }
      const { items } = places([b, 20.5], [c, 10.5], [a, 11])
      const body = { ...foreign, items: items.map((place) => ({ ...foreign, ...place })) }
      const answer = await send(app, 'POST', url, body)
      const { updatedAt } = (await send(app, 'GET', urlOf(b.id))).body
      t.not(updatedAt, LONG_AGO)
      const [last, next]: [Fields, Fields] = [
        { ...b, sortOrder: 20.5, updatedAt },
        { ...c, sortOrder: 10.5, updatedAt },
      ]
      t.strictSame([answer.status, answer.body], [200, answerOf([last, next, a])])
      await shows(t, app, owner.id, [record, next, a, last], 'in their new order')

      const before = storedNow(app)
      const same = await send(app, 'POST', url, places([a, 11], [last, 20.5]))
      t.strictSame([same.status, same.body], [200, answerOf([a, last])], 'where they are already')
      await holds(t, app, [['POST', url, { items: [] }, 200, []]])
      t.strictSame(storedNow(app), before)

      const equal = await send(app, 'POST', url, places([c, 1e300], [b, 1e300], [a, 1e300]))
      t.strictSame(
        equal.body.map(({ id }: Fields) => id),
        [c.id, b.id, a.id],
      )
      const { body: listed } = await send(app, 'GET', listOf(owner.id))
      t.strictSame(
        listed.slice(initially).map(({ id }: Fields) => id),
        [record.id, a.id, b.id, c.id],
        'by id',
      )
      if (isChild) await shows(t, app, other.id, [elsewhere], 'elsewhere')
    },
  )

  t.test(`${one}: an invalid reorder reports all violations, before existence is checked`, async (t) => {
    const { app, a, b, c, url } = await four(t)
    const before = storedNow(app)
    const place = (fields: object) => ({ items: [{ id: a.id, sortOrder: 1, ...fields }] })
    const wrongly = (...messages: string[]) => invalid({ items: messages })
    const refused: [unknown, object][] = [
      [{}, itemless],
      [{ nonsense: 1 }, invalid({ items: ['is required'] })],
      ['[]', invalid({}, ['must be object'])],
      ['null', invalid({}, ['must be object'])],
      ...[null, 5, 'x', {}, true].map((items): [object, object] => [{ items }, wrongly('must be array')]),
      [{ items: [null, 5, []] }, wrongly(...[0, 1, 2].map((index) => `items[${index}] must be object`))],
      [{ items: [{}] }, wrongly('items[0].id is required', 'items[0].sortOrder is required')],
      ...[null, 5, true, [], {}].map((id): [object, object] => [
        place({ id }),
        wrongly('items[0].id must be string'),
      ]),
      ...[null, '5', true, [], {}].map((sortOrder): [object, object] => [
        place({ sortOrder }),
        wrongly('items[0].sortOrder must be number'),
      ]),
      [`{"items":[{"id":"${a.id}","sortOrder":1e999}]}`, wrongly('items[0].sortOrder must be number')],
      [
        { items: [{ id: 5, sortOrder: '1' }, { id: a.id }, 'x', { id: 'none', sortOrder: null }] },
        wrongly(
          'items[0].id must be string',
          'items[0].sortOrder must be number',
          'items[1].sortOrder is required',
          'items[2] must be object',
          'items[3].sortOrder must be number',
        ),
      ],
      [places([b, 1], [c, 2], [b, 3]), wrongly('must NOT have two elements with the same id')],
    ]
    const urls = isChild ? [url, `${listOf('none')}/reorder`] : [url]
    await holds(
      t,
      app,
      urls.flatMap((url) => refused.map(([body, answer]): Row => ['POST', url, body, 400, answer])),
    )
    t.strictSame(storedNow(app), before)
  })

  t.test(`${one}: a reorder with unknown or foreign ids changes nothing`, async (t) => {
    const { app, owner, a, b, elsewhere, url } = await four(t)
    const before = storedNow(app)
    const { headers } = await send(app, 'GET', listOf(owner.id))
    const missing = (...ids: unknown[]) => ({ ...gone, details: { missing: ids } })
    const ids = ['none', '', '%', '__proto__', 'constructor', "'", long(10_000), String(a.id).toUpperCase()]
    for (const id of [...ids, ...(isChild ? [owner.id] : [])]) {
      await holds(t, app, [
        ['POST', url, places([a, 50], [{ id }, 6], [b, 60]), 404, missing(id)],
        ['POST', url, places([{ id }, 6], [a, 50]), 404, missing(id)],
        ['POST', url, places([{ id }, 6]), 404, missing(id)],
      ])
    }
    await holds(t, app, [
      ['POST', url, places([{ id: 'none' }, 1], [a, 2], [{ id: '' }, 3]), 404, missing('none', '')],
    ])
    if (isChild) {
      const another = `items[1].id must be that of a ${one} of the ${parent.thing.toLowerCase()}`
      await holds(t, app, [
        ['POST', url, places([a, 50], [elsewhere, 6]), 400, invalid({ items: [another] })],
        ['POST', url, places([elsewhere, 6], [a, 5], [{ id: 'none' }, 6]), 404, missing('none')],
      ])
      for (const id of [...STRANGE_IDS, String(a.id)]) {
        await holds(t, app, [
          ['POST', `${listOf(id)}/reorder`, places([a, 5]), 404, noParent],
          ['POST', `${listOf(id)}/reorder`, { items: [] }, 404, noParent],
        ])
      }
    }
    t.strictSame(storedNow(app), before)
    t.equal((await send(app, 'GET', listOf(owner.id))).headers.etag, headers.etag)
  })

  t.test(
    `${one}: a reorder with invalid JSON, or an unexpected failure, returns the endpoint's 500`,
    async (t) => {
      const { app, url } = await four(t)
      for (const body of NOT_JSON) await holds(t, app, [['POST', url, body, 500, reorderFailure]])
      const [broken, closed] = [await four(t), await four(t)]
      breakTable(broken.app, table)
      closed.app.db.$client.close()
      for (const { app, url } of [broken, closed]) {
        await holds(t, app, [['POST', url, places([{ id: 'x' }, 1]), 500, reorderFailure]])
      }
    },
  )

  if (!isChild) return

  t.test(`${one}: a reorder checks the member, then the role, then the body`, async (t) => {
    const { app, a, url } = await four(t)
    const nowhere = `${listOf('none')}/reorder`
    const [viewer, member, admin] = everyRole(app)
    for (const headers of [undefined, viewer, member, admin]) {
      await holds(t, app, [
        ['POST', url, 'x', { ...headers, ...asText }, 500, reorderFailure],
        ['POST', url, '{oops', headers, 500, reorderFailure],
        ['POST', nowhere, {}, headers, 400, itemless],
        ['POST', nowhere, places([a, 5]), headers, 404, noParent],
        ['POST', url, places([a, 5]), headers, 200, [{ id: a.id, sortOrder: 5 }]],
      ])
    }
    const strict = await build(t, { authMode: 'required' })
    const [reader, writer] = everyRole(strict)
    const own = `${listOf((await parent.create(strict, writer)).id)}/reorder`
    await holds(t, strict, [
      ['POST', own, {}, 401, authenticationRequired],
      ['POST', own, {}, reader, 403, readOnly],
      ['POST', nowhere, '{oops', reader, 403, readOnly],
      ['POST', nowhere, {}, writer, 400, itemless],
      ['POST', nowhere, { items: [] }, writer, 404, noParent],
      ['POST', own, { items: [] }, writer, 200, []],
    ])
  })
}

/** Tests a kind of record against its contract. */
export function testChildResource(t: Test, contract: ChildContract): void {
  const resource = resourceOf(contract)
  testFields(t, resource)
  testPreconditions(t, resource)
  testValidation(t, resource)
  testFailures(t, resource)
  if (contract.reorder) testReorder(t, resource)
  if (!resource.isChild) return
  testExistence(t, resource)
  testAccess(t, resource)
  if (contract.hasOwnName) testUniqueNames(t, resource)
}
