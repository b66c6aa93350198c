/** The checks of strict handling: unknown fields, unknown parameters and values that are not listed are violations, too. */
import type { SchemaObject } from 'ajv'
import type { ValidationDetails } from '../errors.ts'
import { once } from '../once.ts'
import { createCompiler } from './validation.ts'
import { flattenErrors } from './violations.ts'

const compilePlain = createCompiler({ coerceTypes: false, isStrict: true })
const compileCoercing = createCompiler({ coerceTypes: true, isStrict: true })

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
