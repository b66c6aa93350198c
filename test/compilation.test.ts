/** Schemas are compiled lazily. This test compiles all of them, so that a broken one is found before a request. */
import type { TSchema } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import Fastify, { type RouteOptions } from 'fastify'
import t from 'tap'
import { phaseboard } from '../src/app.ts'
import { createValidatorCompiler } from '../src/requests/validation.ts'
import { namedSchemas } from '../src/schemas/records.ts'
import { createSerializer } from '../src/schemas/serialization.ts'

const standard = new Ajv()
const compileValidator = createValidatorCompiler()

/** The error in the schema itself, if any. */
function problemOf(schema: object, useOnce: () => unknown): string | undefined {
  if (!standard.validateSchema(schema)) return standard.errorsText()
  try {
    useOnce()
    return undefined
  } catch (error) {
    const { message } = error as Error
    // The serializer works, but misses a field in the given value.
    return / is required!$|^The value of '\w*#' does not match schema definition/.test(message)
      ? undefined
      : message
  }
}

const validatorProblem = (schema: object, httpPart: string) =>
  problemOf(schema, () => compileValidator({ schema: { ...schema }, method: '', url: '', httpPart })({}))
const serializerProblem = (schema: object) =>
  problemOf(schema, () => createSerializer(schema as TSchema)({} as never))

t.test('every schema of every route is valid by its meta-schema, and can be compiled', async (t) => {
  const routes: RouteOptions[] = []
  const host = Fastify()
  t.teardown(() => host.close())
  host.addHook('onRoute', (route) => void routes.push(route))
  await host.register(phaseboard, { databaseUrl: ':memory:' })

  let count = 0
  for (const { method, url, schema = {} } of routes) {
    for (const httpPart of ['params', 'querystring', 'body'] as const) {
      const part = schema[httpPart]
      if (part === undefined) continue
      t.equal(validatorProblem(part as object, httpPart), undefined, `${method} ${url} ${httpPart}`)
      count++
    }
    for (const [status, answer] of Object.entries(schema.response ?? {})) {
      t.equal(serializerProblem(answer), undefined, `${method} ${url} ${status}`)
      count++
    }
  }
  t.ok(count > 50, `${count} schemas were seen`)
})

t.test('every named schema is valid by its meta-schema', async (t) => {
  for (const schema of namedSchemas) t.ok(standard.validateSchema(schema), String(schema.$id))
})

t.test('this check finds a broken schema', async (t) => {
  t.match(validatorProblem({ type: 'object', properties: { a: { minLength: 'x' } } }, 'body'), /minLength/)
  t.match(
    validatorProblem({ type: 'object', properties: { a: { type: 'string', format: 'x' } } }, 'body'),
    /format/,
  )
  t.match(validatorProblem({ type: 'object', propertys: {} }, 'query'), /unknown keyword/)
  t.match(serializerProblem({ $ref: 'Nothing#' }), /Nothing/)
})
