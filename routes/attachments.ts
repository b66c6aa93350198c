import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Static, Type } from '@sinclair/typebox'
import type { FastifyReply, FastifyRequest, preHandlerHookHandler } from 'fastify'
import { callerOf, memberOf, shareOf } from '../src/access/identity.ts'
import { LINK_LENGTH, problemOfLink, problemOfName } from '../src/board/attachment-names.ts'
import { ATTACHMENTS_LIMIT, type Thumbnail } from '../src/board/attachments.ts'
import { ensureValid, SpecifiedFailure, validationFailed } from '../src/errors.ts'
import { roomFor } from '../src/requests/attachment-room.ts'
import type { ChunkSink, ReceivedFile } from '../src/requests/attachment-uploads.ts'
import { childRoutes } from '../src/requests/child-routes.ts'
import { isRepeated } from '../src/requests/idempotency.ts'
import { bodyCheck, readJson } from '../src/requests/json-bodies.ts'
import { recordOf } from '../src/requests/response-shapes.ts'
import type { Routes } from '../src/requests/route-types.ts'
import { CONTENT_POLICY, sendContent } from '../src/requests/send-content.ts'
import { checkLength, isFileForm } from '../src/requests/uploads.ts'
import { CreateBody, ErrorBody, IdParams, NotModified, ref, UpdateBody } from '../src/schemas/common.ts'
import { AttachmentSchema } from '../src/schemas/records.ts'

const AttachmentName = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'At most 255 bytes in UTF-8; folders and invisible characters are dropped',
})
const CreateLink = CreateBody({
  url: Type.String({
    minLength: 1,
    maxLength: LINK_LENGTH,
    description: 'An http, https or mailto URL',
    examples: ['https://example.org/plan'],
  }),
  name: Type.Optional(AttachmentName),
})
type CreateLink = Static<typeof CreateLink>
const UpdateAttachment = UpdateBody({ name: AttachmentName })

const UploadQuery = Type.Object({
  name: Type.Optional(
    Type.String({ description: 'The name of the file if the body is a file; a form contains the names' }),
  ),
})

/** The largest thumbnail, in bytes. */
const THUMBNAIL_LIMIT = 65_536

/** Uploads of requests, to be removed if no record refers to them. */
const uploads = new WeakMap<FastifyRequest, readonly ReceivedFile[]>()

const thumbnails = new WeakMap<FastifyRequest, Thumbnail>()

const uploadsOf = (request: FastifyRequest): readonly ReceivedFile[] => uploads.get(request) ?? []

const idOf = (request: FastifyRequest) => (request.params as Static<typeof IdParams>).id

/** Whether a media type is JSON, with or without parameters. */
const isJson = (type = '') => /^application\/json\s*(?:;|$)/i.test(type.trim())

const CONTENT = {
  description: 'The bytes',
  content: { '*/*': { schema: Type.String({ format: 'binary' }) } },
}

/** The responses to a download. */
const downloadResponses = {
  200: CONTENT,
  206: { ...CONTENT, description: 'The requested range' },
  304: NotModified,
  404: ref(ErrorBody),
  416: ref(ErrorBody),
}

/** The properties of files by which a repetition with an Idempotency-Key is recognised. */
const identified = (files: readonly ReceivedFile[]) =>
  files.map(({ name, size, sha256 }) => ({ name, size, sha256 }))

