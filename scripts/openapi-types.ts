/**
 * Generates the client's types from the OpenAPI document. It knows the part of JSON Schema that the document uses, and
 * rejects the rest, rather than guess. Why it is our own: docs/decisions/033-client.md.
 */

/** A schema of the document. */
export interface Schema {
  [keyword: string]: unknown
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  description?: string
  'x-extensible-enum'?: string[]
  'x-any-of'?: string[]
}

interface Content {
  content?: Record<string, { schema?: Schema }>
}

interface Parameter {
  $ref?: string
  name?: string
  in?: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface Operation {
  summary?: string
  description?: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: Content & { required?: boolean }
  responses: Record<string, Content>
}

/** The used parts of the document. */
export interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

/** Keywords that do not affect the type. */
const ANNOTATIONS = new Set([
  ...['title', 'description', 'default', 'example', 'examples', 'format', 'pattern', 'contentMediaType'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties', 'deprecated', 'readOnly'],
])
const KNOWN = new Set([
  ...['$ref', 'type', 'enum', 'const', 'anyOf', 'items', 'properties', 'required', 'additionalProperties'],
])

/** A comment before a declaration. */
function comment(text: string | undefined): string {
  return text ? `/** ${text.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n` : ''
}

const quoted = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
const literal = (value: unknown) => JSON.stringify(value)
const union = (types: readonly string[]) => [...new Set(types)].join(' | ')

/** The type of an object's fields. */
function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description)}${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}\n`,
  )
  // Additional fields beside typed ones can have any type.
  const others = typeof additionalProperties === 'object' ? typeOf(additionalProperties) : 'unknown'
  if (additionalProperties) fields.push(`[key: string]: ${fields.length > 0 ? 'unknown' : others}\n`)
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}}`
}

function stringType({ 'x-extensible-enum': listed }: Schema): string {
  // Any string is allowed; editors propose the listed ones.
  return listed ? `${union(listed.map(literal))} | (string & {})` : 'string'
}

/** The elements of a query parameter with several values have the vocabulary of the parameter. */
function arrayType(schema: Schema): string {
  const { items = {}, 'x-extensible-enum': listed } = schema
  return `(${typeOf(listed ? { ...items, 'x-extensible-enum': listed } : items)})[]`
}

function simpleType(type: string, schema: Schema): string {
  switch (type) {
    case 'string':
      return stringType(schema)
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return type
    case 'array':
      return arrayType(schema)
    case 'object':
      return objectType(schema)
    default:
      throw new Error(`a type that is not known: ${type}`)
  }
}

/** The type of a schema's values. @throws Error for an unknown keyword */
export function typeOf(schema: Schema): string {
  const unknown = Object.keys(schema).filter(
    (keyword) => !KNOWN.has(keyword) && !ANNOTATIONS.has(keyword) && !keyword.startsWith('x-'),
  )
  if (unknown.length > 0) throw new Error(`keywords that are not known: ${unknown.join(', ')}`)
  if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '')
  if ('const' in schema) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  if (schema.anyOf) return union(schema.anyOf.map(typeOf))
  if (schema.type === undefined) return 'unknown'
  return union([schema.type].flat().map((type) => simpleType(type, schema)))
}

/** The type of a response's or request's body. */
function contentType({ content }: Content, bytes: string): string | undefined {
  if (!content) return 'undefined'
  const types = Object.entries(content).map(([media, { schema = {} }]) => {
    if (media === 'application/json') return typeOf(schema)
    if (media === 'text/event-stream') return undefined
    return media.startsWith('text/') && bytes === 'BytesOut' ? 'string' : bytes
  })
  return types.includes(undefined) ? undefined : union(types as string[])
}

/** The type of a method's successful response; undefined for streams of events and browser redirects. */
function answerType({ responses }: Operation): string | undefined {
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => contentType(response, 'BytesOut'))
  return answers.length === 0 || answers.includes(undefined) ? undefined : union(answers as string[])
}

