import { customType } from 'drizzle-orm/sqlite-core'
import { isDeeperThan, type JsonObject } from '../json.ts'

/**
 * Levels of what is read. Clients may write a hundred; thousands are more than the stack of whatever writes them into a
 * response.
 */
const DEEPEST = 1000

/** A text that is shorter than its brackets would be, or has fewer, need not be looked at further: nearly all. */
const mayBeTooDeep = (text: string) =>
  text.length > 2 * DEEPEST && (text.match(/[[{]/g)?.length ?? 0) > DEEPEST

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
    const isTooDeep = mayBeTooDeep(text) && isDeeperThan(value, DEEPEST)
    return isExpected(value) && !isTooDeep ? value : empty()
  } catch {
    return empty()
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * A TEXT column that holds a JSON array. It may be NULL, which reads as empty too (see `prepareRows` in
 * `statements.ts`), so whoever reads it never meets null: that is what `notNull` says here, to TypeScript alone.
 */
export const jsonArrayText = customType<{ data: unknown[]; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: (text) => readJsonText(text, Array.isArray, () => []),
  toDriver: (value) => JSON.stringify(value),
})

/** A TEXT column that holds a JSON object; NULL reads as empty, as in {@link jsonArrayText}. */
export const jsonObjectText = customType<{ data: JsonObject; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: (text) => readJsonText<JsonObject>(text, isObject, () => ({})),
  toDriver: (value) => JSON.stringify(value),
})
