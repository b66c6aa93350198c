/** Merges two people into one, for admins. */
import { texts } from '../texts.ts'
import { sending } from './api.ts'
import { done } from './toasts.ts'
import { write } from './writes.ts'

/**
 * Merges a person into another one.
 * @returns the change, for undo; null if nothing was left to merge
 * @throws PhaseboardError
 */
export async function mergePerson(id: string, into: string): Promise<number | null> {
  const { data } = await write(sending('post', '/api/people/{id}/merge', { path: { id }, body: { into } }))
  done(data.group, texts.people.merged(data.person.name, data.into.name))
  return data.group
}
