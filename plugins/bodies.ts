import type { Http2ServerRequest } from 'node:http2'
import { finished, Readable } from 'node:stream'
import type { TSchema } from '@sinclair/typebox'
import type { FastifyRequest, preParsingHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { shareOf } from '../src/access/identity.ts'
import { SpecifiedFailure } from '../src/errors.ts'
import { hasBody } from '../src/members/identity.ts'
import { hideBody, parseBody } from '../src/requests/json-bodies.ts'
import { TransferSlots } from '../src/requests/transfer-slots.ts'
import { gathered, refusal } from '../src/requests/uploads.ts'
import { createValidatorCompiler } from '../src/requests/validation.ts'
import { createSerializer } from '../src/schemas/serialization.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether an absent body means `{}`: for actions with an optional body. */
    isBodyOptional?: boolean
    /** Whether a body is ignored, whatever it is. */
    ignoresBody?: boolean
  }
}

/** Bytes above which a body takes a slot until it has arrived, since it is held in memory meanwhile. */
const LARGE = 16 * 1024

/** Slots for them, and those of a share. */
const LARGE_AT_ONCE = 64
const LARGE_OF_SHARE = 8

const JSON_TYPE = 'application/json'
const FILE_TYPE = 'application/octet-stream'

/** Whether no body follows. In HTTP/2 a frame flag says so, and a body needs no header. */
function isBodyAbsent({ raw, headers }: FastifyRequest): boolean {
  if (raw.httpVersionMajor > 1) return (raw as unknown as Http2ServerRequest).stream.endAfterHeaders
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
}

/** Whether a route's body is optional: an absent one is then an empty object. */
const takesNoBody = ({ routeOptions }: FastifyRequest) => routeOptions.config.isBodyOptional === true

/** Whether a body may be large: its length may be unknown. */
const isLarge = ({ raw }: FastifyRequest) => !(Number(raw.headers['content-length']) <= LARGE)

/**
 * Takes every body as JSON, whatever its media type, except files. An absent body is treated like one that is not JSON. Large bodies wait for a
 * slot: thousands of clients could each send all but the end of one.
 */
function takeBodies(): preParsingHookHandler {
  const slots = new TransferSlots(LARGE_AT_ONCE, { ofShare: LARGE_OF_SHARE })
  return (request, reply, payload, done) => {
    const { method, headers, routeOptions } = request
    const { takesFile = false } = routeOptions.config
    const isEmpty = isBodyAbsent(request)
    if (takesFile) {
      // Any media type, as for JSON. The file's reader reports an empty body.
      if (!isEmpty) request.headers = { 'content-type': FILE_TYPE }
      return done(null, payload)
    }
    if (isEmpty && (hasBody(method) || routeOptions.schema?.body !== undefined)) {
      if (!takesNoBody(request)) return done(new SpecifiedFailure('the request body is empty', 'not_json'))
      hideBody(request)
      request.body = {}
    } else if (headers['content-type'] !== JSON_TYPE) {
      // Fastify rejects a malformed media type before any parser runs.
      request.headers = { 'content-type': JSON_TYPE }
    }
    if (isEmpty || !isLarge(request)) return done(null, payload)
    const take = (leave: () => void) => {
      finished(payload, leave)
      // One that is refused is not read to its end.
      finished(reply.raw, leave)
      // It would never end.
      if (payload.destroyed) return done(refusal(400, 'Bad Request'))
      const body = Readable.from(gathered((payload as Readable).iterator({ destroyOnReturn: false })))
      // Nobody reads the rest of one that is refused.
      body.on('error', () => undefined)
      done(null, body)
    }
    slots.wait(shareOf(request)).then(take, done)
  }
}

/**
 * How bodies are parsed, validated and serialised: JSON in UTF-8 and nothing else. Cross-site forms are rejected by their
 * origin (see `src/access/csrf.ts`), not by their media type. The options are set here, not in the Fastify() call, so that
 * they apply inside a host application too, and leave the host's own alone.
 */
export default fp<{ bodyLimit: number }>(
  async (app, { bodyLimit }) => {
    app.setValidatorCompiler(createValidatorCompiler())
    app.setSerializerCompiler(({ schema }) => createSerializer(schema as TSchema))
    app.removeAllContentTypeParsers()
    app.addContentTypeParser<Buffer>(JSON_TYPE, { parseAs: 'buffer', bodyLimit }, (request, body, done) => {
      let value: unknown
      try {
        value = body.length === 0 && takesNoBody(request) ? {} : parseBody(body)
      } catch (error) {
        done(error as SpecifiedFailure)
        return
      }
      done(null, value)
    })

    const takeBody = takeBodies()
    // Only on routes that may have a body: most requests are reads.
    app.addHook('onRoute', (route) => {
      const methods = [route.method].flat()
      const isForBody = route.schema?.body !== undefined
      const isIgnored = route.config?.ignoresBody === true
      if (!isIgnored && (isForBody || methods.some(hasBody))) {
        route.preParsing = [takeBody, route.preParsing ?? []].flat()
      }
    })
  },
  { name: 'bodies', fastify: '5.x' },
)
