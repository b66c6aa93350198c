/** The CORS library, loaded only where CORS is configured: dynamic imports are of our own modules alone. */
export { default } from '@fastify/cors'
