/** A value that is made when it is first asked for: what few requests need must not hold up the start. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
