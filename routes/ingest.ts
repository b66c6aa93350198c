import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { meetingFields, prepareIngest } from '../src/ingest.ts'
import { measurementFields } from '../src/metrics.ts'
import { CreateBody, ErrorBody, ref } from '../src/schemas/common.ts'
import { IngestedTranscriptSchema, MetricSchema } from '../src/schemas/records.ts'

/** Measurements in one request: each may rewrite a long history, and nobody else is served meanwhile. */
const MEASUREMENTS_LIMIT = 1000

const MeetingSchema = CreateBody({ projectId: Type.String(), ...meetingFields })
const MeasurementsSchema = CreateBody({
  projectId: Type.String(),
  metrics: Type.Array(Type.Object(measurementFields, { additionalProperties: false }), {
    maxItems: MEASUREMENTS_LIMIT,
  }),
})

/** Ingest: what integrations bring, all or nothing. */
const ingestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const ingest = prepareIngest(app.db)
  const tags = ['Ingest']

  app.post('/api/ingest/transcript', {
    config: { access: 'write', failure: 'Failed to ingest transcript' },
    schema: {
      operationId: 'ingestTranscript',
      summary: 'Keep the record of a meeting and make items of its action items',
      description: 'The items go to the end of To Do, new and not yet approved. WIP limits let them pass.',
      tags,
      body: MeetingSchema,
      response: { 201: ref(IngestedTranscriptSchema), 404: ref(ErrorBody) },
    },
    handler: async (request, reply) => {
      const { projectId, ...meeting } = request.body
      return reply.code(201).send(await app.write(() => ingest.transcript(projectId, meeting)))
    },
  })

  app.post('/api/ingest/metrics', {
    config: { access: 'write', failure: 'Failed to ingest metrics' },
    schema: {
      operationId: 'ingestMetrics',
      summary: "Take measurements of a project's metrics",
      description:
        'A metric is found by its name and changed as a PATCH changes it, or created. One that is measured twice is changed twice. Answers the metrics as they are in the end, in the order of the request.',
      tags,
      body: MeasurementsSchema,
      response: { 200: Type.Array(ref(MetricSchema)), 404: ref(ErrorBody) },
    },
    handler: async (request) => {
      const { projectId, metrics } = request.body
      return app.write(() => ingest.metrics(projectId, metrics))
    },
  })
}

export default ingestRoutes
