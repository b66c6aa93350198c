import fp from 'fastify-plugin'

/**
 * What a cache on the way may do with an answer (RFC 9111, section 5.2.2). `no-cache`: keep it, but ask each time whether it
 * still holds, which looks at the caller's credential, too. `no-store`: not even that.
 */
export type Caching = 'no-cache' | 'no-store'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `no-store` where the answer depends on who asks. Routes with the access `own` need not say so. */
    caching?: Caching
  }
}

/** What caches may do with answers, errors too. Register it before whatever may refuse a request. */
export default fp<{ hooksComeFirst: boolean }>(
  async (app, { hooksComeFirst }) => {
    app.addHook('onRoute', (route) => {
      const { access, caching = access === 'own' ? 'no-store' : 'no-cache' } = route.config ?? {}
      route.config = { ...route.config, caching }
    })
    app.addHook('onRequest', (request, reply, done) => {
      const { caching = 'no-cache' } = request.routeOptions.config
      // Inside a host: what it has decided for its answers holds, but for what is nobody else's.
      if (hooksComeFirst || caching === 'no-store' || !reply.hasHeader('cache-control')) {
        reply.header('cache-control', caching)
      }
      done()
    })
  },
  { name: 'caching', fastify: '5.x' },
)
