/** Fields that also accept JSON text: the keyword parses the text, and limits the size and depth of the value. */
import type { Ajv, AnySchemaObject, ErrorObject, SchemaObjCxt } from 'ajv'
import type { DataValidateFunction, DataValidationCxt } from 'ajv/dist/types/index.js'
import { isDeeperThan, parseJson } from '../json.ts'
import { JSON_TEXT_DEPTH, JSON_TEXT_LIMIT } from '../schemas/common.ts'
import { COUNTED, REPORTED, tooMany } from './violations.ts'

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
export function compileJsonText(
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
