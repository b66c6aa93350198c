/** Labels whose names differ only as people write them. */
import { isBlank, nameFold } from '../imports/names.ts'
import type { SourceBoard, SourceLabel } from './source-board.ts'

/**
 * The board with trimmed and composed names of labels. Labels whose names differ only by case or accents are one, unless
 * their colours differ.
 */
export function mergeLabels(board: SourceBoard): SourceBoard {
  const first = new Map<string, SourceLabel>()
  const merged = new Map<SourceLabel, SourceLabel>()
  for (const label of board.labels) {
    label.name = label.name.trim().normalize()
    const key = isBlank(label.name) ? undefined : `${label.color} ${nameFold(label.name)}`
    const known = key === undefined ? undefined : first.get(key)
    if (key !== undefined && known === undefined) first.set(key, label)
    merged.set(label, known ?? label)
  }
  for (const card of board.cards) {
    card.labels = [...new Set(card.labels.map((label) => merged.get(label) ?? label))]
  }
  return { ...board, labels: [...new Set(merged.values())] }
}
