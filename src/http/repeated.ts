/** Work in the background: once the application is ready, and at an interval; a run that takes longer skips the next. */
import type { FastifyInstance } from 'fastify'

/**
 * Repeats work until the application closes, which waits for the current run.
 * @param work must not fail; it should end soon once `closing` is aborted
 */
export function repeat(
  app: FastifyInstance,
  interval: number,
  work: (closing: AbortSignal) => Promise<void>,
): void {
  const closing = new AbortController()
  let current: Promise<void> | undefined
  const run = () => {
    current ??= work(closing.signal).finally(() => {
      current = undefined
    })
  }
  const timer = setInterval(run, interval).unref()
  app.addHook('onReady', async () => run())
  app.addHook('preClose', async () => {
    clearInterval(timer)
    closing.abort()
    await current
  })
}
