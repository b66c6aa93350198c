/** Work in the background: once the application is ready, and at an interval, one run after another. */
import type { FastifyInstance } from 'fastify'

/**
 * Repeats work until the application closes, which waits for the current run.
 * @param work must not fail; it should end soon when `isClosing()`
 */
export function repeat(
  app: FastifyInstance,
  interval: number,
  work: (isClosing: () => boolean) => Promise<void>,
): void {
  let isClosed = false
  let current = Promise.resolve()
  const run = () => {
    current = current.then(() => work(() => isClosed))
  }
  const timer = setInterval(run, interval).unref()
  app.addHook('onReady', async () => run())
  app.addHook('preClose', async () => {
    isClosed = true
    clearInterval(timer)
    await current
  })
}
