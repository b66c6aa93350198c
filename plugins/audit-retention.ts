import fp from 'fastify-plugin'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

/** Deletes audit log entries older than `auditKeepDays`: at the start and once an hour, in small batches. */
export default fp<{ auditKeepDays: number }>(
  async (app, { auditKeepDays }) => {
    if (auditKeepDays === 0) return
    let isClosing = false
    let current = Promise.resolve()

    async function prune(): Promise<void> {
      const before = Date.now() - auditKeepDays * DAY
      // A read first, since most runs have nothing to delete: it needs no write lock.
      if (isClosing || !app.rules.members.audit.hasOlder(before)) return
      while (!isClosing && !(await app.members.audit.prune(before)));
    }
    const begin = () => {
      current = current
        .then(prune)
        .catch((error) => app.log.warn({ err: error }, 'could not prune the audit log'))
    }
    const timer = setInterval(begin, HOUR).unref()
    app.addHook('onReady', async () => begin())
    app.addHook('preClose', async () => {
      isClosing = true
      clearInterval(timer)
      await current
    })
  },
  { name: 'audit-retention', fastify: '5.x', dependencies: ['rules'] },
)
