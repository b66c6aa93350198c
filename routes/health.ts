import { Type } from '@sinclair/typebox'
import { ApiError } from '../src/errors.ts'
import { readCommit, version } from '../src/package-files.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, ref } from '../src/schemas/common.ts'

const OkSchema = Type.Object({ status: Type.Literal('ok') })
const AliveSchema = Type.Object({
  status: Type.Literal('ok'),
  version: Type.String({ description: 'The version of Phaseboard' }),
  commit: Type.Optional(
    Type.String({ description: 'The commit that was built, if known; with `-dirty` if files were changed' }),
  ),
})

/** Health: liveness and readiness. */
const healthRoutes: Routes = async (app) => {
  const tags = ['Health']
  const probe = app.db.$client.prepare('select count(*) from sqlite_schema')
  // Read at the start: a later build replaces the file.
  const commit = readCommit()
  const alive = { status: 'ok' as const, version, ...(commit !== undefined && { commit }) }
  let isStopping = false
  app.addHook('preClose', async () => {
    isStopping = true
  })

  app.get('/healthz', {
    config: { access: 'public', failure: 'Internal server error', unlimited: true, takesAnyHost: true },
    schema: {
      operationId: 'health',
      summary: 'Check that the process is alive, and which build it is',
      tags,
      response: { 200: AliveSchema },
    },
    handler: async () => alive,
  })

  app.get('/readyz', {
    config: { access: 'public', failure: 'Internal server error', unlimited: true, takesAnyHost: true },
    schema: {
      operationId: 'readiness',
      summary: 'Check that the service is ready',
      description:
        '503 while the database does not respond, after a failed write (e.g. a full disk) until one succeeds, if the database file was replaced or removed, and while the service is stopping.',
      tags,
      response: { 200: OkSchema, 503: ref(ErrorBody) },
    },
    handler: async (request) => {
      const unavailable = new ApiError(503, 'Service unavailable')
      if (isStopping) throw unavailable
      try {
        probe.get()
      } catch (error) {
        request.log.error({ err: error }, 'the database does not respond')
        throw unavailable
      }
      const trouble = await app.groupCommit.trouble()
      if (trouble) {
        request.log.warn({ err: trouble }, 'writes fail')
        throw unavailable
      }
      return { status: 'ok' as const }
    },
  })
}

export default healthRoutes
