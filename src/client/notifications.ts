/** The caller's notifications as they come: over the stream, and after a lost connection from the list. */
import type { MemberNotification } from './api.d.ts'
import { followChanges, isWorthAnother, pauseBeforeAnother } from './changes.ts'
import type { PhaseboardError } from './errors.ts'
import { readPages } from './pages.ts'
import type { Requests } from './requests.ts'
import type { NotificationsOptions, RequestSettings } from './types.d.ts'

const PATH = '/api/notifications'

/** A filter that matches no change: the stream is only for notifications. */
const NO_ITEM = '-'

/** The next event: a new notification, or a new connection, before which notifications may have been missed. */
type Event = MemberNotification | 'connected'

/** The notifications after one, oldest first. @param last its id; undefined: only the newest */
async function listed(
  requests: Requests,
  last: string | undefined,
  settings: RequestSettings,
): Promise<MemberNotification[]> {
  const found: MemberNotification[] = []
  const limit = last === undefined ? 1 : 100
  for await (const one of readPages(requests, PATH, { ...settings, query: { limit } })) {
    const notification = one as MemberNotification
    if (last !== undefined && notification.id <= last) break
    found.push(notification)
    if (last === undefined) break
  }
  return found.reverse()
}

/**
 * Lists notifications, and repeats that after temporary failures.
 * @param onFailure called with each of these failures
 * @returns none if the signal is aborted
 * @throws PhaseboardError if repeating is useless
 */
async function listedAtLast(
  list: () => Promise<MemberNotification[]>,
  signal: AbortSignal,
  onFailure?: (error: PhaseboardError) => void,
): Promise<MemberNotification[]> {
  for (let failures = 0; ; failures++) {
    try {
      return await list()
    } catch (error) {
      if (signal.aborted) return []
      if (!isWorthAnother(error)) throw error
      onFailure?.(error)
      await pauseBeforeAnother(error, failures, signal)
    }
  }
}

/** Follows the caller's notifications: see {@link NotificationsOptions}. @throws PhaseboardError if reconnecting is useless */
export async function* followNotifications(
  requests: Requests,
  { after, signal, onState, ...options }: NotificationsOptions = {},
): AsyncGenerator<MemberNotification, void, undefined> {
  const closing = new AbortController()
  const close = () => closing.abort()
  signal?.addEventListener('abort', close)
  if (signal?.aborted) return
  const events: Event[] = []
  let wake = () => {}
  let isOver = false
  let failure: unknown
  const add = (event: Event) => {
    events.push(event)
    wake()
  }
  const changes = followChanges(requests, {
    ...options,
    itemId: NO_ITEM,
    signal: closing.signal,
    onNotification: add,
    onState: (state, error) => {
      if (state === 'connected') add('connected')
      onState?.(state, error)
    },
  })
  const end = (error?: unknown) => {
    failure = error
    isOver = true
    wake()
  }
  const settings = { headers: options.headers, signal: closing.signal }
  const list = (last: string | undefined) => () => listed(requests, last, settings)
  const newest = async () => {
    const onFailure = (error: PhaseboardError) => onState?.('disconnected', error)
    const [one] = await listedAtLast(list(undefined), closing.signal, onFailure)
    return one?.id ?? ''
  }
  try {
    // Read before the connection: any later one is new.
    let last = after ?? (await newest())
    changes.next().then(() => end(), end)
    while (!signal?.aborted) {
      const event = events.shift()
      if (event === undefined) {
        if (failure !== undefined) throw failure
        if (isOver) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const some = event === 'connected' ? await listedAtLast(list(last), closing.signal) : [event]
      for (const one of some) {
        if (one.id <= last || signal?.aborted) continue
        last = one.id
        yield one
      }
    }
  } finally {
    signal?.removeEventListener('abort', close)
    close()
  }
}
