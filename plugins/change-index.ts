import fp from 'fastify-plugin'
import { BY_SERVICE } from '../src/requests/write.ts'

/** Milliseconds between two looks whether the index is far behind. */
const INTERVAL = 10_000

/** Changes that the index may be behind: reading them takes some ms. */
const BEHIND = 2000

/**
 * Writes the index of the sequence of changes behind it, in small slices; before that, changes of large writes into the
 * sequence that nobody has moved there.
 */
export default fp(
  async (app) => {
    let isClosing = false
    let current = Promise.resolve()

    /** Indexes a slice. The event loop would wait for the write lock, to find that this is too much work for it. */
    async function indexSlice(): Promise<number> {
      const { value } = await app.perform(app.changes.subjects.index(), { ...BY_SERVICE, isLong: true })
      return value
    }

    async function index(): Promise<void> {
      const { subjects } = app.rules.changes
      if (isClosing || (subjects.behind() <= BEHIND && !subjects.isWaiting())) return
      while (!isClosing && (await indexSlice()) > 0);
    }
    const begin = () => {
      current = current.then(index).catch((err) => app.log.warn({ err }, 'could not index the changes'))
    }
    const timer = setInterval(begin, INTERVAL).unref()
    app.addHook('onReady', async () => begin())
    app.addHook('preClose', async () => {
      isClosing = true
      clearInterval(timer)
      await current
    })
  },
  { name: 'change-index', fastify: '5.x', dependencies: ['rules'] },
)
