/** Metrics: numbers that a project watches, and what becomes of the old value when a new one arrives. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { and, eq, sql } from 'drizzle-orm'
import type { SharedDatabase } from '../db/client.ts'
import { type ChildInput, prepareChildren } from '../db/old-children.ts'
import { given, prepareRows, prepareUpdate } from '../db/old-statements.ts'
import { metrics } from '../db/schema.ts'
import { LIMITS, Name } from '../schemas/common.ts'
import { timestamp } from '../time.ts'

/** What a measurement says: how much of what, in which unit. */
export const measurementFields = {
  name: Name,
  value: Type.Number(),
  unit: Type.Optional(Type.String({ maxLength: LIMITS.term, examples: ['%', 'points'] })),
  category: Type.Optional(Type.String({ maxLength: LIMITS.term, examples: ['delivery'] })),
}
export type Measurement = Static<TObject<typeof measurementFields>>

type Metric = typeof metrics.$inferSelect
type MetricInput = ChildInput<typeof metrics>

/** Former values that a metric keeps of those that were replaced. */
export const HISTORY_LIMIT = 500

/** What a new value brings with it: the old one goes into the history, and the trend points from that one to it. */
const replacing = ({ value: old, history }: Metric, value: number, at: string) => ({
  history: [...history, { value: old, at }].slice(-HISTORY_LIMIT),
  trend: value > old ? 'up' : 'down',
})

/**
 * Prepares the statements that read and change metrics.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareMetrics(db: SharedDatabase) {
  const children = prepareChildren(db, metrics)
  const change = prepareUpdate(db, metrics)
  const named = prepareRows<{ id: string }>(
    db,
    db
      .select({ id: metrics.id })
      .from(metrics)
      .where(and(eq(metrics.projectId, given('projectId')), eq(metrics.name, given('name'))))
      // The sign keeps SQLite from walking through all of the project's metrics in order of id.
      .orderBy(sql`+${metrics.id}`)
      .limit(1),
  )

  /**
   * Changes a metric. Another value than before puts the old one into the history and sets the trend, unless the
   * change itself says what they are to be. An empty change leaves the metric as it is, `updatedAt` included.
   * @throws ApiError 404
   */
  function update(id: string, input: MetricInput): void {
    const metric = children.get(id)
    if (Object.keys(input).length === 0) return
    const { value = metric.value } = input
    const at = timestamp()
    change(id, {
      ...(value === metric.value ? {} : replacing(metric, value, at)),
      ...input,
      updatedAt: at,
    })
  }

  return {
    ...children,
    update,

    /**
     * Takes a measurement: changes the project's metric of that name, the first where several have it, or creates it.
     * @returns the metric's id
     * @throws ApiError 404 when there is no such project
     */
    measure(projectId: string, { name, ...measured }: Measurement): string {
      const known = named.get({ projectId, name })
      if (known === undefined) return children.create(projectId, { name, ...measured })
      update(known.id, measured)
      return known.id
    },
  }
}
