/**
 * The stream of changes, which the tabs of a browser share: one of them reads it (`tab-streams.ts`). A tab leaves it some time
 * after it is hidden, and then resumes after its last change.
 */
import { batch, signal } from '@preact/signals'
import {
  type AccessChange,
  api,
  type Change,
  type MemberNotification,
  onAnswer,
  PhaseboardError,
  root,
} from './api.ts'
import { endSession, me, signedIn } from './session.ts'
import { type Arrival, canShare, TabStream } from './tab-streams.ts'

/** Delay before a lost connection is shown, in milliseconds. */
const SAID_AFTER = 3000
/** Delay before a hidden tab closes its connection, in milliseconds. */
const HIDDEN_FOR = 5000
/** Time for applying changes in one frame, in milliseconds. */
const SLICE = 8
/** Pause before reopening the stream after a failure that the client does not retry, in milliseconds. */
const PAUSE = 5000

/**
 * The longest pause between two attempts to connect while the tab is visible, in milliseconds, with a random part, so that not
 * all tabs come back at once.
 */
const longestPause = () => 8000 + Math.random() * 4000

/** The minimum time between two attempts because another request was answered, in milliseconds. */
const RETRY_PAUSE = 2000

/** `lost` for less than three seconds, `offline` for longer. */
type LiveState = 'connecting' | 'live' | 'lost' | 'offline'

export const liveState = signal<LiveState>('connecting')

type Listener = (change: Change) => void

const listeners = new Set<Listener>()
const accessListeners = new Set<(access: AccessChange) => void>()
let notified: ((notification: MemberNotification) => void) | undefined
let isKept = () => false
const resets = new Set<() => void>()
const connected = new Set<(isBeginning: boolean) => void>()

/** The last applied change; 0 before the stream has sent its position. */
let applied = 0
/** The position of the stream; undefined until it is known. */
let place: number | undefined
/** Whether the stream has sent its position on this connection. */
let isConnected = false
/** Events to apply, in the order of the stream. */
let queue: (Change | AccessChange)[] = []
let isScheduled = false
let closing: AbortController | undefined
/** This tab's part in the shared stream; undefined if it has its own stream. */
let tabs: TabStream | undefined
/** Ends the current connection of this tab, to connect again. */
let connecting: AbortController | undefined
let saying: ReturnType<typeof setTimeout> | undefined
let hiding: ReturnType<typeof setTimeout> | undefined
let retrying: ReturnType<typeof setTimeout> | undefined
let retriedAt = -Infinity

/** Subscribes to changes, each once and in order. @returns unsubscribes */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Subscribes to gaps. After a gap, changes may be missing and all shown data must be reloaded. A gap occurs when the stream
 * starts, for data loaded before it, and when the stream was away for too long.
 * @returns unsubscribes
 */
export function onReset(listener: () => void): () => void {
  resets.add(listener)
  return () => resets.delete(listener)
}

/**
 * Subscribes to projects that the user gains or loses. Not called for a time without a connection:
 * see {@link onConnected}.
 * @returns unsubscribes
 */
export function onAccess(listener: (access: AccessChange) => void): () => void {
  accessListeners.add(listener)
  return () => accessListeners.delete(listener)
}

/**
 * Calls back with each new notification of the user, perhaps twice. Not with those of a time without a connection: see
 * {@link onConnected}.
 * @param staysOpen whether a hidden tab keeps the stream, too
 */
export function onNotification(
  listener: (notification: MemberNotification) => void,
  staysOpen: () => boolean,
): void {
  notified = listener
  isKept = staysOpen
}

/**
 * Subscribes to connections and reconnections.
 * @param listener `isBeginning` if no earlier connection is resumed, so that everything is reloaded anyway
 * @returns unsubscribes
 */
export function onConnected(listener: (isBeginning: boolean) => void): () => void {
  connected.add(listener)
  return () => connected.delete(listener)
}

/** The last applied change. Later loads include it, and perhaps newer ones. 0 before the stream starts. */
export const appliedSeq = (): number => applied

/** Calls back once a change has been applied, or at once if it already has. @param seq undefined for no change */
export function onApplied(seq: number | undefined, then: () => void): void {
  if (seq === undefined || seq <= applied) {
    then()
    return
  }
  const end = () => {
    for (const stop of ends) stop()
    then()
  }
  const ends = [onChange((change) => change.seq >= seq && end()), onReset(end)]
}

/** Opens the stream, which stays open while the tab is visible. */
export function startLive(): void {
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('online', reopen)
  // The stream may end much later, and in another tab.
  addEventListener('offline', noteLost)
  // Another request found the service again.
  onAnswer(() => {
    if (liveState.peek() !== 'lost' && liveState.peek() !== 'offline') return
    // Where only the stream does not get through, every response would otherwise end an attempt.
    if (performance.now() - retriedAt < RETRY_PAUSE) return
    retriedAt = performance.now()
    if (tabs === undefined) reopen()
    else tabs.retry()
  })
  addEventListener('pagehide', close)
  addEventListener('pageshow', ({ persisted }) => persisted && open())
  open()
  hideLater()
}

function hideLater(): void {
  clearTimeout(hiding)
  if (document.visibilityState === 'hidden') hiding = setTimeout(() => isKept() || close(), HIDDEN_FOR)
}

