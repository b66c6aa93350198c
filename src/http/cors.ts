/** The CORS library, loaded only if CORS is configured: dynamic imports may only name our own modules. */
export { default } from '@fastify/cors'
