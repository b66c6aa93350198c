/** Writes of metrics. */
import { api, type CreateMetric, type Metric, sending } from '../common/api.ts'
import { saveFields } from '../common/latest.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { accepted, added, addRecord, changeRecord, removeRecord } from '../common/record-writes.ts'
import { read } from '../common/session.ts'
import { texts } from '../texts.ts'
import { withValue } from './metrics.ts'

const words = texts.overview
const PATH = '/api/metrics/{id}'

/** Adds a metric. @throws PhaseboardError */
export const addMetric = (store: ProjectStore, body: CreateMetric): Promise<unknown> =>
  addRecord({
    records: store.metrics,
    message: added(body.name),
    ...sending('post', '/api/projects/{id}/metrics', { path: { id: store.id }, body }),
  })

/** Sets the current value of a metric. The former value goes into its history. @throws PhaseboardError */
export const measure = (store: ProjectStore, { id, name }: Metric, value: number): Promise<unknown> =>
  changeRecord({
    records: store.metrics,
    message: words.saved(name),
    id,
    patch: (metric) => withValue(metric, value, new Date().toISOString()),
    ...sending('patch', PATH, { path: { id }, body: { value } }),
  })

/** Saves the fields that describe a metric. @param base the metric at the start of editing @throws LostRace; PhaseboardError */
export function saveMetric(
  store: ProjectStore,
  base: { current: Metric },
  after: Pick<Metric, 'name' | 'unit' | 'category'>,
): Promise<unknown> {
  const { id } = base.current
  return changeRecord({
    records: store.metrics,
    message: words.saved(after.name),
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

export const removeMetric = (store: ProjectStore, { id, name }: Metric): void =>
  void accepted(
    removeRecord({
      records: store.metrics,
      message: texts.deleted(name),
      id,
      ...sending('delete', PATH, { path: { id } }),
    }),
  )
