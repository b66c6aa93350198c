import t from 'tap'
import { newId } from '../../src/db/ids.ts'
import { members, personalIdeas, sessions } from '../../src/db/schema.ts'
import { hashPassword, verifyPassword } from '../../src/members/passwords.ts'
import {
  type App,
  age,
  auditTrail,
  authenticationRequired,
  breakTable,
  build,
  count,
  created,
  createItem,
  createProject,
  holds,
  invalid,
  LONG_AGO,
  long,
  type Row,
  send,
  signInAs,
  stored,
  tokenOf,
} from '../helper.ts'

const MODES = ['open', 'required'] as const
const MEMBERS = '/api/members'
const PASSWORD = 'correct horse'
const OTHER_PASSWORD = 'battery staple'

const gone = { error: 'Member not found' }
const taken = { error: 'Member email is taken' }
const lastAdmin = { error: 'Member is the last admin' }
const adminOnly = { error: 'Forbidden: admin access required' }
const readOnlyToken = { error: 'Forbidden: read-only token' }
const success = { success: true }
const wrong = invalid({ currentPassword: ['must be the current password'] })
const missing = invalid({ currentPassword: ['is required'] })
const nameless = invalid({ name: ['must NOT have fewer than 1 characters'] })

type Headers = Record<string, string>

let passwordHash: string
t.before(async () => {
  passwordHash = await hashPassword(PASSWORD)
})

const urlOf = (id: string) => `${MEMBERS}/${id}`

const create = (app: App, headers: Headers, fields: object = {}) =>
  created(app, MEMBERS, { name: 'Ada', email: 'ada@example.test', ...fields }, headers)

/** Signs in with email and password. @returns the status, and the headers that carry the session */
async function signIn(app: App, email: string, password = PASSWORD) {
  const { status, headers } = await send(app, 'POST', '/api/session', { email, password })
  return { status, headers: { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '' } }
}

/** A member with {@link PASSWORD}, signed in. */
function enrol(app: App, role: 'admin' | 'member' | 'viewer', fields: { id?: string } = {}) {
  const member = signInAs(app, role, fields)
  app.db.$client.prepare('update members set password_hash = ? where id = ?').run(passwordHash, member.id)
  return { ...member, email: `${member.id}@example.test`, url: urlOf(member.id) }
}

/** The response to a request for the current user with these headers. */
const whoAmI = async (app: App, headers: Headers) => {
  const { status, body } = await send(app, 'GET', '/api/session', undefined, headers)
  return status === 200 ? body.member.role : status
}

