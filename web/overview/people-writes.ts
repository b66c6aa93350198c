/**
 * Writes of a project's assignments. The service takes the whole list, which is built from the current one so that no other
 * change is lost.
 */
import { api } from '../common/api.ts'
import { onLatest } from '../common/latest.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { accepted, writeWithMessage } from '../common/record-writes.ts'
import type { Pending } from '../common/records.ts'
import type { Message } from '../common/toasts.ts'
import { afterChange, type PeopleChange } from './assignments.ts'
import { readProject } from './project-writes.ts'

/** The optimistic update. */
function pendingOf({ assignments, projects, id }: ProjectStore, change: PeopleChange): Pending {
  if (change.what === 'lead') {
    return projects.patch(id, (project) => project && { ...project, leadId: change.leadId })
  }
  const { memberId } = change
  const known = assignments.list(() => 0).find((one) => one.memberId === memberId)
  if (known) {
    return assignments.patch(known.id, (one) =>
      change.what === 'remove' ? undefined : one && { ...one, role: change.role },
    )
  }
  const role = change.what === 'remove' ? '' : change.role
  const now = new Date().toISOString()
  return assignments.patch(`new:${memberId}`, () => ({
    id: `new:${memberId}`,
    projectId: id,
    memberId,
    role,
    createdAt: now,
    updatedAt: now,
  }))
}

/** Changes who works on a project, and shows a message. @param message the text of the message */
export function changePeople(store: ProjectStore, change: PeopleChange, message: string | Message): void {
  const path = { id: store.id }
  void accepted(
    writeWithMessage(message, {
      pending: [pendingOf(store, change)],
      send: (idempotencyKey) =>
        onLatest(
          () => readProject(store),
          (latest, ifMatch) => {
            const body = afterChange(latest.teamAssignments, change)
            return api.request('put', '/api/projects/{id}/team-assignments', {
              path,
              body,
              ifMatch,
              idempotencyKey,
            })
          },
        ),
      onDone: ({ data, seq = 0 }) => {
        for (const one of data) store.assignments.put(one, Math.max(seq, store.assignments.seqOf(one.id)))
        const ids = new Set(data.map(({ id }) => id))
        for (const id of store.assignments.ids()) if (!ids.has(id)) store.assignments.remove(id, seq)
        if (change.what === 'lead') {
          // The response has nothing else of the project, whose changes may be on their way.
          const known = store.projects.seqOf(store.id)
          store.projects.merge(store.id, (project) => ({ ...project, leadId: change.leadId }), known)
        }
      },
    }),
  )
}
