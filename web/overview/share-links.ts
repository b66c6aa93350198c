/** Share links: addresses with which anybody reads the board of a project, without signing in. */

import { api, isNotFound, type NewShareLink, type ShareLink, sending } from '../common/api.ts'
import { endOfDay } from '../common/date-words.ts'
import { textIn } from '../common/forms.ts'
import { write } from '../common/writes.ts'

/** The fields of a new link. */
interface ShareLinkFields {
  name?: string
  expiresAt?: string
}

/** The links of a project; undefined if the service has them turned off. @throws PhaseboardError */
export async function readShareLinks(projectId: string): Promise<ShareLink[] | undefined> {
  try {
    return await api.get('/api/projects/{id}/share-links', { path: { id: projectId } })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

/** Makes a link. @throws PhaseboardError */
export async function makeShareLink(projectId: string, body: ShareLinkFields): Promise<NewShareLink> {
  const path = { id: projectId }
  const { data } = await write(sending('post', '/api/projects/{id}/share-links', { path, body }))
  return data
}

/** Ends a link. @throws PhaseboardError */
export async function revokeShareLink(id: string): Promise<void> {
  await write(sending('delete', '/api/share-links/{id}', { path: { id } }))
}

/** The values of the form. */
export function shareLinkOf(fields: { get(name: string): unknown }): ShareLinkFields {
  const name = textIn(fields, 'name').trim()
  const expiresAt = endOfDay(textIn(fields, 'expiresAt'))
  return { ...(name !== '' && { name }), ...(expiresAt !== null && { expiresAt }) }
}
