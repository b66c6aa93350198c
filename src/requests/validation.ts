/** How requests are validated: one set of Ajv options and keywords, and the contract's `details`. */
import { Ajv, type AnySchemaObject, type ErrorObject, type SchemaObjCxt, type SchemaObject } from 'ajv'
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js'
import type { FastifySchemaCompiler } from 'fastify'
import { DEFAULT_SORT, isCursor, isCursorOf } from '../db/pages.ts'
import type { ValidationDetails } from '../errors.ts'
import { isDeeperThan, parseJson } from '../json.ts'
import { once, oncePerSchema } from '../once.ts'
import { EMAIL_PATTERN, JSON_TEXT_DEPTH, JSON_TEXT_LIMIT, valuesOfList } from '../schemas/common.ts'
import { parseTimestamp } from '../time.ts'

/**
 * Whether the JSON of a value is certainly longer than a limit, in characters: a lower bound that stops at the limit.
 */
function isLongerThan(value: unknown, limit: number): boolean {
  let length = 0
  const rest: unknown[] = [value]
  while (rest.length > 0 && length <= limit) {
    const part = rest.pop()
    length += 1
    if (typeof part === 'string') length += part.length
    else if (Array.isArray(part)) {
      length += part.length
      if (length <= limit) for (const element of part) rest.push(element)
    } else if (typeof part === 'object' && part !== null) {
      for (const name in part) {
        length += name.length + 3
        if (length > limit) break
        rest.push((part as Record<string, unknown>)[name])
      }
    }
  }
  return length > limit
}

/** Violations that one response lists. */
const REPORTED = 100

/** The keyword of an error that stands for violations which are counted, not listed: `params.count` of them. */
const COUNTED = 'x-counted'

/** The keyword of an error that stands for the unknown fields of an object: `params.names`. */
const UNKNOWN = 'x-unknown'

/**
 * Creates the check of an array's elements, which lists the first {@link REPORTED} violations and counts the rest: Ajv
 * would create an object for each of tens of thousands.
 */
function elementsCheck(ajv: Ajv, elements: AnySchemaObject) {
  const check = ajv.compile(elements)
  return (values: unknown[], instancePath: string): Partial<ErrorObject>[] => {
    const errors: Partial<ErrorObject>[] = []
    let count = 0
    for (const [index, value] of values.entries()) {
      if (check(value)) continue
      for (const error of check.errors ?? []) {
        if (errors.length < REPORTED)
          errors.push({ ...error, instancePath: `${instancePath}/${index}${error.instancePath}` })
        else count++
      }
    }
    return count === 0 ? errors : [...errors, { keyword: COUNTED, instancePath, params: { count } }]
  }
}

/**
 * `contentMediaType: application/json` on a field of type `[array | object, string]`: parses JSON text in
 * place before the schema's array and object keywords see it, and checks the plain value against the limits.
 */
function compileJsonText(
  _mediaType: string,
  parent: AnySchemaObject,
  { self }: SchemaObjCxt,
): DataValidateFunction {
  const [kind] = parent.type as ['array' | 'object', 'string']
  const empty = () => (kind === 'array' ? [] : {})
  const isKind = (value: unknown) =>
    typeof value === 'object' && value !== null && Array.isArray(value) === (kind === 'array')
  const checkElements = parent.items && elementsCheck(self as Ajv, parent.items)

  const check: DataValidateFunction = (data: unknown, context?: DataValidationCxt) => {
    const settle = (value: unknown) => {
      if (context) context.parentData[context.parentDataProperty] = value
    }
    const refuseFor = (errors: Partial<ErrorObject>[]) => {
      // The value is rejected as a whole: checking its elements again would only multiply the errors.
      settle(empty())
      check.errors = errors
      return false
    }
    const refuse = (message: string) => refuseFor([{ keyword: 'contentMediaType', message, params: {} }])
    let value = data
    if (typeof data === 'string') {
      try {
        value = data === '' ? empty() : parseJson(data)
      } catch {
        return refuse(`must be JSON text of an ${kind}`)
      }
    }
    if (!isKind(value)) return typeof data === 'string' ? refuse(`must be JSON text of an ${kind}`) : true
    const isLong = isLongerThan(value, JSON_TEXT_LIMIT)
    if (!isLong && isDeeperThan(value, JSON_TEXT_DEPTH)) {
      return refuse(`must NOT be nested deeper than ${JSON_TEXT_DEPTH} levels`)
    }
    if (isLong || Buffer.byteLength(JSON.stringify(value)) > JSON_TEXT_LIMIT) {
      return refuse(`must NOT be larger than ${JSON_TEXT_LIMIT} bytes of JSON`)
    }
    if (Array.isArray(value) && checkElements) {
      if (value.length > (parent.maxItems ?? Number.POSITIVE_INFINITY))
        return refuse(tooMany(parent.maxItems))
      const errors = checkElements(value, context?.instancePath ?? '')
      if (errors.length > 0) return refuseFor(errors)
    }
    if (value !== data) settle(value)
    return true
  }
  return check
}

