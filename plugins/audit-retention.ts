import fp from 'fastify-plugin'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

/** Prunes the audit log of what is older than it is kept: at the start and once an hour, a few entries at a time. */
export default fp<{ auditKeepDays: number }>(
  async (app, { auditKeepDays }) => {
    if (auditKeepDays === 0) return
    let isClosing = false
    let current = Promise.resolve()

    async function prune(): Promise<void> {
      const before = Date.now() - auditKeepDays * DAY
      // A look first: nobody else has to wait for a write that changes nothing.
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
