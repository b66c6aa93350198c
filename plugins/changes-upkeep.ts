import fp from 'fastify-plugin'

const HOUR = 60 * 60 * 1000
const DAY = 24 * HOUR

/** Milliseconds between two looks whether the index is far behind. */
const INDEX_INTERVAL = 10_000

/** Changes that the index may be behind: reading them takes some ms. */
const BEHIND = 2000

/**
 * Deletes changes older than `changesKeepDays`, at the start and once an hour, and writes the index of the sequence
 * behind it: both in small slices.
 */
export default fp<{ changesKeepDays: number }>(
  async (app, { changesKeepDays }) => {
    let isClosing = false
    let current = Promise.resolve()

    async function prune(): Promise<void> {
      const before = Date.now() - changesKeepDays * DAY
      // A read first, since most runs have nothing to delete: it needs no write lock.
      if (isClosing || changesKeepDays === 0 || !app.rules.changes.retention.hasOlder(before)) return
      while (!isClosing && (await app.changes.retention.prune(before)));
    }
    async function index(): Promise<void> {
      if (isClosing || app.rules.changes.subjects.behind() <= BEHIND) return
      while (!isClosing && (await app.changes.subjects.index()) > 0);
    }
    /** One after the other. */
    const begin = (work: () => Promise<void>, failure: string) => {
      current = current.then(work).catch((error) => app.log.warn({ err: error }, failure))
    }
    const beginToPrune = () => begin(prune, 'could not prune the changes')
    const beginToIndex = () => begin(index, 'could not index the changes')
    const timers = [
      setInterval(beginToPrune, HOUR).unref(),
      setInterval(beginToIndex, INDEX_INTERVAL).unref(),
    ]
    app.addHook('onReady', async () => {
      beginToPrune()
      beginToIndex()
    })
    app.addHook('preClose', async () => {
      isClosing = true
      for (const timer of timers) clearInterval(timer)
      await current
    })
  },
  { name: 'changes-upkeep', fastify: '5.x', dependencies: ['rules'] },
)
