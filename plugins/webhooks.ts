import fp from 'fastify-plugin'
import { systemClock } from '../src/clock.ts'
import { databasePath } from '../src/db/client.ts'
import { lockOfWork } from '../src/db/process-lock.ts'
import type { Call } from '../src/requests/calls.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import { Attempts } from '../src/requests/turns.ts'
import { ChatMessages } from '../src/webhooks/chat-messages.ts'
import { Deliverer } from '../src/webhooks/deliverer.ts'
import { createLazySender } from '../src/webhooks/lazy-sender.ts'
import type { InTurn } from '../src/webhooks/webhook-sender.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Delivers changes to webhooks while the service runs. */
    deliverer: Deliverer
  }
}

/** The options of the webhooks plugin. */
interface WebhooksOptions {
  databaseUrl: string
  webhookAllowPrivate: boolean
  publicUrl?: string | undefined
}

/** Delivers changes to webhooks, from when the service is ready until it stops. */
export default fp<WebhooksOptions>(
  async (app, { databaseUrl, webhookAllowPrivate, publicUrl }) => {
    const { board, changes, deliveries, members } = app.rules
    /** Records the results of deliveries. */
    const written = async <Result>(call: Call<Result>): Promise<Result> =>
      (await app.perform(call, BY_SERVICE)).value
    const attempts = new Attempts()
    const inTurn: InTurn = (who, work) => attempts.do(who, work)
    const deliverer = new Deliverer({
      sequence: changes.sequence,
      deliveries,
      outcomes: {
        delivered: (...of) => written(app.deliveries.delivered(...of)),
        failed: (...of) => written(app.deliveries.failed(...of)),
        skipped: (...of) => written(app.deliveries.skipped(...of)),
      },
      sender: createLazySender({ clock: systemClock, inTurn, allowsPrivate: webhookAllowPrivate }),
      chat: new ChatMessages(
        app.db,
        {
          isDone: (...column) => board.columnNames.isDone(...column),
          people: members.people,
          sequence: changes.sequence,
        },
        { publicUrl, others: app.defaultPeople },
      ),
      inTurn,
      tail: app.tail,
      lock: lockOfWork(databasePath(databaseUrl), 'webhooks'),
      clock: systemClock,
      warn: (fields, message) => app.log.warn(fields, message),
    })
    app.decorate('deliverer', deliverer)
    app.addHook('onReady', async () => deliverer.start())
    app.addHook('preClose', () => deliverer.stop())
  },
  { name: 'webhooks', fastify: '5.x', dependencies: ['changes', 'people', 'rules'] },
)
