import fp from 'fastify-plugin'
import { databasePath, openDatabase, type SharedDatabase } from '../src/db/client.ts'
import { type DatabaseFiles, filesOpenToOthers } from '../src/db/files.ts'
import { createGroupCommit, type GroupCommit, type Write } from '../src/db/group-commit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The shared database: Drizzle over better-sqlite3. */
    db: SharedDatabase
    /** Whether the files of the database are still where they were opened. */
    databaseFiles: DatabaseFiles
    /**
     * Closes the database and takes away what was made for it, for a start that failed: a new file with its folders, and
     * what is named. A database that was there before is only closed.
     */
    discardDatabase: (also?: string) => void
    /**
     * The one way to write: runs the work in a transaction that it shares with whatever else arrives in the same turn
     * of the event loop, and resolves once that is on disk. Reading what was written belongs inside the work too.
     */
    write: Write
    /** Why writes fail through no fault of theirs; undefined while writing works. */
    writeTrouble: GroupCommit['trouble']
  }
}

/** Opens the database, shares it as `app.db`, and closes it once the last request is answered. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const { db, files, close, discard } = openDatabase(databaseUrl)
    app.decorate('db', db)
    app.decorate('databaseFiles', files)
    app.decorate('discardDatabase', discard)
    app.addHook('onClose', async () => close())

    const groupCommit = createGroupCommit(db, files)
    app.decorate('write', groupCommit.write)
    app.decorate('writeTrouble', groupCommit.trouble)
    // Hooks run in reverse: nothing is written to a closed database.
    app.addHook('onClose', async () => groupCommit.close())

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
