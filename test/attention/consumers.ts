/** Consumers that tests start and stop, with a clock that they set. */
import { NotificationConsumer } from '../../src/attention/consumer.ts'
import { NO_LOCK } from '../../src/db/process-lock.ts'
import { BY_SERVICE } from '../../src/requests/perform.ts'
import type { App } from '../helper.ts'
import type { ManualClock } from '../receivers.ts'

type Options = ConstructorParameters<typeof NotificationConsumer>[0]

/** A consumer of an application's changes, beside its own, which has stopped. It throws what it would report, unless told otherwise. */
export function consumerOf(
  app: App,
  clock: ManualClock,
  replaced: Partial<Pick<Options, 'sequence' | 'writes' | 'warn'>> = {},
): NotificationConsumer {
  const { attention, changes } = app.rules
  return new NotificationConsumer({
    sequence: changes.sequence,
    feed: changes.feed,
    rules: attention,
    writes: writesOf(app),
    sees: () => true,
    restrictionsOf: (projectId) => changes.visibility.restrictions.of(projectId),
    others: new Set(),
    lock: NO_LOCK,
    clock,
    onStored: () => undefined,
    warn: ({ err }) => {
      throw err
    },
    ...replaced,
  })
}

/** What a consumer stores its results with. */
export const writesOf = (app: App): Options['writes'] => ({
  store: async (made) => void (await app.perform(app.attention.store(made), BY_SERVICE)),
  storeTimes: async (...made) => void (await app.perform(app.attention.storeTimes(...made), BY_SERVICE)),
})
