/** Made from the OpenAPI document by `npm run client:types`. */
/** The writes that take no Idempotency-Key. */
export const WITHOUT_KEY: readonly string[] = [
  'post /api/session',
  'delete /api/session',
  'post /api/session/link/check',
  'post /api/session/link',
  'post /mcp',
]
