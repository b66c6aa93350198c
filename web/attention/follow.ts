/** Follows the user's notifications: their number, announcements, and those of the browser. Loaded after the first page. */
import { effect, signal } from '@preact/signals'
import type { MemberNotification } from '../common/api.ts'
import { mayNotify } from '../common/browser-notices.ts'
import { onConnected, onNotification } from '../common/live.ts'
import { personOf } from '../common/people.ts'
import { shownTitle } from '../common/titles.ts'
import { announce } from '../common/toasts.ts'
import { unread } from '../common/unread.ts'
import { later } from '../later-texts.ts'
import { go } from '../router.ts'
import { mark, onMessage, recount, reportSeen } from './marks.ts'
import { didOf, pathOf, textOf } from './notification-text.ts'

const words = later.attention

/** Delays in milliseconds: several notifications that arrive together are counted, and announced, once. */
const COUNTED_AFTER = 200
const ANNOUNCED_AFTER = 2000
/** How long a hidden tab waits for a visible one that shows the same, in milliseconds. */
const SEEN_WITHIN = 500
/** How long a notification waits for the name of its actor, in milliseconds. */
const NAMED_WITHIN = 2000

/** The latest notification of the stream. */
export const arrived = signal<MemberNotification | undefined>(undefined)

const isHidden = () => document.visibilityState === 'hidden'

let isCounting = false
let isAnnouncing = false
/** The last ones that a visible tab shows. */
let seen: string[] = []

function countLater(): void {
  if (isCounting) return
  isCounting = true
  setTimeout(() => {
    isCounting = false
    void recount()
  }, COUNTED_AFTER)
}

function announceLater(): void {
  if (isAnnouncing) return
  isAnnouncing = true
  setTimeout(() => {
    isAnnouncing = false
    if (!isHidden() && unread.peek() > 0) announce(words.unread(unread.peek()))
  }, ANNOUNCED_AFTER)
}

function arrive(notification: MemberNotification): void {
  arrived.value = notification
  countLater()
  if (!isHidden()) {
    reportSeen(notification.id)
    announceLater()
  } else if (mayNotify()) setTimeout(() => void show(notification), SEEN_WITHIN)
}

/** Waits until the name of the actor is loaded. */
async function named({ actorId }: MemberNotification): Promise<void> {
  if (actorId === null) return
  let stop = () => {}
  await new Promise<void>((resolve) => {
    setTimeout(resolve, NAMED_WITHIN)
    stop = effect(() => {
      if (personOf(actorId) !== undefined) resolve()
    })
  })
  stop()
}

/** Shows a notification of the browser, which shows one only once if several tabs do so, by its tag. */
async function show(notification: MemberNotification): Promise<void> {
  await named(notification)
  if (!isHidden() || seen.includes(notification.id)) return
  try {
    const shown = new Notification(
      words.notificationOf(didOf(notification), shownTitle(notification.title)),
      {
        body: textOf(notification),
        tag: notification.id,
      },
    )
    shown.onclick = () => {
      shown.close()
      focus()
      const path = pathOf(notification)
      if (path !== undefined) go(path)
      void mark(notification, true)
    }
  } catch {
    // Android shows only those of service workers.
  }
}

let isFollowing = false

/** Starts following. */
export function follow(): void {
  if (isFollowing) return
  isFollowing = true
  onNotification(arrive, mayNotify)
  onMessage((message) => {
    if (message.type === 'seen') seen = [...seen.slice(-50), message.id]
    else void recount()
  })
  onConnected(() => void recount())
  document.addEventListener('visibilitychange', () => !isHidden() && void recount())
  // The icon of an installed page.
  unread.subscribe((count) => void navigator.setAppBadge?.(count).catch(() => undefined))
  void recount()
}
