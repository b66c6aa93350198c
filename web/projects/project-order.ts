/** The new places of projects, some of which the user may only read. */
import type { Placed } from '../common/order.ts'

/** The maximum number of places in one request. */
const MOST = 1000

/** Numbers some records evenly between two others, if there is room. */
function spread(
  ids: readonly string[],
  before: number | undefined,
  after: number | undefined,
): Placed[] | undefined {
  const step = before === undefined || after === undefined ? 1 : (after - before) / (ids.length + 1)
  const start = before ?? (after ?? ids.length + 1) - ids.length - 1
  const places = ids.map((id, index) => ({ id, sortOrder: start + step * (index + 1) }))
  const numbers = [before ?? -Infinity, ...places.map(({ sortOrder }) => sortOrder), after ?? Infinity]
  return numbers.every((one, index) => index === 0 || one > (numbers[index - 1] ?? one)) ? places : undefined
}

/**
 * The projects to renumber so that one gets a new place: only that one if its new neighbours leave room, else also those
 * beside it.
 * @param list its group in order
 * @param index its new place among the others
 * @param mayMove whether the user may renumber a project
 * @returns undefined if it would take projects that may not be renumbered, or too many
 */
export function placesIn(
  list: readonly Placed[],
  id: string,
  index: number,
  mayMove: (id: string) => boolean,
): Placed[] | undefined {
  const others = list.filter((one) => one.id !== id)
  const [above, below] = [others.slice(0, index), others.slice(index)]
  const isFixed = (one: Placed) => !mayMove(one.id)
  const fixed = below.findIndex(isFixed)
  const up = above.length - 1 - above.findLastIndex(isFixed)
  const down = fixed === -1 ? below.length : fixed
  const ways = [
    { up: 0, down: 0 },
    { up, down: 0 },
    { up: 0, down },
    { up, down },
  ]
  for (const way of ways.toSorted((a, b) => a.up + a.down - (b.up + b.down))) {
    if (way.up + way.down >= MOST) break
    const moved = [...above.slice(above.length - way.up), { id }, ...below.slice(0, way.down)]
    const ids = moved.map((one) => one.id)
    const places = spread(ids, above.at(-way.up - 1)?.sortOrder, below[way.down]?.sortOrder)
    if (places) return places
  }
  return undefined
}
