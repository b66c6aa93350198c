/** What a list holds of a project goes when the project leaves those that the user sees. */

import { onAccess, onConnected } from './live.ts'
import type { LiveList } from './live-list.ts'
import { together } from './together.ts'

/**
 * Keeps a list free of what the user no longer sees, also while the list is not in use.
 * @param projectOf the id of the project of a record
 * @returns ends it
 */
export function followAccess<T extends { id: string }>(
  list: LiveList<T>,
  projectOf: (record: T) => string | null,
): () => void {
  return together(
    onAccess(({ projectId, visible }) =>
      visible ? list.renew() : list.forget((record) => projectOf(record) === projectId),
    ),
    // Projects may have come or gone while there was no connection.
    onConnected((isBeginning) => isBeginning || list.renew()),
  )
}
