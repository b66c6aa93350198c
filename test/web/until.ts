/** Waiting for what is not told when it comes true. */
import { setTimeout as wait } from 'node:timers/promises'

/** How long something may take to come true, in milliseconds: generous, for slow machines. */
const PATIENCE = 15_000
const PAUSE = 25

/** Looks again and again until something holds, or for long enough. @returns what was seen last */
export async function lookUntil<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const end = Date.now() + PATIENCE
  for (;;) {
    const value = await look()
    if (holds(value) || Date.now() > end) return value
    await wait(PAUSE)
  }
}

/** Waits until something holds. @returns what was seen then @throws when it does not in time */
export async function until<T>(look: () => Promise<T>, holds: (value: T) => boolean): Promise<T> {
  const value = await lookUntil(look, holds)
  if (!holds(value)) throw new Error(`still ${JSON.stringify(value)}`)
  return value
}
