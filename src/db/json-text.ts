import { customType } from 'drizzle-orm/sqlite-core'

/** A JSON object as plain JavaScript: what `metadata` fields hold. */
export type JsonObject = Record<string, unknown>

/**
 * Reads stored JSON text. Other tools write the database file too, so text that is empty, does not parse
 * or has the wrong shape reads as empty: one bad row must not take a whole list down.
 * @param text the stored text
 * @param isExpected tells whether the parsed value has the expected shape
 * @param empty makes the value that stands for "nothing stored"
 */
function readJsonText<T>(text: string, isExpected: (value: unknown) => boolean, empty: () => T): T {
  if (text === '') return empty()
  try {
    const value = JSON.parse(text)
    return isExpected(value) ? value : empty()
  } catch {
    return empty()
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** A TEXT column that holds a JSON array. NULL reads as null: use {@link orEmptyArray} where it leaves the database. */
export const jsonArrayText = customType<{ data: unknown[]; driverData: string }>({
  dataType: () => 'text',
  fromDriver: (text) => readJsonText(text, Array.isArray, () => []),
  toDriver: (value) => JSON.stringify(value),
})

/** A TEXT column that holds a JSON object. NULL reads as null: use {@link orEmptyObject} where it leaves the database. */
export const jsonObjectText = customType<{ data: JsonObject; driverData: string }>({
  dataType: () => 'text',
  fromDriver: (text) => readJsonText<JsonObject>(text, isObject, () => ({})),
  toDriver: (value) => JSON.stringify(value),
})

/** A missing stored array reads as an empty one. */
export const orEmptyArray = (value: unknown[] | null): unknown[] => value ?? []

/** A missing stored object reads as an empty one. */
export const orEmptyObject = (value: JsonObject | null): JsonObject => value ?? {}