const tooMany = (limit: number) => `must NOT have more than ${limit} items`

/** `maxItems` of JSON Schema; but the elements of an array that is too long are not checked. */
function compileMaxItems(limit: number): DataValidateFunction {
  const check: DataValidateFunction = (items: unknown[], context?: DataValidationCxt) => {
    if (items.length <= limit) return true
    if (context) context.parentData[context.parentDataProperty] = []
    check.errors = [{ keyword: 'maxItems', message: tooMany(limit), params: { limit } }]
    return false
  }
  return check
}

/** A value as it would be stored: in UTF-8, which has no lone surrogates. */
const asStored = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value)

/** `x-unique-by: <name>`: the elements' values under this name, where present, are unique. */
function compileUniqueBy(name: string): DataValidateFunction {
  const check: DataValidateFunction = (items: (Record<string, unknown> | null)[]) => {
    const values = items.map((item) => asStored(item?.[name])).filter((value) => value !== undefined)
    const isUnique = new Set(values).size === values.length
    const message = `must NOT have two elements with the same ${name}`
    check.errors = isUnique ? [] : [{ keyword: 'x-unique-by', message, params: {} }]
    return isUnique
  }
  return check
}

/** `x-at-most-one-of: [name, ...]`: the object has at most one of these fields. All but the first present are errors. */
function compileAtMostOneOf(names: string[]): DataValidateFunction {
  const check: DataValidateFunction = (data: object, context?: DataValidationCxt) => {
    const [first, ...others] = names.filter((name) => Object.hasOwn(data, name))
    check.errors = others.map((name) => ({
      keyword: 'x-at-most-one-of',
      instancePath: `${context?.instancePath ?? ''}/${name}`,
      message: `must NOT be given together with ${first}`,
      params: {},
    }))
    return others.length === 0
  }
  return check
}

/** `x-cursor-of-sort`: the object's `cursor` is of a list in its `sort`, where that is true, or in the sort that is named. */
function compileCursorOfSort(wanted: true | string): DataValidateFunction {
  const check: DataValidateFunction = (
    { cursor, sort = DEFAULT_SORT }: { cursor?: unknown; sort?: unknown },
    context?: DataValidationCxt,
  ) => {
    const name = wanted === true ? String(sort) : wanted
    if (typeof cursor !== 'string' || !isCursor(cursor) || isCursorOf(cursor, name)) return true
    const instancePath = `${context?.instancePath ?? ''}/cursor`
    const message = 'must be the cursor of a page in the same sort'
    check.errors = [{ keyword: 'x-cursor-of-sort', instancePath, message, params: {} }]
    return false
  }
  return check
}

/** `x-any-of: [value, ...]`: each value, also between commas, is one of these; an empty one is none. */
function compileAnyOfThese(allowedValues: string[]): DataValidateFunction {
  const check: DataValidateFunction = (given: string | string[]) => {
    check.errors = [{ keyword: 'enum', params: { allowedValues } }]
    return valuesOfList(given).every((value) => allowedValues.includes(value))
  }
  return check
}

/** The value, or each of several, is one of the listed; the empty one is none. */
function compileAnyOf(allowedValues: string[]): DataValidateFunction {
  const check: DataValidateFunction = (given: string | unknown[]) => {
    const isAllowed = (value: unknown) =>
      typeof value !== 'string' || value === '' || allowedValues.includes(value)
    check.errors = [{ keyword: 'enum', params: { allowedValues } }]
    return [given].flat().every(isAllowed)
  }
  return check
}

/**
 * `additionalProperties: false` of a strict request. One error names all unknown fields of an object: Ajv would create
 * one for each.
 */
function compileAdditionalProperties(
  isOpen: boolean,
  { properties = {} }: AnySchemaObject,
): DataValidateFunction {
  const known = new Set(Object.keys(properties))
  const check: DataValidateFunction = (data: object) => {
    const names = isOpen ? [] : Object.keys(data).filter((name) => !known.has(name))
    check.errors = [{ keyword: UNKNOWN, params: { names } }]
    return names.length === 0
  }
  return check
}

