import fp from 'fastify-plugin'
import { repeat } from '../src/http/repeated.ts'
import { LINK_LIFETIME } from '../src/members/member-links.ts'
import type { Call } from '../src/requests/calls.ts'
import { KEPT_FOR } from '../src/requests/idempotency-store.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'
import { FORMER_SECRET_KEPT } from '../src/webhooks/deliveries.ts'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

/** The options of the retention plugin, in days; 0 = for ever. */
interface RetentionOptions {
  auditKeepDays: number
  changesKeepDays: number
  notificationsKeepDays: number
}

/** Records that are stored for a limited time, in milliseconds. */
interface Kept {
  what: string
  time: number
  /** A read, first: most runs have nothing to delete, and need no write lock. */
  hasOlder: (before: number) => boolean
  /** Deletes a slice of older records. @returns whether there are more */
  prune: (before: number) => Call<boolean>
}

/** Deletes expired records at startup and once an hour, in small slices. */
export default fp<RetentionOptions>(
  async (app, { auditKeepDays, changesKeepDays, notificationsKeepDays }) => {
    const { attention, changes, idempotencyStore, members, webhooks } = app.rules
    const all: Kept[] = [
      {
        what: 'the audit log',
        time: auditKeepDays * DAY,
        hasOlder: (before) => members.audit.hasOlder(before),
        prune: (before) => app.members.audit.prune(before),
      },
      {
        what: 'the changes',
        time: changesKeepDays * DAY,
        hasOlder: (before) => changes.retention.hasOlder(before),
        prune: (before) => app.changes.retention.prune(before),
      },
      {
        what: 'the notifications',
        time: notificationsKeepDays * DAY,
        hasOlder: (before) => attention.notifications.hasOlder(before),
        prune: (before) => app.attention.notifications.prune(before),
      },
      {
        what: 'the stored responses of Idempotency-Keys',
        time: KEPT_FOR,
        hasOlder: (before) => idempotencyStore.hasOlder(before),
        prune: (before) => app.idempotencyStore.prune(before),
      },
      {
        what: 'the former secrets of webhooks',
        time: FORMER_SECRET_KEPT,
        hasOlder: (before) => webhooks.hasFormerSecrets(before),
        prune: (before) => app.webhooks.forgetSecrets(before),
      },
      {
        what: 'the one-time links',
        time: LINK_LIFETIME,
        hasOlder: (before) => members.links.hasOlder(before),
        prune: (before) => app.members.links.prune(before),
      },
    ]
    async function prune({ what, time, hasOlder, prune }: Kept, closing: AbortSignal): Promise<void> {
      const before = Date.now() - time
      try {
        if (closing.aborted || !hasOlder(before)) return
        while (!closing.aborted && (await app.perform(prune(before), BY_SERVICE)).value);
      } catch (err) {
        app.log.warn({ err }, `could not prune ${what}`)
      }
    }
    repeat(app, HOUR, async (closing) => {
      for (const kept of all) if (kept.time > 0) await prune(kept, closing)
    })
  },
  { name: 'retention', fastify: '5.x', dependencies: ['rules'] },
)