t.test('GET and POST /api/members', async (t) => {
  t.test('a new member needs a name and an email, and cannot sign in with a password', async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      const admin = signInAs(app, 'admin')
      const { status, body } = await send(
        app,
        'POST',
        MEMBERS,
        { name: 'Ada', email: 'Ada@Example.test' },
        admin.headers,
      )
      t.equal(status, 201)
      t.strictSame(body, {
        id: body.id,
        name: 'Ada',
        email: 'Ada@Example.test',
        role: 'member',
        disabled: false,
        handle: 'ada',
        createdAt: body.createdAt,
        updatedAt: body.createdAt,
      })
      t.equal(stored(app, 'members', body.id).password_hash, null)
      t.equal((await signIn(app, 'ada@example.test')).status, 401)
      t.strictSame(auditTrail(app).slice(0, 1), [
        [admin.id, 'member-created', body.id, { email: 'Ada@Example.test', role: 'member' }],
      ])
    }
  })

  t.test('every field is stored; the password only as a hash', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const { headers } = signInAs(app, 'admin')
    for (const role of ['admin', 'member', 'viewer'] as const) {
      const email = `${role}@example.test`
      const body = await create(app, headers, { name: long(200), email, role, password: PASSWORD })
      t.match(body, { name: long(200), email, role, disabled: false })
      const row = stored(app, 'members', body.id)
      t.match(String(row.password_hash), /^\$argon2id\$/)
      t.ok(await verifyPassword(String(row.password_hash), PASSWORD))
      const session = await signIn(app, email)
      t.equal(session.status, 201)
      t.equal(await whoAmI(app, session.headers), role)
    }
    t.notMatch(JSON.stringify(auditTrail(app)), /argon2|correct horse/)
  })

  t.test('unknown and read-only fields are ignored and never stored', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const foreign = {
      id: 'mine',
      disabled: true,
      passwordHash,
      password_hash: passwordHash,
      currentPassword: 5,
      createdAt: LONG_AGO,
      updatedAt: LONG_AGO,
      nonsense: 1,
    }
    const body = await create(app, headers, foreign)
    t.not(body.id, 'mine')
    t.not(body.createdAt, LONG_AGO)
    t.equal(body.disabled, false)
    t.equal(stored(app, 'members', body.id).password_hash, null)
    const text = '{"name":"Eve","email":"eve@example.test","__proto__":{"role":"admin"}}'
    const { body: eve } = await send(app, 'POST', MEMBERS, text, headers)
    t.equal(eve.role, 'member')
  })

  t.test('emails are unique without regard to case, also beyond ASCII', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    await create(app, headers, { email: 'Ada@Example.test' })
    await create(app, headers, { email: 'Äda@example.test' })
    const before = count(app, 'members')
    const trail = auditTrail(app)
    const post = (email: string): Row => [
      'POST',
      MEMBERS,
      { name: 'Eve', email, password: PASSWORD },
      headers,
      409,
      taken,
    ]
    await holds(t, app, [
      post('Ada@Example.test'),
      post('ada@example.test'),
      post('ADA@EXAMPLE.TEST'),
      post('äda@EXAMPLE.test'),
      post('ÄDA@example.TEST'),
    ])
    t.equal(count(app, 'members'), before)
    t.strictSame(auditTrail(app), trail, 'what did not happen is not recorded')
  })

  t.test('one of two simultaneous creations with one email is refused', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const bodies = ['ada@example.test', 'ADA@example.test'].map((email) => ({ name: 'Ada', email }))
    const answers = await Promise.all(bodies.map((body) => send(app, 'POST', MEMBERS, body, headers)))
    t.strictSame(answers.map(({ status }) => status).toSorted(), [201, 409])
  })

  t.test('invalid emails are refused', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const noEmail = invalid({ email: ['must be an email address'] })
    for (const email of [
      '',
      'ada',
      '@example.test',
      'ada@',
      'a b@c.d',
      'a@b@c',
      'a@b\n',
      ' a@b',
      'a\u0000@b',
      'a\u001b[31m@b',
      'a\u202e@b',
      'a\u200b@b',
      'a\ud800@b',
    ]) {
      await holds(t, app, [['POST', MEMBERS, { name: 'Ada', email }, headers, 400, noEmail]])
    }
    for (const email of ['a@b', 'admin@localhost', "o'neil+tag@sub.example.test", '用户@例子.test', '🚀@b']) {
      await holds(t, app, [['POST', MEMBERS, { name: 'Ada', email }, headers, 201, { email }]])
    }
  })

  t.test('lengths are accepted at the limit and refused above', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const emailOf = (length: number) => `${long(length - 2)}@b`
    const fits: [string, unknown][] = [
      ['name', 'x'],
      ['name', '🚀'.repeat(200)],
      ['email', emailOf(254)],
      ['password', long(8)],
      ['password', '🚀'.repeat(200)],
    ]
    for (const [field, value] of fits) {
      const body = { name: 'Ada', email: `${newId()}@b`, [field]: value }
      t.equal((await send(app, 'POST', MEMBERS, body, headers)).status, 201, field)
    }
    const tooMuch: [string, unknown, string][] = [
      ['name', '', 'must NOT have fewer than 1 characters'],
      ['name', long(201), 'must NOT have more than 200 characters'],
      ['email', emailOf(255), 'must NOT have more than 254 characters'],
      ['password', long(7), 'must NOT have fewer than 8 characters'],
      ['password', '', 'must NOT have fewer than 8 characters'],
      ['password', long(201), 'must NOT have more than 200 characters'],
      ['role', 'owner', 'must be one of "admin", "member", "viewer", "guest"'],
      ['role', 'Admin', 'must be one of "admin", "member", "viewer", "guest"'],
    ]
    const before = count(app, 'members')
    for (const [field, value, message] of tooMuch) {
      const body = { name: 'Ada', email: 'ada@example.test', [field]: value }
      await holds(t, app, [['POST', MEMBERS, body, headers, 400, invalid({ [field]: [message] })]])
    }
    t.equal(count(app, 'members'), before)
  })

  t.test('all violations are reported, no value is coerced, and null is never allowed', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    await holds(t, app, [
      [
        'POST',
        MEMBERS,
        {},
        headers,
        400,
        invalid({ name: ['is required'], email: ['is required'] }, ['must NOT have fewer than 1 properties']),
      ],
      ['POST', MEMBERS, 'null', headers, 400, invalid({}, ['must be object'])],
      ['POST', MEMBERS, '[]', headers, 400, invalid({}, ['must be object'])],
    ])
    for (const field of ['name', 'email', 'role', 'password']) {
      for (const value of [null, true, 5, [], {}]) {
        const body = { name: 'Ada', email: 'ada@example.test', [field]: value }
        const { status, body: answer } = await send(app, 'POST', MEMBERS, body, headers)
        t.equal(status, 400, `${field} ${JSON.stringify(value)}`)
        t.strictSame(Object.keys(answer.details.fieldErrors), [field])
      }
    }
  })

  t.test('everybody can list the members, ordered by id and without hashes', async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      const roles = ['viewer', 'member', 'admin'] as const
      const [viewer, member, admin] = roles.map((role, index) => enrol(app, role, { id: `${3 - index}` }))
      const url = admin?.url ?? ''
      const shown = {
        id: '1',
        name: 'The admin',
        email: '1@example.test',
        role: 'admin',
        disabled: false,
        handle: null,
        createdAt: stored(app, 'members', '1').created_at,
        updatedAt: stored(app, 'members', '1').updated_at,
      }
      for (const one of [viewer, member, admin]) {
        const headers = one?.headers ?? {}
        // Emails are for admins, and one's own.
        const expected = one === admin ? shown : { ...shown, email: null }
        const list = await send(app, 'GET', MEMBERS, undefined, headers)
        t.strictSame(
          list.body.map(({ id }: { id: string }) => id),
          ['1', '2', '3'],
        )
        t.strictSame(list.body[0], expected)
        t.strictSame((await send(app, 'GET', url, undefined, headers)).body, expected)
        t.equal(list.body.find(({ id }: { id: string }) => id === one?.id).email, `${one?.id}@example.test`)
      }
      const nobody =
        authMode === 'open'
          ? ([200, { ...shown, email: null }] as const)
          : ([401, authenticationRequired] as const)
      await holds(t, app, [['GET', url, undefined, undefined, ...nobody]])
    }
  })
})

