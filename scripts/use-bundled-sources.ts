/** Loaded by `node --import` in each test's process: see bundled-sources.ts. */
import { enableCompileCache, registerHooks, syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import onSpawn from 'process-on-spawn'
import { useBundledSources } from './bundled-sources.ts'

enableCompileCache('.tap/compiled')
useBundledSources()

const DOMAINS = new URL('../test/error-domains.ts', import.meta.url).href
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'async-hook-domain' ? { url: DOMAINS, shortCircuit: true } : next(specifier, context),
})

// tap adds its hooks to each process that a test starts, for its own coverage, which is off. They make each start half as
// long again.
onSpawn.removeAllListeners()

// Threads inherit their process's hooks. Threads of a bundle need none.
threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: threads.WorkerOptions = {}) {
    super(file, { execArgv: [], ...options })
  }
}
syncBuiltinESMExports()
