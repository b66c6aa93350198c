/**
 * The stream of changes of this tab. It closes some time after the tab is hidden, because a browser has six connections to a
 * host for all tabs. It then resumes after its last change.
 */
import { batch, signal } from '@preact/signals'
import { type AccessChange, api, type Change, PhaseboardError } from './api.ts'
import { endSession, signedIn } from './session.ts'

/** Delay before a lost connection is shown, in milliseconds. */
const SAID_AFTER = 3000
/** Delay before a hidden tab closes its connection, in milliseconds. */
const HIDDEN_FOR = 5000
/** Time for applying changes in one frame, in milliseconds. */
const SLICE = 8
/** Pause before reopening the stream after a failure that the client does not retry, in milliseconds. */
const PAUSE = 5000

/** `lost` for less than three seconds, `offline` for longer. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'offline'

export const liveState = signal<LiveState>('connecting')

type Listener = (change: Change) => void

const listeners = new Set<Listener>()
const accessListeners = new Set<(access: AccessChange) => void>()
const resets = new Set<() => void>()
const connected = new Set<(isBeginning: boolean) => void>()

/** The last applied change; 0 before the stream has sent its position. */
let applied = 0
/** The position of the stream; undefined until it is known. */
let place: number | undefined
/** Whether the stream has sent its position on this connection. */
let isConnected = false
/** What is to be applied, in the order of the stream. */
let queue: (Change | AccessChange)[] = []
let isScheduled = false
let closing: AbortController | undefined
let saying: ReturnType<typeof setTimeout> | undefined
let hiding: ReturnType<typeof setTimeout> | undefined

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
 * Subscribes to projects that come to those that the user sees, or leave them. Not for what happened without a connection:
 * see {@link onConnected}.
 * @returns unsubscribes
 */
export function onAccess(listener: (access: AccessChange) => void): () => void {
  accessListeners.add(listener)
  return () => accessListeners.delete(listener)
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

/** Opens the stream, and keeps it open while the tab is visible. */
export function startLive(): void {
  document.addEventListener('visibilitychange', onVisibility)
  addEventListener('online', reopen)
  addEventListener('pagehide', close)
  addEventListener('pageshow', ({ persisted }) => persisted && open())
  open()
  hideLater()
}

function hideLater(): void {
  clearTimeout(hiding)
  if (document.visibilityState === 'hidden') hiding = setTimeout(close, HIDDEN_FOR)
}

function onVisibility(): void {
  hideLater()
  const isSeen = document.visibilityState !== 'hidden'
  if (isSeen && (closing === undefined || liveState.peek() !== 'live')) reopen()
}

function close(): void {
  closing?.abort()
  closing = undefined
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
  void follow(closing.signal)
}

async function follow(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const options = {
        after: place,
        signal,
        onState: (state: 'connected' | 'disconnected') => {
          if (state === 'disconnected' && !signal.aborted) noteLost()
        },
        onPlace: (seq: number) => {
          if (!signal.aborted) arrive(seq)
        },
        onAccess: (access: AccessChange) => {
          if (!signal.aborted) add(access)
        },
      }
      for await (const change of api.changes(options)) take(change)
    } catch (error) {
      if (signal.aborted) return
      await recover(error)
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
  liveState.value = 'live'
  for (const listener of connected) listener(isBeginning)
}

function noteLost(): void {
  isConnected = false
  clearTimeout(saying)
  if (liveState.peek() === 'offline') return
  liveState.value = 'lost'
  saying = setTimeout(() => {
    liveState.value = 'offline'
  }, SAID_AFTER)
}

/** Handles a failure that the client does not retry. */
async function recover(error: unknown): Promise<void> {
  const status = error instanceof PhaseboardError ? error.status : 0
  if (status === 401) {
    endSession()
    await signedIn()
  } else if (status === 410) {
    // Restart from the current position, and reload once it is known.
    place = undefined
  } else {
    noteLost()
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
