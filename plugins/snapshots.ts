import type { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import {
  createLargeSnapshots,
  type InWorker,
  type LargeSnapshots,
  type Scopes,
} from '../src/reading/large-snapshots.ts'
import { createSharedProjects, type SharedProjects } from '../src/reading/shared-projects.ts'
import { createSnapshots } from '../src/reading/snapshots.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A cache of serialised projects, each valid until it changes. */
    snapshots: LargeSnapshots
    /** Projects as share links show them. */
    sharedProjects: SharedProjects
  }
}

/** The options of the snapshots plugin. */
interface SnapshotsOptions {
  /** Size of the cache in bytes; 0 disables it. */
  snapshotCacheBytes: number
}

/** Serves reads of projects from a cache of serialised responses. */
export default fp<SnapshotsOptions>(
  async (app, { snapshotCacheBytes }) => {
    const { projects, board } = app.rules
    const { freshness, scoped } = app
    const snapshots = createSnapshots(app.db, projects, board.items, snapshotCacheBytes, freshness)
    const scopes: Scopes = {
      scopeOf: (principal) => scoped.scopeOf(principal),
      withProjects: (principal, work) => scoped.read(principal, ({ projects }) => work(projects)),
    }
    const inWorker = (({ turn, principal }, name, ...args) =>
      app.worker.read({ path: `reading.wholeProjects.${name}`, args }, turn, principal)) as InWorker
    const large = createLargeSnapshots(snapshots, scopes, inWorker, app.attempt, snapshotCacheBytes)
    app.decorate('snapshots', large)
    app.decorate('sharedProjects', createSharedProjects(large, app.attempt, snapshotCacheBytes))

    // Before Fastify's own listener, and also for a host's routes.
    app.server.prependListener('request', (message: IncomingMessage) => freshness.arrive(message))
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['rules'] },
)
