/** A person as two letters on the person's colour. The name is beside it, or in a label. */
import { initials } from '../titles.ts'
import { hueOf } from './hue.ts'

interface AvatarProps {
  /** The id, which the colour follows from. */
  id: string
  name: string
  /** Whether the name is shown when the pointer rests on it. */
  isNamed?: boolean
}

export const Avatar = ({ id, name, isNamed = false }: AvatarProps) => (
  <span class="avatar" style={{ '--hue': hueOf(id) }} title={isNamed ? name : undefined} aria-hidden="true">
    {initials(name)}
  </span>
)
