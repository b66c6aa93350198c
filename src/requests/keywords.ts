/** Additional keywords and formats of request schemas. */
import type { Ajv, AnySchemaObject } from 'ajv'
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js'
import { DEFAULT_SORT, isCursor, isCursorOf } from '../db/pages.ts'
import { EMAIL_PATTERN, valuesOfList } from '../schemas/common.ts'
import { parseTimestamp } from '../time.ts'
import { isTimeZone } from '../time-zones.ts'
import { compileJsonText } from './json-text-keyword.ts'
import { tooMany, UNKNOWN } from './violations.ts'

/** `maxItems` of JSON Schema, but without checking the elements of a too long array. */
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

/** `x-cursor-of-sort`: the object's `cursor` belongs to its `sort` if true, or to the named sort. */
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

/** `x-any-of: [value, ...]`: each text, also if comma-separated, is one of these; empty ones are ignored. */
function compileAnyOfThese(allowedValues: string[]): DataValidateFunction {
  const check: DataValidateFunction = (given: string | unknown[]) => {
    // `items` reports the others.
    const texts = [given].flat().filter((value) => typeof value === 'string')
    check.errors = [{ keyword: 'enum', params: { allowedValues } }]
    return valuesOfList(texts).every((value) => allowedValues.includes(value))
  }
  return check
}

/** The value, or each of several, is one of the listed; empty ones are ignored. */
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

/** Adds the keywords that apply only to strict requests. */
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

/**
 * Adds the keywords and formats to an instance of Ajv.
 * @param isStrict whether unknown fields and unlisted values are errors
 */
export function addKeywords(ajv: Ajv, isStrict: boolean): void {
  ajv.addFormat('timestamp', (text: string) => parseTimestamp(text) !== undefined)
  ajv.addFormat('time-zone', isTimeZone)
  ajv.addFormat('cursor', isCursor)
  ajv.addFormat('email', EMAIL_PATTERN)
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
}
