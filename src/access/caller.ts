/** The caller of a request: the key of its turn in the worker thread, and its access. Structured-cloneable. */
import type { Principal } from './policy.ts'

export interface Caller {
  /** The member whose turn it takes; null for the default member, which all users of the host share. */
  turn: string | null
  /** Undefined: unlimited access, like the service itself. */
  principal: Principal | undefined
}

/** The service itself. */
export const SERVICE: Caller = { turn: null, principal: undefined }
