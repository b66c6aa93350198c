/** Groups the user's items by due date. */
import type { KanbanItem } from '../../src/client/api.d.ts'
import { dayOf, isOverdue } from '../common/dates.ts'
import { byId } from '../common/order.ts'

/** The groups in order. A week ends on Sunday. */
const DUE_GROUPS = ['overdue', 'today', 'week', 'later', 'none'] as const
type DueGroupName = (typeof DUE_GROUPS)[number]

type Due = Pick<KanbanItem, 'id' | 'dueDate' | 'priority'>

const DAY = 86_400_000
/** Priorities from the most urgent one. Custom ones come between medium and low. */
const URGENCY: Readonly<Record<string, number>> = { critical: 0, high: 1, medium: 2, low: 4 }
const urgencyOf = ({ priority }: Due) => URGENCY[priority] ?? 3

/** The Sunday of the week of a day. @param day `YYYY-MM-DD` */
function endOfWeek(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  const days = (7 - date.getUTCDay()) % 7
  return new Date(date.getTime() + days * DAY).toISOString().slice(0, 10)
}

/** The group of a due date. @param today `YYYY-MM-DD` */
export function dueGroupOf(dueDate: string | null, today: string): DueGroupName {
  if (dueDate === null) return 'none'
  const day = dayOf(dueDate)
  if (isOverdue({ dueDate, metadata: {} }, today)) return 'overdue'
  if (day === today) return 'today'
  return day <= endOfWeek(today) ? 'week' : 'later'
}

export interface DueGroup<Item> {
  name: DueGroupName
  items: Item[]
}

/** The items by due date, then by urgency, without empty groups. @param today `YYYY-MM-DD` */
export function byDue<Item extends Due>(items: readonly Item[], today: string): DueGroup<Item>[] {
  const order = (a: Item, b: Item) =>
    (a.dueDate ?? '').localeCompare(b.dueDate ?? '') || urgencyOf(a) - urgencyOf(b) || byId(a, b)
  return DUE_GROUPS.map((name) => ({
    name,
    items: items.filter(({ dueDate }) => dueGroupOf(dueDate, today) === name).toSorted(order),
  })).filter(({ items: found }) => found.length > 0)
}