/** Uploads, in a separate scope, because their bodies are not JSON. */
const uploadRoutes: Routes = async (app) => {
  const { attachments } = app.board
  const { files, scoped } = app
  const tags = ['Attachments']
  const itself = recordOf(AttachmentSchema, attachments.get)
  const checkLink = bodyCheck(CreateLink)

  // The body may be a file of any media type, which the hooks below read.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))

  const discard = async (received: readonly ReceivedFile[]) => {
    for (const { content, damaged } of received) {
      if (damaged !== undefined) await files.store.discard(damaged)
      if (content !== null) await files.store.discard(content)
    }
  }
  // Uploads without a record: the request failed or was a repetition, or an equal file exists. And damaged contents that uploads have replaced.
  app.addHook('onResponse', async (request) => {
    const received = uploadsOf(request)
    if (received.length > 0)
      await discard(received).catch((err) => request.log.warn({ err }, 'could not remove an upload'))
  })

  /** The number of files that may be attached. @throws ApiError 404, 403 or 409, before any byte is read; the write checks again */
  function roomOf(request: FastifyRequest): number {
    // The item of a repetition may be deleted.
    if (isRepeated(request)) return ATTACHMENTS_LIMIT
    return roomFor(scoped, callerOf(request).principal, idOf(request))
  }

  async function receive(request: FastifyRequest, body: Readable): Promise<ReceivedFile[]> {
    const type = request.raw.headers['content-type']
    const form = isFileForm(type) ? type : undefined
    const room = roomOf(request)
    if (form === undefined) checkLength(request.headers, files.limit)
    const { ENVELOPE, receiveFile, receiveFiles } = await import('../src/requests/attachment-uploads.ts')
    const limits = { file: files.limit, files: room }
    const { name } = request.query as Static<typeof UploadQuery>
    const receiveInto = (sink: ChunkSink | undefined) =>
      form === undefined ? receiveFile(body, name, limits, sink) : receiveFiles(body, form, limits, sink)
    // A repetition is recognised by the hashes, and nothing of it is stored.
    if (isRepeated(request)) return files.upload(shareOf(request), 0, () => receiveInto(undefined))
    const length = request.raw.headers['content-length']
    // A form may have as many bytes as announced, but is not all files.
    const bytes = form === undefined ? Number(length) : Math.max(0, Number(length) - ENVELOPE)
    return files.upload(shareOf(request), length === undefined ? null : bytes, receiveInto)
  }

  /** The body as a link. @throws ApiError 400 */
  function linkIn(request: FastifyRequest, body: unknown): CreateLink {
    const link = checkLink(request, body)
    const { url, name } = link
    ensureValid({ url: problemOfLink(url), name: name === undefined ? undefined : problemOfName(name) })
    return link
  }

  /** Reads the body: JSON is a link, anything else is files. */
  async function read(request: FastifyRequest, reply: FastifyReply, body: Readable): Promise<void> {
    try {
      if (isJson(request.raw.headers['content-type'])) {
        request.body = linkIn(request, await readJson(body))
        return
      }
      const received = await receive(request, body)
      uploads.set(request, received)
      request.body = identified(received)
    } catch (error) {
      // The rest of it is not read.
      if (!request.raw.complete) reply.header('connection', 'close')
      throw error
    }
  }

  const takeBody: preHandlerHookHandler = (request, reply, done) => {
    const { body } = request
    if (body instanceof Readable) {
      read(request, reply, body).then(() => done(), done)
      return
    }
    // As for all routes, an absent body counts as one that is not JSON.
    if (body === undefined || body === null)
      throw new SpecifiedFailure('the request body is empty', 'not_json')
    // In a batch it is a value already.
    request.body = linkIn(request, body)
    done()
  }

  app.post('/api/kanban-items/:id/attachments', {
    config: {
      access: 'write',
      failure: 'Failed to create attachment',
      takesFile: true,
      orTakes: CreateLink,
      isSentAlone: (request) => request.body instanceof Readable,
    },
    schema: {
      operationId: 'createAttachment',
      summary: 'Attach files, or a link',
      description: `A form (\`multipart/form-data\`) has one or more files, each a part named \`file\`; a body of the type \`application/json\` is a link; any other body is a file with the name \`?name=\`. The request attaches all of them or none. The service detects the media type by the first bytes, or else by the name. An item has at most ${ATTACHMENTS_LIMIT} attachments. Returns the list of new attachments, or the link.`,
      tags,
      params: IdParams,
      querystring: UploadQuery,
      response: {
        201: Type.Union([Type.Array(ref(AttachmentSchema)), ref(AttachmentSchema)]),
        404: ref(ErrorBody),
        409: ref(ErrorBody),
        507: ref(ErrorBody),
      },
      example: { url: 'https://example.org/plan', name: 'The plan' },
    },
    preHandler: takeBody,
    handler: (request) => {
      const received = uploadsOf(request)
      if (received.length === 0)
        return attachments.create(idOf(request), request.body as CreateLink, memberOf(request))
      const made = received.map(({ content, ...file }) => ({ ...file, content: content ?? 0 }))
      return attachments.addFiles(idOf(request), made, memberOf(request))
    },
  })

  /** Receives a thumbnail. @throws ApiError 404, 403, 413; 400 for anything but an image */
  async function receiveThumbnail(request: FastifyRequest): Promise<Thumbnail> {
    const { principal } = callerOf(request)
    // The attachment of a repetition may be deleted.
    if (!isRepeated(request)) {
      const projectId = scoped.read(principal, ({ board }) => board.attachments.projectOf(idOf(request)))
      scoped.ensureWritable(principal, projectId)
    }
    checkLength(request.headers, THUMBNAIL_LIMIT)
    const { imageTypeOf } = await import('../src/requests/file-types.ts')
    const { receiveSmall } = await import('../src/requests/attachment-uploads.ts')
    const { body } = request
    const bytes = body instanceof Readable ? await receiveSmall(body, THUMBNAIL_LIMIT) : undefined
    if (bytes === undefined || (await imageTypeOf(bytes)) === undefined) {
      throw validationFailed({
        formErrors: ['must be a PNG, JPEG, GIF, WebP or AVIF image'],
        fieldErrors: {},
      })
    }
    return { bytes, sha256: hash('sha256', bytes) }
  }

  app.put('/api/attachments/:id/thumbnail', {
    config: {
      access: 'write',
      failure: 'Failed to update attachment',
      takesFile: 'alone',
      isSentAlone: true,
      record: itself,
    },
    schema: {
      operationId: 'setAttachmentThumbnail',
      summary: 'Store a small image of a file',
      description:
        'The body is an image of at most 64 KiB: PNG, JPEG, GIF, WebP or AVIF. The service does not create thumbnails itself. The history does not record this.',
      tags,
      params: IdParams,
      response: { 200: ref(AttachmentSchema), 404: ref(ErrorBody), 507: ref(ErrorBody) },
    },
    preHandler: async (request, reply) => {
      try {
        const thumbnail = await receiveThumbnail(request)
        thumbnails.set(request, thumbnail)
        request.body = thumbnail.sha256
      } catch (error) {
        if (!request.raw.complete) reply.header('connection', 'close')
        throw error
      }
    },
    handler: async (request) =>
      attachments.setThumbnail(idOf(request), thumbnails.get(request) as Thumbnail, files.total),
  })
}

