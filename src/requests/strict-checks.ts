/** The checks of strict handling: unknown fields, unknown parameters and unlisted values are violations, too. */
import type { SchemaObject } from 'ajv'
import type { ValidationDetails } from '../errors.ts'
import { once } from '../once.ts'
import { createCompiler } from './validation.ts'
import { flattenErrors } from './violations.ts'

const compilePlain = createCompiler({ coerceTypes: false, isStrict: true })
const compileCoercing = createCompiler({ coerceTypes: true, isStrict: true })

/** The checked parts of a request: query and body. */
interface Checked {
  body?: unknown
  query?: unknown
}

/** No parameter, no field. */
const NOTHING = { type: 'object', additionalProperties: false }

/**
 * Creates the strict checks, one per route, compiled lazily: all violations of the validators,
 * and unknown fields and unlisted values.
 * @returns the check for the schemas of a route's body and query: all violations of a request
 */
export function createStrictChecks() {
  return ({ body, query }: Checked): ((request: Checked) => ValidationDetails | undefined) => {
    const checkBody = once(() => compilePlain((body ?? NOTHING) as SchemaObject))
    const checkQuery = once(() => compileCoercing({ ...(query ?? {}), ...NOTHING }))
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
