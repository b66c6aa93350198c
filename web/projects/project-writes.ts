/** Writes of projects from the list, with optimistic updates and undo in the message. */
import { type ProjectSummary, sending, type UpdateProject } from '../common/api.ts'
import { projectList } from '../common/projects.ts'
import { accepted, ifThere, removeRecord, showPlaces, writeWithMessage } from '../common/record-writes.ts'
import { mayWriteProject } from '../common/rights.ts'
import { toast } from '../common/toasts.ts'
import { moves } from '../later-import-texts.ts'
import { texts } from '../texts.ts'
import { placesIn } from './project-order.ts'

const { records } = projectList

function change(
  { id }: ProjectSummary,
  body: Pick<UpdateProject, 'status'>,
  message: string,
): Promise<boolean> {
  return accepted(
    writeWithMessage(message, {
      ...sending('patch', '/api/projects/{id}', { path: { id }, body }),
      pending: [
        records.patch(
          id,
          ifThere((one) => ({ ...one, ...body }) as ProjectSummary),
        ),
      ],
      onDone: ({ data: { status, sortOrder, updatedAt }, seq = records.seqOf(id) }) =>
        records.merge(id, (one) => ({ ...one, status, sortOrder, updatedAt }), seq),
    }),
  )
}

export const archive = (project: ProjectSummary): Promise<boolean> =>
  change(project, { status: 'archived' }, texts.projectList.archived(project.name))

/** Unarchives a project: it becomes active. */
export const unarchive = (project: ProjectSummary): Promise<boolean> =>
  change(project, { status: 'active' }, texts.projectList.unarchived(project.name))

/** Deletes a project with everything in it. Undo restores it. Only for admins. */
export const remove = ({ id, name }: ProjectSummary): Promise<boolean> =>
  accepted(
    removeRecord({
      records,
      message: texts.deleted(name),
      id,
      ...sending('delete', '/api/projects/{id}', { path: { id } }),
    }),
  )

/**
 * Moves a project before or after another one of its group.
 * @param all all projects in order
 */
export async function moveBeside(
  project: ProjectSummary,
  neighbour: ProjectSummary,
  side: 'before' | 'after',
  all: readonly ProjectSummary[],
): Promise<void> {
  // The places in other groups do not matter.
  const group = all.filter(({ status }) => status === project.status)
  const others = group.filter(({ id }) => id !== project.id)
  const index = others.findIndex(({ id }) => id === neighbour.id) + (side === 'after' ? 1 : 0)
  const items = placesIn(group, project.id, index, mayWriteProject)
  if (items === undefined) {
    toast(moves.noRoom, [], 'alert')
    return
  }
  await accepted(
    writeWithMessage(texts.moved(project.name), {
      ...sending('post', '/api/projects/reorder', { body: { items } }),
      pending: showPlaces(records, items),
      onDone: ({ data, seq }) => {
        for (const { id, sortOrder } of data) {
          records.merge(id, (one) => ({ ...one, sortOrder }), seq ?? records.seqOf(id))
        }
      },
    }),
  )
}
