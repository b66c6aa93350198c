/** Untrusted JSON: safe parsing, and checks of its depth. */
import secureJson from 'secure-json-parse'

/** A JSON object as plain JavaScript, as in `metadata` fields. */
export type JsonObject = Record<string, unknown>

/** Whether a value is an object, not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  isObjectOrArray(value) && !Array.isArray(value)

export const isObjectOrArray = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null

/** Parses JSON; keys that could reach a prototype are dropped, like every unknown field. Throws SyntaxError. */
export const parseJson = (text: string): unknown =>
  secureJson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })

/** A JSON value as text. An object becomes JSON, since its fields may have the names of conversion methods. */
export const asText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Whether a value is nested deeper than a limit. */
export const isDeeperThan = (value: unknown, levels: number): boolean =>
  isObjectOrArray(value) &&
  (levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1)))
