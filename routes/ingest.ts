import { Type } from '@sinclair/typebox'
import { meetingFields } from '../src/projects/ingest.ts'
import { measurementFields } from '../src/projects/metrics.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { isStrict } from '../src/requests/strictness.ts'
import { CreateBody, ErrorBody, EXAMPLE_ID, ref, UniqueBy } from '../src/schemas/common.ts'
import { IngestedTranscriptSchema, MetricSchema } from '../src/schemas/records.ts'

const IngestTranscript = CreateBody({ projectId: Type.String(), ...meetingFields })
const IngestMetrics = CreateBody({
  projectId: Type.String(),
  metrics: UniqueBy('name', Type.Object(measurementFields, { additionalProperties: false })),
})

/** Ingest, for integrations: all or nothing. */
const ingestRoutes: Routes = async (app) => {
  const tags = ['Ingest']

  app.post('/api/ingest/transcript', {
    config: { access: 'write', failure: 'Failed to ingest transcript' },
    schema: {
      operationId: 'ingestTranscript',
      summary: 'Store the record of a meeting and create items from its action items',
      description:
        'The items are created at the end of To Do, not yet approved. WIP limits do not apply. A strict request does not create that column.',
      tags,
      body: IngestTranscript,
      example: {
        projectId: EXAMPLE_ID,
        title: 'Weekly',
        date: '2027-01-18',
        participants: ['Ada', 'Bob'],
        actionItems: ['Call the caterer', 'Print the flyers'],
      },
      response: { 201: ref(IngestedTranscriptSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => {
      const { projectId, ...meeting } = request.body
      return app.projects.ingest.transcript(projectId, meeting, { isStrict: isStrict(request) })
    },
  })

  app.post('/api/ingest/metrics', {
    config: { access: 'write', failure: 'Failed to ingest metrics' },
    schema: {
      operationId: 'ingestMetrics',
      summary: "Record values of a project's metrics",
      description:
        'A metric is found by its name and changed as by a PATCH, or created. Returns the metrics in the order of the request.',
      tags,
      body: IngestMetrics,
      example: {
        projectId: EXAMPLE_ID,
        metrics: [
          { name: 'Orders a week', value: 51, unit: 'orders' },
          { name: 'Visitors a week', value: 1890 },
        ],
      },
      response: { 200: Type.Array(ref(MetricSchema)), 404: ref(ErrorBody) },
    },
    handler: (request) => {
      const { projectId, metrics } = request.body
      return app.projects.ingest.metrics(projectId, metrics)
    },
  })
}

export default ingestRoutes
