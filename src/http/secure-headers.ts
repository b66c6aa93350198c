/** What answers tell browsers not to do with them. */

/** Which loading and framing a page may do. */
export const POLICY = 'content-security-policy'

/**
 * With every answer. They are data: never a page, a script, or part of somebody else's page. (The last one does not
 * concern requests with CORS, which `CORS_ORIGIN` decides on.)
 */
export const SECURE_HEADERS = Object.freeze({
  [POLICY]: "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
})

/** The policy of the one page there is, /docs: all that it loads is its own. Its pictures are in its style sheet. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Behind TLS: for a year, no more requests without. */
export const TLS_ONLY = 'max-age=31536000'
