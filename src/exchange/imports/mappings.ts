/** Who is who, as whoever imports a board says it. */

/** Who is who: a person of the board by id, name or email, and somebody who is here by id or email. */
export interface Mapping {
  from: string
  to: string
}

/**
 * A mapping that is written as `<from>=<to>`; undefined where it is not. What another tool calls somebody may have a `=` in it,
 * ids and emails here have none.
 */
export function mappingIn(text: string): Mapping | undefined {
  const at = text.lastIndexOf('=')
  return at > 0 && at < text.length - 1 ? { from: text.slice(0, at), to: text.slice(at + 1) } : undefined
}