/** The attachments of kanban items: files and links. */
const attachmentRoutes: Routes = async (app) => {
  const { attachments } = app.board
  const { files } = app
  const tags = ['Attachments']
  const children = childRoutes(app, attachments, { record: AttachmentSchema, tag: 'Attachments' })

  children.list('/api/kanban-items/:id/attachments', {
    operationId: 'listAttachments',
    summary: 'List the attachments of an item',
    description: 'Oldest first.',
    failure: 'Failed to fetch attachments',
  })

  await app.register(uploadRoutes)

  children.get('/api/attachments/:id', {
    operationId: 'getAttachment',
    summary: 'Get an attachment',
    failure: 'Failed to fetch attachment',
  })
  children.update('/api/attachments/:id', {
    operationId: 'updateAttachment',
    summary: 'Rename an attachment',
    failure: 'Failed to update attachment',
    body: UpdateAttachment,
    example: { name: 'plan.pdf' },
  })
  children.delete('/api/attachments/:id', {
    operationId: 'deleteAttachment',
    summary: 'Delete an attachment',
    description:
      'An undo restores it with its bytes. If it was the cover of its item, the item has no cover afterwards.',
    failure: 'Failed to delete attachment',
  })

  app.get('/api/attachments/:id/content', {
    config: {
      access: 'read',
      failure: 'Failed to fetch attachment',
      isSentAlone: true,
      contentSecurityPolicy: CONTENT_POLICY,
    },
    schema: {
      operationId: 'getAttachmentContent',
      summary: 'Download a file',
      description:
        'The ETag is the hash of the bytes; `Range` and `If-Range` work as in RFC 9110, for one range. PNG, JPEG, GIF, WebP, AVIF and PDF may be shown in place; everything else is a download.',
      tags,
      params: IdParams,
      response: downloadResponses,
    },
    handler: async (request, reply) => {
      const found = await app.read(attachments.content(idOf(request)), callerOf(request))
      return sendContent(
        reply,
        found,
        (chunk) => files.store.read(found.content, chunk),
        () => files.downloads.wait(shareOf(request)),
      )
    },
  })

  app.get('/api/attachments/:id/thumbnail', {
    config: {
      access: 'read',
      failure: 'Failed to fetch attachment',
      isSentAlone: true,
      contentSecurityPolicy: CONTENT_POLICY,
    },
    schema: {
      operationId: 'getAttachmentThumbnail',
      summary: 'Get the small image of a file',
      description: 'The image that a client has stored; 404 without one.',
      tags,
      params: IdParams,
      response: downloadResponses,
    },
    handler: async (request, reply) => {
      const found = await app.read(attachments.thumbnail(idOf(request)), callerOf(request))
      const bytes = await files.store.read(found.content, 0)
      if (bytes === undefined) throw new Error('the thumbnail is missing')
      const { imageTypeOf } = await import('../src/requests/file-types.ts')
      const mediaType = (await imageTypeOf(bytes)) ?? 'application/octet-stream'
      const content = { name: found.name, mediaType, size: bytes.byteLength, sha256: found.sha256 }
      return sendContent(
        reply,
        content,
        async () => bytes,
        () => files.downloads.wait(shareOf(request)),
      )
    },
  })
}

export default attachmentRoutes
