/** The command `serve`, in the bundle with the compiled functions of earlier starts. */
import { existsSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { whenIdleOrAtExit } from '../idle.ts'
import { requireCompiled } from './compiled-script.ts'

/** Nearly all of the service (`scripts/bundle.ts`). The sources have no such file. */
const SERVICE = fileURLToPath(new URL('./service.cjs', import.meta.url))

/** Runs the service until a signal stops it. */
export async function serveCompiled(): Promise<void> {
  // Requests that wait for the disk survive a scavenge or two, after which V8's pretenuring would allocate every later
  // request in the old generation (docs/decisions/025-no-pretenuring.md). Compiled functions are valid only for the same flags.
  setFlagsFromString('--no-allocation-site-pretenuring')
  const keep = existsSync(SERVICE) ? requireCompiled(SERVICE, getCompileCacheDir()) : undefined
  const { serveHere } = await import('./serve-command.ts')
  await serveHere()
  // V8 has now compiled what a start needs. After some time it drops functions that are not called any more.
  if (keep) whenIdleOrAtExit(keep)
}
