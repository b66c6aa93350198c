import fp from 'fastify-plugin'
import { createCheckpoints } from '../src/db/checkpoints.ts'
import { databasePath, openDatabase, type SharedDatabase } from '../src/db/client.ts'
import { type DatabaseFiles, filesOpenToOthers, refuseReadOnly } from '../src/db/files.ts'
import { createGroupCommit, type GroupCommit } from '../src/db/group-commit.ts'
import { isReplicated, watchLog } from '../src/db/log-size.ts'
import type { Config } from '../src/phaseboard.d.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The shared database: Drizzle over better-sqlite3. */
    db: SharedDatabase
    /** Whether the files of the database were replaced or removed since they were opened. */
    databaseFiles: DatabaseFiles
    /**
     * After a failed start, closes the database and removes what this start created: a new file with its folders, and the
     * file `also`. A database that existed before is only closed.
     */
    discardDatabase: (also?: string) => void
    /** Commits the writes of one turn of the event loop together. The dispatcher, batches and the store of files use it; all others call `perform`. */
    groupCommit: GroupCommit
  }
}

/** Opens the database, decorates the application with it, and closes it after the last response. */
export default fp<Pick<Config, 'databaseUrl' | 'walCheckpoints'>>(
  async (app, { databaseUrl, walCheckpoints }) => {
    refuseReadOnly(databasePath(databaseUrl))
    const { db, files, close, discard } = openDatabase(databaseUrl, walCheckpoints)
    app.decorate('db', db)
    app.decorate('databaseFiles', files)
    app.decorate('discardDatabase', discard)
    app.addHook('onClose', async () => close())

    const checkpoint =
      walCheckpoints === 'service' ? createCheckpoints(db, () => app.writer.checkpoint()) : undefined
    const groupCommit = createGroupCommit(db, files, checkpoint)
    app.decorate('groupCommit', groupCommit)
    // Hooks run in reverse order: nothing is written to a closed database.
    app.addHook('onClose', async () => groupCommit.close())

    if (walCheckpoints === 'litestream') {
      const watch = watchLog(db, app.log)
      app.addHook('onClose', async () => watch.stop())
    }

    if (walCheckpoints === 'service' && !db.$client.memory && isReplicated(databasePath(databaseUrl))) {
      app.log.warn(
        "Litestream replicates this database, or did: WAL_CHECKPOINTS=service damages its replica. Set it to litestream, or remove Litestream's folder",
      )
    }

    const open = db.$client.memory ? [] : filesOpenToOthers(databasePath(databaseUrl))
    if (open.length > 0) {
      app.log.warn(
        { files: open },
        'every user of this machine can read the database, with password hashes and private ideas: chmod 600',
      )
    }
  },
  { name: 'database', fastify: '5.x' },
)
