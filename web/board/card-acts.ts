/** The actions of keys and menus on a card. */
import { addressToShare } from '../common/card-numbers.ts'
import { copyLink } from '../common/copy-link.ts'
import { typeAhead } from '../common/keys.ts'
import { go, paths } from '../router.ts'
import type { Board, PickedField } from './board.ts'
import { cardElement } from './focus.ts'

/** Opens a card's dialog with the field of its title. What is typed before it is there goes into the field. */
export function editTitle({ store, query }: Board, id: string): void {
  const now = query.peek()
  typeAhead()
  go(`${paths.card(store.id, id)}${now}${now ? '&' : '?'}edit=title`)
}

export const copyCardLink = ({ store }: Board, id: string): void => void copyLink(addressToShare(store, id))

/** Opens the small picker of a field at a card, for all selected cards if it is one of them. */
export function pick(board: Board, field: PickedField, id: string): void {
  const anchor = cardElement(id)
  if (anchor === null) return
  board.makeCurrent(id)
  typeAhead()
  board.picking.value = { field, ids: board.targetsOf(id), anchor }
}
