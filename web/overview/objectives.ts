/** The order of objectives. */
import { between } from '../common/order.ts'

interface Placed {
  id: string
  sortOrder: number
}

/**
 * The records to change so that one gets a new place: only that one, or all if its new neighbours leave no room.
 * @param list in its order
 * @param to the new index, from 0
 */
export function placing(list: readonly Placed[], id: string, to: number): Placed[] {
  const others = list.filter((one) => one.id !== id)
  const at = Math.max(0, Math.min(to, others.length))
  const [before, after] = [others[at - 1]?.sortOrder, others[at]?.sortOrder]
  const sortOrder = between(before, after)
  const hasRoom = (before === undefined || sortOrder > before) && (after === undefined || sortOrder < after)
  if (hasRoom) return [{ id, sortOrder }]
  const ids = others.map((one) => one.id).toSpliced(at, 0, id)
  return ids.map((one, index) => ({ id: one, sortOrder: index + 1 }))
}
