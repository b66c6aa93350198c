/** The rate limiting library, loaded lazily: dynamic imports may only name our own modules. */
export { RateLimiterMemory } from 'rate-limiter-flexible'
