/** Sign-in with an account of the organisation (OpenID Connect), if the service is configured for it. */

import { root } from '../common/api.ts'
import { href } from '../router.ts'

const PATH = 'api/session/oidc'

/** Whether the service offers it. One that is too busy to say (503) may offer it. */
export async function hasProvider(): Promise<boolean> {
  try {
    const { status } = await fetch(root + PATH, { method: 'HEAD' })
    return status === 204 || status === 503
  } catch {
    return false
  }
}

/** The URL that starts the sign-in. @param to the path of the page to return to */
export const providerLink = (to: string): string =>
  `${root}${PATH}?${new URLSearchParams({ returnTo: href(to) })}`
