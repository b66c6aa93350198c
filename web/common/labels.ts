/** Common code of all components that change labels. */

import type { KanbanItem, KanbanLabel } from './api.ts'
import { isSame } from './matches.ts'
import { byId } from './order.ts'

/** The maximum length of a label's name. */
export const LONGEST_LABEL = 50

/** Whether a label has a name, however it is written. */
export const hasLabel = (labels: readonly { name: string }[], name: string): boolean =>
  labels.some((label) => isSame(label.name, name.trim()))

/** The item with a label, or without it. */
export function withLabel(item: KanbanItem, label: KanbanLabel, isOn: boolean): KanbanItem {
  const others = item.labels.filter(({ id }) => id !== label.id)
  return { ...item, labels: isOn ? [...others, label].sort(byId) : others }
}

/** The colours of new labels. The first is the service's default. */
const COLORS = [
  '#3b82f6',
  '#16a34a',
  '#f59e0b',
  '#dc2626',
  '#8b5cf6',
  '#0d9488',
  '#ec4899',
  '#84cc16',
  '#64748b',
  '#92400e',
] as const

/** The colour of a new label: the first that fewest others have. */
export function nextColor(labels: readonly { color: string }[]): string {
  const uses = (color: string) => labels.filter((label) => label.color.toLowerCase() === color).length
  return COLORS.reduce<string>((best, color) => (uses(color) < uses(best) ? color : best), COLORS[0])
}
