/** Memoizes a value, created lazily at the first call: what few requests need must not delay the start. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
