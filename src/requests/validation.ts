/** Compiles schemas: the options of Ajv, and Fastify's validator compiler. */
import { Ajv, type SchemaObject } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { once, oncePerSchema } from '../once.ts'
import { addKeywords } from './keywords.ts'

/** @param isStrict whether unknown fields are errors; otherwise they are dropped */
function createAjv({ coerceTypes, isStrict = false }: { coerceTypes: boolean; isStrict?: boolean }): Ajv {
  const ajv = new Ajv({
    // A test checks each schema against the meta-schema; at run time that would cost more
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
  addKeywords(ajv, isStrict)
  return ajv
}

/**
 * Creates a function that compiles schemas, each once. The first schema creates the Ajv for all of them.
 * @param coerceTypes whether texts are converted, as parameters and queries need it
 * @param isStrict whether the requests are handled strictly
 */
export function createCompiler(options: { coerceTypes: boolean; isStrict?: boolean }) {
  const ajv = once(() => createAjv(options))
  return oncePerSchema((schema: SchemaObject) => ajv().compile(schema))
}

/** Compiles schemas of bodies, which are not coerced. */
export const compilePlain = createCompiler({ coerceTypes: false })
const compileCoercing = createCompiler({ coerceTypes: true })

/**
 * Fastify's validator compiler: bodies are not coerced, parameters and queries (always text) are. Schemas are compiled
 * lazily, by the first request that needs each, for a faster startup.
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
