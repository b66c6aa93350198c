import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { Change } from '../../src/client/api.d.ts'
import type { AccessChange, ChangesOptions } from '../../src/client/types.d.ts'
import { nextTurn } from '../executions.ts'
import { onPreparedFile, start } from '../process.ts'
import { answer, answerJson, breakOff, type Fate, standBetween, stream } from './intermediary.ts'
import { createClient, failureOf } from './shipped-client.ts'

/** Changes that a writer may be ahead of the stream that is disturbed. */
const AHEAD = 3

const event = (seq: number) => `id: ${seq}\nevent: change\ndata: {"seq":${seq}}\n\n`
const place = (seq: number) => `:\nid: ${seq}\n\n`

/** A signal that is aborted with the test, so that nothing outlives a failure. */
function untilTheEnd(t: Test): AbortSignal {
  const end = new AbortController()
  t.teardown(() => end.abort())
  return end.signal
}

/** A client of a service with a list of prepared responses, of which the last repeats. */
async function fated(t: Test, ...fates: Fate[]) {
  const between = await standBetween(t)
  between.decide = () => fates[between.asked.length - 1] ?? fates.at(-1)
  const client = createClient({ baseUrl: between.url })
  /** Follows changes until there are a given number. */
  async function follow(count: number, options?: ChangesOptions): Promise<number[]> {
    const seqs: number[] = []
    for await (const { seq } of client.changes({ signal: untilTheEnd(t), ...options }))
      if (seqs.push(seq) === count) break
    return seqs
  }
  return { between, client, follow, asked: () => between.asked.map(({ url }) => url) }
}

/** Sends these events, and then ends or breaks the connection. */
const streamThen =
  (end: 'end' | 'destroy', ...texts: string[]): Fate =>
  (response, asked) => {
    stream(...texts)?.(response, asked)
    setImmediate(() => response[end]())
  }

t.test(
  'a stream survives cut connections and kills of the service, without a gap or repetition',
  async (t) => {
    const environment = { ...onPreparedFile(t.testdir()), AUTH_MODE: 'open' }
    let service = await start(t, environment)
    const between = await standBetween(t, service.url)
    const client = createClient({ baseUrl: between.url, retries: 12 })
    const { id } = await client.post('/api/projects', { body: { name: 'Before' } })
    const wanted = 60
    let seen = 0
    const disturbances = new Map<number, () => unknown>([
      [10, between.cut],
      [
        20,
        async () => {
          service.kill('SIGKILL')
          await service.exited
          service = await start(t, environment)
          between.service = service.url
        },
      ],
      [40, between.cut],
    ])
    const states: string[] = []
    async function follow(): Promise<Change[]> {
      const followed: Change[] = []
      const options = { after: 0, signal: untilTheEnd(t), onState: (state: string) => states.push(state) }
      for await (const change of client.changes(options)) {
        disturbances.get(followed.push(change))?.()
        if (change.kind === 'objective') seen++
        if (seen === wanted) break
      }
      return followed
    }
    async function write(): Promise<void> {
      for (let number = 0; number < wanted; number++) {
        await client.post('/api/projects/{id}/objectives', {
          path: { id },
          body: { title: `Objective ${number}` },
        })
        // Close behind, or all changes come before the first cut.
        while (number - seen > AHEAD) await sleep(1)
      }
    }
    const [followed] = await Promise.all([follow(), write()])
    const { changes } = await client.get('/api/changes', { query: { limit: 1000 } })
    t.strictSame(followed, changes)
    t.equal(followed.filter(({ kind }) => kind === 'objective').length, wanted, 'each was written once')
    t.ok(states.filter((state) => state === 'disconnected').length >= 3, states.join(' '))
  },
)

