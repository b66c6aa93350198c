import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { forbidden } from '../src/errors.ts'
import { memberOf } from '../src/identity.ts'
import { preparePersonalIdeaChanges, preparePersonalIdeas } from '../src/personal-ideas.ts'
import { CreateBody, Description, ref, SortOrder, Term, Title } from '../src/schemas/common.ts'
import { PersonalIdeaSchema } from '../src/schemas/records.ts'

const PersonalIdeaCreateSchema = CreateBody({
  title: Title,
  description: Type.Optional(Description),
  priority: Type.Optional(Term(['low', 'medium', 'high', 'critical'])),
  status: Type.Optional(Term(['idea', 'ready', 'promoted', 'discarded'])),
  sortOrder: Type.Optional(SortOrder),
})

const PersonalIdeaFilterSchema = Type.Object({
  ownerId: Type.Optional(
    Type.String({ description: 'Whose ideas; absent or empty: those of the current member' }),
  ),
})

/** In required mode other members' ideas are an admin's to see. */
async function refuseOthersIdeas(request: FastifyRequest): Promise<void> {
  const { ownerId } = request.query as { ownerId?: unknown }
  const { id, role } = memberOf(request)
  if (ownerId && ownerId !== id && role !== 'admin') throw forbidden("another member's ideas")
}

/** Personal ideas: each member's private list. */
const personalIdeaRoutes: FastifyPluginAsyncTypebox<{ authMode: 'open' | 'required' }> = async (
  app,
  { authMode },
) => {
  const ideas = preparePersonalIdeas(app.db)
  const changes = preparePersonalIdeaChanges(app.db)
  const tags = ['Personal ideas']

  app.get('/api/personal-ideas', {
    config: { access: 'own', failure: 'Failed to fetch personal ideas' },
    schema: {
      operationId: 'listPersonalIdeas',
      summary: "List a member's ideas by sortOrder",
      tags,
      querystring: PersonalIdeaFilterSchema,
      response: { 200: Type.Array(ref(PersonalIdeaSchema)) },
    },
    onRequest: authMode === 'required' ? refuseOthersIdeas : [],
    handler: async (request) => ideas.ofOwner(request.query.ownerId || memberOf(request).id),
  })

  app.post('/api/personal-ideas', {
    config: { access: 'own', failure: 'Failed to create personal idea' },
    schema: {
      operationId: 'createPersonalIdea',
      summary: 'Create an idea of the current member',
      tags,
      body: PersonalIdeaCreateSchema,
      response: { 201: ref(PersonalIdeaSchema) },
    },
    handler: async (request, reply) =>
      reply
        .code(201)
        .send(await app.write(() => ideas.get(changes.create(memberOf(request).id, request.body)))),
  })
}

export default personalIdeaRoutes
