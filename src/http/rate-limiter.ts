/** The library that counts, for whoever loads it when it is first needed: only own modules are imported dynamically. */
export { RateLimiterMemory } from 'rate-limiter-flexible'
