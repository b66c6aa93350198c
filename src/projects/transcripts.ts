/** Transcript summaries: what was said in a meeting, and who has to do what. */

import { Type } from '@sinclair/typebox'
import type { SharedDatabase } from '../db/client.ts'
import { type ChildInput, prepareChildren } from '../db/old-children.ts'
import { transcriptSummaries } from '../db/schema.ts'
import type { JsonObject } from '../json.ts'
import { DateText, Description, JsonText, LIMITS, Title } from '../schemas/common.ts'
import { parseTimestamp } from '../time.ts'

/** What a client says of a meeting. */
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

type TranscriptInput = ChildInput<typeof transcriptSummaries>

/** With the date as it is stored: validation lets only texts in that are one. */
const toRow = ({ date, ...fields }: TranscriptInput): TranscriptInput =>
  date === undefined ? fields : { ...fields, date: parseTimestamp(date) as string }

/**
 * Prepares the statements that read and change transcript summaries. Their dates come as clients write them.
 * @returns readers; and changes, to be called inside the write that they are part of
 */
export function prepareTranscriptSummaries(db: SharedDatabase) {
  const children = prepareChildren(db, transcriptSummaries)
  return {
    ...children,
    create: (projectId: string, input: TranscriptInput) => children.create(projectId, toRow(input)),
    update: (id: string, input: TranscriptInput) => children.update(id, toRow(input)),
  }
}
