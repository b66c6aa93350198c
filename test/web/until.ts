/** Polls for conditions that send no notification. */
import { setTimeout as wait } from 'node:timers/promises'

/** The timeout in milliseconds. It only ends a test that hangs: however busy the machine is, what holds at last has passed. */
export const TIMEOUT = 120_000
const PAUSE = 25

/** Polls until a condition holds or the timeout passes. @returns the last value */
export async function lookUntil<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + TIMEOUT
  for (;;) {
    const value = await look()
    if (holds(value) || Date.now() > end) return value
    await wait(PAUSE)
  }
}

/** Waits until a condition holds. @returns the value @throws if the timeout passes */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const value = await lookUntil(look, holds)
  if (!holds(value)) throw new Error(`still ${JSON.stringify(value)}`)
  return value
}
