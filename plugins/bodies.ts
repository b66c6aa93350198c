import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { SpecifiedFailure } from '../src/errors.ts'
import { namedSchemas } from '../src/schemas/records.ts'
import { createSerializerCompiler } from '../src/serialization.ts'
import { createValidatorCompiler, parseJson } from '../src/validation.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

const hasBody = new Set(['POST', 'PUT', 'PATCH'])

/** A DELETE's body is ignored, whatever it claims to be: Fastify is told that there is none. */
async function ignoreBody(request: FastifyRequest): Promise<void> {
  if (request.method !== 'DELETE') return
  request.headers = {
    'content-type': undefined,
    'content-length': '0',
    'transfer-encoding': undefined,
  } as unknown as typeof request.headers
}

/** Without a body there is nothing that could be parsed, whatever its type would be: the same as a body that is not JSON. */
const refuseEmptyBody: preParsingHookHandler = ({ method, headers }, _reply, payload, done) => {
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty && hasBody.has(method)) done(new SpecifiedFailure('the request body is empty'))
  else done(null, payload)
}

/**
 * How bodies are read, validated and written: JSON in UTF-8 and nothing else. The options stand here, not in
 * the Fastify() call, so that they hold inside a host application too, and leave the host's own alone.
 */
export default fp<{ bodyLimit: number }>(
  async (app, { bodyLimit }) => {
    app.setValidatorCompiler(createValidatorCompiler())
    app.setSerializerCompiler(createSerializerCompiler(namedSchemas))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser<Buffer>(
      'application/json',
      { parseAs: 'buffer', bodyLimit },
      (_request, body, done) => {
        let value: unknown
        try {
          value = parseJson(utf8.decode(body))
        } catch {
          // The parser's own message quotes the body, which has no business in a log.
          done(new SpecifiedFailure('the request body is not JSON'))
          return
        }
        done(null, value)
      },
    )

    // Only the routes that could have a body pay for the question: most requests are reads.
    app.addHook('onRoute', (route) => {
      const methods = [route.method].flat()
      if (methods.includes('DELETE')) route.onRequest = [ignoreBody, route.onRequest ?? []].flat()
      if (methods.some((method) => hasBody.has(method))) {
        route.preParsing = [refuseEmptyBody, route.preParsing ?? []].flat()
      }
    })
  },
  { name: 'bodies', fastify: '5.x' },
)
