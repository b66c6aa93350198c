/** The number of unread notifications. What follows it is loaded later: see `attention/follow.ts`. */
import { signal } from '@preact/signals'

/** At most 1,000. */
export const unread = signal(0)