t.test('PATCH /api/members/{id}', async (t) => {
  t.test('an admin changes only the given fields, and updatedAt', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = signInAs(app, 'admin')
    const other = await create(app, admin.headers, { email: 'eve@example.test' })
    let before = await create(app, admin.headers)
    for (const change of [
      { name: 'Ada Lovelace' },
      { email: 'ADA@example.test' },
      { email: 'lovelace@example.test' },
      { role: 'viewer' },
      { role: 'viewer', name: 'Ada' },
      { disabled: true },
      { disabled: false },
      { name: 'All', email: 'ada@example.test', role: 'admin', disabled: true },
    ]) {
      age(app, 'members', before.id)
      const { status, body } = await send(app, 'PATCH', urlOf(before.id), change, admin.headers)
      t.equal(status, 200)
      t.not(body.updatedAt, LONG_AGO, 'updatedAt moves')
      t.strictSame(body, { ...before, ...change, updatedAt: body.updatedAt }, JSON.stringify(change))
      before = body
    }
    await holds(t, app, [['GET', urlOf(other.id), undefined, admin.headers, 200, other]])
    const about = (action: string, metadata: object = {}) => [admin.id, action, before.id, metadata]
    t.strictSame(
      auditTrail(app).filter(([, , subjectId]) => subjectId === before.id),
      [
        about('member-created', { email: 'ada@example.test', role: 'member' }),
        about('member-email-changed', { from: 'ada@example.test', to: 'ADA@example.test' }),
        about('member-email-changed', { from: 'ADA@example.test', to: 'lovelace@example.test' }),
        about('member-role-changed', { from: 'member', to: 'viewer' }),
        about('member-disabled'),
        about('member-enabled'),
        about('member-role-changed', { from: 'viewer', to: 'admin' }),
        about('member-email-changed', { from: 'lovelace@example.test', to: 'ada@example.test' }),
        about('member-disabled'),
      ],
    )
  })

  t.test('a body without a known field changes nothing, not even updatedAt', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin')
    const member = enrol(app, 'viewer')
    for (const { headers, url, id } of [{ ...member, headers: admin.headers }, member]) {
      const { body: before } = await send(app, 'GET', url, undefined, headers)
      age(app, 'members', id)
      for (const body of [
        {},
        { nonsense: 1 },
        { id: 'mine', createdAt: 5, updatedAt: 'x', passwordHash: 'x' },
        { currentPassword: 'whatever it is' },
      ]) {
        const answer = await send(app, 'PATCH', url, body, headers)
        t.strictSame([answer.status, answer.body], [200, { ...before, updatedAt: LONG_AGO }])
      }
    }
    t.equal(stored(app, 'members', member.id).password_hash, passwordHash)
    t.strictSame(auditTrail(app), [])
  })

  t.test("everybody can change the own name, and only an admin another's", async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      const admin = enrol(app, 'admin')
      for (const role of ['viewer', 'member'] as const) {
        const one = enrol(app, role)
        await holds(t, app, [
          ['PATCH', one.url, { name: 'New' }, one.headers, 200, { id: one.id, name: 'New', role }],
          ['PATCH', one.url, { name: 'Newer' }, tokenOf(app, one.id), 200, { name: 'Newer' }],
          ['PATCH', one.url, { name: 'x' }, tokenOf(app, one.id, { scope: 'read' }), 403, readOnlyToken],
          ['PATCH', admin.url, { name: 'x' }, one.headers, 403, adminOnly],
          ['PATCH', admin.url, {}, one.headers, 403, adminOnly],
          ['PATCH', one.url, { name: 'Newest' }, admin.headers, 200, { name: 'Newest' }],
          ['PATCH', admin.url, { name: role }, admin.headers, 200, { name: role }],
        ])
      }
    }
  })

  t.test(
    'a handle is made of the name, with a number where another has it, and may be changed',
    async (t) => {
      const app = await build(t, { authMode: 'required' })
      const admin = enrol(app, 'admin')
      const handles: string[] = []
      for (const [name, handle] of [
        ['Ada Lovelace', undefined],
        ['ADA  lovelace', undefined],
        ['Àda Lövelace', undefined],
        ['李', undefined],
        ['!', undefined],
        ['x', undefined],
        [long(200), undefined],
        [long(200), undefined],
        ['Bob', 'the_builder-2.0'],
      ] as const) {
        const email = `${handles.length}@example.test`
        const made = await create(app, admin.headers, { name, email, ...(handle && { handle }) })
        handles.push(made.handle)
        t.match(made.handle, /^[a-z0-9._-]{2,32}$/, name)
      }
      t.strictSame(handles.slice(0, 6), [
        'ada.lovelace',
        'ada.lovelace2',
        'ada.lovelace3',
        'member',
        'member2',
        'member.x',
      ])
      t.equal(handles.at(-1), 'the_builder-2.0')
      t.equal(new Set(handles).size, handles.length)
      const one = enrol(app, 'viewer')
      const noHandle = invalid({ handle: ['must match pattern "^[a-z0-9._-]{2,32}$"'] })
      const handleTaken = { error: 'Member handle is taken' }
      await holds(t, app, [
        ['PATCH', one.url, { handle: 'me.myself' }, one.headers, 200, { handle: 'me.myself' }],
        ['PATCH', one.url, { handle: 'me.myself' }, one.headers, 200, { handle: 'me.myself' }],
        ['PATCH', one.url, { handle: 'ada.lovelace' }, one.headers, 409, handleTaken],
        ['PATCH', admin.url, { handle: 'boss' }, one.headers, 403, adminOnly],
        ['PATCH', one.url, { handle: 'i' }, admin.headers, 400, noHandle],
        ['PATCH', one.url, { handle: 'I.am' }, admin.headers, 400, noHandle],
        ['PATCH', one.url, { handle: null }, admin.headers, 400, invalid({ handle: ['must be string'] })],
        ['PATCH', one.url, { handle: 'other' }, admin.headers, 200, { handle: 'other' }],
        ['POST', MEMBERS, { name: 'x', email: 'x@x', handle: 'other' }, admin.headers, 409, handleTaken],
      ])
    },
  )

  t.test("an admin's field in a member's own change is 403, even with an equal value", async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      for (const role of ['viewer', 'member'] as const) {
        const { id, url, email, headers } = enrol(app, role)
        const before = stored(app, 'members', id)
        for (const body of [
          { role },
          { role: 'admin' },
          { role: null },
          { email },
          { disabled: false },
          { name: 'New', disabled: true },
          { name: '', role },
        ]) {
          await holds(t, app, [['PATCH', url, body, headers, 403, adminOnly]])
        }
        t.strictSame(stored(app, 'members', id), before)
        const inherited = '{"name":"New","__proto__":{"role":"admin"},"constructor":{"disabled":true}}'
        await holds(t, app, [['PATCH', url, inherited, headers, 200, { name: 'New', role }]])
      }
    }
  })

  t.test('a caller without a member record cannot change one with the same id', async (t) => {
    const app = await build(t, { defaultMemberId: 'ada' })
    const ada = enrol(app, 'member', { id: 'ada' })
    await holds(t, app, [
      ['PATCH', ada.url, { name: 'x' }, 403, adminOnly],
      ['PATCH', urlOf('local'), { name: 'x' }, 403, adminOnly],
    ])
    let role: 'member' | 'admin' = 'member'
    const hosted = await build(t, { resolveMember: () => ({ id: 'ada', role }) })
    enrol(hosted, 'admin', { id: 'ada' })
    await holds(t, hosted, [['PATCH', ada.url, { name: 'x' }, 403, adminOnly]])
    role = 'admin'
    await holds(t, hosted, [['PATCH', ada.url, { name: 'x', password: OTHER_PASSWORD }, 200, { name: 'x' }]])
    t.strictSame(auditTrail(hosted), [['ada', 'password-reset', 'ada', {}]])
    t.equal((await signIn(hosted, ada.email, OTHER_PASSWORD)).status, 201)
  })

  t.test('every field is validated, and a refused body stores nothing', async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const { id, url } = enrol(app, 'member')
    const before = stored(app, 'members', id)
    const patch = (body: unknown, answer: object): Row => ['PATCH', url, body, headers, 400, answer]
    const field = (name: string, value: unknown, message: string) =>
      patch({ [name]: value }, invalid({ [name]: [message] }))
    await holds(t, app, [
      patch(
        { name: '', email: 'x', role: 'x', disabled: 1, password: 'x', currentPassword: '' },
        invalid({
          name: ['must NOT have fewer than 1 characters'],
          email: ['must be an email address'],
          role: ['must be one of "admin", "member", "viewer", "guest"'],
          disabled: ['must be boolean'],
          password: ['must NOT have fewer than 8 characters'],
          currentPassword: ['must NOT have fewer than 1 characters'],
        }),
      ),
      field('name', long(201), 'must NOT have more than 200 characters'),
      field('email', `${long(253)}@b`, 'must NOT have more than 254 characters'),
      field('password', long(7), 'must NOT have fewer than 8 characters'),
      field('password', long(201), 'must NOT have more than 200 characters'),
      field('currentPassword', long(201), 'must NOT have more than 200 characters'),
      patch('null', invalid({}, ['must be object'])),
      patch('[]', invalid({}, ['must be object'])),
      patch('"role"', invalid({}, ['must be object'])),
    ])
    for (const name of ['name', 'email', 'role', 'disabled', 'password', 'currentPassword']) {
      for (const value of [null, 5, [], {}, name === 'disabled' ? 'true' : true]) {
        const { status, body } = await send(app, 'PATCH', url, { [name]: value }, headers)
        t.equal(status, 400, `${name} ${JSON.stringify(value)}`)
        t.strictSame(Object.keys(body.details.fieldErrors), [name])
      }
    }
    t.strictSame(stored(app, 'members', id), before)
    await holds(t, app, [
      ['PATCH', url, { name: long(200), email: `${long(252)}@b` }, headers, 200, { name: long(200) }],
      ['PATCH', url, { password: long(200) }, headers, 200, { id }],
      ['PATCH', url, { password: long(8) }, headers, 200, { id }],
    ])
  })

  t.test("another member's email is 409, the own in another case is not", async (t) => {
    const app = await build(t)
    const { headers } = signInAs(app, 'admin')
    const ada = await create(app, headers)
    const eve = await create(app, headers, { email: 'eve@example.test' })
    const before = stored(app, 'members', eve.id)
    await holds(t, app, [
      ['PATCH', urlOf(eve.id), { name: 'x', email: 'ADA@example.test' }, headers, 409, taken],
      ['PATCH', urlOf(eve.id), { email: 'ada@example.test', disabled: true }, headers, 409, taken],
    ])
    t.strictSame(stored(app, 'members', eve.id), before)
    await holds(t, app, [
      ['PATCH', urlOf(ada.id), { email: 'ADA@example.test' }, headers, 200, { email: 'ADA@example.test' }],
      ['PATCH', urlOf(ada.id), { email: 'ADA@example.test' }, headers, 200, { email: 'ADA@example.test' }],
    ])
  })

  t.test('a role applies from the next request, for existing sessions and tokens', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = signInAs(app, 'admin')
    const one = enrol(app, 'viewer')
    const token = tokenOf(app, one.id)
    const project = { name: 'Apollo' }
    for (const [role, status] of [
      ['member', 201],
      ['viewer', 403],
      ['admin', 201],
      ['viewer', 403],
    ] as const) {
      await send(app, 'PATCH', one.url, { role }, admin.headers)
      for (const headers of [one.headers, token]) {
        t.equal(await whoAmI(app, headers), role)
        t.equal((await send(app, 'POST', '/api/projects', project, headers)).status, status)
        const isAdmin = role === 'admin'
        t.equal((await send(app, 'POST', MEMBERS, {}, headers)).status, isAdmin ? 400 : 403)
      }
    }
  })

  t.test('disabling ends all sessions for good, and refuses sign-ins and tokens until enabled', async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      const admin = signInAs(app, 'admin')
      const one = enrol(app, 'member')
      const other = enrol(app, 'member')
      const second = await signIn(app, one.email)
      const token = tokenOf(app, one.id)
      await holds(t, app, [['PATCH', one.url, { disabled: true }, admin.headers, 200, { disabled: true }]])
      for (const headers of [one.headers, second.headers, token]) t.equal(await whoAmI(app, headers), 401)
      t.equal((await signIn(app, one.email)).status, 401)
      t.equal(count(app, 'sessions', 'member_id = ?', one.id), 0)
      t.equal(await whoAmI(app, other.headers), 'member')
      t.equal(await whoAmI(app, admin.headers), 'admin')

      // Credentials that another tool may have left behind do not become valid again either.
      const at = { lastUsedAt: LONG_AGO, expiresAt: '2999-01-01T00:00:00.000Z' }
      app.db
        .insert(sessions)
        .values({ id: newId(), memberId: one.id, tokenHash: 'x', ...at })
        .run()
      await holds(t, app, [['PATCH', one.url, { disabled: false }, admin.headers, 200, { disabled: false }]])
      t.equal(count(app, 'sessions', 'member_id = ?', one.id), 0)
      for (const headers of [one.headers, second.headers]) t.equal(await whoAmI(app, headers), 401)
      t.equal(await whoAmI(app, token), 'member')
      t.equal((await signIn(app, one.email)).status, 201)
    }
  })

  t.test('a change of other fields ends no session', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin')
    const one = enrol(app, 'member')
    for (const change of [
      { name: 'x' },
      { email: 'x@example.test' },
      { role: 'viewer' },
      { disabled: false },
    ]) {
      t.equal((await send(app, 'PATCH', one.url, change, admin.headers)).status, 200)
      t.equal(await whoAmI(app, one.headers), change.role ?? stored(app, 'members', one.id).role)
    }
  })
})

