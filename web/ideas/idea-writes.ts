/** Writes of ideas, with optimistic updates and undo in the message. */
import {
  messageOf,
  type PersonalIdea,
  PhaseboardError,
  sending,
  type UpdatePersonalIdea,
} from '../common/api.ts'
import { placedAt } from '../common/order.ts'
import {
  accepted,
  added,
  addRecord,
  changeRecord,
  newId,
  placeRecords,
  removeRecord,
} from '../common/record-writes.ts'
import { isAdmin, me } from '../common/session.ts'
import { done, toast } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { go, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { ideaList } from './idea-store.ts'

const { records } = ideaList
const list = texts.ideaList
const PATH = '/api/personal-ideas/{id}'

/** A placeholder until the service has created the idea. */
function unsaved(fields: Pick<PersonalIdea, 'title' | 'sortOrder'>): PersonalIdea {
  const now = new Date().toISOString()
  return {
    id: newId(),
    ownerId: me.peek()?.id ?? '',
    description: '',
    priority: 'medium',
    status: 'idea',
    promotedProjectId: null,
    createdAt: now,
    updatedAt: now,
    ...fields,
  }
}

/** Adds an idea at the end. @throws PhaseboardError if the service refuses */
export async function addIdea(title: string, after: PersonalIdea | undefined): Promise<void> {
  const body = { title, sortOrder: after === undefined ? 0 : after.sortOrder + 1 }
  await addRecord(
    {
      records,
      message: added(title),
      ...sending('post', '/api/personal-ideas', { body }),
    },
    unsaved(body),
  )
}

/** Changes an idea. @throws PhaseboardError if the service refuses */
export const updateIdea = (
  { id }: PersonalIdea,
  body: UpdatePersonalIdea,
  message: string,
): Promise<unknown> =>
  changeRecord({
    records,
    message,
    id,
    patch: (idea) => ({ ...idea, ...body }),
    ...sending('patch', PATH, { path: { id }, body }),
  })

/** Discards an idea. It stays in the list of discarded ideas. */
export const discardIdea = (idea: PersonalIdea): Promise<boolean> =>
  accepted(updateIdea(idea, { status: 'discarded' }, list.discardedOne(idea.title)))

/** Reopens a discarded idea. */
export const reopenIdea = (idea: PersonalIdea): Promise<boolean> =>
  accepted(updateIdea(idea, { status: 'idea' }, list.reopened(idea.title)))

/** Deletes an idea. Undo restores it. */
export const deleteIdea = ({ id, title }: PersonalIdea): Promise<boolean> =>
  accepted(
    removeRecord({
      records,
      message: texts.deleted(title),
      id,
      ...sending('delete', PATH, { path: { id } }),
    }),
  )

/** Creates a project from an idea. */
export async function promoteIdea({ id, title }: PersonalIdea): Promise<void> {
  try {
    const { data, seq } = await write({
      ...sending('post', '/api/personal-ideas/{id}/promote', { path: { id }, body: {} }),
      onDone: ({ data: project, seq }) =>
        records.merge(
          id,
          (one) => ({ ...one, status: 'promoted', promotedProjectId: project.id }),
          seq ?? records.seqOf(id),
        ),
    })
    // Only an admin may undo this, because it deletes the project.
    if (isAdmin.value) done(seq)
    toast(list.promotedTo(data.name), [{ label: texts.open, run: () => go(paths.board(data.id)) }])
  } catch (error) {
    // Another window has already done so.
    const isPromoted = error instanceof PhaseboardError && error.status === 409
    toast(isPromoted ? list.alreadyPromoted(title) : texts.notSaved(messageOf(error)), [], 'alert')
    if (isPromoted) ideaList.refresh()
  }
}

/**
 * Moves an idea.
 * @param shown the ideas among which it moves, in order
 * @param index its new index among the others
 */
export function moveIdea(
  idea: PersonalIdea,
  shown: readonly PersonalIdea[],
  index: number,
): Promise<boolean> {
  const places = placedAt(shown, idea.id, index)
  const body = { items: places }
  return accepted(
    placeRecords({
      records,
      message: list.moved(idea.title, index + 1, shown.length),
      places,
      ...sending('post', '/api/personal-ideas/reorder', { body }),
    }),
  )
}
