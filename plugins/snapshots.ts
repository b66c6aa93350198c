import { IncomingMessage } from 'node:http'
import fp from 'fastify-plugin'
import { preparePagedProjects } from '../src/projects/projects.ts'
import { createLargeSnapshots, type LargeSnapshots } from '../src/reading/large-snapshots.ts'
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
  /** Whether requests come here in the turn of the event loop in which they arrive: a host's hooks may let turns go by. */
  hooksComeFirst: boolean
}

/** Reads of projects are answered with bytes that were serialised before. */
export default fp<SnapshotsOptions>(
  async (app, { snapshotCacheBytes, hooksComeFirst }) => {
    const snapshots = createSnapshots(app.db, snapshotCacheBytes)
    const { arrived, askAgain } = snapshots
    app.decorate(
      'snapshots',
      createLargeSnapshots(snapshots, preparePagedProjects(app.db), app.offloaded, snapshotCacheBytes),
    )

    app.addHook('onRequest', ({ raw }, _reply, done) => {
      // Injected requests follow one another without any turn between them.
      if (hooksComeFirst && raw instanceof IncomingMessage) arrived(raw.socket)
      else askAgain()
      done()
    })
  },
  { name: 'snapshots', fastify: '5.x', dependencies: ['operations'] },
)
