import type { IncomingMessage, ServerResponse } from 'node:http'
import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import { isVerbose, logRequest } from '../src/http/request-log.ts'
import type { Snapshot } from '../src/reading/snapshots.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The cached response to a GET without a query, if it is current and smaller than `below`, in bytes: then the router is not
     * needed. Only for a path whose last segment is the id, and what the default member sees.
     */
    kept?: (id: string, below: number) => Snapshot | undefined
  }
  interface FastifyInstance {
    /** Begins to respond to repeated reads without the router. Only where nothing else adds hooks: they would not run. */
    useFastPath: () => void
  }
}

/** The options of the fast path. */
type FastPathOptions = Pick<Config, 'authMode' | 'corsOrigins' | 'rateLimitMax'>

/** A route with cached responses. */
interface FastRoute {
  path: string
  kept: (id: string, below: number) => Snapshot | undefined
  /** The headers of all its responses: names and values alternate. */
  headers: readonly string[]
}

/** Responses from this size on, in bytes, may be compressed, or count as unsent: hooks of the router do that. */
const SMALL = 32_768

/** An id that is the same when decoded. */
const PLAIN_ID = /^[\w-]+$/

/**
 * Request headers that do not affect the response. Any other header, e.g. a credential, one of a proxy or an unknown one, makes it
 * a request for the router, and so does a body, which is announced by a header.
 */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  // Checked with the default member.
  'host',
  // Compared here.
  'if-none-match',
  'pragma',
  'priority',
  'referer',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'user-agent',
])

/** Whether a request has a `Host` header and other harmless ones, each of them once. */
function isPlain({ headers, rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (const name in headers) {
    if (!HARMLESS.has(name)) return false
    count++
  }
  return headers.host !== undefined && rawHeaders.length === 2 * count
}

/**
 * Responds to repeated reads without the router: a GET of the default member, without anything unusual, whose response is cached and
 * current (docs/decisions/079-fast-path.md). Everything else, errors too, is the router's. Register it before routes.
 */
export default fp<FastPathOptions>(
  async (app, { authMode, corsOrigins, rateLimitMax }) => {
    const { server, routing } = app
    const routes = new Map<string, FastRoute>()

    app.addHook('onRoute', ({ method, path, config: { kept, headers = {} } = {} }) => {
      if (kept === undefined || method !== 'GET') return
      const [start] = path.split(':', 1) as [string]
      routes.set(start, { path, kept, headers: Object.entries(headers).flat() })
    })

    /** The cached response, or undefined. If the database fails, the router says so. */
    function keptOf({ kept }: FastRoute, id: string): Snapshot | undefined {
      try {
        return kept(id, SMALL)
      } catch {
        return undefined
      }
    }

    /** @returns whether it has responded */
    function respond(request: IncomingMessage, response: ServerResponse): boolean {
      const { method, url = '', headers } = request
      const afterSlash = url.lastIndexOf('/') + 1
      const route = method === 'GET' ? routes.get(url.slice(0, afterSlash)) : undefined
      const id = url.slice(afterSlash)
      // While the service stops, responses close their connections.
      if (route === undefined || !PLAIN_ID.test(id) || !isPlain(request) || !server.listening) return false
      if (!app.actsForDefault(request)) return false
      const snapshot = keptOf(route, id)
      if (snapshot === undefined) return false
      const { 'if-none-match': named } = headers
      // Lists of ETags, weak ones, and those of compressed responses are the router's.
      if (named !== undefined && named !== snapshot.etag) return false
      send(route, url, snapshot, named === undefined ? 200 : 304, response)
      return true
    }

    function send(
      { path, headers }: FastRoute,
      url: string,
      { body, etag }: Snapshot,
      status: 200 | 304,
      response: ServerResponse,
    ): void {
      const begun = performance.now()
      const sent = () => {
        const milliseconds = performance.now() - begun
        app.requestCounters.add(path, 'GET', status, milliseconds / 1000)
        logRequest(app.log, milliseconds, () => ({ method: 'GET', path: url, status }))
      }
      const head = [...headers, 'etag', etag]
      if (status === 200) {
        head.push('content-type', 'application/json; charset=utf-8', 'content-length', String(body.length))
        response.writeHead(status, head).end(body, sent)
      } else response.writeHead(status, head).end(sent)
    }

    app.decorate('useFastPath', () => {
      const hasMore = corsOrigins.length > 0 || rateLimitMax > 0 || isVerbose(app.log)
      // A hook adds the headers of CORS or of the rate limit, or logs each request.
      if (authMode !== 'open' || hasMore) return
      server.off('request', routing)
      server.on('request', (request, response) => {
        if (!respond(request, response)) routing(request, response)
      })
    })
  },
  { name: 'fast-path', fastify: '5.x', dependencies: ['auth', 'headers', 'snapshots', 'telemetry'] },
)