t.test('passwords', async (t) => {
  t.test('a change of the own password needs the current one, and ends all other sessions', async (t) => {
    for (const authMode of MODES) {
      for (const role of ['viewer', 'member', 'admin'] as const) {
        const app = await build(t, { authMode })
        const one = enrol(app, role)
        const other = enrol(app, role)
        const elsewhere = await signIn(app, one.email)
        const token = tokenOf(app, one.id)
        age(app, 'members', one.id)
        const body = { password: OTHER_PASSWORD, currentPassword: PASSWORD, name: 'New' }
        const answer = await send(app, 'PATCH', one.url, body, one.headers)
        t.equal(answer.status, 200)
        t.match(answer.body, { id: one.id, name: 'New', role })
        t.not(answer.body.updatedAt, LONG_AGO)
        t.equal(await whoAmI(app, one.headers), role, 'the session that asked goes on')
        t.equal(await whoAmI(app, elsewhere.headers), 401)
        t.equal(await whoAmI(app, token), role, 'a token is no session')
        t.equal(await whoAmI(app, other.headers), role)
        t.equal((await signIn(app, one.email)).status, 401)
        t.equal((await signIn(app, one.email, OTHER_PASSWORD)).status, 201)
        t.strictSame(
          auditTrail(app).filter(([, action]) => action !== 'sign-in' && action !== 'sign-in-failed'),
          [[one.id, 'password-changed', one.id, {}]],
        )
        t.notMatch(JSON.stringify(auditTrail(app)), /argon2|correct|battery/)
      }
    }
  })

  t.test('a change by a token ends all sessions', async (t) => {
    const app = await build(t)
    const one = enrol(app, 'member')
    const token = tokenOf(app, one.id)
    await holds(t, app, [
      ['PATCH', one.url, { password: OTHER_PASSWORD }, token, 400, missing],
      ['PATCH', one.url, { password: OTHER_PASSWORD, currentPassword: PASSWORD }, token, 200, { id: one.id }],
    ])
    t.equal(await whoAmI(app, one.headers), 401)
    t.equal(count(app, 'sessions'), 0)
  })

  t.test('a missing or wrong current password changes nothing, also for an admin', async (t) => {
    const app = await build(t)
    for (const role of ['member', 'admin'] as const) {
      const one = enrol(app, role)
      const elsewhere = await signIn(app, one.email)
      const before = stored(app, 'members', one.id)
      const change = { name: 'New', password: OTHER_PASSWORD }
      await holds(t, app, [
        ['PATCH', one.url, change, one.headers, 400, missing],
        ['PATCH', one.url, { ...change, currentPassword: 'wrong' }, one.headers, 400, wrong],
        ['PATCH', one.url, { ...change, currentPassword: PASSWORD.toUpperCase() }, one.headers, 400, wrong],
        ['PATCH', one.url, { ...change, currentPassword: OTHER_PASSWORD }, one.headers, 400, wrong],
        ['PATCH', one.url, { ...change, currentPassword: '__proto__' }, one.headers, 400, wrong],
        [
          'PATCH',
          one.url,
          { password: 'x', currentPassword: 5 },
          one.headers,
          400,
          invalid({
            password: ['must NOT have fewer than 8 characters'],
            currentPassword: ['must be string'],
          }),
        ],
      ])
      t.strictSame(stored(app, 'members', one.id), before)
      t.equal(await whoAmI(app, elsewhere.headers), role)
    }
  })

  t.test('a member without a password needs a reset', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin')
    const one = signInAs(app, 'member')
    const change = { password: PASSWORD, currentPassword: PASSWORD }
    await holds(t, app, [
      ['PATCH', urlOf(one.id), change, one.headers, 400, wrong],
      ['PATCH', urlOf(one.id), { password: PASSWORD }, admin.headers, 200, { id: one.id }],
    ])
    t.equal((await signIn(app, `${one.id}@example.test`)).status, 201)
  })

  t.test('an admin resets a password without the current one, and ends all sessions', async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = enrol(app, 'admin')
    const one = enrol(app, 'admin')
    const elsewhere = await signIn(app, one.email)
    await holds(t, app, [
      [
        'PATCH',
        one.url,
        { password: OTHER_PASSWORD, currentPassword: 'ignored' },
        admin.headers,
        200,
        { id: one.id },
      ],
    ])
    for (const { headers } of [one, elsewhere]) t.equal(await whoAmI(app, headers), 401)
    t.equal(await whoAmI(app, admin.headers), 'admin')
    t.equal((await signIn(app, one.email)).status, 401)
    t.equal((await signIn(app, one.email, OTHER_PASSWORD)).status, 201)
    t.strictSame(
      auditTrail(app).filter(([, action]) => String(action).startsWith('password')),
      [[admin.id, 'password-reset', one.id, {}]],
    )
  })

  t.test('a reset does not enable a disabled member', async (t) => {
    const app = await build(t)
    const admin = signInAs(app, 'admin')
    const one = enrol(app, 'member')
    await holds(t, app, [
      ['PATCH', one.url, { disabled: true }, admin.headers, 200, { disabled: true }],
      ['PATCH', one.url, { password: OTHER_PASSWORD }, admin.headers, 200, { disabled: true }],
    ])
    t.equal((await signIn(app, one.email, OTHER_PASSWORD)).status, 401)
  })

  t.test("an admin's own reset signs out here, too", async (t) => {
    const app = await build(t)
    enrol(app, 'admin')
    const one = enrol(app, 'admin')
    const change = { password: OTHER_PASSWORD, currentPassword: PASSWORD, disabled: true }
    await holds(t, app, [['PATCH', one.url, change, one.headers, 200, { disabled: true }]])
    t.equal(count(app, 'sessions', 'member_id = ?', one.id), 0)
  })

  t.test('wrong current passwords count together with failed sign-ins', async (t) => {
    const app = await build(t)
    const one = enrol(app, 'member')
    const limited = { error: 'Too many failed sign-ins' }
    const guess: Row = [
      'PATCH',
      one.url,
      { password: OTHER_PASSWORD, currentPassword: 'guess' },
      one.headers,
      400,
      wrong,
    ]
    const right = { password: OTHER_PASSWORD, currentPassword: PASSWORD }
    for (let attempt = 0; attempt < 5; attempt++) {
      t.equal((await signIn(app, one.email.toUpperCase(), 'guess')).status, 401)
      await holds(t, app, [guess])
    }
    const refused = await send(app, 'PATCH', one.url, right, one.headers)
    t.strictSame([refused.status, refused.body], [429, limited])
    t.match(refused.headers['retry-after'], /^\d+$/)
    t.equal((await signIn(app, one.email)).status, 429)
    await holds(t, app, [['PATCH', one.url, { name: 'New' }, one.headers, 200, { name: 'New' }]])
    t.equal(stored(app, 'members', one.id).password_hash, passwordHash)
  })

  t.test('a success does not count', async (t) => {
    const app = await build(t)
    const one = enrol(app, 'member')
    const same = { password: PASSWORD, currentPassword: PASSWORD }
    for (let time = 0; time < 12; time++) {
      t.equal((await send(app, 'PATCH', one.url, same, one.headers)).status, 200)
    }
  })

  t.test('the second of two simultaneous changes with one current password is refused', async (t) => {
    const app = await build(t)
    const one = enrol(app, 'member')
    const passwords = ['the first of two', 'the second of two']
    const answers = await Promise.all(
      passwords.map((password) =>
        send(app, 'PATCH', one.url, { password, currentPassword: PASSWORD }, one.headers),
      ),
    )
    t.strictSame(answers.map(({ status }) => status).toSorted(), [200, 400])
    t.strictSame(answers.find(({ status }) => status === 400)?.body, wrong)
    const winner = passwords[answers.findIndex(({ status }) => status === 200)]
    t.equal((await signIn(app, one.email, winner)).status, 201)
  })
})

