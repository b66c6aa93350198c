/** Writes of cards on all pages, with optimistic updates, which are reverted with a message if the service refuses them. */

import { texts } from '../texts.ts'
import {
  type Answer,
  api,
  isNotFound,
  type KanbanItem,
  PhaseboardError,
  sending,
  type UpdateKanbanItem,
} from './api.ts'
import { assigned } from './assignees.ts'
import { isThere, type Place, requestsFor, sortOrderAt } from './place.ts'
import type { ProjectStore } from './project-store.ts'
import { accepted, ifThere, isUnsaved, removeRecord } from './record-writes.ts'
import type { Patch } from './records.ts'
import { done, failed, type Message, toast } from './toasts.ts'
import { aboveText, fullText, isFull } from './wip.ts'
import { write } from './writes.ts'

const words = texts.item
const PATH = '/api/kanban-items/{id}'

/** A card to write. */
export interface CardTarget {
  readonly store: ProjectStore
  readonly id: string
  /** Stores the response, if not only the store needs it. */
  take?: (answer: Answer<KanbanItem>) => void
}

/** The target of a move: a place in the card's project, or an end of a column of another project. */
export type Destination = Place & { project?: { id: string; name: string } | undefined }

interface ItemWrite {
  /** The optimistic update. */
  patch: Patch<KanbanItem>
  send: (idempotencyKey: string) => Promise<Answer<KanbanItem>>
  message: Message
  /** The target column, which may be full; the card's own column if absent. */
  column?: string
}

/** Stores a card from a response. @param seq the response's last change, if the response does not have it */
export function takeItem(
  store: ProjectStore,
  answer: Pick<Answer<KanbanItem>, 'data' | 'seq'>,
  seq?: number,
): void {
  const { warnings: _, ...item } = answer.data
  if (item.projectId === store.id) store.items.put(item, answer.seq ?? seq ?? store.items.seqOf(item.id))
}

/** Sends a write of a card, and shows its result. @returns whether the service accepted it */
async function writeItem(target: CardTarget, { patch, send, message, column }: ItemWrite): Promise<boolean> {
  const { store, id } = target
  const item = store.items.peek(id)
  if (item === undefined || isUnsaved(id)) return false
  try {
    const { data, seq } = await write({
      pending: [store.items.patch(id, patch)],
      send,
      message: message.text,
      onDone: (answer) => (target.take ? target.take(answer) : takeItem(store, answer)),
    })
    done(seq, { ...message, of: id, note: data.warnings?.length ? aboveIn(store, data) : undefined })
    return true
  } catch (error) {
    return showRefusal(store, error, item, column)
  }
}

/** The message about the limit of the card's new column. For another project, the message is the service's. */
const aboveIn = (store: ProjectStore, { projectId, column, warnings = [] }: KanbanItem): string =>
  projectId === store.id ? aboveText(store, column) : warnings.join(' ')

/** Whether a record in the request's body no longer exists, although the card itself does. */
const namesMissing = (error: PhaseboardError) => isNotFound(error) && 'missing' in Object(error.details)

/** Shows why the service refused a write of a card. @param column the target column @returns whether it had accepted it before */
export function showRefusal(
  store: ProjectStore,
  error: unknown,
  item: KanbanItem,
  column: string = item.column,
): boolean {
  const isMissing = isNotFound(error) && !namesMissing(error) && !isUnsaved(item.id)
  if (isFull(error)) toast(fullText(store, column, item), [], 'alert')
  else if (isMissing) toast(words.wasDeleted(item.title), [], 'alert')
  else return failed(error)
  return false
}

/** Changes fields of a card. @param message its text, or all of it */
export const changeItem = (
  target: CardTarget,
  fields: UpdateKanbanItem,
  message: string | Message,
): Promise<boolean> =>
  writeItem(target, {
    patch: ifThere((item) => ({ ...item, ...assigned(item, fields as Partial<KanbanItem>) })),
    ...sending('patch', PATH, { path: { id: target.id }, body: fields }),
    message: typeof message === 'string' ? { text: message } : message,
  })

/** Whether a card waits for approval or dismissal. */
export const isWaiting = ({ isNew, approved, dismissed }: KanbanItem): boolean =>
  !dismissed && (isNew || !approved)

/** The message of an action on a card, of which several may become one. */
const actionMessage = (action: Exclude<keyof typeof words.many, 'moved'>, title: string): Message => ({
  text: words[action](title),
  many: words.many[action],
})

/** The message of a card that moved. @param column its new column */
export const movedMessage = (title: string, column: string): Message => ({
  text: words.moved(title, column),
  many: words.many.moved,
})

/** Approves a card from a transcript or an import. */
export function approve(target: CardTarget): void {
  const item = target.store.items.peek(target.id)
  if (item) void changeItem(target, { approved: true, isNew: false }, actionMessage('approved', item.title))
}

/** Dismisses a card, or restores it. */
export function toggleDismissed(target: CardTarget): void {
  const item = target.store.items.peek(target.id)
  if (item === undefined) return
  if (item.dismissed) void changeItem(target, { dismissed: false }, actionMessage('restored', item.title))
  else void changeItem(target, { dismissed: true, isNew: false }, actionMessage('dismissed', item.title))
}

/** Moves a card. @returns whether the service accepts it; undefined if the card does not move */
export function moveItem(target: CardTarget, destination: Destination): Promise<boolean> | undefined {
  const { store, id } = target
  const { column, project } = destination
  const isElsewhere = project !== undefined && project.id !== store.id
  const item = store.items.peek(id)
  const ids = isElsewhere ? [] : store.idsOf(column)
  if (item === undefined || isUnsaved(id) || (!isElsewhere && isThere(ids, id, destination))) return undefined
  const sortOrder = sortOrderAt(ids, id, destination, (one) => store.items.peek(one)?.sortOrder)
  const saved = ids.filter((one) => !isUnsaved(one))
  const bodies = requestsFor(saved, id, destination)
  const movedHere: Message =
    item.column === column
      ? { text: words.movedWithin(item.title, column), many: words.many.moved }
      : movedMessage(item.title, column)
  return writeItem(target, {
    patch: isElsewhere ? () => undefined : ifThere((record) => ({ ...record, column, sortOrder })),
    send: (key) =>
      sendMove(id, isElsewhere ? bodies.map((body) => ({ ...body, projectId: project.id })) : bodies, key),
    message: isElsewhere
      ? { text: words.movedProject(item.title, project.name), many: words.many.moved }
      : movedHere,
    column,
  })
}

/** Tries the places in order until one still exists. */
async function sendMove(
  id: string,
  bodies: ReturnType<typeof requestsFor>,
  key: string,
): Promise<Answer<KanbanItem>> {
  for (const [index, body] of bodies.entries()) {
    try {
      // Each place has its own key. A retry after a lost response repeats the same request.
      const idempotencyKey = `${key}-${index}`
      return await api.request('post', '/api/kanban-items/{id}/move', { path: { id }, body, idempotencyKey })
    } catch (error) {
      const isNeighbourGone =
        error instanceof PhaseboardError && (error.status === 400 || namesMissing(error))
      if (!isNeighbourGone || index === bodies.length - 1) throw error
    }
  }
  throw new Error('no place was asked for')
}

/** Deletes a card. The user can undo it. */
export const deleteItem = ({ store, id }: CardTarget): Promise<boolean> =>
  accepted(
    removeRecord({
      records: store.items,
      message: { ...actionMessage('deleted', store.items.peek(id)?.title ?? ''), of: id },
      id,
      ...sending('delete', PATH, { path: { id } }),
    }),
  )
