/** Toasts: short messages at the edge of the page, and undo of the user's own writes. */
import { signal } from '@preact/signals'
import { texts } from '../texts.ts'
import { api, messageOf, PhaseboardError } from './api.ts'
import { write } from './writes.ts'

/** The action of a toast. */
export interface ToastAction {
  label: string
  run: () => void
}

export interface Toast {
  id: number
  text: string
  /** An `alert` is announced at once, and stays until it is closed. */
  tone: 'status' | 'alert'
  actions: readonly ToastAction[]
}

/** How long a toast stays, in milliseconds. It stays longer while the pointer or the focus is on it. */
export const STAYS = 8000
/** The maximum number of toasts. */
const MOST = 3
/** The number of writes that can be undone one after another. */
const UNDOABLE = 100

export const toasts = signal<readonly Toast[]>([])

let last = 0
/** A write of the user by its last change. */
interface Written {
  seq: number
  text: string
}

/** The user's own writes that can be undone, newest last. */
let undoable: Written[] = []
/** Those that were undone since the last other write, by the change that undid them, newest last. Undoing that redoes the write. */
let redoable: Written[] = []

/** Shows a message. @returns its id */
export function toast(
  text: string,
  actions: readonly ToastAction[] = [],
  tone: Toast['tone'] = 'status',
): number {
  const id = ++last
  const all = [...toasts.peek(), { id, text, tone, actions }]
  // Messages of refused writes are removed last.
  const gone = all.length <= MOST ? undefined : (all.find((one) => one.tone === 'status') ?? all[0])
  toasts.value = all.filter((one) => one !== gone)
  return id
}

/** Removes a message. */
export function closeToast(id: number): void {
  toasts.value = toasts.peek().filter((one) => one.id !== id)
}

/** Shows the message of a refused write. @param retry the action of "Try again" */
export function failed(error: unknown, retry?: () => void): void {
  toast(texts.notSaved(messageOf(error)), retry ? [{ label: texts.tryAgain, run: retry }] : [], 'alert')
}

/**
 * Records a successful write of the user. The toast and Ctrl+Z undo it.
 * @param seq its last change; undefined if it changed nothing
 * @param text e.g. "Moved to Done."; no toast is shown without it
 */
export function done(seq: number | undefined, text?: string): void {
  if (seq === undefined) return
  redoable = []
  remember({ seq, text: text ?? '' })
  if (text !== undefined) toastUndoable(seq, text)
}

function remember(one: Written): void {
  undoable = [...undoable.slice(1 - UNDOABLE), one]
}

const toastUndoable = (seq: number, text: string) =>
  toast(text, [{ label: texts.undo, run: () => void undo(seq) }])

/** Runs undo and redo one after another, because each depends on what the former did. */
let former: Promise<unknown> = Promise.resolve()
function afterFormer<T>(act: () => Promise<T>): Promise<T> {
  const done = former.then(act)
  former = done
  return done
}

/** Undoes the user's last write that is not undone yet. */
export const undoLast = (): void =>
  void afterFormer(async () => {
    const latest = undoable.at(-1)
    if (latest === undefined) toast(texts.nothingToUndo)
    else await undoNow(latest.seq)
  })

/** Redoes the user's last undone write. */
export const redoLast = (): void =>
  void afterFormer(async () => {
    const latest = redoable.pop()
    if (latest === undefined) {
      toast(texts.nothingToRedo)
      return
    }
    const seq = await revert(latest.seq, texts.cannotRedo, texts.notRedone)
    if (seq === undefined) return
    remember({ ...latest, seq })
    toastUndoable(seq, texts.redone)
  })

/** Undoes the write that a change was part of. The resulting changes come by the stream. @returns whether it was undone */
export const undo = (seq: number): Promise<boolean> => afterFormer(() => undoNow(seq))

async function undoNow(seq: number): Promise<boolean> {
  const own = undoable.find((one) => one.seq === seq)
  undoable = undoable.filter((one) => one !== own)
  const undoing = await revert(seq, texts.cannotUndo, texts.notUndone)
  if (undoing === undefined) return false
  redoable.push({ text: own?.text ?? '', seq: undoing })
  toast(texts.undone)
  return true
}

/** Undoes a change. @returns the last change of that; undefined if it was refused, which a message says */
async function revert(
  seq: number,
  cannot: (kind: string, field: string | undefined) => string,
  refused: (error: string) => string,
): Promise<number | undefined> {
  toasts.value = toasts.peek().filter(({ actions }) => !actions.some(({ label }) => label === texts.undo))
  try {
    const answer = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) }, idempotencyKey }),
    })
    return answer.seq
  } catch (error) {
    const { conflicts = [] } = Object(error instanceof PhaseboardError && error.details) as {
      conflicts?: { kind: string; field?: string }[]
    }
    const [first] = conflicts
    toast(first ? cannot(first.kind, first.field) : refused(messageOf(error)), [], 'alert')
    return undefined
  }
}
