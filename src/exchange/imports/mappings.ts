/** Explicit mappings of people for an import. */

/** A mapping: a person of the board by id, name or email, and a person here by id or email. */
export interface Mapping {
  from: string
  to: string
}

/**
 * Parses `<from>=<to>`; undefined if invalid. Names in another tool may contain a `=`,
 * ids and emails here do not.
 */
export function mappingIn(text: string): Mapping | undefined {
  const at = text.lastIndexOf('=')
  return at > 0 && at < text.length - 1 ? { from: text.slice(0, at), to: text.slice(at + 1) } : undefined
}
