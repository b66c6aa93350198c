/** Memoizes a value, created lazily by the first call, so that rarely needed values do not delay startup. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Memoizes an async function, concurrent calls included; a failure is not cached. */
export function memoizeAsync<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

/**
 * Makes a compiler compile equal schemas once per process, across routes and applications.
 * @param compile must depend only on the schema
 */
export function oncePerSchema<S, T>(compile: (schema: S) => T): (schema: S) => T {
  const compiled = new Map<string, T>()
  return (schema) => {
    const key = JSON.stringify(schema)
    const known = compiled.get(key) ?? compile(schema)
    compiled.set(key, known)
    return known
  }
}
