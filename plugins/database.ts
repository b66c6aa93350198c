import fp from 'fastify-plugin'
import { openDatabase, type SharedDatabase } from '../src/db/client.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The shared database: Drizzle over better-sqlite3. */
    db: SharedDatabase
  }
}

/** Opens the database, shares it as `app.db` and closes it once the last request is answered. */
export default fp<{ databaseUrl: string }>(
  async (app, { databaseUrl }) => {
    const { db, close } = openDatabase(databaseUrl)
    app.decorate('db', db)
    app.addHook('onClose', async () => close())
  },
  { name: 'database', fastify: '5.x' },
)
