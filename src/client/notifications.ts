/** The caller's notifications as they come: over the stream, and after a lost connection from the list. */
import type { MemberNotification } from './api.d.ts'
import { followChanges } from './changes.ts'
import { readPages } from './pages.ts'
import type { Requests } from './requests.ts'
import type { NotificationsOptions } from './types.d.ts'

const PATH = '/api/notifications'

/** A filter that matches no change: the stream is only for notifications. */
const NO_ITEM = '-'

/** The next event: a new notification, or a new connection, before which notifications may have been missed. */
type Event = MemberNotification | 'connected'

/** The notifications after one, oldest first. @param last its id; undefined: only the newest, to begin there */
async function missed(requests: Requests, last: string | undefined): Promise<MemberNotification[]> {
  const found: MemberNotification[] = []
  const limit = last === undefined ? 1 : 100
  for await (const one of readPages(requests, PATH, { query: { limit } })) {
    const notification = one as MemberNotification
    if (last !== undefined && notification.id <= last) break
    found.push(notification)
    if (last === undefined) break
  }
  return found.reverse()
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
  changes.next().then(() => end(), end)
  let last = after
  let isFirst = after === undefined
  try {
    for (;;) {
      const event = events.shift()
      if (event === undefined) {
        if (failure !== undefined) throw failure
        if (isOver || signal?.aborted) return
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      const some = event === 'connected' ? await missed(requests, last) : [event]
      for (const one of some) {
        if (last !== undefined && one.id <= last) continue
        last = one.id
        if (!isFirst || event !== 'connected') yield one
      }
      isFirst = false
      // Before the first one of all.
      last ??= ''
    }
  } finally {
    signal?.removeEventListener('abort', close)
    close()
  }
}
