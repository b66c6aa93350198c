/** Removes the entries of a project from lists when the user loses access to the project. */

import { onAccess, onConnected, onReset } from './live.ts'
import type { LiveList } from './live-list.ts'
import { together } from './together.ts'

/**
 * Removes entries that the user no longer sees from a list, also while the list is not in use.
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
    // Access may have changed while there was no connection.
    onConnected((isBeginning) => isBeginning || list.renew()),
    onReset(() => list.renew()),
  )
}
