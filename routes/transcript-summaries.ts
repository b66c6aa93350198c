import { transcriptFields } from '../src/projects/transcripts.ts'
import { childRoutes } from '../src/requests/child-routes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CreateBody, UpdateBody } from '../src/schemas/common.ts'
import { TranscriptSummarySchema } from '../src/schemas/records.ts'

const CreateTranscriptSummary = CreateBody(transcriptFields)
const UpdateTranscriptSummary = UpdateBody(transcriptFields)

/** Summaries of a project's meetings. */
const transcriptSummaryRoutes: Routes = async (app) => {
  const summaries = childRoutes(app, app.projects.transcripts, {
    record: TranscriptSummarySchema,
    tag: 'Transcript summaries',
  })

  summaries.list('/api/projects/:id/transcript-summaries', {
    operationId: 'listTranscriptSummaries',
    summary: 'List the transcript summaries of a project',
    failure: 'Failed to fetch transcript summaries',
  })
  summaries.create('/api/projects/:id/transcript-summaries', {
    operationId: 'createTranscriptSummary',
    summary: 'Create a transcript summary',
    failure: 'Failed to create transcript summary',
    body: CreateTranscriptSummary,
    example: {
      title: 'Kick-off',
      date: '2027-01-11T09:30:00+01:00',
      summary: 'We agreed on goals and budget.',
      participants: ['Ada', 'Bob'],
      actionItems: ['Send the minutes', { what: 'Book a room', who: 'Ada' }],
    },
  })
  summaries.get('/api/transcript-summaries/:id', {
    operationId: 'getTranscriptSummary',
    summary: 'Get a transcript summary',
    failure: 'Failed to fetch transcript summary',
  })
  summaries.update('/api/transcript-summaries/:id', {
    operationId: 'updateTranscriptSummary',
    summary: 'Change a transcript summary',
    failure: 'Failed to update transcript summary',
    body: UpdateTranscriptSummary,
    example: { summary: 'We agreed on goals, budget and dates.' },
  })
  summaries.delete('/api/transcript-summaries/:id', {
    operationId: 'deleteTranscriptSummary',
    summary: 'Delete a transcript summary',
    failure: 'Failed to delete transcript summary',
  })
}

export default transcriptSummaryRoutes
