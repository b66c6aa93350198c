/** Who sends requests: nobody in particular, in open mode, or a member by session or token where sign-in is required. */

/** The credentials of a member. */
export type Credential = 'session' | 'token'

/** The headers of requests with each credential. */
export type Credentials = Readonly<Record<Credential, Record<string, string>>>

const ADMIN = { email: 'admin@example.test', password: 'correct horse battery' }
const MEMBER = { name: 'Maria', email: 'maria@example.test', password: ADMIN.password, role: 'member' }

/** The first admin, who is created at the first start on a file, in any mode. */
export const FIRST_ADMIN: Readonly<Record<string, string>> = {
  ADMIN_EMAIL: ADMIN.email,
  ADMIN_PASSWORD: ADMIN.password,
}

/** The environment of a service that requires sign-in, as on a network. It counts requests, but no load reaches the limit. */
export const REQUIRED: Readonly<Record<string, string>> = {
  ...FIRST_ADMIN,
  AUTH_MODE: 'required',
  RATE_LIMIT_MAX: '1000000000',
}

/** Creates a member with a session and a token. @param url where a service listens that requires sign-in */
export async function createMember(url: string): Promise<Credentials> {
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`)
    return response
  }
  const signIn = async ({ email, password }: typeof ADMIN) => {
    const response = await post('/api/session', { email, password })
    return { cookie: String(response.headers.get('set-cookie')).split(';', 1)[0] as string }
  }
  await post('/api/members', MEMBER, await signIn(ADMIN))
  const session = await signIn(MEMBER)
  const created = await post('/api/tokens', { name: 'CI', scope: 'write' }, session)
  const { token } = (await created.json()) as { token: string }
  return { session, token: { authorization: `Bearer ${token}` } }
}
