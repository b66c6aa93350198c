/** Toasts: short messages at the bottom of the page, one at a time, and undo of the user's own writes. */
import { computed, signal } from '@preact/signals'
import { texts } from '../texts.ts'
import { api, isAlreadyDone, messageOf, PhaseboardError } from './api.ts'
import { write, written } from './writes.ts'

interface ToastAction {
  label: string
  run: () => void
}

/** The message of a successful write. */
export interface Message {
  text: string
  /** The text of several writes alike, e.g. "3 cards moved". Writes are alike if they have the same function. */
  many?: (count: number) => string
  /** The id of the record, with `many`. */
  of?: string
  /** A sentence after either text, e.g. a warning. */
  note?: string | undefined
  /** `heard` only by screen readers, if the page shows the result where the user looks; `nowhere` if they hear it there, too. */
  shown?: 'toast' | 'heard' | 'nowhere'
}

/** The writes of a toast, oldest first. */
interface Writes {
  many: Message['many']
  writes: readonly { seq: number; of: string | undefined }[]
}

export interface Toast extends Partial<Writes> {
  id: number
  text: string
  /** An `alert` is announced at once, and stays until it is closed. */
  tone: 'status' | 'alert'
  actions: readonly ToastAction[]
}

/** How long a toast stays, in milliseconds. It stays longer while the pointer or the focus is on it. */
export const STAYS = 8000
/** How long an announcement stays in the document, in milliseconds. It is announced once, when it appears. */
const ANNOUNCED = 2000
/** The maximum number of messages of refused writes that wait to be closed. */
const MOST = 3
/** The maximum number of writes of one toast. They are undone in one batch. */
const MOST_WRITES = 200
/** The number of writes that can be undone one after another. */
const UNDOABLE = 100

/** The toasts. Only the last is shown; before it are messages of refused writes. */
const all = signal<readonly Toast[]>([])

/** The toast that is shown. */
export const currentToast = computed(() => all.value.at(-1))

/** A text that only screen readers announce; a new object each time. */
export const announcement = signal<{ text: string } | undefined>(undefined)
let forgetting: ReturnType<typeof setTimeout> | undefined

/** Lets screen readers announce what the page shows by other means. */
export function announce(text: string): void {
  announcement.value = { text }
  clearTimeout(forgetting)
  forgetting = setTimeout(() => {
    announcement.value = undefined
  }, ANNOUNCED)
}

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

/** Shows a message in place of the last one. The message of a refused write returns afterwards, until it is closed. */
export function toast(
  text: string,
  actions: readonly ToastAction[] = [],
  tone: Toast['tone'] = 'status',
): void {
  show({ id: ++last, text, tone, actions })
}

function show(next: Toast): void {
  const refused = all.peek().filter(({ tone }) => tone === 'alert')
  all.value = [...refused.slice(1 - MOST), next]
}

/** Removes a message. */
export function closeToast(id: number): void {
  all.value = all.peek().filter((one) => one.id !== id)
}

/** Shows the message of a refused write. @returns whether the service had accepted it before */
export function failed(error: unknown): boolean {
  if (isAlreadyDone(error)) return true
  toast(texts.notSaved(messageOf(error)), [], 'alert')
  return false
}

/**
 * Records a successful write of the user. The toast and Ctrl+Z undo it.
 * @param seq its last change; null or undefined if it changed nothing
 * @param given e.g. "“Flyer” moved to Done."; nothing is shown without it
 */
export function done(seq: number | null | undefined, given?: string | Message): void {
  if (!seq) return
  const message = typeof given === 'string' ? { text: given } : given
  redoable = []
  remember({ seq, text: message?.text ?? '' })
  if (message === undefined) return
  const { text, shown = 'toast' } = message
  if (shown === 'heard') announce(text)
  else if (shown === 'toast') showDone(seq, message)
}

function remember(one: Written): void {
  undoable = [...undoable.slice(1 - UNDOABLE), one]
}

/** Shows the message of a write. While a toast of writes alike is shown, they become one, and its Undo undoes all. */
function showDone(seq: number, { text, many, of, note }: Message): void {
  const shown = currentToast.peek()
  const write = { seq, of }
  const before = many !== undefined && shown?.many === many ? (shown.writes ?? []) : []
  // Another write of the only record takes the place of the former: Undo is of the last.
  const isMore = before.length < MOST_WRITES && before.some((one) => one.of !== of)
  const writes = isMore ? [...before, write] : [write]
  const count = new Set(writes.map((one) => one.of)).size
  show({
    id: isMore && shown ? shown.id : ++last,
    text: [many && count > 1 ? many(count) : text, note].filter(Boolean).join(' '),
    tone: 'status',
    actions: [{ label: texts.undo, run: () => void undo(...writes.map((one) => one.seq)) }],
    many,
    writes,
  })
}

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
    // The last write may not be answered yet. It, and none before it, is to be undone.
    if (await written()) return
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
    const seq = await revert([latest.seq], texts.cannotRedo, texts.notRedone)
    if (seq === undefined) return
    remember({ ...latest, seq })
    showDone(seq, { text: texts.redone })
  })

/**
 * Undoes the writes that changes were part of, all or none. The resulting changes come by the stream.
 * @param seqs in the order of the writes
 * @returns whether they were undone
 */
export const undo = (...seqs: readonly number[]): Promise<boolean> => afterFormer(() => undoNow(...seqs))

async function undoNow(...seqs: readonly number[]): Promise<boolean> {
  const own = undoable.findLast((one) => seqs.includes(one.seq))
  undoable = undoable.filter((one) => !seqs.includes(one.seq))
  const undoing = await revert(seqs, texts.cannotUndo, texts.notUndone)
  if (undoing === undefined) return false
  redoable.push({ text: own?.text ?? '', seq: undoing })
  toast(texts.undone)
  return true
}

/** Undoes changes. @returns the last change of the undo; undefined if it was refused, after a message */
async function revert(
  seqs: readonly number[],
  cannot: (kind: string, field: string | undefined) => string,
  refused: (error: string) => string,
): Promise<number | undefined> {
  all.value = all.peek().filter(({ actions }) => !actions.some(({ label }) => label === texts.undo))
  try {
    return (await write({ send: (idempotencyKey) => sendUndo(seqs, idempotencyKey) })).seq
  } catch (error) {
    if (isAlreadyDone(error)) return undefined
    const { conflicts = [] } = Object(error instanceof PhaseboardError && error.details) as {
      conflicts?: { kind: string; field?: string }[]
    }
    const [first] = conflicts
    toast(first ? cannot(first.kind, first.field) : refused(messageOf(error)), [], 'alert')
    return undefined
  }
}

/** Sends the undo of one write, or of several in one transaction, the last first. */
function sendUndo(seqs: readonly number[], idempotencyKey: string): Promise<{ seq: number | undefined }> {
  const [seq] = seqs
  if (seqs.length === 1) {
    return api.request('post', '/api/changes/{seq}/undo', { path: { seq: String(seq) }, idempotencyKey })
  }
  const requests = seqs
    .toReversed()
    .map((one) => ({ method: 'POST' as const, path: `/api/changes/${one}/undo` }))
  return api.request('post', '/api/batch', { body: { requests }, idempotencyKey })
}
