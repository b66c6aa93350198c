import fp from 'fastify-plugin'
import { Importer } from '../src/exchange/imports/importer.ts'
import type { Config } from '../src/phaseboard.d.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Imports files, one at a time, off the event loop. */
    importer: Importer
  }
}

/** File imports. Ends orphaned imports of a stopped service once this one is ready. */
export default fp<Pick<Config, 'databaseUrl' | 'walCheckpoints' | 'importRecords' | 'attachmentsTotal'>>(
  async (app, { databaseUrl, walCheckpoints, importRecords, attachmentsTotal }) => {
    const importer = new Importer({
      db: app.db,
      databaseUrl,
      checkpoints: walCheckpoints,
      limits: { records: importRecords },
      attachmentsTotal,
      warn: (error, message) => app.log.warn({ err: error }, message),
    })
    app.decorate('importer', importer)
    app.addHook('onReady', async () => importer.endOrphans())
    app.addHook('preClose', () => importer.close())
  },
  { name: 'imports', fastify: '5.x', dependencies: ['database'] },
)
