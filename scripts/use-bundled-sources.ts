/** What `node --import` loads in a test's process where no coverage is measured: see bundled-sources.ts. */
import { enableCompileCache, syncBuiltinESMExports } from 'node:module'
import threads from 'node:worker_threads'
import onSpawn from 'process-on-spawn'
import { useBundledSources } from './bundled-sources.ts'

enableCompileCache('.tap/compiled')
useBundledSources()

// tap adds its hooks to each process that a test starts, to measure the lines that run there: half as much again for each start.
onSpawn.removeAllListeners()

// Threads inherit the hooks of their process. Those of a bundle need none.
threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: threads.WorkerOptions = {}) {
    super(file, { execArgv: [], ...options })
  }
}
syncBuiltinESMExports()
