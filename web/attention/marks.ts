/** Marks notifications as read, in all tabs of this browser. Other browsers count again with the next notification or connection. */
import { api, type MemberNotification, root, sending } from '../common/api.ts'
import { me } from '../common/session.ts'
import { failed, toast } from '../common/toasts.ts'
import { unread } from '../common/unread.ts'
import { write } from '../common/writes.ts'
import { later } from '../later-texts.ts'
import { texts } from '../texts.ts'

/** The maximum number of marks in one request. */
const MOST = 200
/** The maximum number that the service marks at once. */
const MOST_AT_ONCE = 2000

/** Messages between tabs: that notifications are read or not, or that a visible tab shows a new one. */
type Message =
  | { type: 'marked'; ids: readonly string[]; readAt: string | null }
  | { type: 'seen'; id: string }

type Listener = (message: Message) => void

const listeners = new Set<Listener>()
let channel: BroadcastChannel | undefined

function channelNow(): BroadcastChannel | undefined {
  // Tabs of another user have other notifications.
  channel ??= new BroadcastChannel(`phaseboard:notifications:${root}:${me.peek()?.id ?? ''}`)
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    for (const listener of listeners) listener(data)
  }
  return channel
}

/** Subscribes to marks here and in other tabs, and to notifications that other tabs show. @returns unsubscribes */
export function onMessage(listener: Listener): () => void {
  channelNow()
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Notifies other tabs that this one is visible and shows a notification. */
export const reportSeen = (id: string): void =>
  channelNow()?.postMessage({ type: 'seen', id } satisfies Message)

function broadcastMarked(ids: readonly string[], isRead: boolean): void {
  const message: Message = { type: 'marked', ids, readAt: isRead ? new Date().toISOString() : null }
  for (const listener of listeners) listener(message)
  channelNow()?.postMessage(message)
}

let counts = 0

/** Counts the unread ones. Without a response the number stays. */
export async function recount(): Promise<void> {
  const round = ++counts
  const found = await api.get('/api/notifications/count').catch(() => undefined)
  if (found && round === counts) unread.value = found.unread
}

/** Marks one as read or unread. */
export async function mark({ id, readAt }: MemberNotification, isRead: boolean): Promise<void> {
  if (isRead === (readAt !== null)) return
  broadcastMarked([id], isRead)
  try {
    await write(sending('patch', '/api/notifications/{id}', { path: { id }, body: { read: isRead } }))
  } catch (error) {
    broadcastMarked([id], !isRead)
    failed(error)
  }
  // Other tabs count, too.
  broadcastMarked([], isRead)
}

/**
 * Marks this one and all older ones as read. The message undoes it.
 * @param upTo the id of the newest
 * @param projectId limits it to a project; empty for all
 */
export async function markAll(upTo: string, projectId: string): Promise<void> {
  const ids: string[] = []
  try {
    for await (const one of api.pages('/api/notifications', { query: { unread: 'true', limit: MOST } })) {
      if (one.id <= upTo && (projectId === '' || one.projectId === projectId)) ids.push(one.id)
      if (ids.length === MOST_AT_ONCE) break
    }
    if (ids.length === 0) return
    if (projectId === '') {
      await write(sending('post', '/api/notifications/read', { body: { upTo } }))
      broadcastMarked(ids, true)
    } else await markEach(ids, true)
  } catch (error) {
    failed(error)
    return
  }
  toast(later.attention.allMarked(ids.length), [{ label: texts.undo, run: () => void unmark(ids) }])
}

/** Marks notifications by their ids. @throws PhaseboardError; some may be marked by then */
async function markEach(ids: readonly string[], isRead: boolean): Promise<void> {
  for (let at = 0; at < ids.length; at += MOST) {
    const some = ids.slice(at, at + MOST)
    const requests = some.map((id) => ({
      method: 'PATCH' as const,
      path: `/api/notifications/${id}`,
      body: { read: isRead },
    }))
    await write(sending('post', '/api/batch', { body: { requests } }))
    broadcastMarked(some, isRead)
  }
}

async function unmark(ids: readonly string[]): Promise<void> {
  try {
    await markEach(ids, false)
    toast(later.attention.allUnmarked)
  } catch (error) {
    failed(error)
  }
}
