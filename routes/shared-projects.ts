import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { addressOf } from '../src/access/addresses.ts'
import type { Caller } from '../src/access/caller.ts'
import { ShareLimits } from '../src/access/share-limits.ts'
import type { JsonPage } from '../src/db/pages.ts'
import { ApiError, notFound } from '../src/errors.ts'
import { etagOf } from '../src/etags.ts'
import { withFields } from '../src/requests/expand.ts'
import { othersAmong } from '../src/requests/hosted-people.ts'
import { isNotModified, sendSnapshot } from '../src/requests/respond.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { ErrorBody, NotModified, ref } from '../src/schemas/common.ts'
import { SharedProjectSchema } from '../src/schemas/records.ts'

const SecretParams = Type.Object({ secret: Type.String({ description: 'The secret of the link' }) })

const SharedQuery = Type.Object({
  expand: Type.Optional(
    Type.Unsafe<'board'>({
      type: 'string',
      enum: ['board'],
      description:
        '`board`: the response also has `kanbanColumns`, and `people`, the names of the lead and of all assignees',
    }),
  ),
})

/** The 404 of a link whose project has just been deleted, as for any invalid link. */
const withoutProject = (error: unknown): unknown =>
  error instanceof ApiError && error.statusCode === 404 ? notFound('Share link') : error

/** Projects as share links show them, to anybody with the link. */
const sharedProjectRoutes: Routes = async (app) => {
  const limits = new ShareLimits()

  /** The project of a link. @throws ApiError 429; 404 for an invalid link, whatever the reason */
  async function projectOf(request: FastifyRequest, secret: string) {
    const address = addressOf(request)
    limits.count(address)
    const { id, projectId } = app.rules.projects.shareLinks.find(secret)
    limits.forgive(address)
    // Its readers share one turn in the worker thread.
    const caller: Caller = { turn: `share link ${id}`, principal: undefined }
    const project = await app.sharedProjects.get(projectId, caller).catch((error) => {
      throw withoutProject(error)
    })
    return { projectId, project, caller }
  }

  /** The data of a board besides the project, as JSON. */
  async function ofBoard(projectId: string, caller: Caller) {
    const { people } = app.members
    const ids = await app.read(people.onBoard(projectId), caller)
    const others = await othersAmong(app, ids)
    const names = await app.read(people.publicNames(ids, others), caller)
    const columns: JsonPage = await app.read(app.board.columns.list(projectId, {}), caller)
    return { people: names, kanbanColumns: Buffer.from(columns.body).toString() }
  }

  app.get('/api/shared/:secret', {
    config: {
      access: 'public',
      failure: 'Failed to fetch project',
      isSentAlone: true,
      hasSecretAddress: true,
    },
    schema: {
      operationId: 'getSharedProject',
      summary: 'Get the project of a share link',
      description:
        'Needs no credential except the secret. The project is like that of `GET /api/projects/{id}`, without transcripts and with empty `metadata`. An unknown, expired or revoked link is 404.',
      tags: ['Share links'],
      params: SecretParams,
      querystring: SharedQuery,
      response: {
        200: ref(SharedProjectSchema),
        304: NotModified,
        404: ref(ErrorBody),
      },
    },
    handler: async (request, reply) => {
      const { projectId, project, caller } = await projectOf(request, request.params.secret)
      const fields = request.query.expand === 'board' ? await ofBoard(projectId, caller) : undefined
      const etag = fields ? etagOf(project.etag + Object.values(fields).join()) : project.etag
      // 304 needs no body.
      const body = isNotModified(request, etag) ? Buffer.alloc(0) : await project.body()
      await sendSnapshot(reply, { body: fields ? withFields(body, fields) : body, etag })
      // Fastify treats the end of a handler as the end of its response, which may still be in progress.
      await reply
    },
  })
}

export default sharedProjectRoutes
