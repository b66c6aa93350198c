import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import fresh from 'fresh'
import { answerFrom } from '../src/http/inner-app.ts'
import { DATA_POLICY } from '../src/http/missing-pages.ts'
import { isWatched } from '../src/http/web-build.ts'
import { makeWebPage, type WebPage } from '../src/http/web-page.ts'
import { memoizeAsync } from '../src/once.ts'

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
]

/** The address of the board behind a share link. */
const SHARED = '/shared/:secret'

/** A file's URL exactly as the HTML names it: no traversal, and no aliases of the same file. */
const ASSET = /^[^?]*\/assets\/[\w-][\w.-]*\.(js|css|svg)(\?|$)/

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

/**
 * The board page: the same HTML at each of its addresses, and the files that it loads. It gets all data from the API, with
 * the user's credential. Everything is loaded lazily, by the first request.
 */
const pageRoutes: FastifyPluginAsync<{ shareLinks: boolean }> = async (app, { shareLinks }) => {
  const addresses = [...ADDRESSES, ...(shareLinks ? [SHARED] : [])]
  const pages = new Map<number, () => Promise<WebPage>>()
  for (const depth of new Set(addresses.map(depthOf))) {
    const make = () => makeWebPage(depth)
    pages.set(depth, isWatched ? make : memoizeAsync(make))
  }

  async function sendPage(make: () => Promise<WebPage>, request: FastifyRequest, reply: FastifyReply) {
    const { html, etag } = await make()
    reply.header('etag', etag)
    if (fresh(request.headers, { etag })) return reply.code(304).send()
    return reply.type('text/html; charset=utf-8').send(html)
  }

  for (const address of addresses) {
    const make = pages.get(depthOf(address)) as () => Promise<WebPage>
    app.route({
      // One route for both, which takes half as long to register.
      method: ['GET', 'HEAD'],
      url: address,
      config: {
        access: 'public',
        failure: 'Internal server error',
        contentSecurityPolicy: PAGE_POLICY,
        hasSecretAddress: address === SHARED,
      },
      schema: { hide: true },
      handler: async (request, reply) => {
        const moved = address === '/' ? withSlash(request) : undefined
        return moved === undefined ? sendPage(make, request, reply) : reply.redirect(moved)
      },
    })
  }

  app.missingPage.send = async (reply, depth) => {
    let make = pages.get(depth)
    if (make === undefined) {
      make = isWatched ? () => makeWebPage(depth) : memoizeAsync(() => makeWebPage(depth))
      pages.set(depth, make)
    }
    const { html } = await make()
    // A host's own policy stays.
    if (reply.getHeader(POLICY) === DATA_POLICY) reply.header(POLICY, PAGE_POLICY)
    return reply.type('text/html; charset=utf-8').send(html)
  }

  const sendAsset = answerFrom(async () =>
    (await import('../src/http/web-assets.ts')).createAssets(app.prefix),
  )
  app.get('/assets/:name', {
    config: { access: 'public', failure: 'Internal server error' },
    schema: { hide: true },
    handler: async (request, reply) =>
      ASSET.test(request.url) ? sendAsset(request, reply) : reply.callNotFound(),
  })
}

export default pageRoutes
