/** The contracts of fields: the values that they accept and refuse. `testChildResource` checks records against them. */
import { long } from './helper.ts'

/** A record in a response, or some of its fields. */
export type Fields = Record<string, unknown>

/** The contract of a field: the accepted values with the resulting ones, and the refused values. */
export interface FieldContract {
  accepts: [sent: unknown, answered: unknown][]
  refuses: [sent: unknown, message: string, ...more: string[]][]
  /** Other fields of the record that follow from its value. */
  derives?: (shown: unknown) => Fields
  /** Other fields that change with this one. */
  brings?: (before: Fields, after: Fields) => Fields
  /** Whether only a creation sets it, and an update ignores it. */
  fixed?: boolean
}

/** The JSON type of a value. */
export const typeOf = (value: unknown) =>
  Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value

/** A value of every type but the given ones, with its violation. */
export const ofOtherTypes = (...types: string[]): [unknown, string][] =>
  [null, true, 0, 5, '5', [], ['x'], {}]
    .filter((value) => !types.includes(typeOf(value)))
    .map((value) => [value, `must be ${types.join(' or ')}`])

/** Values that are returned unchanged. */
export const same = (...values: unknown[]): [unknown, unknown][] => values.map((value) => [value, value])

/** A text with a minimum and maximum length. */
export const text = (min: 0 | 1, max: number): FieldContract => ({
  accepts: same('5', ' ', long(max), '🚀'.repeat(max), ...(min === 0 ? [''] : [])),
  refuses: [
    ...ofOtherTypes('string'),
    [long(max + 1), `must NOT have more than ${max} characters`],
    ...(min === 1 ? [['', 'must NOT have fewer than 1 characters'] as [string, string]] : []),
  ],
})

/** A text with a maximum length, or null. */
export const textOrNull = (max: number): FieldContract => ({
  accepts: [...same(null), ...text(0, max).accepts],
  refuses: [...ofOtherTypes('string', 'null'), [long(max + 1), `must NOT have more than ${max} characters`]],
})

/** A finite number. */
export const number: FieldContract = {
  accepts: same(0, -1.5, -1e308, 1e300, Number.MIN_VALUE),
  refuses: ofOtherTypes('number'),
}

/** A whole number with a minimum. */
export const wholeNumber = (min: number): FieldContract => ({
  accepts: same(min, min + 1, Number.MAX_SAFE_INTEGER),
  refuses: [
    ...ofOtherTypes('number').map(([sent]): [unknown, string] => [sent, 'must be integer']),
    [min + 0.5, 'must be integer'],
    [min - 1, `must be >= ${min}`],
    [2 ** 53, `must be <= ${Number.MAX_SAFE_INTEGER}`],
  ],
})

/** One of these texts; null if it is among them. */
export const oneOf = (...values: (string | null)[]): FieldContract => {
  const types = values.includes(null) ? ['string', 'null'] : ['string']
  const message = `must be one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  return {
    accepts: same(...values),
    refuses: [
      ...ofOtherTypes(...types).map(([sent, type]): [unknown, string, string] => [sent, type, message]),
      ...['', 'none', values[0]?.toUpperCase()].map((sent): [unknown, string] => [sent, message]),
    ],
  }
}

export const boolean: FieldContract = { accepts: same(true, false), refuses: ofOtherTypes('boolean') }

/** The contract of JSON-text fields of either type. */
const JSON_TEXT = {
  array: {
    empty: [],
    // Two quotation marks and two brackets make up the 64 KiB.
    ofSize: (bytes: number): unknown => [long(bytes - 4)],
    ofLevels: (count: number): unknown => JSON.parse('['.repeat(count) + ']'.repeat(count)),
    noText: ['5', '{}', 'null', '"[]"', '[', '[1,]', '[] x', "[{'name':'x'}]", 'x', ' '],
  },
  object: {
    empty: {},
    ofSize: (bytes: number): unknown => ({ a: long(bytes - 8) }),
    ofLevels: (count: number): unknown => JSON.parse(`${'{"a":'.repeat(count)}1${'}'.repeat(count)}`),
    noText: ['5', '[]', 'null', '"{}"', '{', '{a:1}', '{} x', 'x', ' '],
  },
}

/** Texts that are not the JSON of such a value. */
export const noJsonTextOf = (type: 'array' | 'object') =>
  JSON_TEXT[type].noText.map((value): [unknown, string] => [value, `must be JSON text of an ${type}`])

/** A value that is also accepted as JSON text. */
function jsonText(
  type: 'array' | 'object',
  accepted: unknown[],
  refused: [value: unknown, message: string][],
): FieldContract {
  const { empty, ofSize, ofLevels } = JSON_TEXT[type]
  const asBoth = (value: unknown) => [value, JSON.stringify(value)]
  const isOfAnything = refused.length === 0
  return {
    accepts: [
      ...[empty, ofSize(65_536), ...accepted, ...(isOfAnything ? [ofLevels(100)] : [])].flatMap((value) =>
        [...asBoth(value), JSON.stringify(value, null, 4)].map((sent): [unknown, unknown] => [sent, value]),
      ),
      ['', empty],
      [` ${JSON.stringify(empty)} `, empty],
    ],
    refuses: [
      ...ofOtherTypes(type, 'string'),
      ...noJsonTextOf(type),
      ...[
        [ofSize(65_537), 'must NOT be larger than 65536 bytes of JSON'] as const,
        [ofLevels(101), 'must NOT be nested deeper than 100 levels'] as const,
        ...refused,
      ].flatMap(([value, message]) => asBoth(value).map((sent): [unknown, string] => [sent, message])),
    ],
  }
}

/** An array that is also accepted as JSON text. */
export const jsonArray = (accepted: unknown[][], refused: [unknown[], string][] = []) =>
  jsonText('array', accepted, refused)

/** An object that is also accepted as JSON text. */
export const jsonObject = (...accepted: object[]) => jsonText('object', accepted, [])
