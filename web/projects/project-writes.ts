/** What can be done to a project from the list: shown at once, undone from the message. */
import { api, type ProjectSummary, type UpdateProject } from '../common/api.ts'
import { placedAt } from '../common/order.ts'
import { projectList } from '../common/projects.ts'
import { done, failed } from '../common/toasts.ts'
import { write } from '../common/writes.ts'
import { texts } from '../texts.ts'

const { records } = projectList

async function change(project: ProjectSummary, body: UpdateProject, text: string): Promise<void> {
  const { id } = project
  const path = { id }
  try {
    const answer = await write({
      send: (idempotencyKey) => api.request('patch', '/api/projects/{id}', { path, body, idempotencyKey }),
      pending: [records.patch(id, (one) => one && ({ ...one, ...body } as ProjectSummary))],
      onDone: ({ data, seq }) => {
        const { status, sortOrder, updatedAt } = data
        records.merge(id, (one) => ({ ...one, status, sortOrder, updatedAt }), seq ?? records.seqOf(id))
      },
    })
    done(answer.seq, text)
  } catch (error) {
    failed(error)
  }
}

/** Puts a project among those that are archived. */
export const archive = (project: ProjectSummary): Promise<void> =>
  change(project, { status: 'archived' }, texts.projectList.archived(project.name))

/** Makes an archived project active. */
export const unarchive = (project: ProjectSummary): Promise<void> =>
  change(project, { status: 'active' }, texts.projectList.unarchived(project.name))

/** Deletes a project with all that belongs to it; an undo brings it back. For admins. */
export async function remove({ id, name }: ProjectSummary): Promise<void> {
  try {
    const answer = await write({
      send: (idempotencyKey) => api.request('delete', '/api/projects/{id}', { path: { id }, idempotencyKey }),
      pending: [records.patch(id, () => undefined)],
      onDone: ({ seq }) => records.remove(id, seq ?? records.seqOf(id)),
    })
    done(answer.seq, texts.projectList.deleted(name))
  } catch (error) {
    failed(error)
  }
}

/**
 * Puts a project before or after another of its group.
 * @param all all projects in their order
 */
export async function moveBeside(
  project: ProjectSummary,
  neighbour: ProjectSummary,
  side: 'before' | 'after',
  all: readonly ProjectSummary[],
): Promise<void> {
  const others = all.filter(({ id }) => id !== project.id)
  const index = others.findIndex(({ id }) => id === neighbour.id) + (side === 'after' ? 1 : 0)
  const items = placedAt(all, project.id, index)
  try {
    const answer = await write({
      send: (idempotencyKey) =>
        api.request('post', '/api/projects/reorder', { body: { items }, idempotencyKey }),
      pending: items.map(({ id, sortOrder }) => records.patch(id, (one) => one && { ...one, sortOrder })),
      onDone: ({ data, seq }) => {
        for (const { id, sortOrder } of data) {
          records.merge(id, (one) => ({ ...one, sortOrder }), seq ?? records.seqOf(id))
        }
      },
    })
    done(answer.seq, texts.projectList.moved(project.name))
  } catch (error) {
    failed(error)
  }
}
