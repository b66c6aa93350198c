/** Summaries of meetings, with action items. */
import { Type } from '@sinclair/typebox'
import { type ChildInput, Children } from '../db/children.ts'
import type { SharedDatabase } from '../db/client.ts'
import { transcriptSummaries } from '../db/schema.ts'
import type { JsonObject } from '../json.ts'
import { DateText, Description, JsonText, LIMITS, Title } from '../schemas/common.ts'
import { TranscriptSummarySchema } from '../schemas/records.ts'
import { toStoredDate } from '../time.ts'

/** The fields of a transcript summary that a client may set. */
export const transcriptFields = {
  title: Title,
  date: DateText,
  summary: Type.Optional(Description),
  participants: Type.Optional(JsonText(Type.Array(Type.String()))),
  actionItems: Type.Optional(
    JsonText(Type.Array(Type.Unsafe<string | JsonObject>({ type: ['string', 'object'] }))),
  ),
  sourceFile: Type.Optional(Type.String({ maxLength: LIMITS.file })),
}

type TranscriptSummary = typeof transcriptSummaries.$inferSelect
type TranscriptInput = ChildInput<typeof transcriptSummaries>

/** With the date as a timestamp: it was validated. */
const toRow = ({ date, ...fields }: TranscriptInput): TranscriptInput =>
  date === undefined ? fields : { ...fields, date: toStoredDate(date) as string }

/** The transcript summaries of projects. Input dates are as clients send them. */
export class Transcripts extends Children<typeof transcriptSummaries> {
  constructor(db: SharedDatabase) {
    super(db, transcriptSummaries, TranscriptSummarySchema)
  }

  /** Creates a transcript summary. @throws ApiError 404 for an unknown project */
  override create(projectId: string, input: TranscriptInput): TranscriptSummary {
    return super.create(projectId, toRow(input))
  }

  /** Changes a transcript summary; an empty change does not even change `updatedAt`. @throws ApiError 404 */
  override update(id: string, input: TranscriptInput): TranscriptSummary {
    return super.update(id, toRow(input))
  }
}
