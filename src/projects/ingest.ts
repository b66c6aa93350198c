/** What integrations bring: the records of meetings with what is to be done after them, and measurements. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Items } from '../board/items.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { projects } from '../db/schema.ts'
import { existsIn } from '../db/statements.ts'
import { ensureFew } from '../db/work-limits.ts'
import { ENTRIES_LIMIT, JsonText, ref, Title } from '../schemas/common.ts'
import { IngestedTranscriptSchema, MetricSchema } from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'
import type { Measurement, Metrics } from './metrics.ts'
import { type Transcripts, transcriptFields } from './transcripts.ts'

/** What an integration says of a meeting: as of any, but each action item is to become the title of an item. */
export const meetingFields = {
  ...transcriptFields,
  actionItems: Type.Optional(JsonText(Type.Array(Title, { maxItems: ENTRIES_LIMIT }))),
}
export type Meeting = Static<TObject<typeof meetingFields>>

/** Measurements that the event loop may take at once: each may rewrite a history of 64 KiB. */
const MEASUREMENTS = 20

/** What integrations bring. */
export class Ingest {
  static readonly reads: readonly string[] = []
  readonly #db: SharedDatabase
  readonly #transcripts: Transcripts
  readonly #metrics: Metrics
  readonly #items: Items
  readonly #projectExists: (id: string) => boolean
  readonly #transcriptToJson = createJsonWriter(ref(IngestedTranscriptSchema))
  readonly #metricsToJson = createJsonWriter(Type.Array(ref(MetricSchema)))

  constructor(db: SharedDatabase, transcripts: Transcripts, metrics: Metrics, items: Items) {
    this.#db = db
    this.#transcripts = transcripts
    this.#metrics = metrics
    this.#items = items
    this.#projectExists = existsIn(db, projects)
  }

  /**
   * Keeps the record of a meeting, and puts an item for each of its action items at the end of To Do, for somebody
   * to approve, whatever the limit of that column.
   * @returns the record and the items, as JSON
   * @throws ApiError 404 when there is no such project; TooMuchWork
   */
  transcript(projectId: string, { actionItems = [], ...meeting }: Meeting): JsonBytes {
    ensureFew(this.#db, actionItems.length)
    const transcript = this.#transcripts.create(projectId, { ...meeting, actionItems })
    const todo = {
      column: 'To Do',
      source: 'transcript',
      sourceId: transcript.id,
      isNew: true,
      approved: false,
    }
    const made = actionItems.map((title) =>
      this.#items.create(projectId, { title, ...todo }, { ignoresLimits: true }),
    )
    // As they are in the end: where numbers are used up, one that comes later numbers them anew.
    const kanbanItems = this.#items.getMany(made.map(({ id }) => id))
    return this.#transcriptToJson({ transcript, kanbanItems })
  }

  /**
   * Takes measurements, one after the other: a project's metric may be measured twice.
   * @returns the metric of each as it is in the end, as JSON
   * @throws ApiError 404 when there is no such project; TooMuchWork
   */
  metrics(projectId: string, measurements: readonly Measurement[]): JsonBytes {
    if (!this.#projectExists(projectId)) throwNotFound(projects)
    ensureFew(this.#db, measurements.length, MEASUREMENTS)
    const measured = measurements.map((measurement) => this.#metrics.measure(projectId, measurement))
    const latest = new Map(measured.map((metric) => [metric.id, metric]))
    return this.#metricsToJson(measured.map(({ id }) => latest.get(id) as (typeof measured)[number]))
  }
}