t.test('the last admin', async (t) => {
  t.test('cannot be demoted, disabled or deleted by anybody', async (t) => {
    for (const authMode of MODES) {
      const app = await build(t, { authMode })
      const admin = enrol(app, 'admin')
      const disabled = enrol(app, 'admin')
      enrol(app, 'member')
      await send(app, 'PATCH', disabled.url, { disabled: true }, admin.headers)
      const before = stored(app, 'members', admin.id)
      await holds(t, app, [
        ['PATCH', admin.url, { role: 'member' }, admin.headers, 409, lastAdmin],
        ['PATCH', admin.url, { role: 'viewer', name: 'x' }, admin.headers, 409, lastAdmin],
        ['PATCH', admin.url, { disabled: true }, admin.headers, 409, lastAdmin],
        ['PATCH', admin.url, { role: 'member', disabled: true }, tokenOf(app, admin.id), 409, lastAdmin],
        ['DELETE', admin.url, undefined, admin.headers, 409, lastAdmin],
      ])
      t.strictSame(stored(app, 'members', admin.id), before)
      t.equal(await whoAmI(app, admin.headers), 'admin')
      await holds(t, app, [
        [
          'PATCH',
          admin.url,
          { role: 'admin', disabled: false, name: 'Me' },
          admin.headers,
          200,
          { name: 'Me' },
        ],
        ['PATCH', disabled.url, { role: 'member' }, admin.headers, 200, { role: 'member' }],
        ['PATCH', disabled.url, { role: 'admin' }, admin.headers, 200, { role: 'admin' }],
        ['DELETE', disabled.url, undefined, admin.headers, 200, success],
      ])
    }
  })

  t.test('is not protected while there is another', async (t) => {
    const app = await build(t)
    const [one, two, three, four] = [1, 2, 3, 4].map(() => enrol(app, 'admin'))
    if (!one || !two || !three || !four) return
    await holds(t, app, [
      ['PATCH', one.url, { role: 'member' }, one.headers, 200, { role: 'member' }],
      ['PATCH', two.url, { disabled: true }, two.headers, 200, { disabled: true }],
      ['DELETE', three.url, undefined, three.headers, 200, success],
      ['DELETE', three.url, undefined, three.headers, 401, authenticationRequired],
      ['PATCH', four.url, { role: 'member' }, four.headers, 409, lastAdmin],
    ])
  })

  t.test('remains when two admins demote, disable or delete each other at once', async (t) => {
    for (const [method, body] of [
      ['PATCH', { role: 'member' }],
      ['PATCH', { disabled: true }],
      ['DELETE', undefined],
    ] as const) {
      const app = await build(t)
      const [one, two] = [enrol(app, 'admin'), enrol(app, 'admin')]
      const answers = await Promise.all([
        send(app, method, two.url, body, one.headers),
        send(app, method, one.url, body, two.headers),
      ])
      t.strictSame(
        answers.map(({ status }) => status),
        [200, 409],
      )
      t.equal(count(app, 'members', "role = 'admin' and not disabled"), 1)
    }
  })
})

