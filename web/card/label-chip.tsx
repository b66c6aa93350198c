/** A label as it stands on a card. */
import type { KanbanLabel } from '../shared/api.ts'
import { chipColor } from '../shared/ui/chip.ts'

export const LabelChip = ({ label }: { label: KanbanLabel }) => (
  <span class="chip" style={chipColor(label.color)}>
    <span dir="auto">{label.name}</span>
  </span>
)
