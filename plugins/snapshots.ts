import fp from 'fastify-plugin'
import { createLargeSnapshots, type InWorker, type LargeSnapshots } from '../src/reading/large-snapshots.ts'
import { createSnapshots } from '../src/reading/snapshots.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** A cache of serialised projects, each valid until something in it changes. */
    snapshots: LargeSnapshots
  }
}

/** The options of the snapshots plugin. */
export interface SnapshotsOptions {
  /** Memory that snapshots may take; 0 = cache none. */
  snapshotCacheBytes: number
}

/** Serves reads of projects from a cache of serialised responses. */
export default fp<SnapshotsOptions>(
  async (app, { snapshotCacheBytes }) => {
    const { projects, board } = app.rules
    const snapshots = createSnapshots(app.db, projects, board.items, snapshotCacheBytes)
    const inWorker = ((turn, name, ...args) =>
      app.offload({ path: `reading.wholeProjects.${name}`, args }, undefined, turn)) as InWorker
    app.decorate(
      'snapshots',
      createLargeSnapshots(snapshots, projects, inWorker, app.attempt, snapshotCacheBytes),
    )
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['rules'] },
)
