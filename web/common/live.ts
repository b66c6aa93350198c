/**
 * The one stream of changes of this tab. It is closed a while after the tab is hidden (a browser has six connections to a host, for
 * all its tabs), and goes on after the last change that it brought.
 */
import { batch, signal } from '@preact/signals'
import { api, type Change, PhaseboardError } from './api.ts'
import { endSession, signedIn } from './session.ts'

/** How long the connection may be away before it is said, in milliseconds. */
const SAID_AFTER = 3000
/** How long a hidden tab keeps its connection, in milliseconds. */
const HIDDEN_FOR = 5000
/** How long changes may be applied in one go, in milliseconds: the rest waits for the next frame. */
const SLICE = 8
/** Pause before the stream is opened again after a failure that the client does not try again by itself, in milliseconds. */
const PAUSE = 5000

/** `lost`: for less than three seconds; `offline`: for longer. */
export type LiveState = 'connecting' | 'live' | 'lost' | 'offline'

export const liveState = signal<LiveState>('connecting')

type Listener = (change: Change) => void

const listeners = new Set<Listener>()
const resets = new Set<() => void>()
const connected = new Set<() => void>()

/** The change up to which all is applied; 0 before the stream has told where it is. */
let applied = 0
/** The change up to which the stream has come; undefined before it has told. */
let place: number | undefined
/** Whether the stream has told where it is, on this connection. */
let isConnected = false
let queue: Change[] = []
let isScheduled = false
let closing: AbortController | undefined
let saying: ReturnType<typeof setTimeout> | undefined
let hiding: ReturnType<typeof setTimeout> | undefined

/** Is told of each change, once and in order. @returns what ends it */
export function onChange(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Is told when changes may have been missed: read again all that is shown. That is so when the stream begins, for what was read before, and
 * when it was away for too long.
 * @returns what ends it
 */
export function onReset(listener: () => void): () => void {
  resets.add(listener)
  return () => resets.delete(listener)
}

/** Is told whenever the connection is there (again). @returns what ends it */
export function onConnected(listener: () => void): () => void {
  connected.add(listener)
  return () => connected.delete(listener)
}

/** The change up to which all has been applied: what is read from now on knows it, and perhaps later ones. 0 before the stream. */
export const appliedSeq = (): number => applied

/** Calls back when a change has been applied, at once if it has been already. @param seq undefined for no change at all */
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

/** Opens the stream, and keeps it while the tab is seen. */
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

/** Opens the stream at once, not after the pause between two attempts. */
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
      }
      for await (const change of api.changes(options)) take(change)
    } catch (error) {
      if (signal.aborted) return
      await recover(error)
    }
  }
}

/** The stream tells where it is: first of all, and after what it brought. */
function arrive(seq: number): void {
  const isBeginning = place === undefined
  place = seq
  if (isBeginning) {
    // What it brought before a gap is read again with all else.
    queue = []
    applied = seq
    for (const listener of resets) listener()
  } else if (queue.length === 0) applied = Math.max(applied, seq)
  if (isConnected) return
  isConnected = true
  clearTimeout(saying)
  liveState.value = 'live'
  for (const listener of connected) listener()
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

/** What the client gave up on. */
async function recover(error: unknown): Promise<void> {
  const status = error instanceof PhaseboardError ? error.status : 0
  if (status === 401) {
    endSession()
    await signedIn()
  } else if (status === 410) {
    // From now on; what was missed is read again when it is known where that is.
    place = undefined
  } else {
    noteLost()
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

function take(change: Change): void {
  place = change.seq
  queue.push(change)
  schedule()
}

function schedule(): void {
  if (isScheduled) return
  isScheduled = true
  // Frames do not come to hidden tabs.
  if (document.visibilityState === 'hidden') setTimeout(applySome, 100)
  else requestAnimationFrame(applySome)
}

/** Applies what came since the last frame, as much as fits into one. */
function applySome(): void {
  isScheduled = false
  const end = performance.now() + SLICE
  let count = 0
  batch(() => {
    for (const change of queue) {
      for (const listener of listeners) listener(change)
      applied = change.seq
      count++
      if (performance.now() > end) break
    }
  })
  queue = queue.slice(count)
  if (queue.length > 0) schedule()
}
