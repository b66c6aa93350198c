/** The priority of a card, in colour and form. A name is beside it. */
import { Icon, type IconName } from './icon.tsx'

/** The icons by priority. Another tool's word has the general one. */
const ICONS: Readonly<Record<string, IconName>> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  critical: 'critical',
}

export const PriorityIcon = ({ priority }: { priority: string }) => (
  <span class={`priority priority-${priority in ICONS ? priority : 'other'}`}>
    <Icon name={ICONS[priority] ?? 'priority'} />
  </span>
)
