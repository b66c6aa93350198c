/** Signing in with an account of the organisation's (OpenID Connect), where the service is configured for it. */

import { root } from '../common/api.ts'
import { href } from '../router.ts'

const PATH = 'api/session/oidc'

/** Whether the service offers it: it then leads to the provider, which is not followed here, or says that it is not reached. */
export async function hasProvider(): Promise<boolean> {
  try {
    const { type, status } = await fetch(root + PATH, { method: 'HEAD', redirect: 'manual' })
    return type === 'opaqueredirect' || status === 503
  } catch {
    return false
  }
}

/** Where signing in with it begins. @param to the path of the page's own that it comes back to */
export const providerLink = (to: string): string =>
  `${root}${PATH}?${new URLSearchParams({ returnTo: href(to) })}`
