import type { onSendHookHandler } from 'fastify'
import fp from 'fastify-plugin'
import { Tail } from '../src/changes/tail.ts'
import { watchCredentials } from '../src/members/ended-credentials.ts'
import { isSafe } from '../src/members/identity.ts'
import { methodsOf } from '../src/requests/response-shapes.ts'
import { ChangeReaders } from '../src/streams/change-readers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Detects new changes of any process. */
    tail: Tail
    /** Streams of changes, and long polls. */
    changeReaders: ChangeReaders
  }
}

/** Follows the sequence of changes for all its readers. */
export default fp<{ streamsMax: number }>(
  async (app, { streamsMax }) => {
    const { sequence, feed } = app.rules.changes
    const tail = new Tail(sequence, feed, (err) => app.log.error({ err }, 'could not read the changes'))
    const { identifyAgain } = app
    const { policy } = app.scoped
    const refresh = () => app.freshness.versionNow()
    const readers = new ChangeReaders({
      tail,
      feed,
      sequence,
      policy,
      refresh,
      onError: (err) => app.log.error({ err }, 'could not deliver the changes'),
      max: streamsMax,
      identifyAgain,
    })
    app.decorate('tail', tail)
    app.decorate('changeReaders', readers)
    watchCredentials(app.db, (id) => readers.credentialEnds(id))

    const notify: onSendHookHandler = (_request, _reply, payload, done) => {
      tail.notify()
      done(null, payload)
    }
    app.addHook('onRoute', (route) => {
      if (!methodsOf(route).every(isSafe)) route.onSend = [notify, route.onSend ?? []].flat()
    })
    app.addHook('preClose', async () => readers.close())
  },
  { name: 'changes', fastify: '5.x', dependencies: ['auth', 'rules'] },
)
