import type { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify'
import { callerOf, memberOf, refuseUnseenProjects, shareOf } from '../src/access/identity.ts'
import { newId } from '../src/db/ids.ts'
import { adminRequired, invalidField, validationFailed } from '../src/errors.ts'
import { isArchive } from '../src/exchange/archives/archive-source.ts'
import type { Reserved } from '../src/exchange/imports/importer.ts'
import { type Mapping, mappingIn, mappingsByKind } from '../src/exchange/imports/mappings.ts'
import { ARCHIVE_FORMAT, FORMAT_NAMES } from '../src/exchange/sources/formats.ts'
import { PagesQuery } from '../src/requests/pages.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { checkLength, formLimit, isFileForm, receive, type Uploaded } from '../src/requests/uploads.ts'
import { ErrorBody, IdParams, Name, ref } from '../src/schemas/common.ts'
import { ImportSchema, ImportStartedSchema } from '../src/schemas/records.ts'

const flag = (description: string) => Type.Optional(Type.Boolean({ default: false, description }))

const ImportQuery = Type.Object({
  format: Type.Optional(
    Type.Unsafe<string>({
      type: 'string',
      enum: [...FORMAT_NAMES],
      description: "The file's tool; without one, the file tells",
    }),
  ),
  again: flag('Import even if it was imported before; not for archives'),
  dryRun: flag('Only report what would be created'),
  mapMembers: flag('Match members of an archive by email'),
  name: Type.Optional({
    ...Name,
    description: 'Name of the project, instead of the name in the file; not for archives',
  }),
  matchNames: flag('Match people of the board by name, if exactly one person has it; not for archives'),
  map: Type.Optional(
    Type.Unsafe<string | string[]>({
      type: ['string', 'array'],
      items: { type: 'string' },
      description:
        'Match a person of the board with a person here, as `<from>=<to>`: id, name or email on the board, id or email here. Or a column of a table with a field, as `<column>=<field>`, by the names in docs/importing.md; then the file is read as `csv`. May be repeated. Not for archives',
      examples: ['Ann Smith=ann@acme.example', 'Due by=due'],
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      maxLength: 100,
      format: 'time-zone',
      description:
        'An IANA time zone: a due date that is midnight there is that day. For tools that export days as local midnight. Not for archives',
      examples: ['Europe/Berlin'],
    }),
  ),
})
type ImportQuery = Static<typeof ImportQuery>

/** Options only for boards. */
const OF_BOARDS = ['name', 'matchNames', 'map', 'timeZone'] as const

/** Rejects options that do not apply to a format, rather than ignore them. @throws ApiError 400 */
function refuseOptions({ format, again = false, mapMembers = false, ...query }: ImportQuery): void {
  if (format !== ARCHIVE_FORMAT) {
    if (mapMembers) throw invalidField('mapMembers', `is only for ${ARCHIVE_FORMAT}`)
    return
  }
  if (again) throw invalidField('again', `is not for ${ARCHIVE_FORMAT}: a record is there once`)
  for (const name of OF_BOARDS) if (query[name]) throw invalidField(name, `is not for ${ARCHIVE_FORMAT}`)
}

/** The mappings of columns and people. @throws ApiError 400 */
const mappingsIn = (map: string | string[] = []) =>
  mappingsByKind(
    [map].flat().map((text): Mapping => {
      const mapping = mappingIn(text)
      if (mapping === undefined) throw invalidField('map', 'must be <from>=<to>')
      return mapping
    }),
  )

/** The default name of a file, in messages and as the name of its board. */
const THE_FILE = 'the file'

/** The id of an import, and its place in the queue. */
interface Place extends Reserved {
  id: string
}

/** Request decorator with its place in the queue; undefined before it has one. */
const PLACE = Symbol('phaseboard.import')

const placeOf = (request: FastifyRequest) => request.getDecorator<Place | undefined>(PLACE)

/** Imports of boards, and of archives, from files. */
const importRoutes: Routes<{ importLimit: number }> = async (app, { importLimit }) => {
  const { imports } = app.projects
  const { importer } = app
  const { known } = app.rules.members
  const tags = ['Imports']
  const config = { caching: 'no-store' } as const
  app.decorateRequest(PLACE, undefined)

  // The body is a file of any media type. It is stored on disk before anything reads it.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  /**
   * Stores the upload.
   * @throws ApiError 400 without one, 403 for an archive unless the caller is an admin, 413, 503 if too many wait
   */
  const keepUpload: preHandlerAsyncHookHandler = async (request) => {
    const query = request.query as ImportQuery
    const refuseQuery = () => {
      if (query.format === ARCHIVE_FORMAT && memberOf(request).role !== 'admin') throw adminRequired()
      refuseOptions(query)
    }
    refuseQuery()
    for (const { to } of mappingsIn(query.map).map) {
      if (known.ofIdOrEmail(to) === undefined) throw invalidField('map', `must be a person here: ${to}`)
    }
    const type = request.raw.headers['content-type']
    const form = isFileForm(type) ? type : undefined
    checkLength(request.headers, form === undefined ? importLimit : formLimit(importLimit))
    const id = newId()
    const place = { id, ...importer.reserve(id, shareOf(request)) }
    request.setDecorator<Place>(PLACE, place)
    const body = request.body as Readable | undefined
    const take = async (body: Readable): Promise<Uploaded> => {
      if (form === undefined) return receive(body, place.file, importLimit)
      // Loads the form parser lazily.
      const { receiveForm } = await import('../src/requests/file-forms.ts')
      return receiveForm(body, form, place.file, importLimit)
    }
    try {
      const uploaded = body && (await take(body))
      if (uploaded === undefined || uploaded.bytes === 0) {
        throw validationFailed({ formErrors: ['must be the file to import'], fieldErrors: {} })
      }
      if (query.format === undefined && (await isArchive(place.file))) {
        query.format = ARCHIVE_FORMAT
        refuseQuery()
      }
      request.body = uploaded
    } catch (error) {
      place.giveUp()
      throw error
    }
  }

  // Removes an upload that did not become an import, e.g. when a request was replayed.
  app.addHook('onResponse', async (request) => placeOf(request)?.giveUp())

  app.post('/api/imports', {
    config: { ...config, access: 'write', failure: 'Failed to import', isSentAlone: true, takesFile: true },
    schema: {
      operationId: 'createImport',
      summary: 'Import a board from a file, or an archive',
      description:
        'The file is the body, of any media type, or the only part of a form (`multipart/form-data`), which also has its name. It becomes a new project, all or nothing, by one write: others wait for it, 0.5 s per 10,000 records. People of the board become the members with the same email; others keep their names, unless `map` or `matchNames` matches them, or they are merged later (POST /api/people/{id}/merge). A zip file of GET /api/export (`phaseboard`, admins only) restores its records under the same ids: docs/export-format.md. GET /api/imports/{id} reports the progress.',
      tags,
      querystring: ImportQuery,
      response: { 202: ref(ImportStartedSchema) },
    },
    preValidation: refuseUnseenProjects,
    preHandler: keepUpload,
    handler: (request) => {
      const { format, again = false, dryRun = false, mapMembers = false, ...query } = request.query
      const { id: memberId } = memberOf(request)
      const place = placeOf(request) as Place
      const { name = THE_FILE } = request.body as Uploaded
      const scope = app.scoped.scopeOf(callerOf(request).principal)
      const seen = scope && [...scope.projects.keys()]
      const afterwards = () => {
        place.start({
          ...{ format, name, memberId, again, seen, isDryRun: dryRun, mapMembers },
          ...{ projectName: query.name, matchNames: query.matchNames ?? false, timeZone: query.timeZone },
          ...mappingsIn(query.map),
          reserved: app.defaultPeople.map(({ id }) => id),
        })
      }
      return { ...imports.create(place.id, format ?? '', memberId), afterwards }
    },
  })

  app.get('/api/imports', {
    config: { ...config, access: 'read', failure: 'Failed to fetch imports' },
    schema: {
      operationId: 'listImports',
      summary: "List the member's latest imports, newest first; admins see all",
      description: 'At most 100.',
      tags,
      querystring: PagesQuery,
      response: { 200: Type.Array(ref(ImportSchema)) },
    },
    handler: (request) => imports.list(memberOf(request), importer.live, request.query),
  })

  app.get('/api/imports/:id', {
    config: { ...config, access: 'read', failure: 'Failed to fetch import' },
    schema: {
      operationId: 'getImport',
      summary: 'Get the progress of an import',
      tags,
      params: IdParams,
      response: { 200: ref(ImportSchema), 404: ref(ErrorBody) },
    },
    handler: (request) => imports.get(request.params.id, memberOf(request), importer.live),
  })
}

export default importRoutes
