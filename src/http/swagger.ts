/** The library that writes the OpenAPI document, loaded when somebody asks for it: only own modules are imported dynamically. */
export { default } from '@fastify/swagger'
