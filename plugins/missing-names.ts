import fp from 'fastify-plugin'
import { repeat } from '../src/http/repeated.ts'
import type { Call } from '../src/requests/calls.ts'
import { BY_SERVICE } from '../src/requests/perform.ts'

const HOUR = 60 * 60 * 1000

/**
 * Gives handles to members, keys to projects and numbers to cards that lack them, and indexes texts for the search: those of an earlier
 * version, of an archive, or of another program. When the service is ready, and then every hour.
 */
export default fp(
  async (app) => {
    const { board, members, projects, reading } = app.rules
    async function giveEach(isMissing: () => boolean, give: () => Call<boolean>): Promise<void> {
      while (isMissing()) await app.perform(give(), BY_SERVICE)
    }
    async function giveAll(): Promise<void> {
      await giveEach(
        () => members.hasWithoutHandle(),
        () => app.members.giveHandles(),
      )
      await giveEach(
        () => projects.keys.hasMissing(),
        () => app.projects.keys.give(),
      )
      await giveEach(
        () => board.numbers.hasMissing(),
        () => app.board.numbers.give(),
      )
      await giveEach(
        () => reading.search.isBehind(),
        () => app.reading.search.index(),
      )
    }
    // The first requests find them.
    app.addHook('onReady', giveAll)
    repeat(app, HOUR, async () => {
      try {
        await giveAll()
      } catch (err) {
        app.log.warn({ err }, 'could not give names to records without one')
      }
    })
  },
  { name: 'missing-names', fastify: '5.x', dependencies: ['rules'] },
)
