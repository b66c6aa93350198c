/** A label on a card. */
import type { KanbanLabel } from '../common/api.ts'
import { chipColor } from '../common/ui/chip.ts'

export const LabelChip = ({ label }: { label: KanbanLabel }) => (
  <span class="chip" style={chipColor(label.color)}>
    <span dir="auto">{label.name}</span>
  </span>
)
