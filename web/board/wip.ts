/** What the limit of a column says to its number of cards. */

/** `full`: nothing more comes in; `above`: it holds more than it should. */
export type LimitState = 'within' | 'full' | 'above'

/** @param limit 0 is none @param policy `block` refuses what comes above the limit */
export function limitState(count: number, limit: number, policy: string): LimitState {
  if (limit === 0) return 'within'
  if (count > limit) return 'above'
  return policy === 'block' && count === limit ? 'full' : 'within'
}