t.test('filters are sent to the service, and a stream begins now by default', async (t) => {
  const service = await start(t, { ...onPreparedFile(t.testdir()), AUTH_MODE: 'open' })
  const client = createClient({ baseUrl: service.url })
  const { id } = await client.post('/api/projects', { body: { name: 'Before' } })
  const other = await client.post('/api/projects', { body: { name: 'Other' } })
  const write = async (path: { id: string }, title: string) => {
    const { id: itemId } = await client.post('/api/projects/{id}/kanban-items', { path, body: { title } })
    await client.post('/api/kanban-items/{id}/comments', { path: { id: itemId }, body: { content: title } })
  }
  const options = { projectId: id, kinds: ['kanban-comment'] }
  const written: unknown[] = []
  for await (const { kind, after } of client.changes({
    ...options,
    onState: (state) => state === 'connected' && write(other, 'elsewhere').then(() => write({ id }, 'here')),
  })) {
    written.push([kind, after?.content])
    break
  }
  t.strictSame(written, [['kanban-comment', 'here']])
  for await (const { after } of client.changes({ after: 0, projectId: id, kinds: [] })) {
    t.match(after, { name: 'Before' })
    break
  }
})

t.test('a stream ends with an error when its credential expires', async (t) => {
  const admin = { email: 'ada@example.org', password: 'battery staple' }
  const service = await start(t, {
    ...onPreparedFile(t.testdir()),
    AUTH_MODE: 'required',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  })
  const anybody = createClient({ baseUrl: service.url })
  t.match(await failureOf(t, anybody.changes().next()), { status: 401, error: 'Authentication required' })

  const { headers } = await anybody.request('post', '/api/session', { body: admin })
  const cookie = String(headers.get('set-cookie')).replace(/;.*/, '')
  const signedIn = createClient({ baseUrl: service.url, headers: { cookie } })
  const { id, token } = await signedIn.post('/api/tokens', { body: { name: 'stream', scope: 'read' } })
  const reader = createClient({ baseUrl: service.url, token })
  const onState: ChangesOptions['onState'] = (state) =>
    state === 'connected' && signedIn.delete('/api/tokens/{id}', { path: { id } })
  const ended = await failureOf(t, reader.changes({ kinds: ['metric'], onState }).next())
  t.match(ended, { status: 401, request: 'GET /api/changes/stream' })
  t.match(await failureOf(t, signedIn.changes({ kinds: ['nothing'] }).next()), {
    status: 400,
    details: { fieldErrors: { kind: [String] } },
  })
})

t.test('a reconnection resumes at the last received change', async (t) => {
  const { follow, asked } = await fated(
    t,
    breakOff,
    // None of its changes was for this reader.
    streamThen('end', place(7), place(9)),
    // An event that is cut short is not delivered.
    streamThen('destroy', event(12), event(15), event(16).slice(0, -4)),
    answer(503, { 'retry-after': '0' }),
    answerJson(500, { error: 'Failed to stream changes' }),
    streamThen('end', 'data: not for us\n\n', event(16), 'id: 17\nevent: change\ndata: {"seq":\n\n'),
    stream(event(17)),
  )
  t.strictSame(await follow(4, { projectId: 'a b' }), [12, 15, 16, 17])
  const url = '/api/changes/stream?projectId=a+b'
  const after = (seq: number) => url.replace('?', `?after=${seq}&`)
  t.strictSame(asked(), [url, url, after(9), after(15), after(15), after(15), after(16)])
})

t.test('a permanent refusal ends the stream with its reason', async (t) => {
  const gone = { error: 'Changes are gone', details: { oldest: 900 } }
  const refusals: [Fate, object][] = [
    [answerJson(410, gone), { status: 410, ...gone }],
    [
      stream(place(1), 'event: gone\ndata: {"oldest":900}\n\n'),
      { status: 410, code: 'changes_gone', ...gone },
    ],
    [answerJson(403, { error: 'Forbidden' }), { status: 403 }],
    [answer(404), { status: 404, error: 'Not Found' }],
    [
      answer(200, { 'content-type': 'text/html' }, '<p>'),
      { status: 200, error: 'The response is not a stream of Phaseboard' },
    ],
  ]
  for (const [fate, expected] of refusals) {
    const { follow, between } = await fated(t, fate)
    t.match(await failureOf(t, follow(1, { after: 1 })), expected)
    t.equal(between.asked.length, 1)
  }
})