function onVisibility(): void {
  hideLater()
  const isSeen = document.visibilityState !== 'hidden'
  if (isSeen && (closing === undefined || liveState.peek() !== 'live')) reopen()
}

function close(): void {
  closing?.abort()
  closing = undefined
  tabs?.close()
  tabs = undefined
  isConnected = false
}

/** Opens the stream at once instead of after the pause between two attempts. */
function reopen(): void {
  close()
  if (document.visibilityState !== 'hidden') open()
}

function open(): void {
  if (closing !== undefined) return
  closing = new AbortController()
  const { signal } = closing
  if (!canShare()) {
    void follow(signal)
    return
  }
  // Another user of this browser has another stream.
  tabs = new TabStream(`${root}:${me.peek()?.id ?? ''}`, {
    place: () => place,
    isConnected: () => isConnected,
    read: (stop) => void follow(stop),
    take: (arrival) => !signal.aborted && takeFromTab(arrival),
    restart: (seq) => {
      place = undefined
      arrive(seq)
    },
    lost: noteLost,
    ended: endSession,
    retry: () => connecting?.abort(),
  })
}

/** Handles events that another tab has read, unless this tab already has them. */
function takeFromTab(arrival: Arrival): void {
  if (arrival.kind === 'access') add(arrival.access)
  else if (arrival.kind === 'notification') notified?.(arrival.notification)
  else if (arrival.kind === 'place') {
    if (arrival.seq >= (place ?? 0)) arrive(arrival.seq)
  } else if (arrival.change.seq > (place ?? 0)) take(arrival.change)
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    connecting = new AbortController()
    const { signal: retrying } = connecting
    const isOver = () => signal.aborted || retrying.aborted
    /** Passes an arrival on to the other tabs. */
    const pass = (arrival: Arrival, before: number | undefined) => tabs?.arrived(arrival, before)
    try {
      const options = {
        after: place,
        signal: AbortSignal.any([signal, retrying]),
        onState: (state: 'connected' | 'disconnected') => {
          if (state !== 'disconnected' || isOver()) return
          noteLost()
          tabs?.notify('lost')
        },
        onPlace: (seq: number) => {
          if (isOver()) return
          const before = place
          arrive(seq)
          pass({ kind: 'place', seq }, before)
        },
        onAccess: (access: AccessChange) => {
          if (isOver()) return
          pass({ kind: 'access', access }, place)
          add(access)
        },
        onNotification: (notification: MemberNotification) => {
          if (isOver()) return
          pass({ kind: 'notification', notification }, place)
          notified?.(notification)
        },
      }
      for await (const change of api.changes(options)) {
        const before = place
        take(change)
        pass({ kind: 'change', change }, before)
      }
    } catch (error) {
      if (signal.aborted) return
      if (!retrying.aborted) await recover(error)
    }
  }
}

/** Handles the stream's position, which it sends at the start and after changes. */
function arrive(seq: number): void {
  const isBeginning = place === undefined
  place = seq
  if (isBeginning) {
    // Changes before a gap are reloaded with everything else.
    queue = []
    applied = seq
    for (const listener of resets) listener()
  } else if (queue.length === 0) applied = Math.max(applied, seq)
  if (isConnected) return
  isConnected = true
  clearTimeout(saying)
  clearTimeout(retrying)
  liveState.value = 'live'
  for (const listener of connected) listener(isBeginning)
}

function noteLost(): void {
  isConnected = false
  clearTimeout(retrying)
  retrying = setTimeout(() => {
    if (isConnected) return
    if (tabs === undefined) reopen()
    else if (tabs.isReader) tabs.retry()
  }, longestPause())
  // Each failed attempt notes the same loss again.
  if (liveState.peek() === 'lost' || liveState.peek() === 'offline') return
  liveState.value = 'lost'
  clearTimeout(saying)
  saying = setTimeout(() => {
    liveState.value = 'offline'
  }, SAID_AFTER)
}

/** Handles a failure that the client does not retry. */
async function recover(error: unknown): Promise<void> {
  const status = error instanceof PhaseboardError ? error.status : 0
  if (status === 401) {
    endSession()
    tabs?.notify('ended')
    await signedIn()
  } else if (status === 410) {
    // Restart from the current position, and reload once it is known.
    place = undefined
  } else {
    noteLost()
    tabs?.notify('lost')
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

function take(change: Change): void {
  place = change.seq
  add(change)
}

function add(one: Change | AccessChange): void {
  queue.push(one)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  // A hidden tab gets no animation frames.
  if (document.visibilityState === 'hidden') setTimeout(applySome, 100)
  else requestAnimationFrame(applySome)
}

function apply(change: Change): void {
  for (const listener of listeners) listener(change)
  applied = change.seq
}

/** Applies the changes received since the last frame, as many as fit into one frame. */
function applySome(): void {
  isScheduled = false
  const end = performance.now() + SLICE
  let count = 0
  batch(() => {
    for (const one of queue) {
      if ('visible' in one) for (const listener of accessListeners) listener(one)
      else apply(one)
      count++
      if (performance.now() > end) break
    }
  })
  queue = queue.slice(count)
  if (queue.length > 0) schedule()
}
