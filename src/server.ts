import { existsSync } from 'node:fs'
import type { Writable } from 'node:stream'
import closeWithGrace from 'close-with-grace'
import { buildApp } from './app.ts'
import { type Config, loadConfig } from './config.ts'
import { endBusy, whenLate } from './end-busy.ts'
import { StartupError } from './errors.ts'
import type { FirstAdminMade } from './members/first-admin.ts'
import { initialPasswordFile } from './members/initial-password.ts'
import { version } from './package-files.ts'
import { mapStackTraces } from './stack-traces.ts'
import { releaseStartMemory } from './start-memory.ts'
import { keepTickObject } from './tick-objects.ts'

/**
 * Time for requests in flight to finish once the service stops, in milliseconds. Supervisors commonly kill
 * after ten seconds; the database is closed before.
 */
const TIMEOUT = 8000
const GRACE = 10_000

/** After a fault of the process itself, a handler for one of these would repeat the fault forever. */
const FATAL = ['SIGBUS', 'SIGFPE', 'SIGILL', 'SIGSEGV', 'SIGTRAP', 'SIGABRT'] as const

function whereAdminSignsIn({ databaseUrl }: Config, made: FirstAdminMade | undefined): string {
  if (made && made.passwordFile === undefined) return `${made.email}, with ADMIN_PASSWORD`
  const file = initialPasswordFile(databaseUrl)
  if (file === undefined) return 'none: set ADMIN_PASSWORD for a database in memory'
  return existsSync(file) ? `password in ${file}` : 'set up earlier'
}

/**
 * Codes of errors that no later start with the same `HOST` avoids: there is no such name, or no such address here. A name server
 * that does not respond (EAI_AGAIN) may respond later.
 */
const WRONG_HOST = new Set(['ENOTFOUND', 'EADDRNOTAVAIL', 'EINVAL'])

/** The error to report for one of listening. */
function whyDeaf({ host }: Config, error: NodeJS.ErrnoException): Error {
  if (!WRONG_HOST.has(error.code ?? '')) return error
  const message = `HOST must be an address of this machine, or a name that leads to one (got "${host}")`
  return new StartupError(message, { cause: error })
}

/**
 * Runs the service until a signal stops it. Graceful shutdown: requests in flight finish, the database is closed, and
 * the process exits with 0.
 * @param environment the environment variables
 * @param logStream the output of the log
 * @throws StartupError for an unusable configuration or database; other errors if it cannot listen
 */
export async function serve(
  environment: Record<string, string | undefined>,
  logStream: Writable,
): Promise<void> {
  keepTickObject()
  mapStackTraces()
  const config = loadConfig(environment)
  const app = await buildApp({ ...config, logStream })
  const closeConnections = () =>
    app.server.getConnections((_error, open) => {
      if (open > 0) app.log.warn({ open }, 'closing connections that are still open')
      app.server.closeAllConnections()
    })
  const stopper = closeWithGrace(
    { delay: GRACE, logger: app.log, skip: [...FATAL], ...whenLate(app) },
    async ({ err, signal }) => {
      if (err) app.log.fatal({ err }, 'stopping after an error outside any request')
      else app.log.info({ signal }, 'stopping')
      setTimeout(closeConnections, TIMEOUT).unref()
      await app.close()
      endBusy(app)
      app.log.info('stopped')
    },
  )
  if (config.authMode === 'open') {
    app.log.warn(
      { host: config.host },
      config.openOnNetwork
        ? 'AUTH_MODE=open on a network address: every client that reaches it may read and write'
        : 'AUTH_MODE=open: every client that reaches this port may read and write; set AUTH_MODE=required before you put a proxy in front',
    )
  }
  const url = await app.listen({ host: config.host, port: config.port }).catch(async (error) => {
    // A process that never served ends with its error, not with a graceful shutdown.
    stopper.uninstall()
    await app.close()
    app.discardDatabase(app.firstAdmin?.passwordFile)
    throw whyDeaf(config, error)
  })
  const places = {
    ...(config.webBoard && { board: `${url}/` }),
    api: `${url}/api`,
    docs: `${url}/docs`,
    admin: whereAdminSignsIn(config, app.firstAdmin),
  }
  const { api: _, ...named } = places
  const listed = Object.entries(named).map(([name, place]) => ` · ${name} ${place}`)
  // Logged at any log level: with PORT=0 only this line has the port.
  app.log
    .child({}, { level: 'info' })
    .info(places, `Phaseboard ${version} listening on ${url}${listed.join('')}`)
  releaseStartMemory()
}
