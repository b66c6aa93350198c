import { customType } from 'drizzle-orm/sqlite-core'
import { isDeeperThan, isObject, type JsonObject } from '../json.ts'
import { parseTimestamp } from '../time.ts'

/**
 * Maximum nesting when reading. Clients may write a hundred levels; with thousands, serialising the response would overflow
 * the stack.
 */
const DEEPEST = 1000

/** A cheap check that nearly all texts fail: long enough, and with enough brackets, for such nesting. */
const mayBeTooDeep = (text: string) =>
  text.length > 2 * DEEPEST && (text.match(/[[{]/g)?.length ?? 0) > DEEPEST

/**
 * Reads stored JSON text. Other tools write the database file too, so text that is empty, does not parse
 * or has the wrong type reads as empty: one bad row must not fail a whole list.
 * @param isExpected whether the parsed value has the expected type
 * @param empty creates the empty value
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

/** Not a JSON value. */
const NONE = Symbol('none')

/** Condition, as SQL: a column contains the text of a JSON object. */
export const isJsonObject = (column: string): string =>
  `case when typeof(${column}) = 'text' and json_valid(${column}) then json_type(${column}) = 'object' else 0 end`

/** Whether text is JSON within that nesting. */
export const isReadableJson = (text: string): boolean =>
  text !== '' &&
  readJsonText<unknown>(
    text,
    () => true,
    () => NONE,
  ) !== NONE

/** The object of JSON text; undefined for other text, or if nested too deeply. */
export const readObjectText = (text: string): JsonObject | undefined =>
  readJsonText<JsonObject | undefined>(text, isObject, () => undefined)

/** The array of JSON text; empty for other text, or if nested too deeply. */
export const readArrayText = (text: string): unknown[] =>
  readJsonText<unknown[]>(text, Array.isArray, () => [])

/**
 * A TEXT column with a JSON array. It may be NULL, which reads as empty too (see `statements.ts`): `notNull` is only for
 * TypeScript.
 */
export const jsonArrayText = customType<{ data: unknown[]; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: readArrayText,
  toDriver: (value) => JSON.stringify(value),
})

/** A TEXT column with a JSON object; NULL reads as empty, as in {@link jsonArrayText}. */
export const jsonObjectText = customType<{ data: JsonObject; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: (text) => readJsonText<JsonObject>(text, isObject, () => ({})),
  toDriver: (value) => JSON.stringify(value),
})

/** A stored reminder: a time, or a duration before the due date. */
export interface StoredReminder {
  at?: string
  before?: string
}

/** The reminders in a JSON array: other elements, and other fields, are left out. Responses rely on it (see `src/reading/shared-text.ts`). */
const readReminders = (text: string): StoredReminder[] =>
  readArrayText(text).flatMap((one): StoredReminder[] => {
    const { at, before } = Object(one) as Record<string, unknown>
    const time = typeof at === 'string' ? parseTimestamp(at) : undefined
    if (time !== undefined) return [{ at: time }]
    return typeof before === 'string' ? [{ before }] : []
  })

/** The ids in a JSON array: only texts that are not empty, each once. */
export const readIds = (text: string): string[] => [
  ...new Set(readArrayText(text).filter((one): one is string => typeof one === 'string' && one !== '')),
]

/** A TEXT column with a JSON array of ids, by which triggers find rows: bytes are none, as for these. NULL reads as empty, as in {@link jsonArrayText}. */
export const idsText = customType<{ data: string[]; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: (text) => (typeof text === 'string' ? readIds(text) : []),
  toDriver: (value) => JSON.stringify(value),
})

/** A TEXT column with a JSON array of reminders; NULL reads as empty, as in {@link jsonArrayText}. */
export const remindersText = customType<{ data: StoredReminder[]; driverData: string; notNull: true }>({
  dataType: () => 'text',
  fromDriver: readReminders,
  toDriver: (value) => JSON.stringify(value),
})
