/** Converts Ajv's errors to the `details` of a 400. */
import type { ErrorObject } from 'ajv'
import type { ValidationDetails } from '../errors.ts'

/** Violations that one response lists, at most. */
export const REPORTED = 100

/** The keyword of an error that replaces `params.count` unlisted violations. */
export const COUNTED = 'x-counted'

/** The keyword of an error for all unknown fields of an object: `params.names`. */
export const UNKNOWN = 'x-unknown'

/** The message for an array that is too long. */
export const tooMany = (limit: number) => `must NOT have more than ${limit} items`

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
  'time-zone': 'must be an IANA time zone',
  timestamp: 'must be an ISO 8601 date-time or a plain date',
  cursor: 'must be the cursor of a next page',
  email: 'must be an email address',
}

/** The message of a violation, without terms of JSON Schema. */
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

/** Creates an error for each unknown field, up to the limit. */
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
    const reported = Math.min(names.length, REPORTED - listed)
    listed += reported
    more += names.length - reported
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
 * the first {@link REPORTED}, the number of further ones.
 */
export function flattenErrors(found: readonly ErrorObject[]): ValidationDetails {
  const errors = found.some(({ keyword }) => keyword === UNKNOWN) ? [...eachUnknown(found)] : found
  const formErrors: string[] = []
  const fieldErrors: Record<string, string[]> = Object.create(null)
  const reported = joinUnions(withoutErrorsOfLongArrays(errors)).filter(({ keyword }) => keyword !== COUNTED)
  for (const error of reported.slice(0, REPORTED)) {
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
  const more = Math.max(0, reported.length - REPORTED) + sum(counted)
  if (more > 0) formErrors.push(`has ${more} more violations`)
  return { formErrors, fieldErrors }
}