/** Adds the keywords that only a strict request is held to; for any other they say nothing. */
function addStrictKeywords(ajv: Ajv, isStrict: boolean): void {
  const listed = { keyword: 'x-extensible-enum', schemaType: 'array' } as const
  if (!isStrict) {
    ajv.addKeyword(listed)
    return
  }
  ajv.addKeyword({ ...listed, type: ['string', 'array'], errors: true, compile: compileAnyOf })
  ajv.removeKeyword('additionalProperties')
  ajv.addKeyword({
    keyword: 'additionalProperties',
    type: 'object',
    schemaType: 'boolean',
    errors: true,
    compile: compileAdditionalProperties,
  })
}

/** @param isStrict whether unknown fields are errors, instead of dropped, and so are values that are not listed */
function createAjv({ coerceTypes, isStrict = false }: { coerceTypes: boolean; isStrict?: boolean }): Ajv {
  const ajv = new Ajv({
    // The schemas are the service's own, and a test checks each against the meta-schema; at run time that would cost more
    // than compiling all of them.
    meta: false,
    validateSchema: false,
    allErrors: true,
    coerceTypes,
    // With coercion "Infinity" becomes a number: strict numbers would skip the limits, which reject it.
    strictNumbers: !coerceTypes,
    removeAdditional: !isStrict,
    allowUnionTypes: true,
  })
  ajv.removeKeyword('contentMediaType')
  ajv.removeKeyword('maxItems')
  ajv.addKeyword({
    keyword: 'maxItems',
    type: 'array',
    schemaType: 'number',
    modifying: true,
    errors: true,
    before: 'minItems',
    compile: compileMaxItems,
  })
  ajv.addFormat('timestamp', (text: string) => parseTimestamp(text) !== undefined)
  ajv.addFormat('cursor', isCursor)
  ajv.addFormat('email', EMAIL_PATTERN)
  ajv.addKeyword({ keyword: 'contentMediaType', modifying: true, errors: 'full', compile: compileJsonText })
  ajv.addKeyword({
    keyword: 'x-unique-by',
    type: 'array',
    schemaType: 'string',
    errors: true,
    compile: compileUniqueBy,
  })
  ajv.addKeyword({
    keyword: 'x-at-most-one-of',
    type: 'object',
    schemaType: 'array',
    errors: 'full',
    compile: compileAtMostOneOf,
  })
  ajv.addKeyword({
    keyword: 'x-cursor-of-sort',
    type: 'object',
    schemaType: ['boolean', 'string'],
    errors: 'full',
    compile: compileCursorOfSort,
  })
  ajv.addKeyword({
    keyword: 'x-any-of',
    type: ['string', 'array'],
    schemaType: 'array',
    errors: true,
    compile: compileAnyOfThese,
  })
  addStrictKeywords(ajv, isStrict)
  return ajv
}

/** Compiles schemas, each once, with an Ajv that the first of them makes. */
function createCompiler(options: { coerceTypes: boolean; isStrict?: boolean }) {
  const ajv = once(() => createAjv(options))
  return oncePerSchema((schema: SchemaObject) => ajv().compile(schema))
}

const compilePlain = createCompiler({ coerceTypes: false })
const compileCoercing = createCompiler({ coerceTypes: true })
const compilePlainStrictly = createCompiler({ coerceTypes: false, isStrict: true })
const compileCoercingStrictly = createCompiler({ coerceTypes: true, isStrict: true })

/**
 * Fastify's validator compiler: bodies as they are, parameters and queries (always text) coerced. Schemas are compiled
 * lazily, by the first request that needs each, which makes the start faster.
 */
export function createValidatorCompiler(): FastifySchemaCompiler<Record<string, unknown>> {
  return ({ schema, httpPart }) => {
    const compile = httpPart === 'body' ? compilePlain : compileCoercing
    const compiled = once(() => compile(schema as SchemaObject))
    const validate: ReturnType<FastifySchemaCompiler<unknown>> = (data) => {
      const check = compiled()
      const isValid = check(data)
      validate.errors = check.errors ?? null
      return isValid
    }
    return validate
  }
}

/** The query and the body of a request, as far as they are checked. */
interface Checked {
  body?: unknown
  query?: unknown
}

/** No parameter, no field. */
const NOTHING = { type: 'object', additionalProperties: false }

/**
 * Creates the strict checks, one a route, compiled by the first strict request to it: all that the validators refuse,
 * and unknown fields and values that are not listed beside it.
 * @returns the check for the schemas of a route's body and query: all violations of a request
 */
