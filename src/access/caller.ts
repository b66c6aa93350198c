/** Who makes a request: whose turn it takes in the worker thread, and what it may reach. Structured-cloneable. */
import type { Principal } from './policy.ts'

export interface Caller {
  /** The member whose turn it takes; null for the default member, which stands for all users of the host. */
  turn: string | null
  /** Undefined: it reaches everything, as the service itself. */
  principal: Principal | undefined
}

/** The service itself. */
export const SERVICE: Caller = { turn: null, principal: undefined }
