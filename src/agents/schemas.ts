/** The schemas of tools, composed of the routes' schemas, and their publication. */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { ENTRIES_LIMIT, LIMITS, ref } from '../schemas/common.ts'
import { namedSchemas } from '../schemas/records.ts'

/** The schemas of routes, by their operation id. */
export interface RouteSchemas {
  body: (operationId: string) => TSchema
  query: (operationId: string) => TSchema
}

/** Descriptions that replace a field's own. */
type Words = Record<string, string>

/** A field of a route. A filter's list or text, which only the length of a URL limits, is limited like those in bodies. */
function limited(field: TSchema): TSchema {
  if (field.contentMediaType !== undefined) return field
  const types = [field.type].flat()
  return {
    ...(types.includes('string') && { maxLength: LIMITS.comment }),
    ...field,
    ...(types.includes('array') && { maxItems: ENTRIES_LIMIT }),
  }
}

/**
 * Fields of a route's schema, with its limits; required if the route requires them.
 * @param words descriptions for agents
 * @throws Error if the route does not have such a field
 */
export function fieldsOf(schema: TSchema, names: readonly string[], words: Words = {}): TProperties {
  const { properties = {} } = schema as { properties?: TProperties }
  return Object.fromEntries(
    names.map((name) => {
      const field = properties[name]
      if (field === undefined) throw new Error(`the route has no field ${name}`)
      const description = words[name]
      return [name, limited(description === undefined ? field : { ...field, description })]
    }),
  )
}

/** The same fields, all of them required. */
export const required = (fields: TProperties): TProperties => Type.Required(Type.Object(fields)).properties

/** The arguments of a tool: unknown ones are refused. */
export const Arguments = (fields: TProperties): TObject =>
  Type.Object(fields, { additionalProperties: false })

const named = new Map<string, TSchema>(namedSchemas.map((schema) => [ref(schema).$ref, schema]))

/** Formats of this service only; descriptions explain them. */
const OWN_FORMATS = ['timestamp', 'cursor', 'email']

/** Keywords without meaning for agents, or that some clients refuse. */
const LEFT_OUT = ['$id', 'examples', 'contentMediaType', 'minProperties', 'uniqueItems']

/** Whether a field accepts falsy values for "none". */
const isOptionalDate = ({ anyOf }: TSchema) =>
  Array.isArray(anyOf) && anyOf.some((one: TSchema) => Array.isArray(one.enum) && one.enum.includes(false))

/** Keywords of texts, which a list does not have. */
const OF_TEXT = ['minLength', 'maxLength', 'pattern', 'format']

/** The types of a schema; JSON-text fields are shown as plain values. */
const typesOf = ({ type, contentMediaType }: TSchema): unknown[] =>
  contentMediaType === undefined ? [type].flat() : [type[0]]

/** Whether null is one of several values. */
const isNullable = (schema: TSchema): boolean =>
  isOptionalDate(schema) || typesOf(schema).includes('null') || (schema.anyOf ?? []).some(isNullable)

/** The arguments that may be null: an empty text is null, too. */
export const clearable = ({ properties }: TObject): string[] =>
  Object.keys(properties).filter((name) => isNullable(properties[name] as TSchema))

/**
 * A schema for agents: self-contained, in plain JSON Schema. Only listed values are allowed, since tools' requests are handled strictly.
 *
 * Each value has one type, because clients and models refuse tools with alternatives (docs/decisions/089-plain-tool-schemas.md). In arguments
 * a value or a list of them is a list, and a text or null is a text, which may be empty; the service accepts the alternatives, too. In
 * results what may be null has no type.
 * @param of results have no descriptions: field names explain them, and every listed tool takes context in each conversation
 */
export function published(schema: unknown, of: 'arguments' | 'result'): unknown {
  if (Array.isArray(schema)) return schema.map((one) => published(one, of))
  if (typeof schema !== 'object' || schema === null) return schema
  const own = schema as TSchema
  const isResult = of === 'result'
  if (typeof own.$ref === 'string') return published(named.get(own.$ref) ?? {}, of)
  if (isResult && isNullable(own)) return {}
  if (isOptionalDate(own)) {
    const { description = own.anyOf[0].description } = own
    return { type: 'string', description: `${description}; empty for none` }
  }
  const listed = own['x-extensible-enum'] ?? own['x-any-of']
  const types = typesOf(own)
  const type = types.includes('array') ? 'array' : types.find((one) => one !== 'null')
  const entries = Object.entries(own).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || LEFT_OUT.includes(key)) return []
    if (isResult && key === 'description') return []
    if (type === 'array' && OF_TEXT.includes(key)) return []
    if (key === 'format' && OWN_FORMATS.includes(value)) return []
    if (key === 'type') return [[key, type]]
    if (key === 'enum' || key === 'const' || key === 'required' || key === 'default') return [[key, value]]
    if (key === 'items' && listed !== undefined) return [[key, { type: 'string', enum: listed }]]
    if (key === 'properties') return [[key, publishedFields(value, of)]]
    return [[key, published(value, of)]]
  })
  return Object.fromEntries(type === 'string' && listed ? [...entries, ['enum', listed]] : entries)
}

const publishedFields = (fields: TProperties, of: 'arguments' | 'result') =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, published(field, of)]))
