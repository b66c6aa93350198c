import type { IncomingMessage, ServerResponse } from 'node:http'
import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import { WORTH_IT } from '../src/http/compression.ts'
import { isVerbose, logRequest } from '../src/http/request-log.ts'
import type { Snapshot } from '../src/reading/snapshots.ts'

/** Returns the cached response to an id if it is current and wanted. */
type Kept = (id: string, isWanted: (snapshot: Snapshot) => boolean) => Snapshot | undefined

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The cached response to a GET without a query: if there is one, the router is not needed. Only for paths that end with the id.
     * It must return what the default member may see.
     */
    kept?: Kept
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
  kept: Kept
  /** The headers of all its responses: names and values alternate. */
  headers: readonly string[]
}

/** An id that is the same when decoded. */
const PLAIN_ID = /^[\w-]+$/

/** A path whose only parameter is its last segment. */
const ENDS_WITH_ID = /^[^:]+\/:\w+$/

/**
 * Request headers that need no router: they do not affect the response, or are handled here or by Node. Any other header, e.g. a
 * credential, one of a proxy or an unknown one, makes it a request for the router, and so does a body, which is announced by a header.
 */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'cache-control',
  'connection',
  'host',
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

    app.addHook('onRoute', ({ method, path, config = {} }) => {
      const { access, headers = {}, kept, ...others } = config
      // Inside a host there is no fast path, and its prefix may have parameters.
      if (kept === undefined || method !== 'GET' || app.prefix !== '') return
      const isUsual = !others.hasSecretAddress && !others.waits && others.contentSecurityPolicy === undefined
      if (access !== 'read' || !isUsual || !ENDS_WITH_ID.test(path))
        throw new Error(`GET ${path} needs the router`)
      const [start] = path.split(':', 1) as [string]
      routes.set(start, { path, kept, headers: Object.entries(headers).flat() })
    })

    /** @returns whether it has responded */
    function respond(request: IncomingMessage, response: ServerResponse): boolean {
      const { method, url = '', headers } = request
      const afterSlash = url.lastIndexOf('/') + 1
      const route = method === 'GET' ? routes.get(url.slice(0, afterSlash)) : undefined
      const id = url.slice(afterSlash)
      // While the service stops, responses close their connections.
      if (route === undefined || !PLAIN_ID.test(id) || !isPlain(request) || !server.listening) return false
      if (!app.actsForDefault(request)) return false
      const begun = performance.now()
      const { 'if-none-match': named } = headers
      // Larger bodies may be compressed, or count as unsent. Lists of ETags, weak ones, and those of compressed bodies are the router's.
      const snapshot = keptOf(
        route,
        id,
        ({ body, etag }) => body.length < WORTH_IT && (named === undefined || named === etag),
      )
      if (snapshot === undefined) return false
      app.expectSmallResponse?.(request.socket)
      const status = named === undefined ? 200 : 304
      const sent = () => {
        const milliseconds = performance.now() - begun
        app.requestCounters.add(route.path, 'GET', status, milliseconds / 1000)
        logRequest(app.log, milliseconds, () => ({ method: 'GET', path: url, status }))
      }
      send(response, route, snapshot, status, sent)
      return true
    }

    /** The cached response, or undefined. If the database fails, the router says so. */
    function keptOf({ kept }: FastRoute, ...parameters: Parameters<Kept>): Snapshot | undefined {
      try {
        return kept(...parameters)
      } catch {
        return undefined
      }
    }

    function send(
      response: ServerResponse,
      { headers }: FastRoute,
      { body, etag }: Snapshot,
      status: 200 | 304,
      sent: () => void,
    ): void {
      const head = [...headers, 'etag', etag]
      if (status === 200) {
        head.push('content-type', 'application/json; charset=utf-8', 'content-length', String(body.length))
        response.writeHead(status, head).end(body, sent)
      } else response.writeHead(status, head).end(sent)
    }

    app.decorate('useFastPath', () => {
      // A hook adds the headers of CORS or of the rate limit, or logs each request.
      const hasMore = corsOrigins.length > 0 || rateLimitMax > 0 || isVerbose(app.log)
      if (authMode !== 'open' || hasMore) return
      if (!server.listeners('request').includes(routing)) throw new Error('the router does not listen itself')
      server.off('request', routing)
      server.on('request', (request, response) => {
        if (!respond(request, response)) routing(request, response)
      })
    })
  },
  { name: 'fast-path', fastify: '5.x', dependencies: ['auth', 'headers', 'snapshots', 'telemetry'] },
)
