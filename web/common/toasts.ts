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
/** The last changes of the user's own writes, newest last. */
let undoable: { seq: number; text: string }[] = []

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
  undoable = [...undoable.slice(1 - UNDOABLE), { seq, text: text ?? '' }]
  if (text !== undefined) toast(text, [{ label: texts.undo, run: () => void undo(seq) }])
}

/** Undoes the user's last write that is not undone yet. */
export function undoLast(): void {
  const latest = undoable.at(-1)
  if (latest === undefined) toast(texts.nothingToUndo)
  else void undo(latest.seq)
}

/** Undoes the write that a change was part of. The resulting changes come by the stream. @returns whether it was undone */
export async function undo(seq: number): Promise<boolean> {
  undoable = undoable.filter((one) => one.seq !== seq)
  toasts.value = toasts.peek().filter(({ actions }) => !actions.some(({ label }) => label === texts.undo))
  try {
    await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) }, idempotencyKey }),
    })
    toast(texts.undone)
    return true
  } catch (error) {
    const { conflicts = [] } = Object(error instanceof PhaseboardError && error.details) as {
      conflicts?: { kind: string; field?: string }[]
    }
    const [first] = conflicts
    const text = first ? texts.cannotUndo(first.kind, first.field) : texts.notUndone(messageOf(error))
    toast(text, [], 'alert')
    return false
  }
}
