/** A label as it stands on a card. */
import type { KanbanLabel } from '../shared/api.ts'

/** A colour that comes from people, where it is one: any other string shows as none. */
const chipColor = (color: string) => (CSS.supports('color', color) ? { '--chip': color } : undefined)

export const LabelChip = ({ label }: { label: KanbanLabel }) => (
  <span class="chip" style={chipColor(label.color)}>
    <span dir="auto">{label.name}</span>
  </span>
)
