import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { FAR_BEHIND, LARGE_SLICE } from '../src/changes/subjects.ts'
import { repeat } from '../src/http/repeated.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'

/** Milliseconds between two checks whether the index is far behind. */
const INTERVAL = 10_000

/** Most changes that the index may be behind: scanning them takes some ms. */
const BEHIND = 2000

/** While at least this many changes are made within these milliseconds, requests come first. */
const MANY = 100
const WHILE = 1000

/**
 * Updates the index of the sequence of changes asynchronously, in small slices, once few changes are made; while many are made, only if
 * it is far behind, and in few large slices.
 */
export default fp(
  async (app) => {
    const { subjects, sequence } = app.rules.changes

    /** Indexes a slice, in the worker thread: the event loop would first wait for the write lock, and then find it too much work. */
    async function indexSlice(count?: number): Promise<number> {
      const { value } = await app.perform(app.changes.subjects.index(count), { ...BY_SERVICE, isLong: true })
      return value
    }

    const isFar = () => subjects.behind() > FAR_BEHIND

    /** Waits until few changes are made, unless the index is far behind. */
    async function untilQuiet(closing: AbortSignal): Promise<void> {
      for (let last = 0; !closing.aborted && !isFar(); ) {
        const newest = sequence.last()
        if (newest - last < MANY) return
        last = newest
        await sleep(WHILE, undefined, { ref: false, signal: closing }).catch(() => undefined)
      }
    }

    async function index(closing: AbortSignal): Promise<void> {
      if (closing.aborted || subjects.behind() <= BEHIND) return
      await untilQuiet(closing)
      const [slice, most] = isFar() ? [LARGE_SLICE, LARGE_SLICE] : [undefined, 0]
      while (!closing.aborted && (await indexSlice(slice)) > most);
    }
    repeat(app, INTERVAL, (closing) =>
      index(closing).catch((err) => app.log.warn({ err }, 'could not index the changes')),
    )
  },
  { name: 'change-index', fastify: '5.x', dependencies: ['rules'] },
)
