/** Only the owner of a private idea and admins see its changes, in every response that has changes. */
import t from 'tap'
import { type App, signInAs } from '../helper.ts'
import { receive } from '../receivers.ts'
import { shipped } from '../shipped.ts'

const SECRET = 'xyzzy'

t.test('only the owner and admins get changes of a private idea', async (t) => {
  const app = (await shipped.buildApp({
    databaseUrl: ':memory:',
    authMode: 'required',
    adminPassword: 'correct horse',
    logLevel: 'silent',
    webhookAllowPrivate: true,
  })) as App
  t.teardown(() => app.close())
  const url = await app.listen({ port: 0 })
  const signedIn = (role: 'admin' | 'member'): Record<string, string> => signInAs(app, role).headers
  const owner = signedIn('member')
  const other = signedIn('member')
  const admin = signedIn('admin')
  const ask = async (who: Record<string, string>, method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...who, origin: url },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const receiver = await receive(t)
  for (const kinds of [[], ['project']]) {
    const made = await ask(admin, 'POST', '/api/webhooks', { url: receiver.url, kinds })
    t.equal(made.status, 201)
  }

  const streams = new Map<string, string>()
  const controller = new AbortController()
  t.teardown(() => controller.abort())
  for (const [name, who] of Object.entries({ owner, other, admin })) {
    streams.set(name, '')
    const { body } = await fetch(`${url}/api/changes/stream`, { headers: who, signal: controller.signal })
    const read = async () => {
      const decoder = new TextDecoder()
      for await (const bytes of body ?? []) streams.set(name, `${streams.get(name)}${decoder.decode(bytes)}`)
    }
    read().catch(() => undefined)
  }
  const waiting = ask(other, 'GET', '/api/changes?after=0&kind=personal-idea&wait=2')

  const key = { 'idempotency-key': 'k' }
  const made = await ask({ ...owner, ...key }, 'POST', '/api/personal-ideas', { title: SECRET })
  const { id } = JSON.parse(made.text)
  const change = `/api/personal-ideas/${id}`
  await ask(owner, 'PATCH', change, { description: SECRET })
  const deleted = await ask(owner, 'DELETE', change)
  const seq = deleted.headers.get('phaseboard-seq')
  // The last change. Once it has arrived, all earlier ones would have too.
  const project = JSON.parse((await ask(owner, 'POST', '/api/projects', { name: 'Apollo' })).text)

  const asked = await Promise.all([
    waiting,
    ask(other, 'GET', '/api/changes?limit=1000'),
    ask(other, 'GET', '/api/changes?kind=personal-idea'),
    ask(other, 'GET', `/api/projects/${project.id}/changes`),
    ask(other, 'GET', `/api/projects/${id}/changes`),
    ask(other, 'GET', `/api/kanban-items/${id}/changes`),
    ask(other, 'GET', '/api/trash'),
    ask(other, 'POST', `/api/changes/${seq}/undo`),
    ask({ ...other, ...key }, 'POST', '/api/personal-ideas', { title: 'another' }),
    ask({ ...other, 'if-match': '*' }, 'PATCH', change, { title: 'mine' }),
    ask(other, 'POST', '/api/batch', { requests: [{ method: 'GET', path: change }] }),
    ask(other, 'POST', '/api/batch', {
      requests: ['/api/changes?limit=1000', '/api/trash', '/api/search?q=xyzzy'].map((path) => ({
        method: 'GET',
        path,
      })),
    }),
    ask(other, 'POST', '/api/batch', {
      requests: [{ method: 'POST', path: `/api/changes/${seq}/undo`, body: {} }],
    }),
    ask(other, 'GET', `/api/search?q=${SECRET}`),
  ])
  for (const { text, status } of asked) t.notMatch(text, SECRET, `${status}`)
  t.match(asked[7], { status: 404, text: /Change not found/ })
  t.match(asked[11], { status: 200 }, 'a batch of reads was answered')
  t.equal(asked[8]?.status, 201, 'a key is its member’s own')

  const hasReceived = (name: string) => streams.get(name)?.includes('Apollo')
  while (!(hasReceived('owner') && hasReceived('other') && hasReceived('admin')))
    await new Promise((go) => setTimeout(go, 10))
  t.match(streams.get('owner'), SECRET)
  t.match(streams.get('admin'), SECRET)
  t.notMatch(streams.get('other'), SECRET)
  t.match((await ask(owner, 'GET', '/api/changes?kind=personal-idea')).text, SECRET)
  t.match((await ask(admin, 'GET', '/api/changes?kind=personal-idea')).text, SECRET)

  await receiver.got(2)
  t.notMatch(
    receiver.received.map(({ text }) => text).join('\n'),
    SECRET,
    'no webhook gets it, asked for or not',
  )
  t.equal((await ask(owner, 'POST', `/api/changes/${seq}/undo`)).status, 200, 'the owner gets it back')
  t.match((await ask(owner, 'GET', change)).text, SECRET)
})
