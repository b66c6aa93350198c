import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { childRoutes } from '../src/http/old-child-routes.ts'
import { prepareTranscriptSummaries, transcriptFields } from '../src/projects/transcripts.ts'
import { CreateBody, UpdateBody } from '../src/schemas/common.ts'
import { TranscriptSummarySchema } from '../src/schemas/records.ts'

/** Transcript summaries: what was said in a project's meetings. */
const transcriptSummaryRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const routes = childRoutes(app, {
    thing: 'Transcript summary',
    things: 'Transcript summaries',
    parent: 'project',
    record: TranscriptSummarySchema,
    create: CreateBody(transcriptFields),
    update: UpdateBody(transcriptFields),
    rules: prepareTranscriptSummaries(app.db),
  })

  app.get('/api/projects/:id/transcript-summaries', routes.list)
  app.post('/api/projects/:id/transcript-summaries', routes.create)
  app.get('/api/transcript-summaries/:id', routes.get)
  app.patch('/api/transcript-summaries/:id', routes.update)
  app.delete('/api/transcript-summaries/:id', routes.delete)
}

export default transcriptSummaryRoutes
