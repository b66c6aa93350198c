import { setImmediate } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { principalOf } from '../src/access/caller.ts'
import { NotificationConsumer } from '../src/attention/consumer.ts'
import type { Recipient } from '../src/attention/recipients.ts'
import { systemClock } from '../src/clock.ts'
import { databasePath } from '../src/db/client.ts'
import { lockOfWork } from '../src/db/process-lock.ts'
import { repeat } from '../src/http/repeated.ts'
import type { Call } from '../src/requests/calls.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import { NotificationTail } from '../src/streams/notification-tail.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Creates notifications while the service runs. */
    notificationConsumer: NotificationConsumer
  }
}

const HOUR = 60 * 60 * 1000

/** Creates notifications, and sends them to streams, from when the service is ready until it stops. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const { attention, changes } = app.rules
    const { policy } = app.scoped
    const written = async <Result>(call: Call<Result>): Promise<void> =>
      void (await app.perform(call, BY_SERVICE))

    /** Whether a recipient sees a project now. True for people of a host: their rights are only known in their requests, which limit what they read. */
    function sees({ id, role }: Recipient, projectId: string): boolean {
      if (role === null) return true
      const member = { id, role, name: '', email: null }
      const principal = principalOf({ member, via: 'session', scope: 'read' })
      const scope = principal && policy.scopeNow(principal)
      return scope === undefined || scope.projects.has(projectId)
    }

    const tail = new NotificationTail({
      notifications: attention.notifications,
      readers: app.changeReaders,
      clock: systemClock,
      warn: (error) => app.log.warn({ err: error }, 'could not send notifications to streams'),
    })
    const consumer = new NotificationConsumer({
      sequence: changes.sequence,
      feed: changes.feed,
      rules: attention,
      writes: {
        store: (results) => written(app.attention.store(results)),
        storeTimes: (...times) => written(app.attention.storeTimes(...times)),
      },
      sees,
      restrictionsOf: (projectId) => changes.visibility.restrictions.of(projectId),
      others: new Set(app.defaultPeople.map(({ id }) => id)),
      lock: lockOfWork(databasePath(databaseUrl), 'attention'),
      clock: systemClock,
      onStored: () => tail.look(),
      warn: (fields, message) => app.log.warn(fields, message),
    })
    app.decorate('notificationConsumer', consumer)

    app.addHook('onReady', async () => {
      consumer.start()
      tail.start()
    })
    app.addHook('preClose', async () => {
      tail.stop()
      await consumer.stop()
    })

    repeat(app, HOUR, async (closing) => {
      try {
        for (const what of ['item', 'project'] as const) {
          for (let after: number | undefined = 0; after !== undefined && !closing.aborted; ) {
            const { places, next } = attention.leftovers(what, after)
            if (places.length > 0) await written(app.attention.forgetLeftovers(what, places))
            await setImmediate()
            after = next
          }
        }
      } catch (err) {
        app.log.warn({ err }, 'could not prune the watches')
      }
    })
  },
  { name: 'attention', fastify: '5.x', dependencies: ['changes', 'missing-names', 'people', 'rules'] },
)
