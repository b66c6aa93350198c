import fp from 'fastify-plugin'
import { databasePath, openDatabase, type SharedDatabase } from '../src/db/client.ts'
import { type DatabaseFiles, filesOpenToOthers } from '../src/db/files.ts'

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
  }
}

/** Opens the database, shares it as `app.db` and closes it once the last request is answered. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const { db, files, close, discard } = openDatabase(databaseUrl)
    app.decorate('db', db)
    app.decorate('databaseFiles', files)
    app.decorate('discardDatabase', discard)
    const open = db.$client.memory ? [] : filesOpenToOthers(databasePath(databaseUrl))
    if (open.length > 0) {
      app.log.warn(
        { files: open },
        'every user of this machine may open the database, with password hashes and private ideas: chmod 600',
      )
    }
    app.addHook('onClose', async () => close())
  },
  { name: 'database', fastify: '5.x' },
)
