/** Routes shared by all kinds of child records: a route file mounts those it needs, with its own paths and documentation. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { memberOf } from '../access/identity.ts'
import type { Place } from '../db/ordering.ts'
import type { JsonPage, PageQuery } from '../db/pages.ts'
import {
  ErrorBody,
  IdParams,
  MissingErrorBody,
  REORDER_EXAMPLE,
  ReorderBody,
  ref,
  Success,
} from '../schemas/common.ts'
import type { CurrentMember } from '../schemas/records.ts'
import type { Call } from './calls.ts'
import { PagesQuery } from './pages.ts'
import { type RouteRecord, recordOf } from './response-shapes.ts'

/** The rules of the records. */
interface ChildRules<Row, Create, Update> {
  list: (parentId: string, query: PageQuery) => Call<JsonPage>
  get: (id: string) => Call<Row>
  create: (parentId: string, input: Create, member: CurrentMember) => Call<Row>
  update: (id: string, input: Update, member: CurrentMember) => Call<Row>
  delete: (id: string, member: CurrentMember) => Call<void>
}

/** A route's documentation. */
interface Words {
  operationId: string
  summary: string
  description?: string
  /** The `error` of an unexpected failure. */
  failure: string
}

/** The documentation of a writing route. */
interface ChangeWords extends Words {
  /** Whether the route may respond 409. */
  conflicts?: boolean
  /** Whether its rule checks the member's role. */
  dependsOnRole?: boolean
}

/** A request body: its schema, and an example for the documentation. */
interface Bodied<Input> {
  body: TSchema & { static: Input }
  example: object
}

type OfId = FastifyRequest<{ Params: Static<typeof IdParams> }>

const errorsOf = ({ conflicts = false }: ChangeWords) => ({
  404: ref(ErrorBody),
  ...(conflicts ? { 409: ref(ErrorBody) } : {}),
})

const docsOf = ({ operationId, summary, description }: Words) => ({
  operationId,
  summary,
  ...(description === undefined ? {} : { description }),
})

/**
 * Functions that mount the routes of a kind of child record: `list`, `create` and `reorder` under the parent's path, with
 * the parent's `:id`; `get`, `update` and `delete` under the record's own. Validation precedes the existence check.
 * @param record the schema of a record
 * @param tag the OpenAPI tag
 */
export function childRoutes<Row extends TSchema, Create, Update>(
  app: FastifyInstance,
  rules: ChildRules<Static<Row>, Create, Update>,
  { record, tag }: { record: Row; tag: string },
) {
  const tags = [tag]
  const itself = recordOf(record, (id) => rules.get(id))
  const params = IdParams
  /** The schema of a route that takes a body. */
  const bodied = <Input>(status: 200 | 201, { body, example, ...words }: ChangeWords & Bodied<Input>) => ({
    ...docsOf(words),
    tags,
    params,
    body,
    example,
    response: { [status]: ref(record), ...errorsOf(words) },
  })

  return {
    list(url: string, { failure, ...words }: Words): void {
      app.get(url, {
        config: { access: 'read', failure },
        schema: {
          ...words,
          tags,
          params,
          querystring: PagesQuery,
          response: { 200: Type.Array(ref(record)), 404: ref(ErrorBody) },
        },
        handler: (request: OfId) => rules.list(request.params.id, request.query as Static<typeof PagesQuery>),
      })
    },

    create(url: string, words: ChangeWords & Bodied<Create>): void {
      app.post(url, {
        config: { access: 'write', failure: words.failure },
        schema: bodied(201, words),
        handler: (request: OfId) =>
          rules.create(request.params.id, request.body as Create, memberOf(request)),
      })
    },

    get(url: string, { failure, ...words }: Words): void {
      app.get(url, {
        config: { access: 'read', failure },
        schema: { ...words, tags, params, response: { 200: ref(record), 404: ref(ErrorBody) } },
        handler: (request: OfId) => rules.get(request.params.id),
      })
    },

    update(url: string, { dependsOnRole = false, ...words }: ChangeWords & Bodied<Update>): void {
      app.patch(url, {
        config: { access: 'write', failure: words.failure, record: itself, dependsOnRole },
        schema: bodied(200, words),
        handler: (request: OfId) =>
          rules.update(request.params.id, request.body as Update, memberOf(request)),
      })
    },

    delete(url: string, { dependsOnRole = false, ...words }: ChangeWords): void {
      app.delete(url, {
        config: { access: 'write', failure: words.failure, record: itself, dependsOnRole },
        schema: { ...docsOf(words), tags, params, response: { 200: ref(Success), ...errorsOf(words) } },
        handler: (request: OfId) => rules.delete(request.params.id, memberOf(request)),
      })
    },

    /** @param parent the record whose children are ordered */
    reorder(
      url: string,
      reorder: (parentId: string, places: readonly Place[]) => Call<Static<Row>[]>,
      { parent, ...words }: Words & { parent: RouteRecord },
    ): void {
      app.post(url, {
        config: { access: 'write', failure: words.failure, record: parent },
        schema: {
          ...docsOf(words),
          tags,
          params,
          body: ReorderBody,
          example: REORDER_EXAMPLE,
          response: { 200: Type.Array(ref(record)), 404: ref(MissingErrorBody) },
        },
        handler: (request: OfId) =>
          reorder(request.params.id, (request.body as Static<typeof ReorderBody>).items),
      })
    },
  }
}
