/** What can be done to an idea: shown at once, undone from the message. */

import {
  type Answer,
  api,
  messageOf,
  type PersonalIdea,
  PhaseboardError,
  type UpdatePersonalIdea,
} from '../common/api.ts'
import { placedAt } from '../common/order.ts'
import { isAdmin } from '../common/session.ts'
import { done, failed, toast } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { ideaList } from './idea-store.ts'

const { records } = ideaList
const list = texts.ideaList

const keep = ({ data, seq }: Answer<PersonalIdea>) => records.put(data, seq ?? records.seqOf(data.id))

/** Adds an idea at the end. @throws PhaseboardError when it is refused */
export async function addIdea(title: string, after: PersonalIdea | undefined): Promise<void> {
  const body = { title, sortOrder: after === undefined ? 0 : after.sortOrder + 1 }
  const answer = await write({
    send: (idempotencyKey) => api.request('post', '/api/personal-ideas', { body, idempotencyKey }),
    onDone: keep,
  })
  done(answer.seq, list.added(title))
}

/** Changes an idea. @throws PhaseboardError when it is refused */
export async function updateIdea(
  { id }: PersonalIdea,
  body: UpdatePersonalIdea,
  text: string,
): Promise<void> {
  const answer = await write({
    send: (idempotencyKey) =>
      api.request('patch', '/api/personal-ideas/{id}', { path: { id }, body, idempotencyKey }),
    pending: [records.patch(id, (one) => one && { ...one, ...body })],
    onDone: keep,
  })
  done(answer.seq, text)
}

/** Discards an idea: it is kept below. */
export const discardIdea = (idea: PersonalIdea): Promise<void> =>
  updateIdea(idea, { status: 'discarded' }, list.discardedOne(idea.title)).catch(failed)

/** Makes a discarded idea an open one again. */
export const reopenIdea = (idea: PersonalIdea): Promise<void> =>
  updateIdea(idea, { status: 'idea' }, list.reopened(idea.title)).catch(failed)

/** Deletes an idea; an undo brings it back. */
export async function deleteIdea({ id, title }: PersonalIdea): Promise<void> {
  try {
    const answer = await write({
      send: (idempotencyKey) =>
        api.request('delete', '/api/personal-ideas/{id}', { path: { id }, idempotencyKey }),
      pending: [records.patch(id, () => undefined)],
      onDone: ({ seq }) => records.remove(id, seq ?? records.seqOf(id)),
    })
    done(answer.seq, list.deleted(title))
  } catch (error) {
    failed(error)
  }
}

/** Makes a project of an idea. */
export async function promoteIdea({ id, title }: PersonalIdea): Promise<void> {
  try {
    const { data, seq } = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/personal-ideas/{id}/promote', { path: { id }, body: {}, idempotencyKey }),
      onDone: ({ data: project, seq }) =>
        records.merge(
          id,
          (one) => ({ ...one, status: 'promoted', promotedProjectId: project.id }),
          seq ?? records.seqOf(id),
        ),
    })
    // Only an admin may undo it: that deletes the project.
    if (isAdmin.value) done(seq)
    toast(list.promotedTo(data.name), [{ label: list.openProject, run: () => go(paths.board(data.id)) }])
  } catch (error) {
    // Another window did so before.
    const isPromoted = error instanceof PhaseboardError && error.status === 409
    toast(isPromoted ? list.alreadyPromoted(title) : texts.notSaved(messageOf(error)), [], 'alert')
    if (isPromoted) ideaList.refresh()
  }
}

/**
 * Puts an idea elsewhere.
 * @param shown the ideas it is put in order with, in their order
 * @param index its place among the others of them
 */
export async function moveIdea(
  idea: PersonalIdea,
  shown: readonly PersonalIdea[],
  index: number,
): Promise<void> {
  const items = placedAt(shown, idea.id, index)
  try {
    const answer = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/personal-ideas/reorder', { body: { items }, idempotencyKey }),
      pending: items.map(({ id, sortOrder }) => records.patch(id, (one) => one && { ...one, sortOrder })),
      onDone: ({ data, seq }) => {
        for (const one of data) records.put(one, seq ?? records.seqOf(one.id))
      },
    })
    done(answer.seq, list.moved(idea.title, index + 1, shown.length))
  } catch (error) {
    failed(error)
  }
}
