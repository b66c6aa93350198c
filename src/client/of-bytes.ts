/** Made from the OpenAPI document by `npm run client:types`. */
/** The operations that respond with any bytes, whatever their type. */
export const OF_BYTES: readonly string[] = [
  'get /api/attachments/{id}/thumbnail',
  'get /api/attachments/{id}/content',
  'get /api/export',
]