/** The parameters of one place, as a field of the options. */
function parametersType(place: 'path' | 'query', parameters: readonly Parameter[]): string {
  const here = parameters.filter((parameter) => parameter.in === place)
  if (here.length === 0) return ''
  const isRequired = here.some(({ required }) => required)
  const fields = here.map(({ name = '', required, description, schema = {} }) => {
    const type = typeOf(schema)
    return `${comment(description)}${quoted(name)}${required ? ': ' : '?: '}${type}${required ? '' : ' | undefined'}`
  })
  // On one line, if it fits and there are no comments: the formatter keeps the first line break.
  const start = here.some(({ description }) => description) ? '{\n' : '{ '
  return `${place}${isRequired ? '' : '?'}: ${start}${fields.join('\n')}\n}${isRequired ? '' : ' | undefined'}\n`
}

/** The headers that become options, with shared descriptions. */
const HEADERS = {
  'If-Match': ['ifMatch', 'The ETag that the record must still have'],
  'Idempotency-Key': ['idempotencyKey', 'Of your own, for repetitions by another process'],
} as const

function headersType(parameters: readonly Parameter[]): string {
  return Object.entries(HEADERS)
    .filter(([header]) => parameters.some(({ name }) => name === header))
    .map(([, [option, description]]) => `${comment(description)}${option}?: string | undefined\n`)
    .join('')
}

function operationType(method: string, operation: Operation): string | undefined {
  const { parameters = [], requestBody, summary } = operation
  const answer = answerType(operation)
  if (answer === undefined) return undefined
  const body = requestBody && contentType(requestBody, 'BytesIn')
  return `${comment(summary)}${method}: {
${parametersType('path', parameters)}${parametersType('query', parameters)}${
  body === undefined ? '' : `body${requestBody?.required ? '' : '?'}: ${body}\n`
}${headersType(parameters)}answer: ${answer}
}
`
}

/** The operations, with their shared parameters instead of references to them. */
const operationsOf = ({ paths, components }: Document) =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = operation.parameters?.map((parameter) => {
        const [, name = ''] = /^#\/components\/parameters\/(\w+)$/.exec(parameter.$ref ?? '') ?? []
        return components.parameters?.[name] ?? parameter
      })
      return { path, method, operation: { ...operation, ...(parameters && { parameters }) } }
    }),
  )

/** The unformatted declarations of all records, bodies and paths. @throws Error for unknown keywords */
export function declarationsOf(document: Document): string {
  const schemas = Object.entries(document.components.schemas).map(([name, schema]) => {
    const type = typeOf(schema)
    const isInterface = type.startsWith('{') && !schema.anyOf
    return `${comment(schema.description)}export ${isInterface ? `interface ${name} ` : `type ${name} = `}${type}\n`
  })
  const operations = Object.entries(Object.groupBy(operationsOf(document), ({ path }) => path))
  const paths = operations.map(([path, methods = []]) => {
    const types = methods.map(({ method, operation }) => operationType(method, operation))
    const kept = types.filter((type) => type !== undefined)
    return kept.length === 0 ? '' : `'${path}': {\n${kept.join('')}}\n`
  })
  const text = `${schemas.join('\n')}
/** The options and responses of each path's methods. */
export interface Paths {
${paths.join('')}}
`
  const imported = ['BytesIn', 'BytesOut'].filter((name) => new RegExp(`\\b${name}\\b`).test(text))
  return `${imported.length > 0 ? `import type { ${imported.join(', ')} } from './types.d.ts'\n\n` : ''}${text}`
}

/** The operations that respond with any bytes, as `method path`. */
export const ofBytes = (document: Document): string[] =>
  operationsOf(document)
    .filter(({ operation }) => answerType(operation) === 'BytesOut')
    .map(({ path, method }) => `${method} ${path}`)

/** The writes that take no Idempotency-Key, as `method path`. */
export const withoutKey = (document: Document): string[] =>
  operationsOf(document)
    .filter(({ method, operation: { parameters = [] } }) => {
      return method !== 'get' && !parameters.some(({ name }) => name === 'Idempotency-Key')
    })
    .map(({ method, path }) => `${method} ${path}`)
