/** The routes that every kind of child record has, for a route file to mount: who may call, with what, and what comes back. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access } from '../members/identity.ts'
import { ErrorBody, IdParams, ReorderBody, ref, Success } from '../schemas/common.ts'
import type { CurrentMember } from '../schemas/records.ts'
import type { ListedThing, ReorderedThing } from '../worker/operations.ts'
import { memberOf } from './identity.ts'
import { sendJson } from './send.ts'

/** What reads and changes the records: what `prepareChildren` returns, or rules of the same shape. Changes run inside a write. */
export interface ChildRules<Row, Create, Update> {
  get: (id: string) => Row
  create: (parentId: string, input: Create, member: CurrentMember) => string
  update: (id: string, input: Update, member: CurrentMember) => void
  delete: (id: string, member: CurrentMember) => void
}

/** A kind of child record. */
export interface ChildResource<Row extends TSchema, Create extends TSchema, Update extends TSchema> {
  /** What one is called, e.g. `Transcript summary`. */
  thing: ListedThing
  /** What several are called, where that is not the thing with an s. */
  things?: string
  parent: 'project' | 'item'
  record: Row
  create: Create
  update: Update
  rules: ChildRules<Static<Row>, Static<Create>, Static<Update>>
  /** What there is to know beyond the summary, by route. */
  notes?: { [Route in 'list' | 'create' | 'get' | 'update' | 'delete']?: string }
  /** Which of the routes may find that what is there does not allow the change: 409. */
  conflicts?: ('create' | 'update' | 'delete')[]
  /** The `error` of an unexpected failure where it is not `Failed to <verb> <thing>`. */
  failures?: { update?: string; delete?: string }
}

/** Of a request and its reply, what these handlers use; the same whichever types a route's schemas give them. */
interface Received {
  params: unknown
  body: unknown
}
interface Reply {
  code(status: number): unknown
}

const idOf = ({ params }: Received) => (params as Static<typeof IdParams>).id
const senderOf = (request: Received) => memberOf(request as FastifyRequest)

const camelCase = (text: string) => text.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
const withArticle = (noun: string) => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`

/**
 * Makes the routes of a kind of child record, each to be mounted under its path: `list` and `create` under the parent's,
 * with the parent's `:id`; `get`, `update` and `delete` under the record's own. Validation comes before existence.
 */
export function childRoutes<Row extends TSchema, Create extends TSchema, Update extends TSchema>(
  app: FastifyInstance,
  resource: ChildResource<Row, Create, Update>,
) {
  const {
    thing,
    things = `${thing}s`,
    parent,
    record,
    rules,
    notes = {},
    conflicts = [],
    failures = {},
  } = resource
  const one = thing.toLowerCase()
  const many = things.toLowerCase()

  const schema = (route: keyof typeof notes, summary: string) => ({
    operationId: camelCase(`${route} ${route === 'list' ? many : one}`),
    summary,
    ...(notes[route] === undefined ? {} : { description: notes[route] }),
    tags: [things],
    params: IdParams,
  })

  const errors = (route: 'create' | 'update' | 'delete') => ({
    404: ref(ErrorBody),
    ...(conflicts.includes(route) ? { 409: ref(ErrorBody) } : {}),
  })

  return {
    list: {
      config: { access: 'read' as const, failure: `Failed to fetch ${many}` },
      schema: {
        ...schema('list', `List the ${many} of ${withArticle(parent)}`),
        response: { 200: Type.Array(ref(record)), 404: ref(ErrorBody) },
      },
      handler: async (request: Received, reply: FastifyReply) =>
        sendJson(reply, await app.perform('listChildren', thing, idOf(request))),
    },

    create: {
      config: { access: 'write' as const, failure: `Failed to create ${one}` },
      schema: {
        ...schema('create', `Create ${withArticle(one)}`),
        body: resource.create,
        response: { 201: ref(record), ...errors('create') },
      },
      handler: async (request: Received, reply: Reply) => {
        const input = request.body as Static<Create>
        const created = await app.write(() =>
          rules.get(rules.create(idOf(request), input, senderOf(request))),
        )
        reply.code(201)
        return created
      },
    },

    get: {
      config: { access: 'read' as const, failure: `Failed to fetch ${one}` },
      schema: {
        ...schema('get', `Get ${withArticle(one)}`),
        response: { 200: ref(record), 404: ref(ErrorBody) },
      },
      handler: async (request: Received) => rules.get(idOf(request)),
    },

    update: {
      config: { access: 'write' as const, failure: failures.update ?? `Failed to update ${one}` },
      schema: {
        ...schema('update', `Change ${withArticle(one)}`),
        body: resource.update,
        response: { 200: ref(record), ...errors('update') },
      },
      handler: async (request: Received) =>
        app.write(() => {
          const id = idOf(request)
          rules.update(id, request.body as Static<Update>, senderOf(request))
          return rules.get(id)
        }),
    },

    delete: {
      config: { access: 'write' as const, failure: failures.delete ?? `Failed to delete ${one}` },
      schema: {
        ...schema('delete', `Delete ${withArticle(one)}`),
        response: { 200: ref(Success), ...errors('delete') },
      },
      handler: async (request: Received) => {
        await app.write(() => rules.delete(idOf(request), senderOf(request)))
        return { success: true as const }
      },
    },
  }
}

/**
 * Makes the route that puts the records of one kind where a client wants them.
 * @param things what they are called, e.g. `Kanban columns`
 * @param record what the answer has of each
 */
export const reorderRoute = <Row extends TSchema>(
  app: FastifyInstance,
  {
    things,
    record,
    params,
    access = 'write',
    key,
  }: {
    things: string
    record: Row
    /** The path's parameters, when it has any: the parent's id. */
    params?: typeof IdParams
    access?: Access
    /** What they are to the operation. */
    key: ReorderedThing
  },
) => ({
  config: { access, failure: `Failed to reorder ${things.toLowerCase()}` },
  schema: {
    operationId: camelCase(`reorder ${things.toLowerCase()}`),
    summary: `Put ${things.toLowerCase()} in another order`,
    description: 'All or nothing. Answers the given records, in the order of the request.',
    tags: [things],
    ...(params ? { params } : {}),
    body: ReorderBody,
    response: { 200: Type.Array(record.$id ? ref(record) : record), 404: ref(ErrorBody) },
  },
  handler: async (request: Received) => {
    const { items } = request.body as Static<typeof ReorderBody>
    const parentId = params ? idOf(request) : ''
    return app.perform('reorder', key, items, parentId, senderOf(request)) as Promise<Static<Row>[]>
  },
})
