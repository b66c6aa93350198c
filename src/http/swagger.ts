/** The library that generates the OpenAPI document, loaded lazily: dynamic imports may only name our own modules. */
export { default } from '@fastify/swagger'
