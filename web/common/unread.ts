/** The number of unread notifications. The code that updates it is loaded later: see `attention/follow.ts`. */
import { signal } from '@preact/signals'

/** At most 1,000. */
export const unread = signal(0)