t.test('DELETE /api/members/{id}', async (t) => {
  t.test("deletes sessions, tokens and team memberships, and keeps the member's records", async (t) => {
    const app = await build(t, { authMode: 'required' })
    const admin = enrol(app, 'admin')
    const one = enrol(app, 'member')
    const token = tokenOf(app, one.id)
    const project = await createProject(app, { leadId: one.id }, one.headers)
    const item = await createItem(app, project.id, { assigneeId: one.id }, one.headers)
    const comments = `/api/kanban-items/${item.id}/comments`
    await send(app, 'POST', comments, { content: 'Hm' }, one.headers)
    await send(app, 'POST', '/api/personal-ideas', { title: 'Fly' }, one.headers)
    await send(app, 'POST', '/api/teams', { name: 'Ops', memberIds: [one.id, admin.id] }, admin.headers)

    await holds(t, app, [['DELETE', one.url, undefined, admin.headers, 200, success]])
    for (const headers of [one.headers, token]) t.equal(await whoAmI(app, headers), 401)
    t.equal((await signIn(app, one.email)).status, 401)
    for (const table of ['sessions', 'api_tokens', 'team_members']) {
      t.equal(count(app, table, 'member_id = ?', one.id), 0, table)
    }
    await holds(t, app, [
      ['GET', one.url, undefined, admin.headers, 404, gone],
      ['DELETE', one.url, undefined, admin.headers, 404, gone],
      ['PATCH', one.url, { name: 'x' }, admin.headers, 404, gone],
      ['GET', MEMBERS, undefined, admin.headers, 200, [{ id: admin.id }]],
      ['GET', '/api/teams', undefined, admin.headers, 200, [{ name: 'Ops', memberIds: [admin.id] }]],
      ['GET', `/api/kanban-items/${item.id}`, undefined, admin.headers, 200, { assigneeId: one.id }],
      ['GET', comments, undefined, admin.headers, 200, [{ authorId: one.id, content: 'Hm' }]],
      ['GET', `/api/projects/${project.id}`, undefined, admin.headers, 200, { leadId: one.id }],
    ])
    t.equal(app.db.select().from(personalIdeas).get()?.ownerId, one.id)
    t.strictSame(
      auditTrail(app).filter(([, , subjectId]) => subjectId === one.id),
      [[admin.id, 'member-deleted', one.id, { email: one.email, role: 'member' }]],
    )
    t.equal((await create(app, admin.headers, { email: one.email })).email, one.email, 'the email is free')
  })
})

