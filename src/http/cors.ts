/** The library that answers other origins, loaded where there are any: only own modules are imported dynamically. */
export { default } from '@fastify/cors'
