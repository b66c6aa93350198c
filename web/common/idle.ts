/** Work for when the browser has nothing else to do. */
import { liveState, onConnected } from './live.ts'

/** The pause before it, in milliseconds, in which the page loads its first contents. */
const AFTER = 2000

/** Waits until the stream is connected, so that the service seems available. */
function connection(): Promise<void> {
  if (liveState.peek() === 'live') return Promise.resolve()
  return new Promise((resolve) => {
    const stop = onConnected(() => {
      stop()
      resolve()
    })
  })
}

/** Waits until the browser is idle. Safari does not support that. */
const idle = (): Promise<unknown> =>
  new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve))

/** Waits until the page has probably loaded its first contents, and the service is available. */
export async function whenShown(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, AFTER))
  await connection()
}

/** Runs loads one after another when the browser is idle, unless the user saves data. Failures have no effect. */
export async function whenIdle(loads: readonly (() => Promise<unknown>)[]): Promise<void> {
  const { connection: network } = navigator as { connection?: { saveData?: boolean } }
  if (network?.saveData) return
  await whenShown()
  for (const load of loads) {
    await connection()
    await idle()
    await load().catch(() => undefined)
  }
}
