/** The tools for bulk work. */
import { Type } from '@sinclair/typebox'
import { validationFailed } from '../../errors.ts'
import { MetricSchema, TranscriptSummarySchema } from '../../schemas/records.ts'
import { CardSchema, cardsOf, Notes } from '../records.ts'
import { Arguments, fieldsOf, type RouteSchemas } from '../schemas.ts'
import type { Answer, Asked } from '../service.ts'
import { ADDS, SETS_AND_ADDS, type Tool, unreadOf, WRITTEN, writtenOf } from '../tool.ts'
import { IdempotencyKey } from './writing.ts'

/** Most created items that a result shows. */
const SHOWN_ITEMS = 50

/** Most characters of all bodies of a batch that a result shows. */
const SHOWN_BODIES = 32_768

/** `ingest`. */
const ingest = (routes: RouteSchemas): Tool => ({
  name: 'ingest',
  title: 'Ingest a meeting or measurements',
  description:
    'Stores the record of a meeting, and creates an item in To Do for each of its action items, new and not yet approved; and records measurements of metrics, found by name or created. Use it for the results of a transcript or a report. All or nothing. Returns the record, the new items and the metrics.',
  hints: ADDS,
  input: Arguments({
    projectId: Type.String({ minLength: 1, description: 'The id of a project, from list_projects' }),
    transcript: Type.Optional(
      Arguments(
        fieldsOf(
          routes.body('ingestTranscript'),
          ['title', 'date', 'summary', 'participants', 'actionItems', 'sourceFile'],
          { actionItems: 'One task each: the title of the new item' },
        ),
      ),
    ),
    metrics: Type.Optional(
      fieldsOf(routes.body('ingestMetrics'), ['metrics']).metrics ?? Type.Array(Type.Unknown()),
    ),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    transcript: Type.Optional(Type.Pick(TranscriptSummarySchema, ['id', 'title', 'date'])),
    items: Type.Optional(Type.Array(CardSchema)),
    metrics: Type.Optional(
      Type.Array(Type.Pick(MetricSchema, ['id', 'name', 'value', 'unit', 'category', 'trend'])),
    ),
    ...WRITTEN,
    notes: Notes,
  }),
  async run(args, service) {
    const { projectId, transcript, metrics, idempotencyKey } = args
    if (transcript === undefined && metrics === undefined) {
      throw validationFailed({ formErrors: ['transcript or metrics is required'], fieldErrors: {} })
    }
    const requests: Asked[] = []
    if (transcript !== undefined) {
      requests.push({ method: 'POST', path: '/api/ingest/transcript', body: { projectId, ...transcript } })
    }
    if (metrics !== undefined) {
      requests.push({ method: 'POST', path: '/api/ingest/metrics', body: { projectId, metrics } })
    }
    const written = await service.write(requests, { args, idempotencyKey })
    if (written.unread !== undefined) return unreadOf(written)
    const meeting = transcript && written.answers[0]?.body
    const measured = metrics && written.answers.at(-1)?.body
    const made = meeting?.kanbanItems.length ?? 0
    return {
      ...(meeting && {
        transcript: {
          id: meeting.transcript.id,
          title: meeting.transcript.title,
          date: meeting.transcript.date,
        },
        items: await cardsOf(meeting.kanbanItems.slice(0, SHOWN_ITEMS), service),
      }),
      ...(measured && {
        metrics: measured.map((metric: Record<string, unknown>) => {
          const { id, name, value, unit, category, trend } = metric
          return { id, name, value, unit, category, trend }
        }),
      }),
      ...writtenOf(written),
      ...(made > SHOWN_ITEMS && {
        notes: [`${made} items were created; the first ${SHOWN_ITEMS} are shown`],
      }),
    }
  },
})

/** The results as shown: only ids if all bodies together are too large. */
function shown(answers: readonly Answer[]): { results: object[]; isCut: boolean } {
  let left = SHOWN_BODIES
  let isCut = false
  const results = answers.map(({ status, body, etag }) => {
    left -= JSON.stringify(body).length
    const isShown = left >= 0
    isCut ||= !isShown
    const small = typeof body?.id === 'string' ? { id: body.id } : null
    return { status, body: isShown ? body : small, ...(etag !== undefined && { etag }) }
  })
  return { results, isCut }
}

/** `batch`. */
const batch = (routes: RouteSchemas): Tool => ({
  name: 'batch',
  title: 'Perform several requests',
  description:
    'Performs up to 200 requests of the REST API in order, in one transaction, all or nothing, each with the checks of its own route. Use it for work without a tool of its own (projects, columns, labels, deleting, POST /api/changes/{seq}/undo), for many changes at once, and with dryRun: true to see what would happen. `as` names a result; in later paths and string values {{name.field}} is replaced by its field. GET /openapi.json describes all routes. Returns status and body of each; for a failure, details.request is the index of the request, from 0.',
  hints: SETS_AND_ADDS,
  input: Arguments({
    ...fieldsOf(routes.body('runBatch'), ['requests', 'dryRun']),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    results: Type.Array(
      Type.Object({
        status: Type.Integer(),
        body: Type.Unknown({ description: 'The response of the route' }),
        etag: Type.Optional(Type.String()),
      }),
    ),
    dryRun: Type.Boolean({ description: 'Whether everything was rolled back' }),
    ...WRITTEN,
    notes: Notes,
  }),
  async run(args, { write }) {
    const { requests, dryRun = false, idempotencyKey } = args
    const how = { args, idempotencyKey, isDryRun: dryRun, hasPlaceholders: true }
    const written = await write(requests, how)
    const { results, isCut } = shown(written.answers)
    const notes = [
      ...(isCut
        ? ['Not all bodies are shown, because they are too large together. Read the records separately']
        : []),
      ...(written.unread === undefined
        ? []
        : [`The results (${written.unread} bytes) are too large to show`]),
    ]
    return { results, dryRun, ...writtenOf(written), ...(notes.length > 0 && { notes }) }
  },
})

/** The tools that do much at once. */
export const bulkTools = [ingest, batch]
