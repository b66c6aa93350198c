/** JSON from outside: its objects, parsing it safely, and how deep it is. */
import secureJson from 'secure-json-parse'

/** A JSON object as plain JavaScript: what `metadata` fields hold. */
export type JsonObject = Record<string, unknown>

/** Parses JSON; keys that could reach a prototype are dropped, like every unknown field. Throws SyntaxError. */
export const parseJson = (text: string): unknown =>
  secureJson.parse(text, undefined, { protoAction: 'remove', constructorAction: 'remove' })

/** A value of JSON as text. An object is its JSON, since fields of it may have the names of conversions. */
export const asText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

/** Whether a value has more levels of nesting than given. */
export const isDeeperThan = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((child) => isDeeperThan(child, levels - 1)))
