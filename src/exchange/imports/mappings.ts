/** Explicit mappings for an import: of people, and of the columns of a table. */
import { isField } from '../sources/column-names.ts'

/** A mapping: a person of the board by id, name or email, and a person here by id or email; or a column, and its field. */
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

/** The mappings of columns, and those of people: a column's goes to the name of a field. */
export const mappingsByKind = (map: readonly Mapping[]) => ({
  columns: map.filter(({ to }) => isField(to)),
  map: map.filter(({ to }) => !isField(to)),
})
