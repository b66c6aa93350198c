/** The assignees of cards, as the service keeps them. */
import type { KanbanItem } from '../../src/client/api.d.ts'

type Assigned = Pick<KanbanItem, 'assigneeId' | 'assigneeIds'>

/** Both fields after a change of one: an `assigneeId` alone takes the place of the first one, and null that of all. */
export function assigned<Fields extends Partial<Assigned>>(
  item: Assigned,
  fields: Fields,
): Fields & Partial<Assigned> {
  const { assigneeId, assigneeIds } = fields
  if (assigneeId !== undefined)
    return {
      ...fields,
      assigneeIds: assigneeId ? [...new Set([assigneeId, ...item.assigneeIds.slice(1)])] : [],
    }
  return assigneeIds ? { ...fields, assigneeId: assigneeIds[0] ?? null } : fields
}

/** The assignees with one more, or without one. */
export const withAssignee = ({ assigneeIds }: Assigned, id: string, isOn: boolean): string[] => [
  ...assigneeIds.filter((one) => one !== id),
  ...(isOn ? [id] : []),
]
