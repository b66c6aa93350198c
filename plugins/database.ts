import fp from 'fastify-plugin'
import { databasePath, openDatabase, type SharedDatabase } from '../src/db/client.ts'
import { type DatabaseFiles, filesOpenToOthers } from '../src/db/files.ts'
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
     * Closes the database and removes what was created for it, for a start that failed: a new file with its folders, and
     * the file `also`. A database that existed before is only closed.
     */
    discardDatabase: (also?: string) => void
    /** Commits writes of one iteration of the event loop together. For whoever is no dispatcher, `perform` is the way to write. */
    groupCommit: GroupCommit
  }
}

/** Opens the database, decorates the application with it, and closes it after the last response. */
export default fp<Pick<Config, 'databaseUrl' | 'walCheckpoints'>>(
  async (app, { databaseUrl, walCheckpoints }) => {
    const { db, files, close, discard } = openDatabase(databaseUrl, walCheckpoints)
    app.decorate('db', db)
    app.decorate('databaseFiles', files)
    app.decorate('discardDatabase', discard)
    app.addHook('onClose', async () => close())

    const groupCommit = createGroupCommit(db, files)
    app.decorate('groupCommit', groupCommit)
    // Hooks run in reverse: nothing is written to a closed database.
    app.addHook('onClose', async () => groupCommit.close())

    if (walCheckpoints === 'litestream') {
      const watch = watchLog(db, app.log)
      app.addHook('onClose', async () => watch.stop())
    }

    if (walCheckpoints === 'service' && !db.$client.memory && isReplicated(databasePath(databaseUrl))) {
      app.log.warn(
        'Litestream replicates this database, or did: with WAL_CHECKPOINTS=service its replica will be damaged. Set it to litestream, or remove the folder that Litestream left',
      )
    }

    const open = db.$client.memory ? [] : filesOpenToOthers(databasePath(databaseUrl))
    if (open.length > 0) {
      app.log.warn(
        { files: open },
        'every user of this machine may open the database, with password hashes and private ideas: chmod 600',
      )
    }
  },
  { name: 'database', fastify: '5.x' },
)
