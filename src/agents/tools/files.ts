/** The tool that attaches files. */
import { Type } from '@sinclair/typebox'
import { invalidField, validationFailed } from '../../errors.ts'
import { AttachmentSchema } from '../../schemas/records.ts'
import { ATTACHMENTS, FILE_LIMIT, tooLargeToAttach } from '../attachments.ts'
import { Arguments, type RouteSchemas } from '../schemas.ts'
import { ADDS, type Tool, WRITTEN, writtenOf } from '../tool.ts'
import { IdempotencyKey, ItemId } from './writing.ts'

/** Base64 of so many bytes, in characters. */
const BASE64_LENGTH = Math.ceil(FILE_LIMIT / 3) * 4

/** The bytes of a call. @throws ApiError 400, 413 */
function bytesOf({ text, base64 }: { text?: string; base64?: string }): Buffer {
  if ((text === undefined) === (base64 === undefined)) {
    throw validationFailed({ formErrors: ['either text or base64 is required'], fieldErrors: {} })
  }
  if ((base64?.length ?? 0) > BASE64_LENGTH) throw tooLargeToAttach()
  if (base64 !== undefined && (base64.length % 4 !== 0 || !/^[A-Za-z\d+/]*={0,2}$/.test(base64)))
    throw invalidField('base64', 'must be padded base64')
  const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text)
  if (bytes.length > FILE_LIMIT) throw tooLargeToAttach()
  return bytes
}

/** `attach_file`. */
const attachFile = (_routes: RouteSchemas): Tool => ({
  name: 'attach_file',
  title: 'Attach a file to a kanban item',
  description:
    'Attaches a file of at most 1 MiB to an item, given as text or as base64. Use it for results that people should keep or open, such as a report, a table or an image; use comment for messages. Returns the attachment, with the `uri` of the resource that has its bytes.',
  hints: ADDS,
  input: Arguments({
    itemId: ItemId,
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The name of the file with its ending, e.g. report.md',
    }),
    text: Type.Optional(Type.String({ description: 'The content as text; else give base64' })),
    base64: Type.Optional(Type.String({ description: 'The content in base64; else give text' })),
    idempotencyKey: IdempotencyKey,
  }),
  output: Type.Object({
    attachment: Type.Object({
      ...Type.Pick(AttachmentSchema, ['id', 'itemId', 'name', 'mediaType', 'size', 'sha256', 'createdAt'])
        .properties,
      uri: Type.String(),
    }),
    ...WRITTEN,
  }),
  async run(args, service) {
    const { itemId, name, idempotencyKey } = args
    const written = await service.attach({ itemId, name, bytes: bytesOf(args) }, { args, idempotencyKey })
    const { id, mediaType, size, sha256, createdAt, ...made } = written.answers[0]?.body[0] ?? {}
    const uri = ATTACHMENTS + encodeURIComponent(id)
    const attachment = { id, itemId, name: made.name, mediaType, size, sha256, createdAt, uri }
    return { attachment, ...writtenOf(written) }
  },
})

export const fileTools = [attachFile]
