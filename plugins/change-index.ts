import fp from 'fastify-plugin'
import { repeat } from '../src/http/repeated.ts'
import { BY_SERVICE } from '../src/requests/write.ts'

/** Milliseconds between two checks whether the index is far behind. */
const INTERVAL = 10_000

/** Most changes that the index may be behind: scanning them takes some ms. */
const BEHIND = 2000

/**
 * Updates the index of the sequence of changes asynchronously, in small slices. Before that it moves staged changes of
 * large writes into the sequence.
 */
export default fp(
  async (app) => {
    /** Indexes a slice, in the worker thread: the event loop would first wait for the write lock, and then find it too much work. */
    async function indexSlice(): Promise<number> {
      const { value } = await app.perform(app.changes.subjects.index(), { ...BY_SERVICE, isLong: true })
      return value
    }

    async function index(isClosing: () => boolean): Promise<void> {
      const { subjects } = app.rules.changes
      if (isClosing() || (subjects.behind() <= BEHIND && !subjects.isWaiting())) return
      while (!isClosing() && (await indexSlice()) > 0);
    }
    repeat(app, INTERVAL, (isClosing) =>
      index(isClosing).catch((err) => app.log.warn({ err }, 'could not index the changes')),
    )
  },
  { name: 'change-index', fastify: '5.x', dependencies: ['rules'] },
)
