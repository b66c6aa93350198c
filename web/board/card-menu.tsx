/** The menu of a card, at its button and on a right click. It has every action that drag and drop and keys have. */
import { approve, deleteItem, isWaiting, moveItem } from '../common/item-writes.ts'
import { shownTitle } from '../common/titles.ts'
import { type MenuItem, OpenMenu } from '../common/ui/menu.tsx'
import type { Anchor } from '../common/ui/place-below.ts'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import type { Board, PickedField } from './board.ts'
import { copyCardLink, editTitle, pick } from './card-acts.ts'
import { focusCard } from './focus.ts'
import { archiveCards } from './many-writes.ts'
import { moveBy } from './steps.ts'

const words = texts.board

interface CardMenuProps {
  board: Board
  id: string
  anchor: Anchor
}

const FIELDS: readonly (readonly [field: PickedField, key: string])[] = [
  ['assignee', 'a'],
  ['labels', 'l'],
  ['due', 'd'],
  ['priority', 'p'],
]

export function CardMenu({ board, id, anchor }: CardMenuProps) {
  const item = board.store.items.get(id)
  const close = (focus: boolean) => {
    if (board.menu.peek()?.id !== id) return
    board.menu.value = undefined
    if (!focus) return
    if (anchor instanceof HTMLElement && anchor.isConnected) anchor.focus()
    else focusCard(board, id)
  }
  if (item === undefined) return null
  const { column, title } = item
  const ids = board.shownIn(column)
  const isFirst = ids[0] === id
  const isLast = ids.at(-1) === id
  const isSelected = board.selected.value.has(id)
  const moveTo = (at: 'top' | 'bottom') => {
    void moveItem(board.card(id), { column, at })
    focusCard(board, id)
  }
  const step = (by: 1 | -1) => {
    moveBy(board, id, by)
    focusCard(board, id)
  }
  const items: MenuItem[] = [
    { label: texts.open, href: href(paths.card(board.store.id, id)) + board.query.peek() },
    { label: words.editTitle, key: 'e', run: () => editTitle(board, id) },
    isWaiting(item) && { label: texts.item.approve, run: () => approve(board.card(id)) },
    ...FIELDS.map(([field, key]) => ({
      label: words.pickerOf(words.pickers[field]),
      key,
      run: () => pick(board, field, id),
    })),
    {
      label: texts.item.moveTo,
      key: 'm',
      run: () => {
        board.moving.value = id
      },
    },
    { label: texts.moveToTop, run: () => moveTo('top'), isDisabled: isFirst },
    { label: texts.moveUp, run: () => step(-1), isDisabled: isFirst },
    { label: texts.moveDown, run: () => step(1), isDisabled: isLast },
    { label: texts.moveToBottom, run: () => moveTo('bottom'), isDisabled: isLast },
    {
      label: isSelected ? words.many.deselect : words.many.select,
      key: 's',
      run: () => board.toggleSelected(id),
    },
    { label: texts.card.copyLink, key: 'c', run: () => copyCardLink(board, id) },
    {
      label: item.dismissed ? texts.restore : texts.item.dismiss,
      key: 'x',
      run: () => archiveCards(board, [id]),
    },
    { label: texts.card.delete, isDanger: true, run: () => void deleteItem(board.card(id)) },
  ]
  return <OpenMenu label={texts.actions(shownTitle(title))} items={items} anchor={anchor} onClose={close} />
}