t.test('a stream of all stored changes begins at the oldest one', async (t) => {
  const gone = answerJson(410, { error: 'Changes are gone', details: { oldest: 900 } })
  const late = stream(place(0), 'event: gone\ndata: {"oldest":900}\n\n')
  for (const first of [gone, late]) {
    const { follow, asked } = await fated(t, first, stream(event(900)))
    t.strictSame(await follow(1, { after: 0 }), [900])
    t.strictSame(asked(), ['/api/changes/stream?after=0', '/api/changes/stream?after=899'])
  }
  for (const [status, details] of [
    [410, { oldest: 900 }],
    [410, undefined],
    [404, { oldest: 900 }],
  ] as const) {
    const { follow } = await fated(t, answerJson(status, { error: 'No', details }))
    t.match(await failureOf(t, follow(1, { after: 0 })), { status }, 'it begins again only once')
  }
})

t.test('a silent connection is replaced', async (t) => {
  const { between, follow } = await fated(t)
  const hang: Fate = () => undefined
  const first = [hang, stream(event(1))]
  between.decide = ({ url }) =>
    url?.includes('after=1') ? stream(event(2)) : (first.shift() ?? stream(event(1)))
  const errors: unknown[] = []
  const onState: ChangesOptions['onState'] = (state, error) => state === 'disconnected' && errors.push(error)
  t.strictSame(await follow(2, { maxSilence: 200, onState }), [1, 2])
  const silence = { status: 0, cause: { message: 'the connection is silent' } }
  t.match(errors, [silence, silence], 'before it answers, and while it streams')
})

t.test('the connection is closed when the loop ends or the signal is aborted', async (t) => {
  const closed: Promise<unknown>[] = []
  const follows: Fate = (response, asked) => {
    closed.push(once(response, 'close'))
    stream(event(1))?.(response, asked)
  }
  const { client, follow } = await fated(t, follows)
  t.strictSame(await follow(1), [1])
  await closed[0]

  const leaving = new AbortController()
  const seqs: number[] = []
  for await (const { seq } of client.changes({ signal: leaving.signal })) {
    seqs.push(seq)
    setImmediate(() => leaving.abort())
  }
  t.strictSame(seqs, [1], 'while it waits for a change')
  await closed[1]
  t.strictSame(await client.changes({ signal: leaving.signal }).next(), { done: true, value: undefined })
  t.equal(closed.length, 2, 'before it begins')

  const pausing = new AbortController()
  const { client: unanswered } = await fated(t, answer(503, { 'retry-after': '50' }))
  const onState = () => setImmediate(() => pausing.abort())
  t.strictSame(await unanswered.changes({ signal: pausing.signal, onState }).next(), {
    done: true,
    value: undefined,
  })
  const ending = new AbortController()
  const { client: between } = await fated(t, (response) => {
    ending.signal.addEventListener('abort', () => response.destroy())
    setImmediate(() => ending.abort())
  })
  t.match(await between.changes({ signal: ending.signal }).next(), { done: true }, 'while it connects')
})

t.test('nothing of a received piece comes after the abort', async (t) => {
  const access = 'event: access\ndata: {"projectId":"a","visible":false}\n\n'
  const notification = 'event: notification\ndata: {"id":"1"}\n\n'
  const { client } = await fated(t, stream(event(1) + access + notification + event(2) + place(3)))
  const leaving = new AbortController()
  const seen: unknown[] = []
  const see = (one: unknown) => seen.push(one)
  const options = { signal: leaving.signal, onAccess: see, onNotification: see, onPlace: see }
  for await (const { seq } of client.changes({ after: 0, ...options })) {
    see(seq)
    leaving.abort()
  }
  t.strictSame(seen, [1])
})

t.test('a stream reports its position, also before the first change', async (t) => {
  const { follow } = await fated(
    t,
    streamThen('end', place(7)),
    streamThen('end', event(8), event(9)),
    stream(event(13)),
  )
  const places: number[] = []
  t.strictSame(await follow(3, { onPlace: (seq) => places.push(seq) }), [8, 9, 13])
  t.strictSame([places[0], places.at(-1)], [7, 9])
})

t.test('a stream sends gained and lost projects, in the order of its changes', async (t) => {
  const access = (seq: number, projectId: string, visible: boolean) =>
    `id: ${seq}\nevent: access\ndata: ${JSON.stringify({ projectId, visible })}\n\n`
  const { client, asked } = await fated(
    t,
    streamThen('destroy', place(7), event(8), access(8, 'a', false), access(8, 'b', true)),
    stream(event(9)),
  )
  const seen: unknown[] = []
  const options = { signal: untilTheEnd(t), onAccess: (one: AccessChange) => seen.push(one) }
  for await (const { seq } of client.changes(options)) {
    seen.push(seq)
    if (seq === 9) break
  }
  t.strictSame(seen, [8, { projectId: 'a', visible: false }, { projectId: 'b', visible: true }, 9])
  t.match(asked()[1], /after=8/)
})

