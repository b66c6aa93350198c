import type { onRequestHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import type { Config } from '../src/config.ts'
import { SECURE_HEADERS, TLS_ONLY } from '../src/http/secure-headers.ts'

/** What the secure-headers plugin needs to know. */
export interface SecureHeadersOptions extends Pick<Config, 'trustProxy'> {
  /** Whether no host's hooks run before the service's. */
  hooksComeFirst: boolean
}

/** Inside a host: what it has decided for its answers holds for these, too. */
const addMissing: onRequestHookHandler = (_request, reply, done) => {
  for (const [name, value] of Object.entries(SECURE_HEADERS)) {
    if (!reply.hasHeader(name)) reply.header(name, value)
  }
  done()
}

/** Headers that keep browsers from misusing answers, errors too. */
export default fp<SecureHeadersOptions>(
  async (app, { hooksComeFirst, trustProxy }) => {
    if (!hooksComeFirst) {
      app.addHook('onRequest', addMissing)
      return
    }
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(SECURE_HEADERS)
      done()
    })
    // Only a proxy in front speaks TLS. Inside a host it is the host's to say: the header holds for all of its name.
    if (trustProxy !== false) {
      app.addHook('onRequest', (request, reply, done) => {
        if (request.protocol === 'https') reply.header('strict-transport-security', TLS_ONLY)
        done()
      })
    }
  },
  { name: 'secure-headers', fastify: '5.x' },
)