export function createStrictChecks() {
  return ({ body, query }: Checked): ((request: Checked) => ValidationDetails | undefined) => {
    const checkBody = once(() => compilePlainStrictly((body ?? NOTHING) as SchemaObject))
    const checkQuery = once(() => compileCoercingStrictly({ ...(query ?? {}), ...NOTHING }))
    return (request) => {
      const checks = [
        ...(request.body === undefined ? [] : [{ check: checkBody(), data: request.body }]),
        { check: checkQuery(), data: request.query },
      ]
      const errors = checks.flatMap(({ check, data }) => (check(data) ? [] : (check.errors ?? [])))
      return errors.length > 0 ? flattenErrors(errors) : undefined
    }
  }
}

const segments = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))

const readablePath = (path: string[]) =>
  path
    .map((segment, depth) => (/^\d+$/.test(segment) ? `[${segment}]` : depth ? `.${segment}` : segment))
    .join('')

/** Error messages for our own formats. */
const FORMATS = {
  timestamp: 'must be an ISO 8601 date-time or a plain date',
  cursor: 'must be the cursor of a next page',
  email: 'must be an email address',
}

/** The message of a violation, in words that need no knowledge of JSON Schema. */
function describe({ keyword, message = 'is invalid', params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'format':
      return FORMATS[params.format as keyof typeof FORMATS]
    case 'enum':
      return `must be one of ${params.allowedValues.map((value: unknown) => JSON.stringify(value)).join(', ')}`
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`
    case UNKNOWN:
      return 'is unknown'
    default:
      return message
  }
}

/** Makes an error of each unknown field, as long as they are reported. */
function* eachUnknown(errors: readonly ErrorObject[]): Generator<ErrorObject> {
  let more = 0
  let listed = 0
  for (const error of errors) {
    if (error.keyword !== UNKNOWN) {
      yield error
      continue
    }
    const names: string[] = error.params.names
    for (const name of names.slice(0, REPORTED - listed)) yield { ...error, params: { name } }
    const told = Math.min(names.length, REPORTED - listed)
    listed += told
    more += names.length - told
  }
  if (more > 0) yield { keyword: COUNTED, instancePath: '', schemaPath: '', params: { count: more } }
}

/** Joins the errors of a failed union's branches into its one message. */
function joinUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf')
  const branchesOf = (union: ErrorObject) =>
    errors.filter(
      ({ schemaPath, instancePath }) =>
        `${instancePath}/`.startsWith(`${union.instancePath}/`) &&
        schemaPath.startsWith(`${union.schemaPath}/`),
    )
  const branches = new Set(unions.flatMap(branchesOf))
  return errors
    .filter((error) => !branches.has(error))
    .map((error) =>
      error.keyword === 'anyOf'
        ? { ...error, keyword: 'union', message: [...new Set(branchesOf(error).map(describe))].join(', or ') }
        : error,
    )
}

/** Drops the other errors of an array that is too long: the maxItems keyword has emptied it for the other keywords. */
function withoutErrorsOfLongArrays(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const long = new Set(
    errors.flatMap(({ keyword, instancePath }) => (keyword === 'maxItems' ? [instancePath] : [])),
  )
  return long.size === 0
    ? errors
    : errors.filter(({ keyword, instancePath }) => keyword === 'maxItems' || !long.has(instancePath))
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/**
 * The contract's `details`: the violations, each under its first path segment, the message naming the deeper path; after
 * the first {@link REPORTED}, how many more there are.
 */
export function flattenErrors(found: readonly ErrorObject[]): ValidationDetails {
  const errors = found.some(({ keyword }) => keyword === UNKNOWN) ? [...eachUnknown(found)] : found
  const formErrors: string[] = []
  const fieldErrors: Record<string, string[]> = Object.create(null)
  const told = joinUnions(withoutErrorsOfLongArrays(errors)).filter(({ keyword }) => keyword !== COUNTED)
  for (const error of told.slice(0, REPORTED)) {
    const path = segments(error.instancePath)
    if (error.keyword === 'required') path.push(error.params.missingProperty)
    if (error.keyword === UNKNOWN) path.push(error.params.name)
    const [field] = path
    const message = path.length > 1 ? `${readablePath(path)} ${describe(error)}` : describe(error)
    if (field === undefined) {
      formErrors.push(message)
    } else {
      fieldErrors[field] ??= []
      fieldErrors[field].push(message)
    }
  }
  const counted = errors
    .filter(({ keyword }) => keyword === COUNTED)
    .map(({ params }) => Number(params.count))
  const more = Math.max(0, told.length - REPORTED) + sum(counted)
  if (more > 0) formErrors.push(`has ${more} more violations`)
  return { formErrors, fieldErrors }
}
