/** The command `serve`. */
import { serve } from '../server.ts'

/** Runs the service as the environment configures it, with its log on standard output, until a signal stops it. */
export async function serveHere(): Promise<void> {
  const { stdout } = process
  // Unlike the logger's own destination, this stream does not delay the exit after its reader has closed it.
  if (!stdout.isTTY) return serve(process.env, stdout)
  const { createTerminalLog } = await import('./terminal-log.ts')
  return serve(process.env, createTerminalLog(stdout))
}
