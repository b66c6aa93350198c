/** Files in forms, as browsers and `curl -F` send them: `multipart/form-data` with one part, the file. */
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { ApiError, validationFailed } from '../errors.ts'
import { counted, errorOf, formLimit, receive, type Uploaded } from './uploads.ts'

/** The longest name of a file, in characters. */
const NAME_LIMIT = 200

const notOneFile = () =>
  validationFailed({ formErrors: ['must be a form of one part, which is the file'], fieldErrors: {} })

/** A name that is safe for messages; undefined for none. */
function shownName(name: string | undefined): string | undefined {
  const shown = name
    ?.toWellFormed()
    .replace(/\p{Cc}/gu, '')
    .trim()
    .slice(0, NAME_LIMIT)
  return shown || undefined
}

/**
 * Streams the file of a form to a new file, mode 0600.
 * @param type the media type of the body, with its boundary
 * @param limit maximum size of the file, in bytes
 * @throws ApiError 400 for an invalid or truncated form; 413 for a too large file. The caller removes the
 * incomplete file
 */
export async function receiveForm(
  body: Readable,
  type: string,
  file: string,
  limit: number,
): Promise<Uploaded> {
  const form = openForm(type)
  let part: Readable | undefined
  let sent: Promise<Uploaded> | undefined
  let failure: unknown
  const fail = (error: unknown) => {
    failure ??= error
    part?.destroy(error as Error)
    form.destroy(error as Error)
  }
  const refuse = (error?: unknown) => fail(error instanceof ApiError ? error : notOneFile())
  form.on('file', (_field: string, stream: Readable, name?: string) => {
    part = stream
    // It may fail before it is read, or after it was read completely.
    stream.on('error', refuse)
    sent = receive(stream, file, limit).then((uploaded) => ({ ...uploaded, name: shownName(name) }))
    sent.catch(fail)
  })
  form.on('error', refuse)
  form.on('field', refuse)
  form.on('partsLimit', refuse)
  try {
    await pipeline(() => counted(body, formLimit(limit)), form)
    if (sent === undefined) throw notOneFile()
    return await sent
  } catch (error) {
    fail(errorOf(body, error))
    // It must end before the file is removed.
    await sent?.catch(() => undefined)
    throw failure
  }
}

/** The parser of a form. @throws ApiError 400 if the type has no boundary */
function openForm(type: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': type }, limits: { parts: 1, headerPairs: 100 } })
  } catch {
    throw notOneFile()
  }
}
