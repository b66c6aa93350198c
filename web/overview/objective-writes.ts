/** Writes of objectives. */
import { api, type CreateObjective, type Objective, sending } from '../common/api.ts'
import { saveFields } from '../common/latest.ts'
import { bySortOrder, placedAt } from '../common/order.ts'
import type { ProjectStore } from '../common/project-store.ts'
import {
  accepted,
  added,
  addRecord,
  changeRecord,
  placeRecords,
  removeRecord,
} from '../common/record-writes.ts'
import { read } from '../common/session.ts'
import { texts } from '../texts.ts'

const words = texts.overview
const PATH = '/api/objectives/{id}'

/** Adds an objective at the end. @throws PhaseboardError */
export function addObjective(store: ProjectStore, fields: CreateObjective): Promise<unknown> {
  const last = store.objectives.list(bySortOrder).at(-1)
  const body = { ...fields, sortOrder: last === undefined ? 0 : last.sortOrder + 1 }
  return addRecord({
    records: store.objectives,
    message: added(fields.title),
    ...sending('post', '/api/projects/{id}/objectives', { path: { id: store.id }, body }),
  })
}

/** Saves texts. @param base the objective at the start of editing @throws LostRace; PhaseboardError */
export function saveObjective(
  store: ProjectStore,
  base: { current: Objective },
  after: Pick<Objective, 'title' | 'description'>,
): Promise<unknown> {
  const { id } = base.current
  return changeRecord({
    records: store.objectives,
    message: words.saved(after.title),
    id,
    send: (idempotencyKey) =>
      saveFields({
        base,
        after,
        read: () => read(() => api.request('get', PATH, { path: { id } })),
        send: (body, ifMatch) => api.request('patch', PATH, { path: { id }, body, ifMatch, idempotencyKey }),
      }),
  })
}

export const setStatus = (store: ProjectStore, { id, title }: Objective, status: string): void =>
  void accepted(
    changeRecord({
      records: store.objectives,
      message: words.saved(title),
      id,
      patch: (objective) => ({ ...objective, status }),
      ...sending('patch', PATH, { path: { id }, body: { status } }),
    }),
  )

export const removeObjective = (store: ProjectStore, { id, title }: Objective): void =>
  void accepted(
    removeRecord({
      records: store.objectives,
      message: texts.deleted(title),
      id,
      ...sending('delete', PATH, { path: { id } }),
    }),
  )

/** Moves an objective, in one write with one undo. @param to its new index */
export function moveObjective({ objectives }: ProjectStore, { id, title }: Objective, to: number): void {
  const places = placedAt(objectives.list(bySortOrder), id, to)
  const requests = places.map((place) => ({
    method: 'PATCH' as const,
    path: `/api/objectives/${place.id}`,
    body: { sortOrder: place.sortOrder },
  }))
  void accepted(
    placeRecords({
      records: objectives,
      message: texts.moved(title),
      places,
      send: async (idempotencyKey) => {
        const answer = await api.request('post', '/api/batch', { body: { requests }, idempotencyKey })
        return { ...answer, data: answer.data.results.map(({ body }) => body as Objective) }
      },
    }),
  )
}
