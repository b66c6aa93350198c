import type { IncomingMessage } from 'node:http'
import type { Server } from 'node:net'
import fp from 'fastify-plugin'
import { Freshness } from '../src/reading/freshness.ts'
import { createLargeSnapshots, type InWorker, type LargeSnapshots } from '../src/reading/large-snapshots.ts'
import { createSnapshots } from '../src/reading/snapshots.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A cache of serialised projects, each valid until it changes. */
    snapshots: LargeSnapshots
  }
}

/** The options of the snapshots plugin. */
export interface SnapshotsOptions {
  /** Size of the cache in bytes; 0 disables it. */
  snapshotCacheBytes: number
}

/** Serves reads of projects from a cache of serialised responses. */
export default fp<SnapshotsOptions>(
  async (app, { snapshotCacheBytes }) => {
    const { projects, board } = app.rules
    const freshness = new Freshness(app.db)
    const snapshots = createSnapshots(app.db, projects, board.items, snapshotCacheBytes, freshness)
    const inWorker = ((turn, name, ...args) =>
      app.worker.read({ path: `reading.wholeProjects.${name}`, args }, turn)) as InWorker
    app.decorate(
      'snapshots',
      createLargeSnapshots(snapshots, projects, inWorker, app.attempt, snapshotCacheBytes),
    )

    // Before Fastify's own listener, and also for a host's routes.
    app.server.prependListener('request', (message: IncomingMessage) => freshness.arrive(message))
    // Other servers do not report requests: `inject` has none, and `localhost` may have two.
    app.addHook('onRequest', ({ raw }, _reply, done) => {
      if ((raw.socket as { server?: Server }).server !== app.server) freshness.forget()
      done()
    })
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['rules'] },
)
