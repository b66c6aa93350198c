/** Ingest, for integrations: transcripts of meetings with action items, and metric values. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import type { Board } from '../board/board.ts'
import type { WriteOptions } from '../board/items.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { ensureWritableIn, scopeOf } from '../db/row-security.ts'
import { projects } from '../db/schema.ts'
import { existsIn } from '../db/statements.ts'
import { ensureFew } from '../db/work-limits.ts'
import { ENTRIES_LIMIT, JsonText, ref, Title } from '../schemas/common.ts'
import { IngestedTranscriptSchema, MetricSchema } from '../schemas/records.ts'
import { createJsonWriter, type JsonBytes } from '../schemas/serialization.ts'
import type { Measurement, Metrics } from './metrics.ts'
import { type Transcripts, transcriptFields } from './transcripts.ts'

/** The fields of a meeting: those of a transcript summary, but each action item is the title of a new item. */
export const meetingFields = {
  ...transcriptFields,
  actionItems: Type.Optional(JsonText(Type.Array(Title, { maxItems: ENTRIES_LIMIT }))),
}
type Meeting = Static<TObject<typeof meetingFields>>

/** Most metric values per request on the event loop: each may rewrite a history of 64 KiB. */
const MEASUREMENTS = 20

/** Ingest, for integrations. */
export class Ingest {
  static readonly reads: readonly string[] = []
  readonly #db: SharedDatabase
  readonly #transcripts: Transcripts
  readonly #metrics: Metrics
  readonly #board: Board
  readonly #projectExists: (id: string) => boolean
  readonly #transcriptToJson = createJsonWriter(ref(IngestedTranscriptSchema))
  readonly #metricsToJson = createJsonWriter(Type.Array(ref(MetricSchema)))

  constructor(db: SharedDatabase, transcripts: Transcripts, metrics: Metrics, board: Board) {
    this.#db = db
    this.#transcripts = transcripts
    this.#metrics = metrics
    this.#board = board
    this.#projectExists = existsIn(db, projects)
  }

  /**
   * Creates the transcript summary of a meeting, and an unapproved item for each action item at the end of To Do, whatever
   * the WIP limit of that column.
   * @returns the transcript summary and the items, as JSON
   * @throws ApiError 404 when there is no such project; 400 if To Do must not be created; TooMuchWork
   */
  transcript(
    projectId: string,
    { actionItems = [], ...meeting }: Meeting,
    { isStrict = false }: WriteOptions = {},
  ): JsonBytes {
    const { items, columnNames } = this.#board
    ensureFew(this.#db, actionItems.length)
    const transcript = this.#transcripts.create(projectId, { ...meeting, actionItems })
    const todo = {
      column: 'To Do',
      source: 'transcript',
      sourceId: transcript.id,
      isNew: true,
      approved: false,
    }
    if (isStrict && actionItems.length > 0)
      columnNames.mustExist(projectId, todo.column, 'actionItems.column')
    const made = actionItems.map((title) =>
      items.create(projectId, { title, ...todo }, { ignoresLimits: true }),
    )
    // Read at the end: creating a later one may have renumbered the column.
    const kanbanItems = items.getMany(made.map(({ id }) => id))
    return this.#transcriptToJson({ transcript, kanbanItems })
  }

  /**
   * Records metric values in order; a metric may occur more than once.
   * @returns the metric of each value, in its final state, as JSON
   * @throws ApiError 404 for an unknown project, 403 for one that the caller may only read; TooMuchWork
   */
  metrics(projectId: string, measurements: readonly Measurement[]): JsonBytes {
    if (!this.#projectExists(projectId)) throwNotFound(projects)
    ensureWritableIn(scopeOf(this.#db), projectId)
    ensureFew(this.#db, measurements.length, MEASUREMENTS)
    const measured = measurements.map((measurement) => this.#metrics.measure(projectId, measurement))
    const latest = new Map(measured.map((metric) => [metric.id, metric]))
    return this.#metricsToJson(measured.map(({ id }) => latest.get(id) as (typeof measured)[number]))
  }
}
