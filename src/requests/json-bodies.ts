/** JSON bodies: their parser, and the check of those of routes that also accept files. */
import type { Readable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import type { SchemaObject } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { SpecifiedFailure, validationFailed } from '../errors.ts'
import { parseJson } from '../json.ts'
import { once } from '../once.ts'
import { createStrictChecks } from './strict-checks.ts'
import { isStrict } from './strictness.ts'
import { counted } from './uploads.ts'
import { compilePlain } from './validation.ts'
import { flattenErrors } from './violations.ts'

/** The largest body of a route that also accepts files, in bytes. */
const LIMIT = 65_536

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Parses a body. @throws SpecifiedFailure if it is not JSON in UTF-8 */
export function parseBody(bytes: Uint8Array): unknown {
  try {
    return parseJson(utf8.decode(bytes))
  } catch {
    // The parser's message quotes the body, which must not be logged.
    throw new SpecifiedFailure('the request body is not JSON', 'not_json')
  }
}

/** Makes Fastify treat a request as one without a body: a DELETE without a body schema, and some other routes, ignore it, whatever it is. */
export function hideBody(request: FastifyRequest): void {
  request.headers = {
    'content-type': undefined,
    'content-length': '0',
    'transfer-encoding': undefined,
  } as unknown as typeof request.headers
}

/** Reads a body. @throws ApiError 413; SpecifiedFailure for one that is not JSON */
export async function readJson(body: Readable): Promise<unknown> {
  const chunks: Buffer[] = []
  for await (const chunk of counted(body, LIMIT)) chunks.push(chunk)
  return parseBody(Buffer.concat(chunks))
}

/** Creates the check of bodies against a schema. @returns the body, without unknown fields; it throws ApiError 400 */
export function bodyCheck<Body extends TSchema>(
  schema: Body,
): (request: FastifyRequest, body: unknown) => Body['static'] {
  const check = once(() => compilePlain(schema as SchemaObject))
  const strictCheck = createStrictChecks()({ body: schema })
  return (request, body) => {
    const violations = isStrict(request) ? strictCheck({ body, query: {} }) : undefined
    if (violations) throw validationFailed(violations)
    const validate = check()
    if (!validate(body)) throw validationFailed(flattenErrors(validate.errors ?? []))
    return body
  }
}