/** Reads a stream of events until a text comes. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = ''
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece
    if (text.includes(wanted)) break
  }
  return text
}

t.test('the loss of a project is sent before the position advances to later changes', async (t) => {
  const admin = { email: 'ada@example.org', password: 'battery staple' }
  const member = { email: 'bob@example.org', password: 'battery staple' }
  const service = await start(t, {
    ...onPreparedFile(t.testdir()),
    AUTH_MODE: 'required',
    ADMIN_EMAIL: admin.email,
    ADMIN_PASSWORD: admin.password,
  })
  const anybody = createClient({ baseUrl: service.url })
  const signIn = async (body: typeof admin) => {
    const { headers } = await anybody.request('post', '/api/session', { body })
    return { cookie: String(headers.get('set-cookie')).replace(/;.*/, '') }
  }
  const ada = createClient({ baseUrl: service.url, headers: await signIn(admin) })
  await ada.post('/api/members', { body: { name: 'Bob', role: 'member', ...member } })
  const { id } = await ada.post('/api/projects', { body: { name: 'Apollo' } })
  const { id: other } = await ada.post('/api/projects', { body: { name: 'Gemini' } })
  const headers = await signIn(member)
  const { last } = await createClient({ baseUrl: service.url, headers }).get('/api/changes')
  const response = await fetch(`${service.url}/api/changes/stream`, { headers })
  // One write, so that one batch has both.
  const requests = [
    { method: 'PATCH' as const, path: `/api/projects/${id}`, body: { access: 'assigned' } },
    { method: 'PATCH' as const, path: `/api/projects/${other}`, body: { nextStep: 'Go on' } },
  ]
  await ada.post('/api/batch', { body: { requests } })
  const text = await readUntil(response, 'Go on')
  const events = text.split('\n\n').filter((one) => one.includes('event:'))
  t.equal(events[0], `id: ${last}\nevent: access\ndata: {"projectId":"${id}","visible":false}`)
  t.match(events[1], `id: ${last + 2}\nevent: change`)
})

t.test('a slow consumer makes the service wait', async (t) => {
  const padding = 'x'.repeat(64 * 1024)
  let sent = 0
  /** Sends as much as the connection accepts. */
  function send(response: ServerResponse) {
    while (
      sent < 2000 &&
      response.write(`id: ${++sent}\nevent: change\ndata: {"seq":${sent},"x":"${padding}"}\n\n`)
    );
    if (sent === 2000) return
    response.once('drain', () => send(response))
  }
  const { client } = await fated(t, (response, asked) => {
    stream()?.(response, asked)
    send(response)
  })
  const changes = client.changes({ after: 0 })
  await changes.next()
  // It has stopped when many turns of the event loop have sent nothing.
  for (let [turns, before] = [0, sent]; turns < 1000; turns++) {
    await nextTurn()
    if (sent !== before) turns = 0
    before = sent
  }
  t.ok(sent < 1000, `of 2,000 events ${sent} were sent`)
  for (let seq = 2; seq <= 2000; seq++) {
    const { value } = await changes.next()
    if (value?.seq !== seq) t.equal(value?.seq, seq)
  }
  await changes.return()
  t.equal(sent, 2000, 'and then it goes on')
})

t.test('an endless event is not buffered', async (t) => {
  const { client } = await fated(t, (response, asked) => {
    stream('data: ')?.(response, asked)
    const more = () => {
      while (response.write('x'.repeat(1024 * 1024)));
    }
    response.on('drain', more)
    more()
  })
  const lost = new Promise((resolve) => {
    const signal = new AbortController()
    const onState: ChangesOptions['onState'] = (state, error) => {
      if (state !== 'disconnected') return
      signal.abort()
      resolve(error)
    }
    client.changes({ signal: signal.signal, onState }).next().catch(resolve)
  })
  t.match(await lost, { status: 0, cause: { type: 'max-buffer-size-exceeded' } })
})
