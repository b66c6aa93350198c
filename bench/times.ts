/** A list of a given length. @param make returns the element at a position, from 0 */
export const times = <T>(count: number, make: (position: number) => T): T[] =>
  Array.from({ length: count }, (_, position) => make(position))