t.test('the order of checks', async (t) => {
  const failures = {
    POST: { error: 'Failed to create member' },
    PATCH: { error: 'Failed to update member' },
  }
  for (const authMode of MODES) {
    const app = await build(t, { authMode })
    const admin = enrol(app, 'admin')
    const member = enrol(app, 'member')
    const viewer = enrol(app, 'viewer')
    const worthless = { cookie: 'phaseboard_session=worthless' }
    const none = urlOf('none')
    await holds(t, app, [
      ['GET', MEMBERS, undefined, worthless, 401, authenticationRequired],
      ['GET', none, undefined, worthless, 401, authenticationRequired],
      ['POST', MEMBERS, '{oops', worthless, 401, authenticationRequired],
      ['PATCH', member.url, '{oops', worthless, 401, authenticationRequired],
      ['DELETE', none, undefined, worthless, 401, authenticationRequired],
    ])
    const nobody =
      authMode === 'open'
        ? ([undefined, 403, adminOnly] as const)
        : ([{}, 401, authenticationRequired] as const)
    await holds(t, app, [
      ['POST', MEMBERS, '{oops', ...nobody],
      ['PATCH', member.url, '{oops', ...nobody],
      ['PATCH', none, {}, ...nobody],
      ['DELETE', member.url, undefined, ...nobody],
    ])
    for (const one of [member, viewer]) {
      const { url, headers } = one
      await holds(t, app, [
        ['POST', MEMBERS, '{oops', headers, 403, adminOnly],
        ['POST', MEMBERS, { name: '' }, headers, 403, adminOnly],
        ['DELETE', admin.url, undefined, headers, 403, adminOnly],
        ['DELETE', url, undefined, headers, 403, adminOnly],
        ['DELETE', none, undefined, headers, 403, adminOnly],
        ['PATCH', admin.url, '{oops', headers, 403, adminOnly],
        ['PATCH', none, { name: '' }, headers, 403, adminOnly],
        ['PATCH', url, '{oops', headers, 500, failures.PATCH],
        ['PATCH', url, { name: '', role: 'admin' }, headers, 403, adminOnly],
        ['PATCH', url, { name: '' }, headers, 400, nameless],
        ['PATCH', url, { name: '', password: PASSWORD }, headers, 400, nameless],
        ['GET', none, undefined, headers, 404, gone],
      ])
    }
    const { headers } = admin
    await holds(t, app, [
      ['POST', MEMBERS, '{oops', headers, 500, failures.POST],
      ['POST', MEMBERS, undefined, headers, 500, failures.POST],
      ['POST', MEMBERS, { name: '', email: member.email }, headers, 400, nameless],
      ['POST', MEMBERS, { name: 'x', email: member.email }, headers, 409, taken],
      ['PATCH', none, '{oops', headers, 500, failures.PATCH],
      ['PATCH', none, { name: '' }, headers, 400, nameless],
      ['PATCH', none, { email: member.email }, headers, 404, gone],
      ['PATCH', none, {}, headers, 404, gone],
      ['PATCH', none, { password: PASSWORD }, headers, 404, gone],
      ['PATCH', admin.url, { email: member.email, password: PASSWORD }, headers, 400, missing],
      ['PATCH', admin.url, { email: member.email, role: 'member' }, headers, 409, taken],
      ['DELETE', none, undefined, headers, 404, gone],
    ])
    for (const id of ['%', 'a%2Fb', '__proto__', 'constructor', long(10_000)]) {
      await holds(t, app, [
        ['GET', urlOf(id), undefined, headers, 404, gone],
        ['PATCH', urlOf(id), { name: 'x' }, headers, 404, gone],
        ['PATCH', urlOf(id), { name: 'x' }, member.headers, 403, adminOnly],
        ['DELETE', urlOf(id), undefined, headers, 404, gone],
      ])
    }
  }
})

