import fp from 'fastify-plugin'
import { createLargeSnapshots, type InWorker, type LargeSnapshots } from '../src/reading/large-snapshots.ts'
import { createSnapshots } from '../src/reading/snapshots.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Projects as they are sent, kept until something in them changes. */
    snapshots: LargeSnapshots
  }
}

/** What the snapshots plugin needs to know. */
export interface SnapshotsOptions {
  /** Memory that snapshots may take; 0 = keep none. */
  snapshotCacheBytes: number
}

/** Reads of projects are answered with bytes that were serialised before. */
export default fp<SnapshotsOptions>(
  async (app, { snapshotCacheBytes }) => {
    const { projects, board } = app.rules
    const snapshots = createSnapshots(app.db, projects, board.items, snapshotCacheBytes)
    const inWorker = ((name, ...args) => app.offload(`reading.wholeProjects.${name}`, args)) as InWorker
    app.decorate('snapshots', createLargeSnapshots(snapshots, projects, inWorker, snapshotCacheBytes))
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['rules'] },
)
