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

/**
 * A result schema without descriptions: field names explain results, and every listed tool takes context in each
 * conversation.
 */
export function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== 'description' || typeof value !== 'string',
  )
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutWords(value)]))
}

/** The arguments of a tool: unknown ones are refused. */
export const Arguments = (fields: TProperties): TObject =>
  Type.Object(fields, { additionalProperties: false })

const named = new Map<string, TSchema>(namedSchemas.map((schema) => [ref(schema).$ref, schema]))

/** Formats of this service only; descriptions explain them. */
const OWN_FORMATS = ['timestamp', 'cursor', 'email']

/** Keywords without meaning for agents. */
const LEFT_OUT = ['$id', 'examples', 'contentMediaType', 'minProperties']

/** The schema for agents of a field that accepts falsy values for "none": text or null. */
const isOptionalDate = ({ anyOf }: TSchema) =>
  Array.isArray(anyOf) && anyOf.some((one: TSchema) => Array.isArray(one.enum) && one.enum.includes(false))

/**
 * A schema for agents: self-contained, in plain JSON Schema. Only listed values are allowed, since tools'
 * requests are handled strictly.
 */
export function published(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(published)
  if (typeof schema !== 'object' || schema === null) return schema
  const own = schema as TSchema
  if (typeof own.$ref === 'string') return published(named.get(own.$ref) ?? {})
  if (isOptionalDate(own)) {
    const { description = own.anyOf[0].description } = own
    return { type: ['string', 'null'], description: `${description}; null for none` }
  }
  const listed = own['x-extensible-enum'] ?? own['x-any-of']
  const isText = own.type === 'string'
  const entries = Object.entries(own).flatMap(([key, value]): [string, unknown][] => {
    if (key.startsWith('x-') || LEFT_OUT.includes(key)) return []
    if (key === 'format' && OWN_FORMATS.includes(value)) return []
    if (key === 'type' && own.contentMediaType !== undefined) return [[key, value[0]]]
    if (key === 'enum' || key === 'const' || key === 'required' || key === 'default') return [[key, value]]
    if (key === 'items' && listed !== undefined) return [[key, { type: 'string', enum: listed }]]
    if (key === 'properties') return [[key, publishedFields(value)]]
    return [[key, published(value)]]
  })
  return Object.fromEntries(isText && listed ? [...entries, ['enum', listed]] : entries)
}

const publishedFields = (fields: TProperties) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, published(field)]))
