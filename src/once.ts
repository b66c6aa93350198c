/** Memoizes a value, created lazily by the first call, so that rarely needed values do not delay startup. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The value of a key in a map; the first call makes it and stores it, also if it is undefined. */
export function getOrMake<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = values.get(key)
  if (known !== undefined || values.has(key)) return known as Value
  const made = make()
  values.set(key, made)
  return made
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
  return (schema) => getOrMake(compiled, JSON.stringify(schema), () => compile(schema))
}
