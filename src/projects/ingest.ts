/** What integrations bring: the records of meetings with what is to be done after them, and measurements. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { Board } from '../board/board.ts'
import type { SharedDatabase } from '../db/client.ts'
import { throwNotFound } from '../db/existence.ts'
import { prepareExists } from '../db/old-statements.ts'
import { projects } from '../db/schema.ts'
import { ensureFew } from '../db/work-limits.ts'
import { ENTRIES_LIMIT, JsonText, Title } from '../schemas/common.ts'
import type { IngestedTranscript } from '../schemas/records.ts'
import { type Measurement, prepareMetrics } from './metrics.ts'
import { prepareTranscriptSummaries, transcriptFields } from './transcripts.ts'

/** What an integration says of a meeting: as of any, but each action item is to become the title of an item. */
export const meetingFields = {
  ...transcriptFields,
  actionItems: Type.Optional(JsonText(Type.Array(Title, { maxItems: ENTRIES_LIMIT }))),
}
export type Meeting = Static<TObject<typeof meetingFields>>

/** Measurements that the event loop may take at once: each may rewrite a history of 64 KiB. */
const MEASUREMENTS = 20

/**
 * Prepares the changes that integrations make. Call them inside a write: they return the records for its answer.
 * @returns the changes
 */
export function prepareIngest(db: SharedDatabase) {
  const transcripts = prepareTranscriptSummaries(db)
  const { items } = new Board(db)
  const metrics = prepareMetrics(db)
  const projectExists = prepareExists(db, projects)

  return {
    /**
     * Keeps the record of a meeting, and puts an item for each of its action items at the end of To Do, for somebody
     * to approve, whatever the limit of that column.
     * @throws ApiError 404 when there is no such project
     */
    transcript(projectId: string, { actionItems = [], ...meeting }: Meeting): IngestedTranscript {
      ensureFew(db, actionItems.length)
      const sourceId = transcripts.create(projectId, { ...meeting, actionItems })
      const todo = { column: 'To Do', source: 'transcript', sourceId, isNew: true, approved: false }
      const made = actionItems.map((title) =>
        items.create(projectId, { title, ...todo }, { passesLimits: true }),
      )
      return { transcript: transcripts.get(sourceId), kanbanItems: made }
    },

    /**
     * Takes measurements, one after the other: a project's metric may be measured twice.
     * @returns the metric of each as it is in the end
     * @throws ApiError 404 when there is no such project
     */
    metrics(projectId: string, measurements: readonly Measurement[]) {
      if (!projectExists(projectId)) throwNotFound(projects)
      ensureFew(db, measurements.length, MEASUREMENTS)
      const ids = measurements.map((measurement) => metrics.measure(projectId, measurement))
      return ids.map(metrics.get)
    },
  }
}
