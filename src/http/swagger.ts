/** The library that writes the OpenAPI document, loaded when it is first needed: dynamic imports are of our own modules alone. */
export { default } from '@fastify/swagger'
