import type { IncomingMessage } from 'node:http'
import t, { type Test } from 'tap'
import type { MemberNotification } from '../../src/client/api.d.ts'
import type { NotificationsOptions } from '../../src/client/types.d.ts'
import { answer, answerJson, breakOff, type Fate, standBetween, stream } from './intermediary.ts'
import { createClient, failureOf } from './shipped-client.ts'

const notifications = (ids: readonly string[]) => ids.map((id) => ({ id }))
const event = (id: string) => `event: notification\ndata: ${JSON.stringify({ id })}\n\n`

/** A client of a service with prepared responses for the list, of which the last repeats, and for the stream. */
async function fated(t: Test, { lists, connect }: { lists: Fate[]; connect: Fate }) {
  const between = await standBetween(t)
  const isList = ({ url }: IncomingMessage) => !url?.includes('/stream')
  between.decide = (asked) =>
    isList(asked) ? (lists[between.asked.filter(isList).length - 1] ?? lists.at(-1)) : connect
  const client = createClient({ baseUrl: between.url, retries: 0 })
  const ending = new AbortController()
  t.teardown(() => ending.abort())
  const follow = async (count: number, options?: NotificationsOptions) => {
    const ids: MemberNotification['id'][] = []
    for await (const { id } of client.notifications({ signal: ending.signal, ...options }))
      if (ids.push(id) === count) break
    return ids
  }
  return { between, client, follow }
}

t.test('a notification that comes while the client connects is not lost', async (t) => {
  const list = ['1']
  const { follow } = await fated(t, {
    lists: [(...asked) => answerJson(200, notifications(list))?.(...asked)],
    connect: (...asked) => {
      list.unshift('3', '2')
      return stream(event('3'), event('4'))?.(...asked)
    },
  })
  t.strictSame(await follow(3), ['2', '3', '4'])
})

t.test('a list that fails for a while delays notifications', async (t) => {
  const { follow, between } = await fated(t, {
    lists: [answer(503), answerJson(200, []), answer(500), breakOff, answerJson(200, notifications(['1']))],
    connect: stream(event('2')),
  })
  const states: unknown[] = []
  const headers = { 'x-user': 'ada' }
  const onState: NotificationsOptions['onState'] = (...state) => states.push(state)
  t.strictSame(await follow(2, { onState, headers }), ['1', '2'])
  t.match(states, [['disconnected', { status: 503 }], ['connected']])
  t.ok(
    between.asked.every((asked) => asked.headers['x-user'] === 'ada'),
    'the list is requested like the stream',
  )
})

t.test('a permanent refusal of the list ends the loop with its reason', async (t) => {
  const refused = answerJson(401, { error: 'Authentication required' })
  for (const lists of [[refused], [answerJson(200, []), refused]]) {
    const { follow, between } = await fated(t, { lists, connect: stream() })
    t.match(await failureOf(t, follow(1)), { status: 401, error: 'Authentication required' })
    t.equal(between.asked.filter(({ url }) => !url?.includes('/stream')).length, lists.length)
  }
})

t.test('the signal ends the loop, also while the list fails', async (t) => {
  const ending = new AbortController()
  const failing: Fate = (response, asked) => {
    answer(503)?.(response, asked)
    response.on('close', () => ending.abort())
  }
  const { follow } = await fated(t, {
    lists: [answerJson(200, []), failing],
    connect: stream(event('1')),
  })
  t.strictSame(await follow(1, { signal: ending.signal }), [], 'nothing comes after it')
  t.strictSame(await follow(1, { signal: ending.signal }), [])
})

t.test('none of several listed or received notifications comes after the abort', async (t) => {
  for (const [list, ...events] of [[['3', '2', '1']], [['0'], event('1') + event('2')]] as [
    string[],
    string?,
  ][]) {
    const { client } = await fated(t, {
      lists: [answerJson(200, notifications(list))],
      connect: stream(...events.map(String)),
    })
    const leaving = new AbortController()
    const ids: string[] = []
    for await (const { id } of client.notifications({ after: '0', signal: leaving.signal })) {
      ids.push(id)
      leaving.abort()
    }
    t.strictSame(ids, ['1'])
  }
})
