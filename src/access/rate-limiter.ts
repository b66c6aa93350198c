/** The rate limiting library, loaded when it is first needed: dynamic imports are of our own modules alone. */
export { RateLimiterMemory } from 'rate-limiter-flexible'
