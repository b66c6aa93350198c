/** Optimistic writes of cards on all pages: shown at once, and reverted with a message if refused. */

import { texts } from '../texts.ts'
import { type Answer, api, type KanbanItem, PhaseboardError, type UpdateKanbanItem } from './api.ts'
import { isThere, type Place, requestsFor, sortOrderAt } from './place.ts'
import type { ProjectStore } from './project-store.ts'
import { accepted, ifThere, isUnsaved, removeRecord } from './record-writes.ts'
import type { Patch } from './records.ts'
import { done, failed, toast } from './toasts.ts'
import { aboveText, fullText, isFull } from './wip.ts'
import { write } from './writes.ts'

const words = texts.item
const PATH = '/api/kanban-items/{id}'

/** A card to write. */
export interface CardTarget {
  readonly store: ProjectStore
  readonly id: string
  /** Takes the answer over, if not the store alone. */
  take?: (answer: Answer<KanbanItem>) => void
}

/** Where a card goes: in its project, or to an end of a column of another one. */
export type Destination = Place & { project?: { id: string; name: string } | undefined }

interface ItemWrite {
  /** What is shown until it is answered. */
  patch: Patch<KanbanItem>
  send: (idempotencyKey: string) => Promise<Answer<KanbanItem>>
  /** What it did. */
  said: string
  /** The column that it comes into, which may be full; its own, if absent. */
  column?: string
}

/** Takes over what the service answered of a card. @param seq what it knows, if the answer does not say it */
export function takeItem(store: ProjectStore, answer: Answer<KanbanItem>, seq?: number): void {
  const { warnings: _, ...item } = answer.data
  if (item.projectId === store.id) store.items.put(item, answer.seq ?? seq ?? store.items.seqOf(item.id))
}

/** Sends a write of a card, and shows its result. @returns whether the service accepted it */
async function writeItem(target: CardTarget, { patch, send, said, column }: ItemWrite): Promise<boolean> {
  const { store, id } = target
  const item = store.items.peek(id)
  if (item === undefined || isUnsaved(id)) return false
  try {
    const { data, seq } = await write({
      pending: [store.items.patch(id, patch)],
      send,
      onDone: (answer) => (target.take ? target.take(answer) : takeItem(store, answer)),
    })
    done(seq, data.warnings?.length ? `${said} ${aboveIn(store, data)}` : said)
    return true
  } catch (error) {
    sayRefused(store, error, item, column)
    return false
  }
}

/** What is said of the limit of the card's new column; of another project's, what the service says. */
const aboveIn = (store: ProjectStore, { projectId, column, warnings = [] }: KanbanItem): string =>
  projectId === store.id ? aboveText(store, column) : warnings.join(' ')

/** Whether what a request's body named is not there any more, but what it was about is. */
const namesMissing = ({ status, details }: PhaseboardError) => status === 404 && 'missing' in Object(details)

/** Says why the service refused a write of a card. @param column the one that it was to come into */
export function sayRefused(
  store: ProjectStore,
  error: unknown,
  item: KanbanItem,
  column: string = item.column,
): void {
  const isMissing = error instanceof PhaseboardError && error.status === 404 && !namesMissing(error)
  if (isFull(error)) toast(fullText(store, column, item), [], 'alert')
  else if (isMissing) toast(words.wasDeleted(item.title), [], 'alert')
  else failed(error)
}

/** Changes fields of a card. @param said what it did */
export const changeItem = (target: CardTarget, fields: UpdateKanbanItem, said: string): Promise<boolean> =>
  writeItem(target, {
    patch: ifThere((item) => ({ ...item, ...(fields as Partial<KanbanItem>) })),
    send: (idempotencyKey) =>
      api.request('patch', PATH, { path: { id: target.id }, body: fields, idempotencyKey }),
    said,
  })

/** Whether a card waits to be approved or dismissed. */
export const isWaiting = ({ isNew, approved, dismissed }: KanbanItem): boolean =>
  !dismissed && (isNew || !approved)

/** Approves a card from a transcript or an import. */
export function approve(target: CardTarget): void {
  const item = target.store.items.peek(target.id)
  if (item) void changeItem(target, { approved: true, isNew: false }, words.approved(item.title))
}

/** Dismisses a card, or restores it. */
export function toggleDismissed(target: CardTarget): void {
  const item = target.store.items.peek(target.id)
  if (item === undefined) return
  if (item.dismissed) void changeItem(target, { dismissed: false }, words.restored(item.title))
  else void changeItem(target, { dismissed: true, isNew: false }, words.dismissed(item.title))
}

/** Moves a card. @returns whether the service accepts it; undefined if it does not move */
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
  const within = item.column === column ? words.movedWithin(column) : words.moved(column)
  return writeItem(target, {
    patch: isElsewhere ? () => undefined : ifThere((record) => ({ ...record, column, sortOrder })),
    send: (key) =>
      sendMove(id, isElsewhere ? bodies.map((body) => ({ ...body, projectId: project.id })) : bodies, key),
    said: isElsewhere ? words.movedProject(project.name) : within,
    column,
  })
}

/** Asks for the first place that is still there. */
async function sendMove(
  id: string,
  bodies: ReturnType<typeof requestsFor>,
  key: string,
): Promise<Answer<KanbanItem>> {
  for (const [index, body] of bodies.entries()) {
    try {
      // A key of its own each: sent again after a lost answer, each is the same request as before.
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

/** Deletes a card; it can be undone. */
export const deleteItem = ({ store, id }: CardTarget): Promise<boolean> =>
  accepted(
    removeRecord({
      records: store.items,
      said: words.deleted,
      id,
      send: (idempotencyKey) => api.request('delete', PATH, { path: { id }, idempotencyKey }),
    }),
  )
