import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type FixedContent, fixedText, sendFixed } from '../src/http/fixed-content.ts'
import { memoizeAsync } from '../src/once.ts'

/** The page may load only its own files; its images are in the style sheet. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The OpenAPI document, and a page to read and try it. Both are made by the first request for them. */
const docsRoutes: FastifyPluginAsync = async (app) => {
  const config = { access: 'public', contentSecurityPolicy: PAGE_POLICY } as const
  const schema = { hide: true }
  const document = memoizeAsync(async () =>
    fixedText('application/json', JSON.stringify(await app.openapi())),
  )
  const page = memoizeAsync(async () => (await import('../src/http/docs-page.ts')).createDocsPage())
  const sendIfFound = (reply: FastifyReply, content: FixedContent | undefined) =>
    content === undefined ? reply.callNotFound() : sendFixed(reply, content)

  app.get('/openapi.json', {
    config: { access: 'public', failure: 'Internal server error' },
    schema,
    handler: async (_request, reply) => sendFixed(reply, await document()),
  })
  app.get('/docs/json', {
    config,
    schema,
    handler: async (_request, reply) => sendFixed(reply, await document()),
  })
  app.get('/docs', {
    config,
    schema,
    handler: async ({ originalUrl }, reply) => {
      const [path = ''] = originalUrl.split('?', 1)
      return sendIfFound(reply, await (await page())(path.endsWith('/') ? '/' : ''))
    },
  })
  app.get<{ Params: { '*': string } }>('/docs/*', {
    config,
    schema,
    handler: async ({ params }, reply) => sendIfFound(reply, await (await page())(`/${params['*']}`)),
  })
}

export default docsRoutes