t.test("a write token of an admin has an admin's rights, a read token does not", async (t) => {
  const app = await build(t, { authMode: 'required' })
  const { id } = signInAs(app, 'admin')
  const read = tokenOf(app, id, { scope: 'read' })
  const body = { name: 'Ada', email: 'ada@example.test' }
  await holds(t, app, [
    ['POST', MEMBERS, body, read, 403, readOnlyToken],
    ['DELETE', urlOf(id), undefined, read, 403, readOnlyToken],
    ['GET', urlOf(id), undefined, read, 200, { id }],
    ['POST', MEMBERS, body, tokenOf(app, id), 201, body],
  ])
})

t.test("an unexpected failure returns the endpoint's 500", async (t) => {
  const app = await build(t)
  const { id, headers } = enrol(app, 'admin')
  const url = urlOf(id)
  // The caller is still found; the requested member is not.
  app.db.$client.exec('alter table members rename column updated_at to broken')
  await holds(t, app, [
    ['GET', MEMBERS, undefined, headers, 500, { error: 'Failed to fetch members' }],
    ['GET', url, undefined, headers, 500, { error: 'Failed to fetch member' }],
    [
      'POST',
      MEMBERS,
      { name: 'Ada', email: 'ada@example.test' },
      headers,
      500,
      { error: 'Failed to create member' },
    ],
    ['PATCH', url, { name: 'x' }, headers, 500, { error: 'Failed to update member' }],
    ['DELETE', url, undefined, headers, 500, { error: 'Failed to delete member' }],
  ])
})

t.test('a change that cannot be recorded in the audit log fails', async (t) => {
  const app = await build(t)
  const admin = enrol(app, 'admin')
  const one = enrol(app, 'member')
  const rows = () => app.db.select().from(members).all()
  const before = rows()
  breakTable(app, 'audit_log')
  for (const [method, url, body] of [
    ['POST', MEMBERS, { name: 'Eve', email: 'eve@example.test' }],
    ['PATCH', one.url, { role: 'admin' }],
    ['PATCH', one.url, { disabled: true }],
    ['PATCH', one.url, { password: OTHER_PASSWORD }],
    ['DELETE', one.url, undefined],
  ] as const) {
    t.equal((await send(app, method, url, body, admin.headers)).status, 500)
  }
  t.strictSame(rows(), before)
  t.equal(await whoAmI(app, one.headers), 'member')
})

t.test('the rule itself refuses an unknown member', async (t) => {
  const { members } = (await build(t)).rules
  const by = { id: null, address: null }
  const refusal = { statusCode: 404, message: gone.error }
  t.throws(() => members.update('none', { name: 'x' }, by), refusal)
  t.throws(() => members.update('none', {}, by, { hash: passwordHash }), refusal)
  t.throws(() => members.delete('none', by), refusal)
})
