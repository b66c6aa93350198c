import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import type { Config } from '../src/config.ts'
import { type FixedContent, fixedFiles, sendFixed } from '../src/http/fixed-content.ts'
import { DATA_POLICY } from '../src/http/missing-pages.ts'
import { findWebBuild, isWatched } from '../src/http/web-build.ts'
import { makeWebPage } from '../src/http/web-page.ts'
import { memoizeAsync, once } from '../src/once.ts'

const POLICY = 'content-security-policy'
/** Only the service's own files: no inline script or style, and only the sanitiser may turn text into HTML. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // DOMPurify's policy, and ours for the address of the Markdown worker.
  'trusted-types dompurify phaseboard',
].join('; ')

/** The addresses of the page's views. */
const ADDRESSES = [
  '/',
  '/projects/:id',
  '/projects/:id/items/:itemId',
  '/projects/:id/overview',
  '/projects/:id/flow',
  '/projects/:id/trash',
  '/trash',
  // A page for development.
  ...(isWatched ? ['/styleguide'] : []),
  '/mine',
  '/notifications',
  '/ideas',
  '/search',
  '/sign-in',
  '/link',
  '/account',
  '/admin/members',
  '/admin/people',
  '/admin/teams',
  '/admin/webhooks',
  '/admin/audit',
  // A card by its number: `/WEB-12`.
  '/:number([A-Za-z][A-Za-z0-9]{1,5}-[1-9]\\d*)',
]

/** The addresses at which the page begins with a board. */
const BOARDS = ['/projects/:id', '/projects/:id/items/:itemId']

/** What the page requests first there. */
const FIRST = [
  '/session',
  ...['', '/kanban-columns', '/kanban-labels', '/kanban-counts'].map((part) => `/projects/:id${part}`),
]

/** A `Link` header by which a browser requests the board's data with the page's scripts, not after them. @param id from the address */
const preloadsOf = (depth: number, id: string): string =>
  FIRST.map((path) => {
    const target = path.replace(':id', encodeURIComponent(id.toWellFormed()))
    return `<${'../'.repeat(depth)}api${target}>; rel=preload; as=fetch; crossorigin`
  }).join(', ')

/** The address of the board behind a share link. */
const SHARED = '/shared/:secret'

/** The media types of the page's files. */
const TYPES = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
}

/** A file's URL exactly as the HTML names it: no traversal, and no aliases of the same file. */
const ASSET = /^[^?]*\/assets\/[\w-][\w.-]*\.(js|css|svg)(?:\?|$)/

/** The caching of the page's files: their names change with their content. */
const FOR_EVER = 'public, max-age=31536000, immutable'

const depthOf = (address: string) => address.split('/').length - 2

/**
 * The root's address with a trailing slash, which is missing only below a prefix. Relative, since proxies may have added
 * a prefix; with the dot, since a segment with a colon would be read as a scheme.
 */
function withSlash({ originalUrl }: FastifyRequest): string | undefined {
  const [path = '', ...query] = originalUrl.split('?')
  if (path.endsWith('/')) return undefined
  return [`./${path.slice(path.lastIndexOf('/') + 1)}/`, ...query].join('?')
}

type PageOptions = Pick<Config, 'shareLinks' | 'authMode'>

/**
 * The board page: the same HTML at each of its addresses, and the files that it loads. It gets all data from the API, with
 * the user's credential. Everything is loaded lazily, by the first request.
 */
const pageRoutes: FastifyPluginAsync<PageOptions> = async (app, { shareLinks, authMode }) => {
  const addresses = [...ADDRESSES, ...(shareLinks ? [SHARED] : [])]
  const pages = new Map<number, () => Promise<FixedContent>>()
  for (const depth of new Set(addresses.map(depthOf))) {
    const make = () => makeWebPage(depth)
    pages.set(depth, isWatched ? make : memoizeAsync(make))
  }

  for (const address of addresses) {
    const make = pages.get(depthOf(address)) as () => Promise<FixedContent>
    const isBoard = BOARDS.includes(address)
    app.route({
      // One route for both, which takes half as long to register.
      method: ['GET', 'HEAD'],
      url: address,
      config: {
        access: 'public',
        unlimited: true,
        failure: 'Internal server error',
        contentSecurityPolicy: PAGE_POLICY,
        hasSecretAddress: address === SHARED,
      },
      schema: { hide: true },
      handler: async (request, reply) => {
        const moved = address === '/' ? withSlash(request) : undefined
        if (isBoard && (authMode === 'open' || app.sessionCookies.read(request) !== undefined)) {
          const { id } = request.params as { id: string }
          reply.header('link', preloadsOf(depthOf(address), id))
        }
        return moved === undefined ? sendFixed(reply, await make()) : reply.redirect(moved)
      },
    })
  }

  app.missingPage.send = async (reply, depth) => {
    let make = pages.get(depth)
    if (make === undefined) {
      make = isWatched ? () => makeWebPage(depth) : memoizeAsync(() => makeWebPage(depth))
      pages.set(depth, make)
    }
    const { type, bytes } = await make()
    // A host's own policy stays.
    if (reply.getHeader(POLICY) === DATA_POLICY) reply.header(POLICY, PAGE_POLICY)
    return reply.type(type).send(bytes)
  }

  const file = once(() => fixedFiles(join(findWebBuild(), 'assets')))
  app.get<{ Params: { name: string } }>('/assets/:name', {
    config: { access: 'public', failure: 'Internal server error', unlimited: true },
    schema: { hide: true },
    handler: async ({ url, params: { name } }, reply) => {
      const [, extension] = ASSET.exec(url) ?? []
      const type = TYPES[extension as keyof typeof TYPES]
      const found = type === undefined ? undefined : await file()(name, type)
      return found === undefined ? reply.callNotFound() : sendFixed(reply, found, FOR_EVER)
    },
  })
}

export default pageRoutes
