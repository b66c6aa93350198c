import type { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { memberOf } from '../src/access/identity.ts'
import { newId } from '../src/db/ids.ts'
import { adminRequired, invalidField, validationFailed } from '../src/errors.ts'
import type { Reserved } from '../src/exchange/imports/importer.ts'
import { type Mapping, mappingIn } from '../src/exchange/imports/mappings.ts'
import { ARCHIVE_FORMAT, FORMAT_NAMES } from '../src/exchange/sources/formats.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { checkLength, formLimit, isFileForm, receive, type Uploaded } from '../src/requests/uploads.ts'
import { ErrorBody, IdParams, Name, ref } from '../src/schemas/common.ts'
import { ImportSchema, ImportStartedSchema } from '../src/schemas/records.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

const ImportQuery = Type.Object({
  format: Type.Unsafe<string>({ type: 'string', enum: [...FORMAT_NAMES] }),
  again: flag('Also when it was imported before; not for archives'),
  dryRun: flag('Only tells what would be made'),
  mapMembers: flag('Members of an archive are those here of the same email'),
  name: Type.Optional({
    ...Name,
    description: 'What the project is called, in place of the name in the file; not for archives',
  }),
  matchNames: flag(
    'People of the board are those here of the same name, where only one has it; not for archives',
  ),
  map: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description:
        'Who is who, as `<from>=<to>`: a person of the board by id, name or email, and somebody who is here by id or email; may be given several times. Not for archives',
      examples: ['Ann Smith=ann@acme.example'],
    }),
  ),
})
type ImportQuery = Static<typeof ImportQuery>

/** Options that are for boards alone. */
const OF_BOARDS = ['name', 'matchNames', 'map'] as const

/** Options that have no meaning for a format: in vain given, they would mislead. @throws ApiError 400 */
function refuseOptions({ format, again = false, mapMembers = false, ...query }: ImportQuery): void {
  if (format !== ARCHIVE_FORMAT) {
    if (mapMembers) throw invalidField('mapMembers', `is only for ${ARCHIVE_FORMAT}`)
    return
  }
  if (again) throw invalidField('again', `is not for ${ARCHIVE_FORMAT}: a record is there once`)
  for (const name of OF_BOARDS) if (query[name]) throw invalidField(name, `is not for ${ARCHIVE_FORMAT}`)
}

/** Who is who. @throws ApiError 400 */
const mappingsIn = (map: string | string[] = []): Mapping[] =>
  [map].flat().map((text) => {
    const mapping = mappingIn(text)
    if (mapping === undefined) throw invalidField('map', 'must be <from>=<to>')
    return mapping
  })

/** What a file is called in messages, and in the name of its board, where nobody tells its name. */
const THE_FILE = 'the file'

/** What an import is called, and its place among those that wait. */
interface Place extends Reserved {
  id: string
}

/** The decorator of a request with its place; undefined before it has one. */
const PLACE = Symbol('phaseboard.import')

const placeOf = (request: FastifyRequest) => request.getDecorator<Place | undefined>(PLACE)

/** Imports of boards, and of archives, from files. */
const importRoutes: Routes<{ importLimit: number }> = async (app, { importLimit }) => {
  const { imports } = app.projects
  const { importer } = app
  const { known } = app.rules.members
  const tags = ['Imports']
  app.decorateRequest(PLACE, undefined)

  // The body is a file, of whatever type it says, and read by nobody before it is on the disk.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  /**
   * Keeps the upload.
   * @throws ApiError 400 without one, 403 for an archive that no admin brings, 413, 503 where too many wait
   */
  const keepUpload: preHandlerAsyncHookHandler = async (request) => {
    const query = request.query as ImportQuery
    if (query.format === ARCHIVE_FORMAT && memberOf(request).role !== 'admin') {
      throw adminRequired()
    }
    refuseOptions(query)
    for (const { to } of mappingsIn(query.map)) {
      if (known.ofIdOrEmail(to) === undefined) throw invalidField('map', `names nobody here: ${to}`)
    }
    const type = request.raw.headers['content-type']
    const form = isFileForm(type) ? type : undefined
    checkLength(request.headers, form === undefined ? importLimit : formLimit(importLimit))
    const id = newId()
    const place = { id, ...importer.reserve(id, memberOf(request).id) }
    request.setDecorator<Place>(PLACE, place)
    const body = request.body as Readable | undefined
    const take = async (body: Readable): Promise<Uploaded> => {
      if (form === undefined) return receive(body, place.file, importLimit)
      // Loaded with what parses forms, when somebody sends one.
      const { receiveForm } = await import('../src/requests/file-forms.ts')
      return receiveForm(body, form, place.file, importLimit)
    }
    try {
      const uploaded = body && (await take(body))
      if (uploaded === undefined || uploaded.bytes === 0) {
        throw validationFailed({ formErrors: ['must be the file to import'], fieldErrors: {} })
      }
      request.body = uploaded
    } catch (error) {
      place.giveUp()
      throw error
    }
  }

  // What did not become an import, as the repetition of a request, leaves nothing.
  app.addHook('onResponse', async (request) => placeOf(request)?.giveUp())

  app.post('/api/imports', {
    config: { access: 'write', failure: 'Failed to import', isSentAlone: true, takesFile: true },
    schema: {
      operationId: 'createImport',
      summary: 'Import a board from a file, or an archive',
      description:
        'The file is the body, of any media type, or the one part of a form (`multipart/form-data`), which tells its name, too. It becomes a new project, all or nothing: nobody sees any of it before all is there, and nobody has to wait for it. People of the board are members of the same email; others stay by their names, unless `map` or `matchNames` says who they are, or somebody merges them later (POST /api/people/{id}/merge). The zip file of GET /api/export (`phaseboard`, admins only) becomes all that it holds, under the same ids: docs/export-format.md. How far it has come is told by GET /api/imports/{id}.',
      tags,
      querystring: ImportQuery,
      response: { 202: ref(ImportStartedSchema) },
    },
    preHandler: keepUpload,
    handler: (request, reply) => {
      const { format, again = false, dryRun = false, mapMembers = false, ...query } = request.query
      const { id: memberId } = memberOf(request)
      const place = placeOf(request) as Place
      const { name = THE_FILE } = request.body as Uploaded
      const afterwards = () => {
        place.start({
          ...{ format, name, memberId, again, isDryRun: dryRun, mapMembers },
          ...{ projectName: query.name, matchNames: query.matchNames ?? false, map: mappingsIn(query.map) },
        })
        reply.header('location', `${request.url.split('?', 1)[0]}/${place.id}`)
      }
      return { ...imports.create(place.id, format, memberId), afterwards }
    },
  })

  app.get('/api/imports', {
    config: { access: 'read', failure: 'Failed to fetch imports' },
    schema: {
      operationId: 'listImports',
      summary: "List the member's latest imports, newest first; an admin's are all",
      description: 'At most 100.',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(ImportSchema)) },
    },
    handler: (request) => imports.list(memberOf(request), importer.failed, request.query),
  })

  app.get('/api/imports/:id', {
    config: { access: 'read', failure: 'Failed to fetch import' },
    schema: {
      operationId: 'getImport',
      summary: 'How far an import has come',
      tags,
      params: IdParams,
      response: { 200: ref(ImportSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => imports.get(request.params.id, memberOf(request), importer.failed),
  })
}

export default importRoutes
