/** The metrics of projects, with the history of their values. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { and, eq, sql } from 'drizzle-orm'
import { type ChildInput, Children } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { metrics } from '../db/schema.ts'
import { given, selectOne, updateIn } from '../db/statements.ts'
import { LIMITS, Name } from '../schemas/common.ts'
import { MetricSchema } from '../schemas/records.ts'
import { timestamp } from '../time.ts'

/** The fields of a metric value. */
export const measurementFields = {
  name: Name,
  value: Type.Number(),
  unit: Type.Optional(Type.String({ maxLength: LIMITS.term, examples: ['%', 'points'] })),
  category: Type.Optional(Type.String({ maxLength: LIMITS.term, examples: ['delivery'] })),
}
export type Measurement = Static<TObject<typeof measurementFields>>

type Metric = typeof metrics.$inferSelect
type MetricInput = ChildInput<typeof metrics>

/** Most former values in a metric's history; the oldest are dropped. */
export const HISTORY_LIMIT = 500

/** The history and trend after a new value. */
const replacing = ({ value: old, history }: Metric, value: number, at: string) => ({
  history: [...history, { value: old, at }].slice(-HISTORY_LIMIT),
  trend: value > old ? 'up' : 'down',
})

const statementsOf = (db: SharedDatabase) => ({
  named: selectOne(db, () =>
    db
      .select()
      .from(metrics)
      .where(and(eq(metrics.projectId, given('projectId')), eq(metrics.name, given('name'))))
      // The unary plus keeps SQLite from scanning all of the project's metrics in order of id.
      .orderBy(sql`+${metrics.id}`)
      .limit(1),
  ),
  update: updateIn(db, metrics),
})

/** The metrics of projects. */
export class Metrics extends Children<typeof metrics> {
  readonly #sql: ReturnType<typeof statementsOf>

  constructor(db: SharedDatabase) {
    super(db, metrics, MetricSchema)
    this.#sql = statementsOf(db)
  }

  /**
   * Changes a metric. A new value puts the old one into the history and sets the trend, unless the change sets these
   * itself. An empty change does not even change `updatedAt`.
   * @throws ApiError 404
   */
  override update(id: string, input: MetricInput): Metric {
    const metric = this.get(id)
    return Object.keys(input).length === 0 ? metric : this.#change(metric, input)
  }

  /**
   * Records a value: changes the project's metric of that name, the first if there are several, or creates it.
   * @throws ApiError 404 for an unknown project
   */
  measure(projectId: string, { name, ...measured }: Measurement): Metric {
    const known = this.#sql.named({ projectId, name })
    return known ? this.#change(known, measured) : this.create(projectId, { name, ...measured })
  }

  #change(metric: Metric, input: MetricInput): Metric {
    const { value = metric.value } = input
    const at = timestamp()
    const replaced = value === metric.value ? {} : replacing(metric, value, at)
    return this.#sql.update(metric.id, { ...replaced, ...input, updatedAt: at }) as Metric
  }
}
