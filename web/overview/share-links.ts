/** Share links: addresses with which anybody reads the board of a project, without signing in. */
import { type Answer, api, PhaseboardError, root } from '../common/api.ts'
import { endOfDay } from '../common/dates.ts'
import { read } from '../common/session.ts'
import { write } from '../common/writes.ts'

/** A link, without its secret. */
export interface ShareLink {
  id: string
  projectId: string
  name: string
  /** Null for the command line. */
  createdBy: string | null
  createdAt: string
  expiresAt: string | null
}

/** A new link. Its secret is shown only this once. */
export interface NewShareLink extends ShareLink {
  secret: string
  /** The address, with the secret. */
  url?: string
}

/** What a new link is made of. */
export interface ShareLinkFields {
  name?: string
  expiresAt?: string
}

/** The share links of the API. */
interface Links {
  get(path: string, options: object): Promise<ShareLink[]>
  request(method: 'post', path: string, options: object): Promise<Answer<NewShareLink>>
  request(method: 'delete', path: string, options: object): Promise<Answer<unknown>>
}
const links = api as unknown as Links

/** The links of a project; undefined if the service has them turned off. @throws PhaseboardError */
export async function readShareLinks(projectId: string): Promise<ShareLink[] | undefined> {
  try {
    return await read(() => links.get('/api/projects/{id}/share-links', { path: { id: projectId } }))
  } catch (error) {
    if (error instanceof PhaseboardError && error.status === 404) return undefined
    throw error
  }
}

/** Makes a link. @throws PhaseboardError */
export async function makeShareLink(projectId: string, body: ShareLinkFields): Promise<NewShareLink> {
  const path = { id: projectId }
  const { data } = await write({
    send: (idempotencyKey) =>
      links.request('post', '/api/projects/{id}/share-links', { path, body, idempotencyKey }),
  })
  return data
}

/** Ends a link. @throws PhaseboardError */
export async function revokeShareLink(id: string): Promise<void> {
  await write({
    send: (idempotencyKey) =>
      links.request('delete', '/api/share-links/{id}', { path: { id }, idempotencyKey }),
  })
}

/** The values of the form. */
export function shareLinkOf(fields: { get(name: string): unknown }): ShareLinkFields {
  const name = String(fields.get('name') ?? '').trim()
  const expiresAt = endOfDay(String(fields.get('expiresAt') ?? ''))
  return { ...(name !== '' && { name }), ...(expiresAt !== null && { expiresAt }) }
}

/** The address of a new link. @param base the root URL of the page, with a trailing slash */
export const shareAddress = (
  { secret, url }: Pick<NewShareLink, 'secret' | 'url'>,
  base: string = location.origin + root,
): string => url ?? `${base}shared/${secret}`
