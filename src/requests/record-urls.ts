/** The `Location` of created records, and of begun imports (RFC 9110, section 10.2.2). */
import type { FastifyReply } from 'fastify'
import { ref } from '../schemas/common.ts'
import {
  ImportSchema,
  ImportStartedSchema,
  IngestedTranscriptSchema,
  KanbanItemSchema,
  KanbanItemWithPeopleSchema,
  ProjectSchema,
  ProjectWithPeopleSchema,
  TranscriptSummarySchema,
} from '../schemas/records.ts'
import type { JsonBytes } from '../schemas/serialization.ts'
import { type ResponseShape, toText } from './responses.ts'

/** The URL of a route of one record. */
const OF_RECORD = /^[^:]*\/:id$/

/**
 * Responses with more than one record: the schema of the main record, which was created with the others. And one with less: of a
 * begun import.
 */
const FIRST = new Map([
  [ref(ImportStartedSchema).$ref, ref(ImportSchema).$ref],
  [ref(IngestedTranscriptSchema).$ref, ref(TranscriptSummarySchema).$ref],
  [ref(KanbanItemWithPeopleSchema).$ref, ref(KanbanItemSchema).$ref],
  [ref(ProjectWithPeopleSchema).$ref, ref(ProjectSchema).$ref],
])

/** The id of a record, or of the first of several, as JSON: every record begins with it. */
const ID = /^\[?\{(?:"\w+":\{)?"id":("(?:[^"\\]|\\.)*")/

/** The name of the schema of the record that a response shows. */
const recordOf = ({ schema, record = schema }: ResponseShape): string => FIRST.get(record.$ref) ?? record.$ref

/** The URLs of records, by schema, from the routes that read one, e.g. `/api/teams/:id`, below the service's prefix. */
export class RecordUrls {
  readonly #urls = new Map<string, string>()

  /** Adds a route, if it reads one record. */
  add({ url, method }: { url: string; method: string | string[] }, shape: ResponseShape): void {
    const isOfRecord = method === 'GET' && shape.kind === 'record' && OF_RECORD.test(url)
    if (isOfRecord) this.#urls.set(recordOf(shape), url)
  }

  /** Sets `Location` to the absolute path of a created record. @param body the record, as JSON */
  setLocation(reply: FastifyReply, shape: ResponseShape, body: string | JsonBytes): void {
    const url = this.#urls.get(recordOf(shape))
    const [, id] = ID.exec(toText(body)) ?? []
    if (url && id) reply.header('location', url.replace(':id', encodeURIComponent(JSON.parse(id))))
  }
}
